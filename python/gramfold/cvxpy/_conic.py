"""A conic problem as CVXPY states it: min cᵀx s.t. Ax + s = b, s ∈ K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gramfold._gramfold import Program
from gramfold._sdp import SdpSolution

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Conic:
    """Rows in the order zero, nonnegative, second-order, semidefinite (all n² entries, column after column)."""

    A: Any
    b: Floats
    c: Floats
    zero: int
    nonneg: int
    soc: list[int]
    psd: list[int]

    @classmethod
    def of(cls, data: dict[str, Any], dims: Any) -> Conic:
        A = sp.csr_array(data["A"], copy=True)
        A.eliminate_zeros()
        A.sort_indices()
        b, c = np.asarray(data["b"], float), np.asarray(data["c"], float)
        return cls(A, b, c, int(dims.zero), int(dims.nonneg), list(dims.soc), list(dims.psd))

    def soc_rows(self) -> list[range]:
        return _ranges(self.zero + self.nonneg, self.soc)

    def psd_rows(self) -> list[range]:
        start = self.zero + self.nonneg + sum(self.soc)
        return _ranges(start, [n * n for n in self.psd])


def _ranges(start: int, lengths: list[int]) -> list[range]:
    ranges = []
    for length in lengths:
        ranges.append(range(start, start + length))
        start += length
    return ranges


class Form(Protocol):
    """A way to state a conic problem as a semidefinite program."""

    program: Program
    key: tuple[Any, ...]
    """Solutions of programs with the same key fit each other."""
    infeasible: str
    """The status of the program that says that the problem is infeasible; the other one says that it is unbounded."""

    def recover(self, solution: SdpSolution) -> tuple[Floats, Floats]:
        """x and the multipliers of every row."""


@dataclass(frozen=True)
class Entries:
    """Entries of the matrices of a program, gathered piece by piece."""

    parts: list[tuple[Any, Any, Any, Any, Any]]

    def add(self, matrix: Any, block: Any, row: Any, col: Any, value: Any) -> None:
        value = np.asarray(value, np.float64)
        shape = value.shape
        indices = [np.broadcast_to(np.asarray(part, np.int64), shape) for part in (matrix, block, row, col)]
        self.parts.append((*indices, value))

    def program(
        self, cones: list[int], rhs: Floats, rank_ones: list[tuple[int, int, float, Floats]]
    ) -> Program:
        if not self.parts:
            self.add([], [], [], [], [])
        joined = [np.ascontiguousarray(np.concatenate([p[k] for p in self.parts])) for k in range(5)]
        entries = (joined[0], joined[1], joined[2], joined[3], joined[4])
        return Program(cones, np.ascontiguousarray(rhs), entries, rank_ones)
