"""The problem as the dual program: x is y, and every cone holds a slack C − Σ y_i A_i.

A second-order cone becomes an arrow matrix; a long one a tree of short ones. Equations are eliminated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from gramfold._sdp import SdpSolution
from gramfold.cvxpy._conic import Conic, Entries, Floats
from gramfold.cvxpy._eliminate import Unfit, eliminate

LONGEST = 12
"""Entries of a second-order cone that is one arrow matrix."""
CONSISTENT = 1e-8
"""Equations that depend on others must agree with them up to this."""


class Infeasible(Exception):
    """The equations contradict each other."""


class Unbounded(Exception):
    """A number that no cone bounds changes the objective."""


class Determined(Exception):
    """There are only equations: x and their multipliers."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self.x, self.y = x, y


class Dual:
    """The dual form of a conic problem."""

    infeasible = "dual_infeasible"

    def __init__(self, conic: Conic) -> None:
        self.conic = conic
        zero = conic.zero
        E, e = conic.A[:zero], conic.b[:zero]
        gone = eliminate(E)
        self.gone = gone
        base = np.zeros(len(conic.c))
        base[gone.pivots] = gone.solve(e[gone.rows])
        self.base = base
        if np.abs(E @ base - e).max(initial=0.0) > CONSISTENT * (1 + np.abs(e).max(initial=0.0)):
            raise Infeasible
        cones = conic.A[zero:].tocsc()
        G = sp.csr_array(cones[:, gone.others] - cones[:, gone.pivots] @ gone.weights)
        h = conic.b[zero:] - conic.A[zero:] @ base
        c = conic.c[gone.others] - gone.weights.T @ conic.c[gone.pivots]
        G.eliminate_zeros()
        # A number that is in no cone is 0, if it costs nothing.
        inside = np.bincount(G.indices, minlength=len(c)) > 0
        if np.abs(c[~inside]).max(initial=0.0) > 1e-9 * (1 + np.abs(conic.c).max(initial=0.0)):
            raise Unbounded
        self.inside = np.flatnonzero(inside)
        self.G, self.h, self.c = sp.csr_array(G.tocsc()[:, self.inside]), h, c[inside]
        if not (conic.nonneg or conic.soc or conic.psd):
            raise Determined(base, self._multipliers(np.zeros(0)))
        self._state()

    def _state(self) -> None:
        conic, offset = self.conic, self.conic.zero
        entries = Entries([])
        cones: list[int] = []
        self.readers: list[Any] = []
        if conic.nonneg:
            self._add(entries, len(cones), range(conic.nonneg), np.arange(conic.nonneg), None)
            cones.append(-conic.nonneg)
            self.readers.append(("diagonal", range(conic.nonneg)))
        for rows, size in zip(conic.psd_rows(), conic.psd, strict=True):
            rows = range(rows.start - offset, rows.stop - offset)
            col, row = np.divmod(np.arange(size * size), size)
            self._add(entries, len(cones), rows, row, col)
            cones.append(size)
            self.readers.append(("matrix", rows))
        extra = 0
        for rows in conic.soc_rows():
            rows = range(rows.start - offset, rows.stop - offset)
            extra = self._second_order(entries, cones, rows, extra)
        rhs = np.concatenate([-self.c, np.zeros(extra)])
        if len(rhs) == 0:
            raise Unfit
        self.program = entries.program(cones, rhs, [])
        self.key = ("dual", tuple(cones), len(rhs))

    def _add(self, entries: Entries, block: int, rows: range, row: Any, col: Any) -> None:
        """h − Gx at these places, each off the diagonal half at (i, j) and half at (j, i) for all n² of them."""
        col = row if col is None else col
        scale = np.where(row == col, 1.0, 0.5)
        entries.add(0, block, row, col, scale * self.h[rows.start : rows.stop])
        part = self.G[rows.start : rows.stop].tocoo()
        at, which = part.coords if hasattr(part, "coords") else (part.row, part.col)
        entries.add(which + 1, block, row[at], col[at], scale[at] * part.data)

    def _second_order(self, entries: Entries, cones: list[int], rows: range, extra: int) -> int:
        """An arrow matrix, or a tree of them with a new number for each branch."""
        groups = _equal_rows(self.G, self.h, range(rows.start + 1, rows.stop))
        head = self._line(rows.start, 1.0)
        tails = [(self._line(group[0], math.sqrt(len(group))), group) for group in groups]
        if len(tails) <= LONGEST:
            self._arrow(entries, cones, head, tails, rows.start)
            return extra
        width = math.ceil(math.sqrt(len(tails)))
        branches: list[Any] = []
        for k in range(0, len(tails), width):
            # The head of a branch is a new number t: 0 − (−1)·t.
            number = len(self.c) + extra
            line = (np.array([number]), np.array([-1.0]), 0.0)
            extra += 1
            self._arrow(entries, cones, line, tails[k : k + width], None)
            branches.append((line, []))
        self._arrow(entries, cones, head, branches, rows.start)
        return extra

    def _line(self, row: int, scale: float) -> tuple[Any, Any, float]:
        span = slice(self.G.indptr[row], self.G.indptr[row + 1])
        return self.G.indices[span], scale * self.G.data[span], scale * self.h[row]

    def _arrow(
        self, entries: Entries, cones: list[int], head: Any, tails: list[Any], row: int | None
    ) -> None:
        block, size = len(cones), len(tails) + 1
        which, data, right = head
        for k in range(size):
            entries.add(which + 1, block, k, k, data)
        entries.add(0, block, np.arange(size), np.arange(size), np.full(size, right))
        for k, ((which, data, right), _) in enumerate(tails, start=1):
            entries.add(which + 1, block, 0, k, data)
            entries.add([0], block, 0, k, [right])
        cones.append(size)
        self.readers.append(("arrow", (row, [group for _, group in tails])))

    def recover(self, solution: SdpSolution) -> tuple[Floats, Floats]:
        """x, and all multipliers."""
        conic, gone = self.conic, self.gone
        others = np.zeros(len(gone.others))
        others[self.inside] = solution.y[: len(self.c)]
        x = self.base.copy()
        x[gone.others] = others
        x[gone.pivots] -= gone.weights @ others
        cone = np.zeros(len(conic.b) - conic.zero)
        for k, (kind, where) in enumerate(self.readers):
            held = solution.block(k)
            if kind == "diagonal":
                cone[where.start : where.stop] = held
            elif kind == "matrix":
                cone[where.start : where.stop] = held.ravel()
            else:
                row, groups = where
                if row is not None:
                    cone[row] = np.trace(held)
                for i, group in enumerate(groups, start=1):
                    if len(group):
                        cone[group] = 2 * held[0, i] / math.sqrt(len(group))
        return x, self._multipliers(cone)

    def _multipliers(self, cone: Floats) -> Floats:
        """Those of the equations by stationarity, c + Aᵀy = 0, before those of the cones."""
        conic, gone = self.conic, self.gone
        equations = np.zeros(conic.zero)
        slope = conic.c + conic.A[conic.zero :].T @ cone
        equations[gone.rows] = -gone.solve_transposed(slope[gone.pivots])
        return np.concatenate([equations, cone])


def _equal_rows(G: Any, h: Floats, rows: range) -> list[list[int]]:
    """Rows that are the same: in a norm they are one, √k times as long. Rows of zeros are left out."""
    groups: dict[bytes, list[int]] = {}
    for row in rows:
        span = slice(G.indptr[row], G.indptr[row + 1])
        if span.start == span.stop and h[row] == 0:
            continue
        name = G.indices[span].tobytes() + G.data[span].tobytes() + h[row].tobytes()
        groups.setdefault(name, []).append(row)
    return list(groups.values())
