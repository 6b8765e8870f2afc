"""Linear equations taken out of a program: E x = e gives some of the x by the others.

A primal program has no free numbers and a dual one no equations of y; what a problem has of either is eliminated here,
by pivots that fill nothing in where there are such, and by a dense factorisation of what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LARGEST = 30_000_000
"""Entries of the dense part, at most."""
RANK = 1e-10
"""Pivots below this share of the largest are none."""
CHUNK = 1000
"""Columns that are solved for at a time."""


class Unfit(Exception):
    """This form cannot hold the problem: too much to eliminate, or nothing left to solve for."""


@dataclass(frozen=True)
class Elimination:
    """x_B = E_RB⁻¹ e_R − W x_N, where W = E_RB⁻¹ E_RN; the rows that are not in R depend on those that are."""

    rows: Ints
    pivots: Ints
    others: Ints
    weights: Any
    solve: Callable[[Floats], Floats]
    """v ↦ E_RB⁻¹ v."""
    solve_transposed: Callable[[Floats], Floats]
    """v ↦ E_RB⁻ᵀ v."""


def eliminate(equations: Any) -> Elimination:
    """Chooses pivots of a sparse matrix and solves for them."""
    equations = sp.csr_array(equations)
    rows, pivots = _pivots(equations)
    others = np.setdiff1d(np.arange(equations.shape[1]), pivots)
    own = equations[rows]
    square, rest = own[:, pivots].tocsc(), own[:, others].tocsc()
    if len(rows) == 0:
        def nothing(v: Floats) -> Floats:
            return v

        return Elimination(rows, pivots, others, rest, nothing, nothing)
    diagonal = square.diagonal()
    if square.nnz == len(rows) and np.all(diagonal != 0):
        def divide(v: Floats) -> Floats:
            return np.asarray(v / diagonal)

        weights = sp.dia_array((1 / diagonal[None, :], [0]), shape=square.shape) @ rest
        return Elimination(rows, pivots, others, weights.tocsc(), divide, divide)
    factors = scipy.sparse.linalg.splu(square)

    def transposed(v: Floats) -> Floats:
        return np.asarray(factors.solve(v, trans="T"))

    parts = [_sparse(factors.solve(part.toarray())) for part in _chunks(rest)]
    weights = sp.hstack(parts, format="csc") if parts else rest
    return Elimination(rows, pivots, others, weights, factors.solve, transposed)


def _chunks(matrix: Any) -> list[Any]:
    return [matrix[:, k : k + CHUNK] for k in range(0, matrix.shape[1], CHUNK)]


def _sparse(dense: Floats) -> Any:
    """Without what only rounding has left."""
    largest = np.abs(dense).max(initial=0.0)
    return sp.csc_array(np.where(np.abs(dense) > 1e-14 * largest, dense, 0.0))


def _pivots(equations: Any) -> tuple[Ints, Ints]:
    """As many rows and columns as the rank, with a regular matrix where they cross."""
    matrix = equations.tocoo()
    row, col = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
    size = np.abs(matrix.data)
    largest = size.max(initial=0.0)
    live = size > RANK * largest
    rows, columns = [], []
    while True:
        found = _singletons(row[live], col[live], size[live], equations.shape)
        if len(found[0]) == 0:
            break
        rows.append(found[0])
        columns.append(found[1])
        live &= ~np.isin(row, found[0]) & ~np.isin(col, found[1])
    core_rows, core_columns = np.unique(row[live]), np.unique(col[live])
    if len(core_rows):
        if len(core_rows) * len(core_columns) > LARGEST:
            raise Unfit
        dense = equations[core_rows][:, core_columns].toarray()
        keep = _independent(dense)
        rows.append(core_rows[_independent(dense[:, keep].T)])
        columns.append(core_columns[keep])
    if not rows:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate(rows).astype(np.int64), np.concatenate(columns).astype(np.int64)


def _singletons(row: Any, col: Any, size: Any, shape: tuple[int, int]) -> tuple[Ints, Ints]:
    """Pivots in columns that have one entry; else in rows that have one."""
    for line, other, count in ((col, row, shape[1]), (row, col, shape[0])):
        alone = np.bincount(line, minlength=count)[line] == 1
        if alone.any():
            order = np.argsort(-size[alone], kind="stable")
            crossing, first = np.unique(other[alone][order], return_index=True)
            chosen = line[alone][order][first]
            return (crossing, chosen) if line is col else (chosen, crossing)
    return np.zeros(0, np.int64), np.zeros(0, np.int64)


def _independent(dense: Floats) -> Ints:
    """As many independent columns as there are."""
    upper, order = scipy.linalg.qr(dense, mode="r", pivoting=True)[:2]
    diagonal = np.abs(np.diag(upper))
    rank = int((diagonal > RANK * diagonal.max(initial=0.0)).sum())
    return np.asarray(order[:rank], dtype=np.int64)
