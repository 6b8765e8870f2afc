"""The graphs of the benchmark: those of the data directory, and generated ones.

Every graph becomes two files in the work directory, the same for every method: the weights as given
(for Gramfold, which normalises itself, and for the clustering-only rivals) and the matrix to be factorised.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

QUICK = ["karate", "football", "polblogs", "digits_knn", "coil20_knn", "orl_knn", "cora", "mnist10k_knn"]


@dataclass
class Case:
    """One graph: files of its weights, of the matrix, and of its classes if it has any."""

    name: str
    weights: Path
    matrix: Path
    truth: Path | None
    k: int
    n: int
    stored: int
    normalise: str


def normalised(weights):
    """D^-1/2 A D^-1/2 with the mean degree added to D: what `gramfold cluster` factorises by default."""
    degrees = np.asarray(np.abs(weights).sum(axis=1)).ravel()
    scale = sp.diags_array(1 / np.sqrt(degrees + degrees.mean()))
    return (scale @ weights @ scale).tocsr()


def planted(n: int, k: int, degree: float, seed: int):
    """A planted partition into k equal blocks, four fifths of the edges inside them."""
    random = np.random.default_rng(seed)
    edges = int(n * degree / 2)
    labels = np.arange(n) % k
    a = random.integers(0, n, edges)
    inside = random.random(edges) < 0.8
    b = np.where(inside, (random.integers(0, n // k, edges) * k + labels[a]) % n, random.integers(0, n, edges))
    return pattern(n, a, b), labels


def power_law(n: int, degree: float, seed: int):
    """Edges between nodes drawn with probability proportional to (i + 10)^-1/2 (Chung and Lu)."""
    random = np.random.default_rng(seed)
    p = (np.arange(n) + 10.0) ** -0.5
    p /= p.sum()
    edges = int(n * degree / 2)
    return pattern(n, random.choice(n, edges, p=p), random.choice(n, edges, p=p))


def pattern(n: int, a, b):
    """The unweighted graph of the edges, without loops."""
    keep = a != b
    a, b = a[keep], b[keep]
    matrix = sp.coo_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def low_rank(n: int, k: int, seed: int):
    """UUᵀ with |N(0, 1)| entries of U, plus symmetric noise of the same variance as one term, cut off at 0."""
    random = np.random.default_rng(seed)
    u = np.abs(random.standard_normal((n, k)))
    noise = random.standard_normal((n, n))
    return np.maximum(u @ u.T + (noise + noise.T) / np.sqrt(2), 0)


def collect(data: Path | None, work: Path, quick: bool) -> list[Case]:
    """Writes the files of every graph and lists them."""
    work.mkdir(parents=True, exist_ok=True)
    cases = []
    if data is not None:
        for truth in sorted(data.glob("*_labels.txt")):
            name = truth.name.removesuffix("_labels.txt")
            files = [data / f"{name}.mtx", data / f"{name}.mtx.gz"]
            if quick and name not in QUICK or not any(file.is_file() for file in files):
                continue
            source = next(file for file in files if file.is_file())
            weights = sp.csr_array(scipy.io.mmread(source), dtype=float)
            labels = np.loadtxt(truth, dtype=int)
            k = len(set(labels[labels >= 0]))
            cases.append(sparse_case(name.removesuffix("_knn"), weights, truth, k, work))
    n, degree = (5_000, 20) if quick else (100_000, 20)
    weights, labels = planted(n, 20, degree, seed=1)
    truth = work / "planted_labels.txt"
    np.savetxt(truth, labels, fmt="%d")
    cases.append(sparse_case(f"planted-{n // 1000}k", weights, truth, 20, work))
    n = 5_000 if quick else 50_000
    cases.append(sparse_case(f"power-law-{n // 1000}k", power_law(n, 10, seed=2), None, 10, work))
    dense = low_rank(600, 15, seed=3)
    file = work / "dense-600.npy"
    np.save(file, dense)
    cases.append(Case("dense-600", file, file, None, 15, 600, dense.size, "none"))
    return cases


def sparse_case(name, weights, truth, k, work) -> Case:
    file, matrix = work / f"{name}.npz", work / f"{name}.normalised.npz"
    sp.save_npz(file, sp.csr_matrix(weights), compressed=False)
    sp.save_npz(matrix, sp.csr_matrix(normalised(weights)), compressed=False)
    return Case(name, file, matrix, truth, k, weights.shape[0], weights.nnz, "regularised")


def load(path: Path):
    """A matrix that `collect` wrote."""
    return np.load(path) if path.suffix == ".npy" else sp.csr_matrix(sp.load_npz(path))
