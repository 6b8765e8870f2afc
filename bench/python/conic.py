"""CVXPY problems with several solvers, each in a process of its own that may not take more time or memory than there is."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

sys.path.append(str(Path(__file__).parents[1]))
from common import seconds, threads  # noqa: E402

SOLVERS = ["Gramfold", "SCS", "Clarabel"]
LIMIT = 60
"""Most seconds of CPU time for the solver."""
MEMORY = 8 * 10**9
"""Most bytes of memory for the process."""


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
    return cp.Problem(cp.Maximize(cp.sum(X)), [cp.trace(X) == 1, X[i[chosen], j[chosen]] == 0])


def problem(name: str, quick: bool) -> tuple[str, cp.Problem]:
    if name == "maxcut":
        n = 100 if quick else 500
        return f"Max-Cut, n = {n}", max_cut(n)
    n, edges = (40, 200) if quick else (200, 2000)
    return f"θ, {n} nodes, {edges} edges", theta(n, edges)


def solver(name: str) -> tuple[object, dict[str, object]]:
    if name == "Gramfold":
        import gramfold

        return gramfold.CvxpySolver(), {"tol": 1e-6}
    return (cp.SCS, {"eps": 1e-5, "max_iters": 10**9}) if name == "SCS" else (cp.CLARABEL, {})


def once(name: str, rival: str, quick: bool) -> dict[str, object]:
    """Compiles and solves, with the time of each."""
    _, stated = problem(name, quick)
    chosen, options = solver(rival)
    before = time.process_time()
    data, chain, inverse = stated.get_problem_data(chosen, solver_opts=options)
    compiled = time.process_time() - before
    print(json.dumps({"compiled": compiled}), flush=True)
    _at_most(LIMIT, MEMORY)
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raw = chain.solve_via_data(stated, data, solver_opts=options)
        spent = time.process_time() - before
        stated.unpack_results(raw, chain, inverse)
    return {"compiled": compiled, "solved": spent, "value": float(stated.value), "status": stated.status}


def _at_most(cpu: int, memory: int) -> None:
    """Ends this process beyond so many more seconds of CPU time, or so much memory."""
    try:
        import resource
    except ImportError:
        return
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + cpu, used + cpu))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def table(quick: bool) -> list[str]:
    lines = []
    for name in ("maxcut", "theta"):
        title, _ = problem(name, quick)
        for rival in SOLVERS:
            line = [sys.executable, __file__, name, rival, *(["--quick"] if quick else [])]
            done = subprocess.run(line, capture_output=True, text=True, env=threads(1))
            said = [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]
            found = said[-1] if said else {}
            compiled = seconds(found.get("compiled"))
            if "solved" in found:
                rest = f"{seconds(found['solved'])} | {found['value']:.6f} | {found['status']}"
            elif done.returncode in (-24, -9):
                rest = f"> {LIMIT} s | – | stopped"
            else:
                rest = f"– | – | {(done.stderr.strip().splitlines() or ['no reason given'])[-1][:80]}"
            lines.append(f"| {title} | {rival} | {compiled} | {rest} |")
            print(lines[-1], flush=True)
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("solver", choices=SOLVERS)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    print(json.dumps(once(args.problem, args.solver, args.quick)))
