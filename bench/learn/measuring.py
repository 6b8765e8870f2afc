"""Phase retrieval, factor analysis and nearest correlation matrices."""

from __future__ import annotations

import warnings

import numpy as np
from common import seconds

import problems
import rivals
from program import Gramfold, timed


def phases(gramfold: Gramfold, quick: bool) -> list[str]:
    seeds = 3 if quick else 20
    right = rival_right = 0
    spent, whole, rival = [], [], []
    n, m = 1000, 3000
    path = gramfold.work / "measurements.npy"
    for seed in range(seeds):
        signal, a, b = problems.phases(n, m, seed)

        def is_right(z: np.ndarray, signal=signal) -> bool:
            return min(np.linalg.norm(z - signal), np.linalg.norm(z + signal)) <= 1e-6 * np.linalg.norm(signal)

        np.save(path, np.c_[a, b])
        ours = gramfold.run("recover", path, "-r", 1)
        right += is_right(gramfold.factor(ours)[:, 0])
        spent.append(ours["solver"])
        whole.append(ours["whole"])
        if seed < (1 if quick else 5):
            z, cpu = timed(lambda a=a, b=b: rivals.truncated_amplitude_flow(a, b))
            rival.append(cpu)
            rival_right += is_right(z)
    return [
        "| phase retrieval, n = 1000, m = 3n | right to 1e-6 | CPU, median |",
        "|---|---|---|",
        f"| Gramfold, solver (goal ≤ 300 ms) | {right} of {seeds} | {seconds(float(np.median(spent)))} |",
        f"| the whole command | | {seconds(float(np.median(whole)))} |",
        f"| truncated amplitude flow, step .6 | {rival_right} of {len(rival)} | {seconds(float(np.median(rival)))} |",
    ]


def factors(gramfold: Gramfold, quick: bool) -> list[str]:
    from statsmodels.multivariate.factor import Factor

    lines = [
        "| factor analysis | Gramfold, solver | whole command | goal | ½Σ residual², off the diagonal | statsmodels `pa` | its CPU |",
        "|---|---|---|---|---|---|---|",
    ]
    for p, k, goal in ((100, 5, "≤ 5 ms"), (1000, 10, "≤ 200 ms")):
        r = problems.correlations(p, k, 0)
        path = gramfold.work / "correlations.npy"
        np.save(path, r)
        ours = gramfold.best(5 if p == 100 else 2, "factors", path, "-k", k)

        def value(x: np.ndarray, r=r) -> float:
            off = r - x @ x.T
            np.fill_diagonal(off, 0)
            return 0.5 * float(np.vdot(off, off))

        def principal(r=r, k=k) -> np.ndarray:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return Factor(corr=r, n_factor=k, method="pa").fit(maxiter=100, tol=1e-8).loadings

        loadings, cpu = (None, None) if p > 100 else timed(principal)
        other = "–" if loadings is None else f"{value(loadings):.6f}"
        lines.append(
            f"| p = {p}, k = {k} | {seconds(ours['solver'])} | {seconds(ours['whole'])} | {goal} | {value(gramfold.factor(ours)):.6f} | {other} | {seconds(cpu)} |"
        )
    return lines


def nearest(gramfold: Gramfold, quick: bool) -> list[str]:
    lines = [
        "| nearest correlation, rank 5 | Gramfold, solver | whole command | goal | ½‖XXᵀ − A‖² | proved optimal | L-BFGS on unit rows | its CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for p, goal in ((100, "≤ 20 ms"), (1000, "≤ 1 s")):
        a = problems.indefinite(p, 0)
        path = gramfold.work / "a.npy"
        np.save(path, a)
        ours = gramfold.best(5 if p == 100 else 2, "correlation", path, "--rank", 5)
        x, cpu = timed(lambda a=a: rivals.unit_rows(a, 5))
        value = [0.5 * np.linalg.norm(z @ z.T - a) ** 2 for z in (gramfold.factor(ours), x)]
        proved = "yes" if ours["optimal"] else "no"
        lines.append(
            f"| p = {p} | {seconds(ours['solver'])} | {seconds(ours['whole'])} | {goal} | {value[0]:.6f} | {proved} | {value[1]:.6f} | {seconds(cpu)} |"
        )
    return lines
