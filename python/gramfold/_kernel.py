"""Kernels on graphs, from pairs of nodes that belong together or apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gramfold import _gramfold
from gramfold._arguments import number, optional_count, ridge_named
from gramfold._arrays import as_matrix
from gramfold._factor import Factorisation
from gramfold._results import Callback, Floats, keywords, listening


class Kernel(Factorisation):
    """A kernel XXᵀ on the nodes of a graph, and what is proved of it.

    Attributes
    ----------
    factor : ndarray of shape (n, rank)
        X: a row for each node.
    kept : float
        The share of pairs whose entry of XXᵀ has the right sign.
    """

    _title = "Kernel"
    _call = "gramfold.kernel(graph, pairs, signs, …)"
    _data = "the graph"

    def __init__(self, run: _gramfold.Answer, kept: float) -> None:
        super().__init__(run)
        self.kept = kept

    @property
    def matrix(self) -> Floats:
        """The kernel itself."""
        return np.asarray(self.factor @ self.factor.T)

    def _lines(self) -> list[str]:
        return [f"{self.kept:.1%} of the pairs have the right sign", *super()._lines()]


def kernel(
    graph: Any,
    pairs: ArrayLike,
    signs: ArrayLike,
    *,
    loss: str = "squared-hinge",
    smoothness: float = 0.1,
    ridge: float = 0.01,
    rank: int | None = None,
    algorithm: str = "auto",
    rule: str = "spectral",
    tol: float = 1e-8,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    start: str = "spectral",
    random_state: Any = 0,
    callback: Callback | None = None,
    progress: bool = False,
) -> Kernel:
    """Learn a kernel on the nodes of a graph from pairs that belong together or apart.

    Minimises W·⟨L, Z⟩ + mean φ(y_ij·Z_ij) + (λ/2)·tr Z over Z = XXᵀ, with the normalised Laplacian L of the graph, as
    `gramfold kernel` does: the same arguments give the same bits.

    Parameters
    ----------
    graph : array, sparse matrix, networkx or igraph graph
        Nonnegative weights; loops do not matter.
    pairs : array of int of shape (m, 2)
        Two nodes each, numbered from zero.
    signs : array of shape (m,)
        1 where they belong together, −1 where they do not.
    loss : str
        φ: ``"squared-hinge"`` or ``"logistic"``.
    smoothness : float
        W: how much the kernel's roughness along edges counts.
    ridge : float
        λ.
    rank : int, optional
        Columns of X; r with r(r + 1)/2 at least the number of pairs, up to 30, if not given.
    algorithm, rule, tol, max_iter, time_limit, start, random_state, callback, progress
        As for `factor`.

    Returns
    -------
    Kernel

    Examples
    --------
    One pair of each kind says where the other nodes of two triangles belong.

    >>> import networkx as nx, gramfold
    >>> Z = gramfold.kernel(nx.barbell_graph(3, 0), [(0, 1), (0, 5)], [1, -1]).matrix
    >>> bool(Z[0, 2] > 0 > Z[0, 4])
    True
    """
    matrix = as_matrix(graph)
    ends, said = _pairs(pairs, signs, matrix.dim)
    wanted = {
        "loss": loss,
        "smoothness": number("smoothness", smoothness),
        "rank": optional_count("rank", rank),
    }
    how = keywords(
        1, ridge_named(ridge), algorithm=algorithm, rule=rule, tol=tol, max_iter=max_iter,
        time_limit=time_limit, start=start, random_state=random_state,
    )  # fmt: skip
    with listening(callback, progress) as told:
        return Kernel(*_gramfold.learn_kernel(matrix, (ends[0], ends[1]), said, wanted, how, told))


def _pairs(pairs: ArrayLike, signs: ArrayLike, n: int) -> tuple[Any, Floats]:
    """The nodes of each pair, those at one end after those at the other, and 1 or −1 for each."""
    ends, said = np.asarray(pairs), np.asarray(signs)
    if not ends.size:
        raise ValueError("there is no pair to learn from")
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise ValueError("expected pairs of nodes, numbered from zero: an array of whole numbers with two columns")
    if ends.min() < 0 or ends.max() >= n:
        wrong = ends[(ends < 0) | (ends >= n)][0]
        raise ValueError(f"there is no node {wrong}: the graph has {n} nodes, numbered from zero")
    if said.shape != (len(ends),):
        raise ValueError(f"expected a sign for each of the {len(ends)} pairs, found {said.size}")
    if not np.isin(said, (1, -1)).all():
        raise ValueError("expected signs that are 1 or -1")
    return np.ascontiguousarray(ends.T, dtype=np.int64), np.ascontiguousarray(said, dtype=np.float64)
