"""Plain versions of published methods, compiled by Numba where loops would be slow, and what packages have."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator

import numba
import numpy as np
import scipy.optimize
import scipy.sparse as sp
import scipy.sparse.csgraph


@numba.njit(cache=True, fastmath=True)
def residuals(starts, columns, values, x, out):
    """x_i·x_j − b_ij for each stored entry."""
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            total = 0.0
            for c in range(x.shape[1]):
                total += x[i, c] * x[columns[k], c]
            out[k] = total - values[k]


@numba.njit(cache=True, fastmath=True)
def half_sweep(starts, columns, values, y, x, ridge):
    """Each row of x by least squares against y: its Gram matrix and a Cholesky factorisation."""
    r = y.shape[1]
    for i in range(len(starts) - 1):
        gram, right = ridge * np.eye(r), np.zeros(r)
        for k in range(starts[i], starts[i + 1]):
            row = y[columns[k]]
            for a in range(r):
                right[a] += values[k] * row[a]
                for b in range(a + 1):
                    gram[a, b] += row[a] * row[b]
        for a in range(r):
            for b in range(a):
                gram[b, a] = gram[a, b]
        x[i] = np.linalg.solve(gram, right)


def spectral(matrix: sp.csr_array, r: int, seed: int, rounds: int = 12) -> np.ndarray:
    """Leading eigenvectors of the entries, scaled to fit them: a few block power rounds."""
    n = matrix.shape[0]
    v = np.random.default_rng(seed).standard_normal((n, min(r + 5, n)))
    for _ in range(rounds):
        v = np.linalg.qr(matrix @ v)[0]
    values, turn = np.linalg.eigh(v.T @ (matrix @ v))
    x = (v @ turn[:, -r:]) * np.sqrt(np.maximum(values[-r:], 0))
    out = np.empty(matrix.nnz)
    residuals(matrix.indptr, matrix.indices, np.zeros(matrix.nnz), x, out)
    return x * np.sqrt(max(out @ matrix.data, 0) / max(out @ out, 1e-300))


def als(matrix: sp.csr_array, r: int, seed: int) -> Iterator[np.ndarray]:
    """Alternating least squares, row by row; the answer is the mean of both factors."""
    x = spectral(matrix, r, seed)
    y = x.copy()
    while True:
        # The scale of the coupling: a tenth of a row's mean curvature.
        ridge = 1e-12 * np.vdot(y, y)
        half_sweep(matrix.indptr, matrix.indices, matrix.data, y, x, ridge)
        yield x @ procrustes(x, y)
        half_sweep(matrix.indptr, matrix.indices, matrix.data, x, y, ridge)
        yield y @ procrustes(y, x)


def procrustes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """T with XYᵀ ≈ (XT)(XT)ᵀ: the factors of alternating least squares drift apart in their gauge."""
    # X·Yᵀ symmetric and of rank r means Y = X·S: S by least squares, T its root.
    s = np.linalg.lstsq(x, y, rcond=None)[0]
    values, turn = np.linalg.eigh((s + s.T) / 2)
    return (turn * np.sqrt(np.maximum(values, 0))) @ turn.T


def scaled_gradient(matrix: sp.csr_array, r: int, seed: int, step: float = 0.5) -> Iterator[np.ndarray]:
    """Gradient steps with the preconditioner (XᵀX)⁻¹ (Tong, Ma, Chi)."""
    x = spectral(matrix, r, seed)
    share = matrix.nnz / matrix.shape[0] ** 2
    slopes = sp.csr_array((np.empty(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    while True:
        residuals(matrix.indptr, matrix.indices, matrix.data, x, slopes.data)
        x = x - step / share * np.linalg.solve(x.T @ x, (slopes @ x).T).T
        yield x


def quasi_newton(matrix: sp.csr_array, r: int, seed: int) -> Iterator[np.ndarray]:
    """L-BFGS of SciPy on X, in batches of ten steps."""
    x = spectral(matrix, r, seed)
    slopes = sp.csr_array((np.empty(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)

    def both(flat):
        x = flat.reshape(-1, r)
        residuals(matrix.indptr, matrix.indices, matrix.data, x, slopes.data)
        return 0.5 * slopes.data @ slopes.data, 2 * (slopes @ x).ravel()

    found: list[np.ndarray] = []
    options = {"maxiter": 2000, "maxfun": 4000, "ftol": 0, "gtol": 0, "maxcor": 10}
    scipy.optimize.minimize(both, x.ravel(), jac=True, method="L-BFGS-B", options=options, callback=lambda flat: found.append(flat.copy()))
    yield from (flat.reshape(-1, r) for flat in found)


def to_accuracy(method: Callable, matrix: sp.csr_array, r: int, error: Callable, goal: float, limit: float) -> tuple[float | None, float]:
    """The CPU time until the error is at most the goal, without that of measuring it; none if it never is."""
    spent, steps = 0.0, method(matrix, r, 0)
    best = np.inf
    while spent < limit:
        clock = time.process_time()
        with np.errstate(all="ignore"):
            try:
                x = next(steps)
            except (StopIteration, np.linalg.LinAlgError):
                return None, best
        spent += time.process_time() - clock
        if not np.isfinite(x).all():
            return None, best
        best = min(best, error(x))
        if best <= goal:
            return spent, best
    return None, best


def quasi_newton_to_accuracy(matrix: sp.csr_array, r: int, error: Callable, goal: float, limit: float) -> tuple[float | None, float]:
    """The same for L-BFGS, whose steps SciPy does not hand out one by one: the whole run, cut where the goal was met."""
    clock = time.process_time()
    found = list(quasi_newton(matrix, r, 0))
    spent = time.process_time() - clock
    for k, x in enumerate(found):
        if k % 5 == 0 or k + 1 == len(found):
            reached = error(x)
            if reached <= goal:
                return spent * (k + 1) / len(found), reached
    return None, error(found[-1]) if found else np.inf


def truncated_amplitude_flow(a: np.ndarray, b: np.ndarray, step: float = 0.6, most: int = 1000) -> np.ndarray:
    """TAF (Wang, Giannakis, Eldar): an orthogonality-promoting start and truncated gradient steps."""
    m, n = a.shape
    rng = np.random.default_rng(0)
    amplitudes, lengths = np.sqrt(b), np.linalg.norm(a, axis=1)
    chosen = np.argsort(amplitudes / lengths)[-m // 6 :]
    rows = a[chosen] / lengths[chosen, None]
    z = rng.standard_normal(n)
    for _ in range(100):
        z = rows.T @ (rows @ z)
        z /= np.linalg.norm(z)
    z *= np.sqrt(np.mean(b))
    for _ in range(most):
        image = a @ z
        kept = np.abs(image) >= amplitudes / (1 + 0.7)
        z = z - step / m * (a[kept].T @ (image[kept] - amplitudes[kept] * np.sign(image[kept])))
        if np.linalg.norm(np.abs(a @ z) - amplitudes) <= 1e-8 * np.linalg.norm(amplitudes):
            break
    return z


def shortest_paths(pairs: np.ndarray, distances: np.ndarray, points: np.ndarray, anchors: int) -> np.ndarray:
    """MDS-MAP, then L-BFGS on the stress with the anchors held."""
    n = len(points)
    graph = sp.csr_array((distances, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    lengths = scipy.sparse.csgraph.shortest_path(graph, directed=False)
    lengths[~np.isfinite(lengths)] = lengths[np.isfinite(lengths)].max()
    squares = lengths**2
    centred = -0.5 * (squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean())
    values, vectors = sp.linalg.eigsh(centred, 2, v0=np.ones(n)) if n > 3 else np.linalg.eigh(centred)
    x = vectors * np.sqrt(np.maximum(values, 0))
    # The rotation and shift that bring the anchors to their places.
    known = points[:anchors]
    middle, origin = known.mean(0), x[:anchors].mean(0)
    u, _, v = np.linalg.svd((x[:anchors] - origin).T @ (known - middle))
    x = (x - origin) @ (u @ v) + middle
    x[:anchors] = known
    return stress_from(pairs, distances, x, anchors)


def stress_from(pairs: np.ndarray, distances: np.ndarray, x: np.ndarray, anchors: int) -> np.ndarray:
    """L-BFGS on the stress from x, with the first points held."""
    n = len(x)
    i, j = pairs.T

    def both(flat):
        x[anchors:] = flat.reshape(-1, 2)
        difference = x[i] - x[j]
        lengths = np.sqrt((difference**2).sum(1)) + 1e-300
        off = lengths - distances
        slope = (off / lengths)[:, None] * difference
        gradient = np.stack([np.bincount(i, slope[:, c], n) - np.bincount(j, slope[:, c], n) for c in (0, 1)], 1)
        return 0.5 * off @ off, gradient[anchors:].ravel()

    options = {"maxiter": 3000, "maxfun": 6000, "ftol": 0, "gtol": 1e-12}
    end = scipy.optimize.minimize(both, x[anchors:].ravel(), jac=True, method="L-BFGS-B", options=options)
    both(end.x)
    return x


def refined_relaxation(pairs: np.ndarray, distances: np.ndarray, points: np.ndarray, anchors: int) -> np.ndarray | None:
    """The semidefinite relaxation of Biswas and Ye with least squared errors by CVXPY and Clarabel, refined by L-BFGS."""
    try:
        import cvxpy as cp
    except ImportError:
        return None
    n = len(points)
    # Z = [I, Xᵀ; X, G] ⪰ 0, where G stands for XXᵀ.
    z = cp.Variable((n + 2, n + 2), PSD=True)
    held = [z[:2, :2] == np.eye(2)]
    for k in range(anchors):
        held.append(z[2 + k, :2] == points[k])
        held += [z[2 + k, 2 + l] == points[k] @ points[l] for l in range(k, anchors)]
    i, j = pairs.T + 2
    squares = cp.diag(z)[i] + cp.diag(z)[j] - 2 * z[i, j]
    stress = cp.sum_squares(cp.multiply(squares - distances**2, 0.5 / distances))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cp.Problem(cp.Minimize(stress), held).solve(solver="CLARABEL")
        except cp.error.SolverError:
            return None
    x = np.array(z.value[2:, :2])
    x[:anchors] = points[:anchors]
    return stress_from(pairs, distances, x, anchors)


def unit_rows(a: np.ndarray, r: int) -> np.ndarray:
    """The nearest correlation matrix of rank r by L-BFGS on normalised rows."""
    values, vectors = np.linalg.eigh(a)
    x = vectors[:, -r:] * np.sqrt(np.maximum(values[-r:], 0))

    def both(flat):
        v = flat.reshape(-1, r)
        lengths = np.linalg.norm(v, axis=1)[:, None]
        x = v / lengths
        off = x @ x.T - a
        g = 2 * off @ x
        g = (g - (g * x).sum(1)[:, None] * x) / lengths
        return 0.5 * np.vdot(off, off), g.ravel()

    end = scipy.optimize.minimize(both, x.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9})
    x = end.x.reshape(-1, r)
    return x / np.linalg.norm(x, axis=1)[:, None]
