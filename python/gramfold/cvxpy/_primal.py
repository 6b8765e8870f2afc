"""The problem as the primal program: its semidefinite and nonnegative variables are Z, its equations the constraints.

A variable X of CVXPY that is semidefinite stays one block of Z, so that what the constraints say of it (a fixed
diagonal, a fixed trace) stays visible. Rows that are no variables get slacks; free numbers are eliminated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gramfold._sdp import SdpSolution
from gramfold.cvxpy._conic import Conic, Entries, Floats
from gramfold.cvxpy._eliminate import Unfit, eliminate

DENSE = 0.25
"""A matrix with more than this share of its entries may be of rank one."""


@dataclass
class _Places:
    """Where the numbers in cones are: a block and a place in it for each."""

    block: list[NDArray[Any]] = field(default_factory=list)
    row: list[NDArray[Any]] = field(default_factory=list)
    col: list[NDArray[Any]] = field(default_factory=list)

    def add(self, block: int, row: Any, col: Any) -> int:
        """How many there are now."""
        self.block.append(np.full(len(row), block, np.int64))
        self.row.append(np.asarray(row, np.int64))
        self.col.append(np.asarray(col, np.int64))
        return sum(map(len, self.block))


def upper(n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows and columns of the upper triangle."""
    return np.triu_indices(n)


