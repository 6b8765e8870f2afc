"""Learning problems whose answers are known: generated from a seed, or read from labelled tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp


@dataclass
class Completion:
    """Entries of XXᵀ, each place once with i ≤ j."""

    truth: np.ndarray
    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray

    @property
    def n(self) -> int:
        return len(self.truth)

    def matrix(self) -> sp.csr_array:
        """The entries and their mirror images."""
        off = self.rows != self.cols
        rows, cols = np.r_[self.rows, self.cols[off]], np.r_[self.cols, self.rows[off]]
        matrix = sp.csr_array((np.r_[self.values, self.values[off]], (rows, cols)), shape=(self.n, self.n))
        matrix.sort_indices()
        return matrix

    def error(self, x: np.ndarray) -> float:
        """‖XXᵀ − truth‖/‖truth‖ over the whole matrix, by Gram matrices: precise to about 1e-8."""
        t = self.truth
        whole = np.vdot(t.T @ t, t.T @ t)
        # XXᵀ − TTᵀ = ½(DSᵀ + SDᵀ) with D = X − TQ, S = X + TQ, which loses no digits where X is near TQ.
        u, _, v = np.linalg.svd(t.T @ x)
        turned = t @ (u @ v)
        if turned.shape[1] < x.shape[1]:
            turned = np.pad(turned, ((0, 0), (0, x.shape[1] - turned.shape[1])))
        d, s = x - turned, x + turned
        square = 0.5 * (np.vdot(d.T @ d, s.T @ s) + np.vdot(d.T @ s, (d.T @ s).T))
        return float(np.sqrt(max(square, 0.0) / whole))


def factor(n: int, r: int, kappa: float, rng: np.random.Generator) -> np.ndarray:
    """A factor X whose XXᵀ has condition number kappa on its range."""
    x = rng.standard_normal((n, r))
    if kappa != 1:
        x = np.linalg.qr(x)[0] * np.sqrt(n * np.geomspace(1, 1 / kappa, r))
    return x


def places(n: int, share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Each place i ≤ j with the same probability."""
    rows, cols = [], []
    for i in range(n):
        count = rng.binomial(n - i, share)
        chosen = np.sort(rng.choice(n - i, count, replace=False)) + i
        rows.append(np.full(count, i))
        cols.append(chosen)
    return np.concatenate(rows), np.concatenate(cols)


def completion(n: int, r: int, share: float, seed: int, kappa: float = 1, outliers: float = 0, noise: float = 0) -> Completion:
    rng = np.random.default_rng(seed)
    truth = factor(n, r, kappa, rng)
    rows, cols = places(n, share, rng)
    values = np.einsum("ij,ij->i", truth[rows], truth[cols])
    rms = np.sqrt(np.mean(values**2))
    if noise:
        values = values + noise * rms * rng.standard_normal(len(values))
    if outliers:
        wrong = rng.random(len(values)) < outliers
        values = np.where(wrong, values + 10 * rms * rng.choice([-1.0, 1.0], len(values)), values)
    return Completion(truth, rows, cols, values)


def scarce(n: int, r: int, times: float, seed: int) -> Completion:
    """So many times as many entries as unknowns."""
    unknowns = n * r - r * (r - 1) // 2
    return completion(n, r, times * unknowns / (n * (n + 1) / 2), seed)


@dataclass
class Network:
    """Points in the unit square and the distances below a radius."""

    points: np.ndarray
    pairs: np.ndarray
    distances: np.ndarray
    anchors: int

    def error(self, found: np.ndarray, leave: np.ndarray | None = None) -> float:
        """The root of the mean squared distance from the truth, of all points but the anchors and those left out."""
        of = np.ones(len(self.points), bool)
        of[: self.anchors] = False
        if leave is not None:
            of[leave] = False
        return float(np.sqrt(np.mean(np.sum((found - self.points)[of] ** 2, axis=1))))


def network(n: int, degree: float, anchors: int, seed: int, noise: float = 0) -> Network:
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    radius = np.sqrt(degree / (np.pi * (n - 1)))
    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    distances = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    if noise:
        distances = distances * np.abs(1 + noise * rng.standard_normal(len(distances)))
    return Network(points, pairs, distances, anchors)


def phases(n: int, m: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A signal, vectors a, and (a·signal)²."""
    rng = np.random.default_rng(seed)
    signal, a = rng.standard_normal(n), rng.standard_normal((m, n))
    return signal, a, (a @ signal) ** 2


def correlations(p: int, k: int, seed: int) -> np.ndarray:
    """The correlations of a sample of 3p observations of k factors and noise."""
    rng = np.random.default_rng(seed)
    loadings = rng.uniform(-1, 1, (p, k))
    points = rng.standard_normal((3 * p, k)) @ loadings.T + rng.standard_normal((3 * p, p))
    return np.corrcoef(points.T)


def indefinite(p: int, seed: int) -> np.ndarray:
    """Correlations of a sample with noise in each of them: no correlation matrix any more."""
    rng = np.random.default_rng(seed)
    noise = 0.1 * rng.standard_normal((p, p))
    a = correlations(p, 5, seed) + (noise + noise.T) / 2
    a = np.clip(a, -1, 1)
    np.fill_diagonal(a, 1)
    return a


def tables(data: Path | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Points and classes; those that scikit-learn does not have only where the data are there."""
    from sklearn import datasets

    loaders = {"iris": "load_iris", "wine": "load_wine", "breast cancer": "load_breast_cancer", "digits": "load_digits"}
    found = {name: getattr(datasets, loader)(return_X_y=True) for name, loader in loaders.items()}
    for name in ("ionosphere", "sonar"):
        path = data / f"{name}.csv" if data else None
        if path is not None and path.is_file():
            lines = [line.split(",") for line in path.read_text().split()]
            points = np.array([[float(v) for v in line[:-1]] for line in lines])
            classes = np.unique([line[-1] for line in lines], return_inverse=True)[1]
            found[name] = (points, classes)
    return found
