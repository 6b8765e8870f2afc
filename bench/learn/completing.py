"""Completion: speed, few entries, outliers, word pairs and single passes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from common import seconds

import problems
import rivals
from program import Gramfold, timed


CASES: list[tuple[str, dict, str]] = [
    ("n = 1000, r = 5, 10 %", {"n": 1000, "r": 5, "share": 0.1}, "≤ 20 ms"),
    ("n = 1000, r = 10, κ = 100, 10 %", {"n": 1000, "r": 10, "share": 0.1, "kappa": 100}, "≤ 70 ms"),
    ("n = 5000, r = 10, 5 %", {"n": 5000, "r": 10, "share": 0.05}, "≤ 400 ms"),
    ("n = 20 000, r = 20, 2 %", {"n": 20_000, "r": 20, "share": 0.02}, "≤ 5 s"),
]


def completion(gramfold: Gramfold, large: bool) -> list[str]:
    """The large problem, or the others."""
    lines = [
        "CPU time to a relative error of 1e-6 over the whole matrix. Rivals are stopped where they reach it.",
        "",
        "| problem | Gramfold, solver | whole command | error | goal | row Cholesky ALS | ScaledGD | L-BFGS | cmfrec |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, settings, goal in CASES:
        if (settings["n"] > 10_000) != large:
            continue
        problem = problems.completion(seed=0, **settings)
        r, matrix = settings["r"], problem.matrix()
        path = gramfold.work / "entries.npz"
        sp.save_npz(path, sp.csr_matrix(matrix))
        ours = gramfold.best(1 if large else 5, "complete", path, "-r", r, "--ridge", 0, "--biases", "none", "--folds", 0)
        cells = [seconds(ours["solver"]), seconds(ours["whole"]), f"{problem.error(gramfold.factor(ours)):.1e}", goal]
        limit = 60 if large else 10
        for method in (rivals.als, rivals.scaled_gradient):
            next(method(matrix[:50, :50].copy(), 2, 0))  # Compiled before it is timed.
            cells.append(reached(*rivals.to_accuracy(method, matrix, r, problem.error, 1e-6, limit)))
        cells.append("–" if large else reached(*rivals.quasi_newton_to_accuracy(matrix, r, problem.error, 1e-6, limit)))
        cells.append(cmfrec(problem, r))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def reached(spent: float | None, error: float) -> str:
    return f"{error:.1e} at its end" if spent is None else seconds(spent)


def cmfrec(problem: problems.Completion, r: int) -> str:
    try:
        from cmfrec import CMF
    except ImportError:
        return "not installed"
    except Exception as error:  # As where it was compiled for another NumPy.
        return f"cannot be loaded ({type(error).__name__})"
    entries = problem.matrix().tocoo()
    # 20 sweeps of alternating least squares, which is not symmetric: its own product is judged.
    model = CMF(k=r, lambda_=1e-9, user_bias=False, item_bias=False, center=False, niter=20, nthreads=1, use_cg=False, verbose=False)
    _, spent = timed(lambda: model.fit(entries))
    off = model.A_ @ model.B_.T - problem.truth @ problem.truth.T if problem.n <= 5000 else None
    error = "" if off is None else f", error {np.linalg.norm(off) / np.linalg.norm(problem.truth @ problem.truth.T):.0e}"
    return f"{seconds(spent)} for 20 sweeps{error}"


def scarce(gramfold: Gramfold, quick: bool) -> list[str]:
    seeds = 4 if quick else 20
    lines = [
        "Few entries, n = 1000, r = 5: seeds with a relative error of at most 1e-6 over the nodes that r + 2 or more entries",
        "speak of, with `--tol 1e-7`. A wrong answer without a warning is counted on its own.",
        "",
        "| entries for each unknown | right | wrong | of them not warned of | solver, median | row Cholesky ALS right |",
        "|---|---|---|---|---|---|",
    ]
    for times in (3, 2, 1.2):
        right = wrong = silent = rival = 0
        spent = []
        for seed in range(seeds):
            problem = problems.scarce(1000, 5, times, seed)
            matrix = problem.matrix()
            path = gramfold.work / "entries.npz"
            sp.save_npz(path, sp.csr_matrix(matrix))
            ours = gramfold.run("complete", path, "-r", 5, "--ridge", 0, "--biases", "none", "--folds", 0, "--tol", 1e-7)
            spent.append(ours["solver"])
            sure = np.flatnonzero(np.diff(matrix.indptr) > 6)
            judged = problems.Completion(problem.truth[sure], problem.rows, problem.cols, problem.values)
            good = judged.error(gramfold.factor(ours)[sure]) <= 1e-6
            right, wrong = right + good, wrong + (not good)
            silent += not good and not ours["warned"]
            if seed < (2 if quick else 5):
                found, _ = rivals.to_accuracy(rivals.als, matrix, 5, lambda x: judged.error(x[sure]), 1e-6, 3)
                rival += found is not None
        lines.append(f"| {times} | {right} of {seeds} | {wrong} | {silent} | {seconds(float(np.median(spent)))} | {rival} of {2 if quick else 5} |")
    return lines


def outliers(gramfold: Gramfold, quick: bool) -> list[str]:
    lines = [
        "Noise of 1 % and outliers (10 % of the entries off by ten times the root mean square): relative error over the whole matrix.",
        "",
        "| problem | Huber | solver | square | goal |",
        "|---|---|---|---|---|",
    ]
    for n, r, share in ((1000, 5, 0.1), (5000, 10, 0.05))[: 1 if quick else 2]:
        problem = problems.completion(n, r, share, 0, outliers=0.1, noise=0.01)
        path = gramfold.work / "entries.npz"
        sp.save_npz(path, sp.csr_matrix(problem.matrix()))
        fixed = ("complete", path, "-r", r, "--ridge", 0, "--biases", "none", "--folds", 0, "--loss")
        huber, square = gramfold.best(3, *fixed, "huber"), None
        error = problem.error(gramfold.factor(huber))
        square = problem.error(gramfold.factor(gramfold.run(*fixed, "square")))
        lines.append(f"| n = {n}, r = {r} | {error:.1e} | {seconds(huber['solver'])} | {square:.1e} | ≤ 5e-3 |")
    return lines


def words(gramfold: Gramfold, data: Path | None) -> list[str]:
    path = data / "men.txt" if data else None
    if path is None or not path.is_file():
        return ["men.txt is not there."]
    ours = gramfold.run("complete", path)
    spearman = ours["held_out"]["spearman"]
    alone = gramfold.run("complete", path, "--rank", 1, "--ridge", 1e9)["held_out"]["spearman"]
    return [
        f"MEN (3000 of 751 words), five folds, rank, ridge and biases chosen: Spearman {spearman:.3f} (goal ≥ .40), "
        f"biases alone {alone:.3f}; the whole command {seconds(ours['whole'])}.",
    ]


def passes(example: Path | None, quick: bool) -> list[str]:
    if example is None:
        return []
    done = subprocess.run([example, "2" if quick else "20"], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    return [
        f"Single passes over {told['entries'] / 1e6:.0f} million stored entries, r = 20: a half-sweep {seconds(told['half_sweep'])} "
        f"(goal ≤ 800 ms for 20 million), a gradient {seconds(told['gradient'])} (goal ≤ 300 ms).",
    ]
