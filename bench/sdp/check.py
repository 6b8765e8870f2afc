"""What Gramfold claims of its solution, computed again from the files that it wrote, by other means."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import instances

# Eigenvalues of larger blocks would take longer than the solvers.
DENSE = 2500


def inner(problem: instances.Sdpa, blocks: list) -> np.ndarray:
    """⟨F_i, Y⟩ for i = 0 to m; a block of Y is ("factor", R), ("dense", Y) or ("diagonal", d)."""
    sums = np.zeros(len(problem.c) + 1)
    for k, (kind, values) in enumerate(blocks):
        at = problem.block == k
        i, j = problem.row[at], problem.column[at]
        entries = {
            "factor": lambda: np.einsum("er,er->e", values[i], values[j]),
            "dense": lambda: values[i, j],
            "diagonal": lambda: np.where(i == j, values.ravel()[i], 0.0),
        }[kind]()
        weight = np.where(i == j, 1.0, 2.0) * problem.value[at] * entries
        sums += np.bincount(problem.matrix[at], weight, len(sums))
    return sums


def slack(problem: instances.Sdpa, x, k: int):
    """Block k of Σ x_i F_i − F_0, sparse."""
    at = problem.block == k
    size = abs(problem.blocks[k])
    weight = np.r_[-1.0, x][problem.matrix[at]] * problem.value[at]
    upper = sp.coo_matrix((weight, (problem.row[at], problem.column[at])), shape=(size, size)).tocsr()
    return upper + sp.triu(upper, 1).T


def check(file: Path, claims: dict) -> dict:
    """The quantities, and a list of the claims that they contradict."""
    problem = instances.read(file)
    # Paths in the claims are relative to where the program ran; the files are in one directory.
    directory, files = Path(claims["directory"]), claims["files"]
    # block-1-factor, block-2-diagonal, …
    roles = sorted((role for role in files if role.startswith("block-")), key=lambda role: int(role.split("-")[1]))
    blocks = [(role.split("-")[2], np.load(directory / files[role])) for role in roles]
    x = -np.load(directory / files["dual"]).ravel()
    products = inner(problem, blocks)
    primal, dual = float(products[0]), float(problem.c @ x)
    infeasibility = float(np.linalg.norm(products[1:] - problem.c) / (1 + np.abs(problem.c).max()))
    scale = 1 + abs(primal) + abs(dual)
    wrong = []
    if abs(primal - claims["objective"]) > 1e-9 * scale:
        wrong.append(f"primal objective {claims['objective']!r} is {primal!r}")
    if claims["status"] == "solved" and infeasibility > 2e-6:
        wrong.append(f"solved, but the constraints are missed by {infeasibility:.1e}")
    least_y, least_s, floor, known = math.inf, math.inf, dual, True
    for k, (kind, values) in enumerate(blocks):
        s = slack(problem, x, k)
        if kind == "diagonal":
            least_y, least = min(least_y, values.min()), float(s.diagonal().min())
        else:
            if kind == "dense":
                least_y = min(least_y, np.linalg.eigvalsh(values)[0])
            if s.shape[0] > DENSE:
                known = False
                continue
            least = float(np.linalg.eigvalsh(s.toarray())[0])
        least_s = min(least_s, least)
        rounding = 1e-13 * abs(s).sum(axis=1).max()
        trace = claims["certificate"]["blocks"][k]["trace"]
        if trace is not None:
            floor -= trace * (least + rounding)
        elif least < -rounding:
            floor = math.inf
    if math.isfinite(least_y) and claims["status"] == "solved" and least_y < -1e-6 * (1 + abs(primal)):
        wrong.append(f"solved, but Y has the eigenvalue {least_y:.1e}")
    bound = claims["bound"]
    if known and bound and bound["value"] < floor - 1e-9 * scale:
        wrong.append(f"dual bound {bound['value']!r} does not follow from x: at least {floor!r}")
    return {
        "primal": primal, "dual": dual, "infeasibility": infeasibility, "bound_checked": known,
        "slack_eigenvalue": least_s if math.isfinite(least_s) else None, "wrong": wrong,
    }
