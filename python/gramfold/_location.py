"""Localisation as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.metrics import pairwise_distances
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_non_negative

from gramfold._estimators import COUNT, Embedding, Estimator, estimator
from gramfold._locate import locate
from gramfold._results import here


@estimator
class Locate(Embedding):
    """Place points by some of the distances between them.

    Parameters
    ----------
    n_components : int
        Dimensions.
    metric : {"precomputed", "euclidean"}
        What X is: distances, of which some may be missing; or points, whose distances are taken.
    anchors : dict, optional
        Positions of some points: the number of the sample to its coordinates.
    tol : float
        How well the positions are to be known, relative to the size of the layout.
    max_iter : int
        The most iterations.
    random_state : int, RandomState or None
        What is random is drawn from this.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The positions, in the frame of the anchors where these fix it, else centred on principal axes.
    undetermined_ : dict
        Samples that the distances leave free, and why.
    certificate_ : Certificate
        What is proved of the positions.
    n_iter_, n_features_in_, feature_names_in_
        As for `SymNMF`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramfold import Locate
    >>> corners = np.array([[0.0, 0], [3, 0], [3, 4], [0, 4]])
    >>> distances = np.linalg.norm(corners[:, None] - corners, axis=2)
    >>> placed = Locate(2, anchors={0: [0, 0], 1: [3, 0], 2: [3, 4]}).fit_transform(distances)
    >>> placed[3].round(4).tolist()
    [0.0, 4.0]
    """

    n_components: int = 2
    _: KW_ONLY
    metric: str = "precomputed"
    anchors: Mapping[int, Any] | None = None
    max_iter: int = 1000
    random_state: Any = None

    _call = "gramfold.Locate(…)"
    _data = "the distances"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [COUNT],
        "metric": [StrOptions({"precomputed", "euclidean"})],
        "anchors": [dict, None],
        **Estimator._seeded_constraints,
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Locate:
        """Place the points.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_samples) or (n_samples, n_features)
            Distances, where NaN, or what a sparse matrix does not store, is missing; or points, as `metric` says. Points
            whose distance is 0 are placed a thousandth of the smallest other distance apart.
        y : ignored

        Returns
        -------
        self
        """
        given = self.metric == "precomputed"
        X = self._read(X, sparse=given, square=given, missing=given)
        if given:
            check_non_negative(X, "Locate")
        else:
            X = pairwise_distances(X)
        result = locate(
            _apart(X),
            dim=int(self.n_components),
            anchors=self.anchors,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            random_state=self.random_state,
        )
        self._keep(here(result._run))
        self.embedding_ = result.positions
        self.undetermined_ = result.undetermined
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = self.metric == "precomputed"
        tags.input_tags.sparse = given
        tags.input_tags.pairwise = given
        tags.input_tags.allow_nan = given
        tags.input_tags.positive_only = given
        return tags


def _apart(distances: Any) -> Any:
    """The distances, with a small one between points that coincide."""
    held = sp.coo_array(distances) if sp.issparse(distances) else None
    if held is None:
        values = np.array(distances, dtype=np.float64)
        zero = (values == 0) & ~np.eye(len(values), dtype=bool)
    else:
        values = np.array(held.data, dtype=np.float64)
        zero = (values == 0) & (held.row != held.col)
    positive = values[values > 0]
    if not len(positive):
        raise ValueError("no distance is positive: there is nothing to place points by")
    values[zero] = 1e-3 * positive.min()
    return values if held is None else sp.coo_array((values, (held.row, held.col)), shape=held.shape)
