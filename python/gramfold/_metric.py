"""Metrics in which points are near to their like."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gramfold import _gramfold
from gramfold._arguments import count, optional_count, optional_number
from gramfold._arrays import as_points
from gramfold._factor import Factorisation
from gramfold._results import Callback, Floats, listening


class Metric(Factorisation):
    """A metric ‖Lᵀ(x − y)‖ of low rank, and what is proved of it.

    Attributes
    ----------
    components : ndarray of shape (rank, n_features)
        Lᵀ for the features as they are.
    factor : ndarray of shape (n_features, rank)
        L for features in units of their deviations, unless these were left alone.
    model : dict
        How it was fitted: `rank`, `targets`, `impostors`, `margin`, `pull` and `stay`.
    n_comparisons : int
        Comparisons d(x, far) > d(x, near) + 1 that it was fitted to.
    """

    _title = "Metric"
    _call = "gramfold.metric(points, labels, …)"
    _data = "the points"

    def __init__(self, run: _gramfold.Answer, factor: Floats, model: str, n_comparisons: int) -> None:
        super().__init__(run)
        self.components = np.ascontiguousarray(factor.T)
        self.model = dict(json.loads(model))
        self.n_comparisons = n_comparisons

    def transform(self, points: ArrayLike) -> Floats:
        """Map points to where the learnt metric is the Euclidean one.

        Parameters
        ----------
        points : array of shape (n_samples, n_features)
            One a row.

        Returns
        -------
        ndarray of shape (n_samples, rank)
        """
        return np.asarray(np.asarray(points, dtype=np.float64) @ self.components.T)

    def _lines(self) -> list[str]:
        rank, features = self.components.shape
        return [
            f"{features} features to {rank} dimensions, by {self.n_comparisons} comparisons",
            *super()._lines()[1:],
        ]


def metric(
    points: ArrayLike,
    labels: ArrayLike,
    *,
    rank: int | None = None,
    targets: int | None = None,
    impostors: int | None = None,
    margin: float | None = None,
    pull: float | None = None,
    stay: float | None = None,
    standardise: bool = True,
    tol: float = 1e-4,
    max_iter: int = 200,
    time_limit: float | None = None,
    callback: Callback | None = None,
    progress: bool = False,
) -> Metric:
    """Learn a metric of low rank in which points are near to their like.

    Minimises over M = LLᵀ the mean of log(1 + exp(d(x, near) − d(x, far))) over comparisons of each point with near points of its own
    class and of others, pull times the mean of d(x, near), and stay times how far M is from the Euclidean metric, where d is the
    squared distance in the metric; as `gramfold metric` does: the same arguments give the same bits.

    Parameters
    ----------
    points : array of shape (n_samples, n_features)
        One a row.
    labels : array of shape (n_samples,)
        The class of each.
    rank : int, optional
        Columns of L; as many as there are features, up to 64, if not given.
    targets, impostors : int, optional
        Near points of the same class, and of others, that each point is compared with.
    margin : float, optional
        The margin at the start, as a share of the mean squared distance to near points of the same class.
    pull : float, optional
        How much that distance counts.
    stay : float, optional
        How much the squared distance to the Euclidean metric counts.
    standardise : bool
        Take features in units of their deviations.
    tol, max_iter, time_limit, callback, progress
        As for `factor`.

    Returns
    -------
    Metric

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)) * [1, 20]  # The second feature is large, and says nothing.
    >>> learnt = gramfold.metric(X, X[:, 0] > 0, rank=1).components[0]
    >>> bool(abs(learnt[0]) > 10 * abs(learnt[1]))
    True
    """
    _, classes = np.unique(np.asarray(labels), return_inverse=True)
    wanted = {
        "rank": optional_count("rank", rank),
        "targets": optional_count("targets", targets),
        "impostors": optional_count("impostors", impostors),
        "margin": optional_number("margin", margin),
        "pull": optional_number("pull", pull),
        "stay": optional_number("stay", stay),
        "standardise": bool(standardise),
        "tol": tol,
        "max_iter": count("max_iter", max_iter, 0),
        "time_limit": time_limit,
    }
    numbers = np.ascontiguousarray(classes.ravel(), dtype=np.int64)
    with listening(callback, progress) as told:
        return Metric(*_gramfold.learn_metric(as_points(points), numbers, wanted, told))
