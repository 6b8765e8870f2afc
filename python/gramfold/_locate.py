"""Positions of points from some of the distances between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramfold import _gramfold
from gramfold._arguments import count
from gramfold._complete import observations
from gramfold._factor import Factorisation
from gramfold._results import Callback, Floats, listening, seed_of


class Location(Factorisation):
    """Positions of points, and what is known of them.

    Attributes
    ----------
    positions : ndarray of shape (n, dim)
        In the frame of the anchors where these fix it, else centred on principal axes.
    framed : bool
        Whether the anchors fix the frame: at least dim + 1 of them.
    undetermined : dict
        Points that the distances leave free, and why.
    """

    _title = "Location"
    _call = "gramfold.locate(distances, …)"
    _data = "the distances"

    def __init__(self, run: _gramfold.Answer, framed: bool, free: list[tuple[int, str]]) -> None:
        super().__init__(run)
        self.framed = framed
        self.undetermined = dict(free)

    @property
    def positions(self) -> Floats:
        """Where the points are."""
        return self.factor

    def _lines(self) -> list[str]:
        n, dim = self.factor.shape
        free = len(self.undetermined)
        return [
            f"{n} points in {dim} dimensions, {'in the frame of the anchors' if self.framed else 'centred'}",
            f"{free} points are not determined by the distances" if free else "no point was found to be free",
            *super()._lines()[1:],
        ]


def locate(
    distances: Any,
    *,
    dim: int = 2,
    anchors: Mapping[int, ArrayLike] | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    time_limit: float | None = None,
    random_state: Any = 0,
    callback: Callback | None = None,
    progress: bool = False,
) -> Location:
    """Place points by some of the distances between them, and say which are not determined.

    Minimises ½Σ w_ij(‖x_i − x_j‖² − d_ij²)² with w_ij = 1/(4d_ij²), as `gramfold locate` does.

    Parameters
    ----------
    distances : array, sparse matrix or graph
        What is known: what is NaN in an array, or not stored in a sparse matrix, is missing, and so is the diagonal.
    dim : int
        Dimensions.
    anchors : dict, optional
        Positions of some points: node to coordinates.
    tol : float
        How well the positions are to be known, relative to the size of the layout.
    max_iter : int
        The most iterations.
    time_limit, random_state, callback, progress
        As for `factor`.

    Returns
    -------
    Location

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> corners = np.array([[0.0, 0], [3, 0], [3, 4], [0, 4]])
    >>> distances = np.linalg.norm(corners[:, None] - corners, axis=2)
    >>> placed = gramfold.locate(distances, anchors={0: [0, 0], 1: [3, 0], 2: [3, 4]})
    >>> placed.positions[3].round(4).tolist()
    [0.0, 4.0]
    """
    n, (rows, cols), values = observations(distances)
    between = rows != cols
    rows, cols, values = rows[between], cols[between], values[between]
    if not (values > 0).all():
        raise ValueError("a distance is not positive")
    wanted = {
        "dim": count("dim", dim),
        "tol": tol,
        "max_iter": count("max_iter", max_iter, 0),
        "time_limit": time_limit,
        "seed": seed_of(random_state),
    }
    known = None if anchors is None else _anchors(anchors, n, dim)
    index = np.ascontiguousarray
    with listening(callback, progress) as told:
        return Location(*_gramfold.place(n, (index(rows), index(cols)), index(values), known, wanted, told))


def _anchors(anchors: Mapping[int, ArrayLike], n: int, dim: int) -> tuple[NDArray[np.int64], Floats]:
    for node in anchors:
        count("the number of an anchor's point", node, 0)
    rows = np.array(sorted(anchors), dtype=np.int64)
    positions = np.array([np.asarray(anchors[int(row)], dtype=np.float64) for row in rows]).reshape(len(rows), -1)
    if positions.shape[1] != dim and len(rows):
        raise ValueError(f"an anchor has {positions.shape[1]} coordinates, but dim = {dim}")
    if len(rows) and not (0 <= rows[0] and rows[-1] < n):
        raise ValueError(f"there is no point {rows[0] if rows[0] < 0 else rows[-1]}: n = {n}")
    return rows, np.ascontiguousarray(positions.reshape(len(rows), dim))
