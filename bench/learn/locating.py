"""Positions from distances."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from common import seconds

import problems
import rivals
from program import Gramfold, timed


def locate_once(gramfold: Gramfold, problem: problems.Network) -> tuple[dict, np.ndarray, np.ndarray]:
    """What was claimed, the positions, and the nodes that were called free."""
    n = len(problem.points)
    path, anchors = gramfold.work / "distances.npz", gramfold.work / "anchors.csv"
    i, j = problem.pairs.T
    both = sp.csr_matrix((np.r_[problem.distances, problem.distances], (np.r_[i, j], np.r_[j, i])), shape=(n, n))
    sp.save_npz(path, both)
    anchors.write_text("".join(f"{k},{x!r},{y!r}\n" for k, (x, y) in enumerate(problem.points[: problem.anchors].tolist())))
    ours = gramfold.run("locate", path, "--dim", 2, "--anchors", anchors)
    lines = (ours["out"] / "undetermined.csv").read_text().split("\n")[1:]
    free = np.array([int(line.split(",")[0]) for line in lines if line], int)
    return ours, np.load(ours["out"] / "positions.npy"), free


def locate(gramfold: Gramfold, quick: bool) -> list[str]:
    seeds = 3 if quick else 20
    lines = [
        f"Positions, unit square, average degree 12, 10 anchors, {seeds} seeds: right is a root mean squared error of at most 1e-6 over all",
        "nodes but those that are called free.",
        "",
        "| nodes | right | seeds with free nodes | solver, median | whole, median | goal | MDS-MAP and L-BFGS right | its CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n, goal in ((50, ""), (500, "≤ 30 ms"), (5000, "≤ 500 ms"))[: 2 if quick else 3]:
        right = with_free = rival_right = rival_runs = 0
        spent, whole, rival = [], [], []
        for seed in range(seeds):
            problem = problems.network(n, 12, 4 if n == 50 else 10, seed)
            ours, found, free = locate_once(gramfold, problem)
            right += problem.error(found, free) <= 1e-6
            with_free += len(free) > 0
            spent.append(ours["solver"])
            whole.append(ours["whole"])
            if n <= 500 and seed < 5:
                rival_runs += 1
                other, cpu = timed(lambda p=problem: rivals.shortest_paths(p.pairs, p.distances, p.points, p.anchors))
                rival.append(cpu)
                rival_right += problem.error(other, free) <= 1e-6
        beside = f"{rival_right} of {rival_runs} | {seconds(float(np.median(rival)))}" if rival else "– | –"
        lines.append(
            f"| {n} | {right} of {seeds} | {with_free} | {seconds(float(np.median(spent)))} | {seconds(float(np.median(whole)))} | {goal} | {beside} |"
        )
    return lines


def noise(gramfold: Gramfold, quick: bool) -> list[str]:
    seeds = 3 if quick else 20
    lines = [
        "5 % noise in each distance: median root mean squared error. The refined relaxation is Biswas and Ye's semidefinite program by CVXPY and",
        "Clarabel, from whose answer L-BFGS goes on; the goal is to be within 2 % of it.",
        "",
        "| nodes | degree | Gramfold | refined relaxation | Gramfold / refined, worst seed | MDS-MAP and L-BFGS | L-BFGS from the truth |",
        "|---|---|---|---|---|---|---|",
    ]
    for n, degree, anchors in ((50, 16, 4), (500, 12, 10)):
        off: dict[str, list[float]] = {name: [] for name in ("ours", "relaxation", "paths", "truth")}
        for seed in range(seeds):
            problem = problems.network(n, degree, anchors, seed, noise=0.05)
            given = (problem.pairs, problem.distances, problem.points, problem.anchors)
            _, found, free = locate_once(gramfold, problem)
            off["ours"].append(problem.error(found, free))
            off["paths"].append(problem.error(rivals.shortest_paths(*given), free))
            off["truth"].append(problem.error(rivals.stress_from(*given[:2], problem.points.copy(), problem.anchors), free))
            relaxed = rivals.refined_relaxation(*given) if n == 50 else None
            off["relaxation"].append(np.nan if relaxed is None else problem.error(relaxed, free))
        medians = {name: "–" if np.isnan(of).all() else f"{np.nanmedian(of):.4f}" for name, of in off.items()}
        ratios = [a / b for a, b in zip(off["ours"], off["relaxation"]) if not np.isnan(b)]
        worst = max(ratios, default=None)
        lines.append(
            f"| {n} | {degree} | {medians['ours']} | {medians['relaxation']} | {'–' if worst is None else f'{worst:.3f}'} | "
            f"{medians['paths']} | {medians['truth']} |"
        )
    return lines
