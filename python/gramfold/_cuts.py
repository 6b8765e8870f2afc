"""Heavy cuts and light halves, with bounds that no other can pass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramfold._arrays import as_matrix
from gramfold._gramfold import Matrix, Outcome, Program, round_cut
from gramfold._results import Callback, listen
from gramfold._sdp import SdpSolution, options


class Cut(SdpSolution):
    """A cut of a graph, and a bound on all others.

    Attributes
    ----------
    side : ndarray of bool
        The side of each node.
    weight : float
        The weight between the sides.
    limit : float or None
        No cut is heavier (or, for halves, lighter) than this: proved. A whole number where every weight is one.
    optimal : bool
        Whether the cut meets the limit, so that there is no better one.
    """

    def __init__(
        self, outcome: Outcome, side: NDArray[np.bool_], weight: float, *, halves: bool, whole: bool
    ) -> None:
        super().__init__(outcome)
        self._title = "Bisection" if halves else "Cut"
        self._halves = halves
        self.side = side
        self.weight = weight
        bound = self.bound
        limit = None if bound is None else (bound if halves else 0.0 - bound)
        if limit is not None and whole:
            limit = float(math.ceil(limit) if halves else math.floor(limit))
        self.limit = limit
        self.optimal = limit == weight

    def _lines(self) -> list[str]:
        second = int(self.side.sum())
        sizes = f"sides of {len(self.side) - second} and {second} nodes"
        limit = "no cut into halves is below" if self._halves else "no cut is above"
        proved = "no bound is proved" if self.limit is None else f"{limit} {self.limit:.9g}"
        end = ", which this one meets: it is optimal" if self.optimal else ""
        return [f"cut {self.weight:.9g}, {sizes}", proved + end, *super()._lines()]


def maxcut(
    graph: Any,
    *,
    rank: int | None = None,
    planes: int = 100,
    sweeps: int = 1000,
    tol: float = 1e-6,
    time_limit: float | None = None,
    random_state: Any = 0,
    symmetrise: bool = False,
    callback: Callback | None = None,
) -> Cut:
    """Cut a graph in two with much weight between the sides, and prove how much there can be.

    Parameters
    ----------
    graph : array, sparse matrix, networkx or igraph graph
        The weights, which may be negative; loops do not matter.
    rank : int, optional
        Columns of the factor to start with.
    planes : int
        Random hyperplanes to round with.
    sweeps : int
        Sweeps of simulated annealing from the best cuts so found; 0 for none.
    tol, time_limit, random_state, callback
        As for `solve_sdp`.
    symmetrise : bool
        Take ½(A + Aᵀ) of a matrix that is not symmetric.

    Returns
    -------
    Cut

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> square = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    >>> cut = gramfold.maxcut(square)
    >>> cut.weight, cut.limit, cut.optimal
    (4.0, 4.0, True)
    """
    matrix = as_matrix(graph, symmetrise=symmetrise)
    keywords = options("auto", tol, rank, time_limit, random_state)
    return _cut(matrix, Program.max_cut(matrix), False, planes, sweeps, keywords, callback)


def bisect(
    graph: Any,
    *,
    rank: int | None = None,
    planes: int = 100,
    sweeps: int = 1000,
    tol: float = 1e-6,
    time_limit: float | None = None,
    random_state: Any = 0,
    symmetrise: bool = False,
    callback: Callback | None = None,
) -> Cut:
    """Halve a graph with little weight between the halves, and prove how little there can be.

    The halves of an odd number of nodes differ by one. Parameters are those of `maxcut`.

    Examples
    --------
    >>> import networkx as nx, gramfold
    >>> halves = gramfold.bisect(nx.barbell_graph(4, 0))
    >>> halves.weight, int(halves.side.sum())
    (1.0, 4)
    """
    matrix = as_matrix(graph, symmetrise=symmetrise)
    keywords = options("auto", tol, rank, time_limit, random_state)
    return _cut(matrix, Program.bisection(matrix), True, planes, sweeps, keywords, callback)


def _cut(
    graph: Matrix,
    program: Program,
    halves: bool,
    planes: int,
    sweeps: int,
    keywords: dict[str, Any],
    callback: Callback | None,
) -> Cut:
    outcome = program.solve(keywords, None, listen(callback))
    side, weight, whole = round_cut(graph, outcome, halves, planes, sweeps, keywords["seed"])
    return Cut(outcome, side, weight, halves=halves, whole=whole)
