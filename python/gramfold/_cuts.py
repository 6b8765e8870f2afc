"""Heavy cuts and light halves, with bounds that no other can pass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramfold._arguments import count
from gramfold._arrays import as_matrix
from gramfold._gramfold import Matrix, Outcome, Program, round_cut
from gramfold._results import Callback, here, listening
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
        self,
        outcome: Outcome,
        graph: Matrix,
        rounding: tuple[bool, int, int],
        cut: tuple[NDArray[np.bool_], float, bool],
    ) -> None:
        super().__init__(outcome)
        side, weight, whole = cut
        halves = rounding[0]
        self._graph: Matrix | None = graph
        self._rounding = rounding
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

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_graph": None}

    def _write(self, path: str, report: bool) -> None:
        name = "bisect" if self._halves else "maxcut"
        place = (path, report, "the graph", f"gramfold.{name}(graph)")
        cut = (self.side.tolist(), self.weight)
        here(self._outcome).write_cut(place, here(self._graph), cut, self._rounding)


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
    progress: bool = False,
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
    tol, time_limit, random_state, callback, progress
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
    keywords = options("auto", tol, rank, time_limit, random_state)
    return _cut(as_matrix(graph, symmetrise=symmetrise), False, planes, sweeps, keywords, callback, progress)


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
    progress: bool = False,
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
    keywords = options("auto", tol, rank, time_limit, random_state)
    return _cut(as_matrix(graph, symmetrise=symmetrise), True, planes, sweeps, keywords, callback, progress)


def _cut(
    graph: Matrix, halves: bool, planes: int, sweeps: int, keywords: dict[str, Any], callback: Callback | None, progress: bool
) -> Cut:
    rounding = (halves, count("planes", planes), count("sweeps", sweeps, 0))
    with listening(callback, progress) as told:
        outcome = (Program.bisection if halves else Program.max_cut)(graph).solve(keywords, None, told)
    return Cut(outcome, graph, rounding, round_cut(graph, outcome, *rounding, keywords["seed"]))