class Primal:
    """The primal form of a conic problem."""

    infeasible = "primal_infeasible"

    def __init__(self, conic: Conic) -> None:
        self.conic = conic
        A, b, c = conic.A, conic.b, conic.c
        n = len(c)
        claimed = np.zeros(n, bool)
        lower = np.zeros(n)
        places = _Places()
        cones: list[int] = []
        owner: list[NDArray[Any]] = []  # The x that each number in a cone is; −1 for slacks.
        self.variables: list[tuple[range, int]] = []
        used = np.zeros(A.shape[0], bool)

        for rows, size in zip(conic.psd_rows(), conic.psd, strict=True):
            columns = _variable(A, b, rows, size)
            if columns is None or claimed[columns].any():
                continue
            i, j = upper(size)
            claimed[columns[i, j]] = True
            used[rows.start : rows.stop] = True
            self.variables.append((rows, size))
            places.add(len(cones), i, j)
            cones.append(size)
            owner.append(columns[i, j])

        counts = np.diff(A.indptr)
        simple = np.arange(conic.zero, conic.zero + conic.nonneg)
        simple = simple[counts[simple] == 1]
        simple = simple[A.data[A.indptr[simple]] < 0]
        columns, first = np.unique(A.indices[A.indptr[simple]], return_index=True)
        bounds = simple[first][~claimed[columns]]
        columns = A.indices[A.indptr[bounds]]
        claimed[columns] = True
        used[bounds] = True
        lower[columns] = b[bounds] / A.data[A.indptr[bounds]]
        self.bounds = bounds

        rest = np.flatnonzero(~used)
        equations = [rest[rest < conic.zero]]
        slack_rows = rest[(rest >= conic.zero) & (rest < conic.zero + conic.nonneg)]
        numbers = len(columns) + len(slack_rows)
        matrices = [A[equations[0]]]
        slacks: list[Any] = [sp.csr_array((len(equations[0]), 0))]
        if numbers:
            places.add(len(cones), np.arange(numbers), np.arange(numbers))
            cones.append(-numbers)
            owner += [columns, np.full(len(slack_rows), -1)]
        matrices.append(A[slack_rows])
        equations.append(slack_rows)
        slacks.append(sp.eye_array(len(slack_rows)))
        rhs = [b[equations[0]], b[slack_rows]]

        self.expressions: list[tuple[range, int]] = []
        for rows, size in zip(conic.psd_rows(), conic.psd, strict=True):
            if used[rows.start]:
                continue
            i, j = upper(size)
            down, across = rows.start + i + j * size, rows.start + j + i * size
            matrices.append(0.5 * (A[down] + A[across]))
            rhs.append(0.5 * (b[down] + b[across]))
            slacks.append(sp.eye_array(len(i)))
            places.add(len(cones), i, j)
            cones.append(size)
            owner.append(np.full(len(i), -1))
            self.expressions.append((rows, size))
        self.arrows: list[range] = []
        for rows in conic.soc_rows():
            size = len(rows)
            i, j = upper(size)
            # The head on the diagonal, the others in the first row, zero elsewhere.
            source = np.where(i == j, rows.start, np.where(i == 0, rows.start + j, -1))
            shown = sp.csr_array(
                (np.ones((source >= 0).sum()), (np.flatnonzero(source >= 0), source[source >= 0])),
                shape=(len(i), A.shape[0]),
            )
            matrices.append(shown @ A)
            rhs.append(shown @ b)
            slacks.append(sp.eye_array(len(i)))
            places.add(len(cones), i, j)
            cones.append(size)
            owner.append(np.full(len(i), -1))
            self.arrows.append(rows)

        self.owner = np.concatenate(owner) if owner else np.zeros(0, np.int64)
        self.lower = lower
        self.free = np.flatnonzero(~claimed)
        self._state(cones, places, sp.vstack(matrices, format="csr"), slacks, np.concatenate(rhs))

    def _state(
        self, cones: list[int], places: _Places, matrix: Any, slacks: list[Any], rhs: Floats
    ) -> None:
        """Eliminates what is free and states the program."""
        c = self.conic.c
        rhs = rhs - matrix @ self.lower
        owned = self.owner >= 0
        in_cones = matrix[:, self.owner[owned]].tocsc()
        wide = sp.block_diag(slacks, format="csc")
        joined = sp.hstack([in_cones, wide], format="csc")
        order = np.empty(len(owned), np.int64)
        order[np.flatnonzero(owned)] = np.arange(owned.sum())
        order[np.flatnonzero(~owned)] = owned.sum() + np.arange((~owned).sum())
        held = joined[:, order].tocsr()
        cost = np.zeros(len(owned))
        cost[owned] = c[self.owner[owned]]

        free = matrix[:, self.free].tocsc()
        gone = eliminate(free.T)
        self.gone = gone
        self.held, self.matrix, self.rhs = held, matrix, rhs
        # x of a dependent free column is 0, if it costs nothing.
        self.solved = self.free[gone.rows]
        self.left = np.setdiff1d(self.free, self.solved)
        rows = gone.others
        price = gone.solve(c[self.solved]) if len(gone.rows) else np.zeros(0)
        if len(self.left):
            worth = c[self.left] - free[gone.pivots][:, np.isin(self.free, self.left)].T @ price
            if np.abs(worth).max(initial=0.0) > 1e-9 * (1 + np.abs(c).max(initial=0.0)):
                raise Unbounded
        reduced = held[rows] - gone.weights.T @ held[gone.pivots]
        reduced = sp.csr_array(reduced)
        right = rhs[rows] - gone.weights.T @ rhs[gone.pivots]
        cost = cost - held[gone.pivots].T @ price
        empty = np.diff(reduced.indptr) == 0
        trivial = empty & (np.abs(right) <= 1e-9 * (1 + np.abs(rhs).max(initial=0.0)))
        self.kept = rows[~trivial]
        reduced, right = reduced[~trivial], right[~trivial]
        if len(right) == 0:
            raise Unfit

        block = np.concatenate(places.block) if places.block else np.zeros(0, np.int64)
        row = np.concatenate(places.row) if places.row else np.zeros(0, np.int64)
        col = np.concatenate(places.col) if places.col else np.zeros(0, np.int64)
        self.block, self.row, self.col, self.cones = block, row, col, cones
        entries = Entries([])
        rank_ones: list[tuple[int, int, float, Floats]] = []
        stacked = sp.vstack([sp.csr_array(cost[None, :]), reduced], format="csr")
        stacked.eliminate_zeros()
        stacked.data = np.where(row == col, 1.0, 0.5)[stacked.indices] * stacked.data
        plain = self._rank_ones(stacked, rank_ones)
        coo = plain.tocoo()
        which, at = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
        entries.add(which, block[at], row[at], col[at], coo.data)
        self.program = entries.program(cones, right, rank_ones)
        self.key = ("primal", tuple(cones), len(right))

    def _rank_ones(self, stacked: Any, found: list[tuple[int, int, float, Floats]]) -> Any:
        """Moves dense matrices wvvᵀ out of the entries, such as that of the sum of a matrix."""
        counts = np.diff(stacked.indptr)
        drop = np.zeros(stacked.nnz, bool)
        for k, size in enumerate(self.cones):
            total = size * (size + 1) // 2
            for i in np.flatnonzero(counts > DENSE * total) if size > 20 else []:
                span = slice(stacked.indptr[i], stacked.indptr[i + 1])
                mine = np.flatnonzero(self.block[stacked.indices[span]] == k)
                if len(mine) <= DENSE * total:
                    continue
                at = stacked.indices[span][mine]
                dense = np.zeros((size, size))
                dense[self.row[at], self.col[at]] = stacked.data[span][mine]
                dense = dense + np.triu(dense, 1).T
                peak = int(np.argmax(np.abs(np.diag(dense))))
                if dense[peak, peak] == 0:
                    continue
                vector = dense[peak] / dense[peak, peak]
                weight = float(dense[peak, peak])
                error = np.abs(dense - weight * np.outer(vector, vector)).max()
                if error <= 1e-14 * np.abs(dense).max():
                    found.append((int(i), k, weight, np.ascontiguousarray(vector)))
                    drop[stacked.indptr[i] + mine] = True
        stacked.data[drop] = 0.0
        stacked.eliminate_zeros()
        return stacked

    def recover(self, solution: SdpSolution) -> tuple[Floats, Floats]:
        """x, and the multipliers by stationarity: c + Aᵀy = 0."""
        conic, gone = self.conic, self.gone
        numbers = np.empty(len(self.owner))
        for k in range(len(self.cones)):
            mine = self.block == k
            held = solution.block(k)
            numbers[mine] = held[self.row[mine]] if held.ndim == 1 else held[self.row[mine], self.col[mine]]
        x = self.lower.copy()
        owned = self.owner >= 0
        x[self.owner[owned]] += numbers[owned]
        missing = self.rhs[gone.pivots] - self.held[gone.pivots] @ numbers
        x[self.solved] = gone.solve_transposed(missing)

        multipliers = np.zeros(self.matrix.shape[0])
        multipliers[self.kept] = -solution.y
        kept = multipliers[gone.others]
        slope = conic.c[self.solved] + self.matrix[gone.others][:, self.solved].T @ kept
        multipliers[gone.pivots] = -gone.solve(slope)
        return x, self._rows(multipliers)

    def _rows(self, multipliers: Floats) -> Floats:
        """The multipliers of CVXPY's rows from those of the equations."""
        conic = self.conic
        y = np.zeros(len(conic.b))
        used = np.zeros(len(conic.b), bool)
        used[self.bounds] = True
        for rows, _ in self.variables:
            used[rows.start : rows.stop] = True
        plain = np.flatnonzero(~used[: conic.zero + conic.nonneg])
        y[plain] = multipliers[: len(plain)]
        at = len(plain)
        for rows, size in self.expressions:
            i, j = upper(size)
            own = multipliers[at : at + len(i)] * np.where(i == j, 1.0, 0.5)
            y[rows.start + i + j * size] = own
            y[rows.start + j + i * size] = own
            at += len(i)
        for rows in self.arrows:
            i, j = upper(len(rows))
            own = multipliers[at : at + len(i)]
            y[rows.start] = own[i == j].sum()
            y[rows.start + 1 : rows.stop] = own[(i == 0) & (j > 0)]
            at += len(i)
        # What remains is the slope along the variables in cones.
        slope = conic.c + conic.A.T @ y
        at = 0
        for rows, size in self.variables:
            i, j = upper(size)
            columns = self.owner[at : at + len(i)]
            own = slope[columns] * np.where(i == j, 1.0, 0.5)
            y[rows.start + i + j * size] = own
            y[rows.start + j + i * size] = own
            at += len(i)
        columns = conic.A.indices[conic.A.indptr[self.bounds]]
        y[self.bounds] = -slope[columns] / conic.A.data[conic.A.indptr[self.bounds]]
        return y


class Unbounded(Exception):
    """A free number changes the objective and nothing else."""


def _variable(A: Any, b: Floats, rows: range, size: int) -> NDArray[Any] | None:
    """The columns of a symmetric matrix variable, if this cone holds nothing else."""
    span = slice(A.indptr[rows.start], A.indptr[rows.stop])
    if np.any(np.diff(A.indptr[rows.start : rows.stop + 1]) != 1) or np.any(A.data[span] != -1):
        return None
    columns = A.indices[span].reshape(size, size)
    if np.any(columns != columns.T) or np.any(b[rows.start : rows.stop] != 0):
        return None
    own = columns[np.triu_indices(size)]
    return columns if len(np.unique(own)) == len(own) else None
