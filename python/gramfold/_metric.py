"""Metric learning as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from gramfold._estimators import warn_unless
from gramfold._losses import rank_ones
from gramfold._minimise import minimise
from gramfold._results import Floats


class _Apart:
    """½[z − 1]₊² of pairs that belong together, marked −1; ½[2 − z]₊² of others, marked 2."""

    largest_curvature = 1.0
    infimum = 0.0

    def _excess(self, z: Floats, b: Floats) -> Floats:
        return np.where(b > 0, np.minimum(z - b, 0), np.maximum(z + b, 0))

    def value(self, z: Floats, b: Floats) -> Floats:
        return 0.5 * self._excess(z, b) ** 2

    def slope(self, z: Floats, b: Floats) -> Floats:
        return self._excess(z, b)

    def curvature(self, z: Floats, b: Floats) -> Floats:
        return np.asarray(self._excess(z, b) != 0, dtype=np.float64)


class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a metric ‖Lᵀ(x − y)‖ in which near points of one class stay together and others come apart.

    Minimises over M = LLᵀ the mean of ½[d − 1]₊² over pairs of near points of one class, and of ½[2 − d]₊² over pairs of near
    points of different classes, where d = (x − y)ᵀM(x − y): convex in M.

    Parameters
    ----------
    n_components : int, optional
        Columns of L, the dimension that points are mapped to; that of the points if not given.
    n_neighbors : int
        Near points of the same class, and of others, that each point is compared with.
    ridge : float
        λ in (λ/2)‖L‖², in units of the mean squared distance between near points of one class.
    tol : float
        Stop when stationarity and ‖X − Y‖/‖X‖ are both below this.
    max_iter : int
        The most iterations.
    random_state : int, RandomState or None
        What the start is drawn from.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Lᵀ.
    certificate_ : Certificate
        What is proved of L.
    n_iter_ : int
        Iterations.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from gramfold import MetricLearner
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)) * [1, 20]  # The second feature is large, and says nothing.
    >>> y = (X[:, 0] > 0).astype(int)
    >>> metric = MetricLearner(1, random_state=0).fit(X, y).components_[0]
    >>> bool(abs(metric[0]) > 10 * abs(metric[1]))
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, 1, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_neighbors: int = 3,
        ridge: float = 1e-3,
        tol: float = 1e-4,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> MetricLearner:
        """Learn the metric.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.
        y : array of shape (n_samples,)
            Their classes.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        features = X.shape[1]
        rank = features if self.n_components is None else int(self.n_components)
        if rank > features:
            raise ValueError(f"n_components = {rank} is not allowed: n_features = {features}")
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has {len(classes)} class: at least two are needed")
        together, apart = _pairs(X, labels, int(self.n_neighbors))
        near = (together**2).sum(axis=1)
        unit = np.sqrt(near.mean()) if near.any() else np.abs(apart).max(initial=0.0) or 1.0
        vectors = np.concatenate([together, apart]) / unit
        targets = np.repeat([-1.0, 2.0], [len(together), len(apart)])
        weights = np.repeat([1 / max(1, len(together)), 1 / max(1, len(apart))], [len(together), len(apart)])
        result = minimise(
            rank_ones(vectors, targets, _Apart(), weights),
            f"ridge:lambda={float(self.ridge)!r}",
            features,
            rank,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            random_state=self.random_state,
        )
        warn_unless(result.converged, result.status, result.n_iter)
        self.components_ = result.factor.T / unit
        self.certificate_ = result.certificate
        self.n_iter_ = max(1, result.n_iter)
        return self

    def transform(self, X: Any) -> Floats:
        """Map points to where the learnt metric is the Euclidean one.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self, "components_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(X @ self.components_.T)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _pairs(X: Floats, labels: NDArray[np.int64], k: int) -> tuple[Floats, Floats]:
    """Differences of each point to its nearest of the same class, and to its nearest of others."""
    together, apart = [], []
    for label in range(labels.max() + 1):
        own, others = X[labels == label], X[labels != label]
        if len(own) > 1:
            wanted = min(k, len(own) - 1)
            near = NearestNeighbors(n_neighbors=wanted).fit(own).kneighbors(return_distance=False)
            together.append((own[:, None] - own[near]).reshape(-1, X.shape[1]))
        far = NearestNeighbors(n_neighbors=min(k, len(others))).fit(others).kneighbors(own, return_distance=False)
        apart.append((own[:, None] - others[far]).reshape(-1, X.shape[1]))
    return np.concatenate([np.zeros((0, X.shape[1])), *together]), np.concatenate(apart)
