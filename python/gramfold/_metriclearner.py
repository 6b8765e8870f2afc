"""Metric learning as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from gramfold._arrays import whole
from gramfold._estimators import COUNT, FROM_ZERO, Estimator, Transformer, estimator
from gramfold._metric import metric
from gramfold._results import Floats, here


@estimator
class MetricLearner(Transformer):
    """Learn a metric ‖Lᵀ(x − y)‖ in which near points of one class stay together and others come apart.

    It is `gramfold.metric`, the command `gramfold metric`, as an estimator.

    Parameters
    ----------
    n_components : int, optional
        Columns of L, the dimension that points are mapped to; that of the points, up to 64, if not given.
    targets, impostors : int, optional
        Near points of the same class, and of others, that each point is compared with; 3 and 5 if not given.
    margin : float, optional
        The margin at the start, as a share of the mean squared distance to near points of the same class.
    pull : float, optional
        How much that distance counts.
    stay : float, optional
        How much the squared distance to the Euclidean metric counts.
    standardise : bool
        Take features in units of their deviations.
    tol : float
        Stop when stationarity is below this.
    max_iter : int
        The most iterations.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Lᵀ.
    certificate_ : Certificate
        What is proved of L.
    n_iter_, n_features_in_, feature_names_in_
        As for `SymNMF`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramfold import MetricLearner
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)) * [1, 20]  # The second feature is large, and says nothing.
    >>> y = (X[:, 0] > 0).astype(int)
    >>> metric = MetricLearner(1).fit(X, y).components_[0]
    >>> bool(abs(metric[0]) > 10 * abs(metric[1]))
    True
    """

    n_components: int | None = None
    _: KW_ONLY
    targets: int | None = None
    impostors: int | None = None
    margin: float | None = None
    pull: float | None = None
    stay: float | None = None
    standardise: bool = True
    tol: float = 1e-4
    max_iter: int = 200

    _call = "gramfold.MetricLearner(…)"
    _data = "the points"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [COUNT, None],
        "targets": [COUNT, None],
        "impostors": [COUNT, None],
        "margin": [FROM_ZERO, None],
        "pull": [FROM_ZERO, None],
        "stay": [FROM_ZERO, None],
        "standardise": ["boolean"],
        **Estimator._run_constraints,
    }

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
        X, y = validate_data(self, whole(X), y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        classes = len(np.unique(y))
        if classes < 2:
            raise ValueError(f"y has {classes} class: at least two are needed")
        result = metric(
            X,
            y,
            rank=None if self.n_components is None else self._components(X.shape[1]),
            targets=self.targets,
            impostors=self.impostors,
            margin=self.margin,
            pull=self.pull,
            stay=self.stay,
            standardise=bool(self.standardise),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
        )
        self._keep(here(result._run))
        self.components_ = result.components
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
        return np.asarray(self._points(X) @ self.components_.T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
