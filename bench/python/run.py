"""The Python package beside its rivals.

Clustering: SymNMF, the command line on a file of the same graph, scikit-learn's NMF and SpectralClustering; CPU time of all
threads, the objective ½‖A − XXᵀ‖² of the normalised weights and the agreement with the classes. CVXPY: the same problem object
with Gramfold, SCS and Clarabel; the time of CVXPY itself is told apart from that of the solver.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

import gramfold

sys.path.append(str(Path(__file__).parents[1]))
from common import machine, replace, seconds  # noqa: E402

PACKAGES = ["gramfold", "numpy", "scipy", "scikit-learn", "cvxpy", "scs", "clarabel"]
REPEATS = 3


def measured(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """The last result; the least CPU and wall time."""
    cpu = wall = float("inf")
    result = None
    for _ in range(REPEATS):
        clock, process = time.perf_counter(), time.process_time()
        result = run()
        cpu = min(cpu, time.process_time() - process)
        wall = min(wall, time.perf_counter() - clock)
    return result, cpu, wall


def command(program: Path, graph: sp.csr_array, k: int) -> tuple[float, float, np.ndarray, np.ndarray]:
    """The least CPU and wall time of `gramfold cluster` on a file of the graph; its factor and labels."""
    with tempfile.TemporaryDirectory() as directory:
        path, out = Path(directory) / "graph.npz", Path(directory) / "out"
        sp.save_npz(path, sp.csr_matrix(graph))
        line = [str(program), "cluster", str(path), "-k", str(k), "--similarity", "weights", "--out", str(out), "--quiet"]
        cpu = wall = float("inf")
        for _ in range(REPEATS):
            before, clock = os.times(), time.perf_counter()
            subprocess.run(line, check=True)
            wall = min(wall, time.perf_counter() - clock)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            cpu = min(cpu, spent)
        return cpu, wall, np.load(out / "factor.npy"), np.loadtxt(out / "labels.txt", int)


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


def clustering(name: str, graph: sp.csr_array, truth: np.ndarray, k: int, program: Path) -> list[str]:
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    roots = 1 / np.sqrt(degrees + degrees.mean())
    A = sp.csr_array(sp.dia_array((roots[None], [0]), shape=graph.shape) @ graph @ sp.dia_array((roots[None], [0]), shape=graph.shape))
    ours, cpu, wall = measured(lambda: gramfold.SymNMF(k, similarity="weights", random_state=0).fit(graph))
    rows = [("SymNMF", cpu, wall, objective(A, ours.embedding_, ours.embedding_), ours.labels_)]
    cpu, wall, factor, labels = command(program, graph, k)
    assert np.array_equal(factor, ours.embedding_), "the command line came to other bits"
    rows.append(("the command line", cpu, wall, objective(A, factor, factor), labels))
    for start in ("nndsvda", "random"):
        model = NMF(k, init=start, random_state=0, max_iter=1000)
        W, cpu, wall = measured(lambda model=model: model.fit_transform(A))
        H = model.components_.T
        # An asymmetric factorisation: its own objective, and that of the symmetric factor it gives.
        scale = np.sqrt(np.linalg.norm(H, axis=0) / np.maximum(np.linalg.norm(W, axis=0), 1e-300))
        both = 0.5 * (W * scale + H / np.maximum(scale, 1e-300))
        rows.append((f"NMF, {start}", cpu, wall, objective(A, both, both), W.argmax(axis=1)))
    spectral = SpectralClustering(k, affinity="precomputed", random_state=0)
    labels, cpu, wall = measured(lambda: spectral.fit_predict(sp.csr_matrix(graph)))
    rows.append(("SpectralClustering", cpu, wall, None, labels))
    return [
        f"| {name} | {method} | {seconds(cpu)} | {seconds(wall)} | "
        f"{'–' if value is None else f'{value:.4f}'} | {adjusted_rand_score(truth, labels):.3f} |"
        for method, cpu, wall, value, labels in rows
    ]


def max_cut(n: int) -> cp.Problem:
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((n, n)) < 12 / n, 1).astype(float)
    weights = upper + upper.T
    laplacian = sp.csr_array(np.diag(weights.sum(axis=1)) - weights)
    X = cp.Variable((n, n), PSD=True)
    return cp.Problem(cp.Maximize(cp.trace(laplacian @ X) / 4), [cp.diag(X) == 1])


def theta(n: int, edges: int) -> cp.Problem:
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(n, 1)
    chosen = rng.choice(len(i), edges, replace=False)
    X = cp.Variable((n, n), PSD=True)
    # X_ij + X_ji = 0 on the edges, as one expression.
    return cp.Problem(cp.Maximize(cp.sum(X)), [cp.trace(X) == 1, X[i[chosen], j[chosen]] == 0])


def solved(name: str, problem: cp.Problem, rivals: dict[str, dict[str, Any]]) -> list[str]:
    rows = []
    for rival, keywords in rivals.items():
        clock = time.perf_counter()
        data, chain, inverse = problem.get_problem_data(
            keywords["solver"], solver_opts={k: v for k, v in keywords.items() if k != "solver"}
        )
        compiled = time.perf_counter() - clock
        clock, process = time.perf_counter(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            keywords = dict(keywords)
            keywords.pop("solver")
            raw = chain.solve_via_data(problem, data, solver_opts=keywords)
            wall, cpu = time.perf_counter() - clock, time.process_time() - process
            problem.unpack_results(raw, chain, inverse)
        rows.append(
            f"| {name} | {rival} | {seconds(compiled)} | {seconds(wall)} | {seconds(cpu)} | "
            f"{problem.value:.6f} | {problem.status} |"
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gramfold", type=Path, required=True, help="the program")
    parser.add_argument("--out", type=Path, help="not used: everything is in the tables")
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    small = args.quick
    lines = ["| graph | method | CPU | wall | ½‖A−XXᵀ‖² | ARI |", "|---|---|---|---|---|---|"]
    lines += clustering("digits, 1 797 nodes, k = 10", *digits(), 10, args.gramfold)
    n = 2_000 if small else 20_000
    lines += clustering(f"communities, {n} nodes, k = 10", *communities(n, 10), 10, args.gramfold)
    print("\n".join(lines), flush=True)
    rivals: dict[str, dict[str, Any]] = {
        "Gramfold": {"solver": gramfold.CvxpySolver(), "tol": 1e-6},
        "SCS": {"solver": cp.SCS, "eps": 1e-5},
        "Clarabel": {"solver": cp.CLARABEL},
    }
    conic = ["| problem | solver | CVXPY | solver | solver CPU | value | status |", "|---|---|---|---|---|---|---|"]
    conic += solved("Max-Cut, n = 100" if small else "Max-Cut, n = 500", max_cut(100 if small else 500), rivals)
    size = (40, 200) if small else (200, 2000)
    conic += solved(f"θ, {size[0]} nodes, {size[1]} edges", theta(*size), rivals)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    section = f"{today}, `cargo xtask bench python`. {machine(PACKAGES)}\n\n" + "\n".join(lines) + "\n\n" + "\n".join(conic)
    print("\n".join(conic))
    if not small:
        replace(args.docs / "python.md", "python-benchmark", "# Python\n", section)


if __name__ == "__main__":
    main()
