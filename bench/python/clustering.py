"""Clusterings of graphs: SymNMF, the command line on a file of the same graph, scikit-learn's NMF and SpectralClustering."""

from __future__ import annotations

import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from common import seconds
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

import gramfold

LARGE = 5_000
"""Graphs with more nodes are run once from three seeds, others three times from five."""

Answer = tuple[float | None, np.ndarray]
"""The objective and the labels."""


def digits() -> tuple[sp.csr_array, np.ndarray]:
    """A nearest-neighbour graph of the digits of scikit-learn."""
    data = load_digits()
    graph = sp.csr_array(kneighbors_graph(data.data, 10))
    return sp.csr_array(0.5 * (graph + graph.T)), data.target


def communities(n: int, k: int) -> tuple[sp.csr_array, np.ndarray]:
    """A random graph with k communities, about 20 edges a node, 4 of them to other communities."""
    rng = np.random.default_rng(1)
    truth = np.arange(n) % k
    inside = np.stack([rng.integers(0, n // k, 8 * n), rng.integers(0, n // k, 8 * n)]) * k
    inside += rng.integers(0, k, 8 * n)
    ends = np.concatenate([inside, rng.integers(0, n, (2, 2 * n))], axis=1)
    ends = ends[:, (ends[0] < n) & (ends[1] < n) & (ends[0] != ends[1])]
    graph = sp.coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(n, n)).tocsr()
    graph = sp.csr_array(graph + graph.T)
    graph.data[:] = 1
    return graph, truth


def objective(A: sp.csr_array, X: np.ndarray, Y: np.ndarray) -> float:
    """½‖A − XYᵀ‖²."""
    return float(0.5 * ((A.data**2).sum() - 2 * np.vdot(A @ Y, X) + np.vdot(X.T @ X, Y.T @ Y)))


def normalised(graph: sp.csr_array) -> sp.csr_array:
    """What `similarity="weights"` factorises."""
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    roots = sp.dia_array((1 / np.sqrt(degrees + degrees.mean())[None], [0]), shape=graph.shape)
    return sp.csr_array(roots @ graph @ roots)


def _children() -> float:
    """The CPU time of the processes that this one has started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spent(run: Callable[[], object], repeats: int) -> tuple[float, object]:
    """The least CPU time of several runs in processes of their own, and the last answer."""
    least, answer = float("inf"), None
    for _ in range(repeats):
        before = _children()
        answer = run()
        least = min(least, _children() - before)
    return least, answer


def precise(run: Callable[[], object], repeats: int) -> tuple[float, object]:
    """The same of runs in this process."""
    least, answer = float("inf"), None
    for _ in range(repeats):
        before = time.process_time()
        answer = run()
        least = min(least, time.process_time() - before)
    return least, answer


def table(name: str, graph: sp.csr_array, truth: np.ndarray, k: int, program: Path) -> list[str]:
    """Medians over the seeds of the least of several runs each."""
    gramfold.set_threads(1)
    seeds, repeats = (range(3), 1) if graph.shape[0] > LARGE else (range(5), 3)
    A = normalised(graph)
    held = sp.csr_matrix(graph)
    rows: dict[str, list[tuple[float, Answer]]] = {}
    for seed in seeds:
        for similarity in ("weights", "auto"):
            model = gramfold.SymNMF(k, similarity=similarity, random_state=seed)
            cpu, _ = precise(lambda model=model: model.fit_predict(held), repeats)
            X = model.embedding_
            value = objective(A, X, X)
            if not np.isclose(value, model.reconstruction_err_**2 / 2, rtol=1e-9):
                value = None  # The graph had walks factorised, not its weights.
            called = "SymNMF" if similarity == "auto" else 'SymNMF, similarity="weights"'
            rows.setdefault(called, []).append((cpu, (value, model.labels_)))
            with tempfile.TemporaryDirectory() as directory:
                path, out = Path(directory) / "graph.npz", Path(directory) / "out"
                sp.save_npz(path, held)
                line = [program, "cluster", path, "-k", str(k), "--seed", str(seed), "--out", out, "--quiet", "--threads", "1"]
                line += ["--similarity", similarity] if similarity != "auto" else []
                cpu, _ = spent(lambda line=line: subprocess.run(line, check=True), repeats)
                assert np.array_equal(np.load(out / "factor.npy"), X), "the command line came to other bits"
                labels = np.loadtxt(out / "labels.txt", int)
            rows.setdefault(f"the command for {called}", []).append((cpu, (value, labels)))
        for start in ("nndsvda", "random"):
            rival = NMF(k, init=start, random_state=seed, max_iter=1000)
            cpu, W = precise(lambda rival=rival: rival.fit_transform(A), repeats)
            H = rival.components_.T
            # An asymmetric factorisation: the objective is that of the symmetric factor that it gives.
            scale = np.sqrt(np.linalg.norm(H, axis=0) / np.maximum(np.linalg.norm(W, axis=0), 1e-300))
            both = 0.5 * (W * scale + H / np.maximum(scale, 1e-300))
            rows.setdefault(f"NMF, {start}", []).append((cpu, (objective(A, both, both), W.argmax(axis=1))))
        spectral = SpectralClustering(k, affinity="precomputed", random_state=seed)
        cpu, labels = precise(lambda spectral=spectral: spectral.fit_predict(held), repeats)
        rows.setdefault("SpectralClustering", []).append((cpu, (None, labels)))
    lines = []
    for method, runs in rows.items():
        cpu = statistics.median(cpu for cpu, _ in runs)
        values = [value for _, (value, _) in runs if value is not None]
        value = f"{statistics.median(values):.7f}" if values else "–"
        agreed = statistics.median(adjusted_rand_score(truth, labels) for _, (_, labels) in runs)
        lines.append(f"| {name} | {method} | {seconds(cpu)} | {value} | {agreed:.3f} |")
    return lines
