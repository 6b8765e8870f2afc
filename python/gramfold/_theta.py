"""Lovász numbers of graphs."""

from __future__ import annotations

import math
from typing import Any

from gramfold._arrays import as_matrix
from gramfold._gramfold import Matrix, Outcome, Program
from gramfold._results import Callback, here, listening
from gramfold._sdp import SdpSolution, options


class Theta(SdpSolution):
    """The Lovász number of a graph, or Schrijver's, with a proved bound.

    Attributes
    ----------
    theta : float
        ⟨J, Z⟩.
    limit : float or None
        θ is at most this: proved.
    independent_at_most : int or None
        No independent set has more nodes.
    """

    _title = "Lovász number"

    def __init__(self, outcome: Outcome, graph: Matrix, edges: int, plus: bool) -> None:
        super().__init__(outcome)
        self._graph: Matrix | None = graph
        self.theta = 0.0 - self.objective
        self.limit = None if self.bound is None else 0.0 - self.bound
        self.independent_at_most = None if self.limit is None else max(0, math.floor(self.limit))
        self.edges = edges
        self.plus = plus

    def _lines(self) -> list[str]:
        symbol = "θ′" if self.plus else "θ"
        proved = "no bound is proved" if self.limit is None else f"{symbol} ≤ {self.limit:.9g}: proved"
        return [f"{symbol} = {self.theta:.9g}", proved, *super()._lines()]

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_graph": None}

    def _write(self, path: str, report: bool) -> None:
        plus = ", plus=True" if self.plus else ""
        place = (path, report, "the graph", f"gramfold.theta(graph{plus})")
        here(self._outcome).write_theta(place, here(self._graph), self.plus)


def theta(
    graph: Any,
    *,
    plus: bool = False,
    tol: float = 1e-6,
    time_limit: float | None = None,
    random_state: Any = 0,
    symmetrise: bool = False,
    callback: Callback | None = None,
    progress: bool = False,
) -> Theta:
    """Compute the Lovász number of a graph, with a proved upper bound.

    θ(G) = max ⟨J, Z⟩ s.t. tr Z = 1, Z_ij = 0 where i and j are joined, Z ⪰ 0. Weights only say that there is an edge,
    and loops are left out.

    Parameters
    ----------
    graph : array, sparse matrix, networkx or igraph graph
        The graph.
    plus : bool
        Ask for Z ≥ 0 in every entry, too: Schrijver's number.
    tol, time_limit, random_state, callback, progress
        As for `solve_sdp`.
    symmetrise : bool
        Take ½(A + Aᵀ) of a matrix that is not symmetric.

    Returns
    -------
    Theta

    Examples
    --------
    >>> import networkx as nx, gramfold
    >>> round(gramfold.theta(nx.cycle_graph(5)).theta, 5)
    2.23607
    """
    matrix = as_matrix(graph, symmetrise=symmetrise)
    program, edges = Program.theta(matrix, plus)
    keywords = options("auto", tol, None, time_limit, random_state)
    with listening(callback, progress) as told:
        return Theta(program.solve(keywords, None, told), matrix, edges, plus)
