"""SCS or Clarabel on one SDPA file: prints a JSON object. Started by solvers.py, a process each.

They get min cᵀx s.t. Σ x_i F_i − F_0 ∈ K, and the answer is measured here: S = Σ x_i F_i − F_0 and Y
are what x and the multipliers make of them, not what the solver says of them.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import instances


def packed(problem: instances.Sdpa, lower: bool):
    """A and b of b − Ax = svec(Σ x_i F_i − F_0), linear blocks first; and where each block begins."""
    order = sorted(range(len(problem.blocks)), key=lambda k: problem.blocks[k] > 0)
    begin, total = np.zeros(len(order), int), 0
    for k in order:
        size = problem.blocks[k]
        begin[k], total = total, total + (-size if size < 0 else size * (size + 1) // 2)
    sizes = np.array(problem.blocks)[problem.block]
    i, j = problem.row, problem.column
    inside = np.where(sizes < 0, i, i * sizes - i * (i - 1) // 2 + j - i if lower else j * (j + 1) // 2 + i)
    scaled = np.where((sizes > 0) & (i != j), math.sqrt(2), 1.0) * problem.value
    rows = begin[problem.block] + inside
    zero = problem.matrix == 0
    b = np.zeros(total)
    np.add.at(b, rows[zero], -scaled[zero])
    a = sp.csc_matrix((-scaled[~zero], (rows[~zero], problem.matrix[~zero] - 1)), shape=(total, len(problem.c)))
    return a, b, [(int(begin[k]), problem.blocks[k]) for k in order]


def smallest(vector, blocks, lower: bool) -> float:
    """The least eigenvalue of the blocks of a packed vector."""
    least = math.inf
    for begin, size in blocks:
        if size < 0:
            least = min(least, vector[begin : begin - size].min())
            continue
        part = vector[begin : begin + size * (size + 1) // 2]
        full = np.zeros((size, size))
        # Upper triangle by columns is lower triangle by rows; lower by columns is upper by rows.
        full[np.triu_indices(size) if lower else np.tril_indices(size)] = part / math.sqrt(2)
        full += full.T
        np.fill_diagonal(full, np.diag(full) / math.sqrt(2))
        least = min(least, np.linalg.eigvalsh(full)[0])
    return least


def scs(problem, limit: float):
    import scs

    a, b, blocks = packed(problem, lower=True)
    cone = {"l": sum(-size for _, size in blocks if size < 0), "s": [size for _, size in blocks if size > 0]}
    begin = time.process_time()
    answer = scs.solve(
        {"A": a, "b": b, "c": problem.c}, cone, verbose=False, eps_abs=1e-7, eps_rel=1e-7, max_iters=10**8, time_limit_secs=limit
    )
    return time.process_time() - begin, answer["info"]["status"], answer["x"], answer["y"], (a, b, blocks)


def clarabel(problem, limit: float):
    import clarabel

    a, b, blocks = packed(problem, lower=False)
    cones = [clarabel.NonnegativeConeT(-size) if size < 0 else clarabel.PSDTriangleConeT(size) for _, size in blocks]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads, settings.time_limit = False, 1, limit
    settings.tol_gap_rel, settings.tol_feas = 1e-6, 1e-8
    begin = time.process_time()
    m = len(problem.c)
    answer = clarabel.DefaultSolver(sp.csc_matrix((m, m)), problem.c, a, b, cones, settings).solve()
    return time.process_time() - begin, str(answer.status), np.array(answer.x), np.array(answer.z), (a, b, blocks)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("solver", choices=["scs", "clarabel"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--limit", type=float, required=True)
    args = parser.parse_args()
    problem = instances.read(args.file)
    spent, status, x, y, (a, b, blocks) = {"scs": scs, "clarabel": clarabel}[args.solver](problem, args.limit)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        print(json.dumps({"status": status, "cpu_seconds": spent}))
        return
    lower = args.solver == "scs"
    scale_c, scale_f = 1 + np.abs(problem.c).max(), 1 + np.abs(b).max()
    errors = [
        float(np.linalg.norm(a.T @ y + problem.c) / scale_c),
        max(0.0, -smallest(y, blocks, lower) / scale_c),
        max(0.0, -smallest(b - a @ x, blocks, lower) / scale_f),
    ]
    print(json.dumps({
        "status": status, "cpu_seconds": spent, "primal": float(-b @ y), "dual": float(problem.c @ x), "errors": errors,
    }))


if __name__ == "__main__":
    main()
