"""Factor analysis as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from gramfold._estimators import warn_unless
from gramfold._losses import entries
from gramfold._minimise import minimise
from gramfold._results import Floats

IMPROPER = 1e-3
"""The least share of a variable's variance that is taken as its own: a communality may come out above 1."""


class FactorAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Explain the correlations of variables by a few common factors.

    Minimises Σ (r_ij − l_i·l_j)² over the pairs i ≠ j of variables ("minres"): what a variable has for itself, its place on the
    diagonal, does not count.

    Parameters
    ----------
    n_components : int
        Factors.
    rotation : {"varimax"}, optional
        How the loadings are turned.
    tol : float
        Stop when stationarity and ‖X − Y‖/‖X‖ are both below this.
    max_iter : int
        The most iterations.
    random_state : int, RandomState or None
        What the start is drawn from.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        Loadings, in the units of the variables.
    loadings_ : ndarray of shape (n_features_in_, n_components)
        Correlations of variables with factors.
    communalities_ : ndarray of shape (n_features_in_,)
        The share of each variable's variance that the factors explain; above 1 in a Heywood case.
    noise_variance_ : ndarray of shape (n_features_in_,)
        What is left of each variance.
    mean_ : ndarray of shape (n_features_in_,)
        Means of the variables.
    certificate_ : Certificate
        What is proved of the loadings.
    n_iter_ : int
        Iterations.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from gramfold import FactorAnalysis
    >>> rng = np.random.default_rng(0)
    >>> common = rng.normal(size=(5000, 1))
    >>> X = common @ [[1.0, 1.0, 1.0, 0.0]] + rng.normal(size=(5000, 4))
    >>> FactorAnalysis(1, random_state=0).fit(X).communalities_.round(1).tolist()
    [0.5, 0.5, 0.5, 0.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "rotation": [StrOptions({"varimax"}), None],
        "tol": [Interval(Real, 0, 1, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 1,
        *,
        rotation: str | None = None,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.rotation = rotation
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> FactorAnalysis:
        """Find the loadings.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Observations of the variables.
        y : ignored

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2, ensure_min_features=2)
        features = X.shape[1]
        if self.n_components > features:
            raise ValueError(
                f"n_components = {self.n_components} is not allowed: n_features = {features}"
            )
        self.mean_ = X.mean(axis=0)
        scale = X.std(axis=0)
        scale[scale == 0] = 1.0
        standard = (X - self.mean_) / scale
        correlations = standard.T @ standard / len(X)
        rows, cols = np.triu_indices(features, 1)
        result = minimise(
            entries(rows, cols, correlations[rows, cols]),
            "zero",
            features,
            int(self.n_components),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            random_state=self.random_state,
        )
        warn_unless(result.converged, result.status, result.n_iter)
        self.loadings_ = _principal(result.factor)
        if self.rotation == "varimax":
            self.loadings_ = _varimax(self.loadings_)
        self.communalities_ = (self.loadings_**2).sum(axis=1)
        self.components_ = (self.loadings_ * scale[:, None]).T
        self.noise_variance_ = scale**2 * np.maximum(1 - self.communalities_, IMPROPER)
        self.certificate_ = result.certificate
        self.n_iter_ = max(1, result.n_iter)
        return self

    def transform(self, X: Any) -> Floats:
        """Estimate the factors of observations, by regression.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Observations of the variables.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self, "components_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        weighted = self.components_ / self.noise_variance_
        precision = np.eye(len(weighted)) + weighted @ self.components_.T
        return np.asarray(np.linalg.solve(precision, weighted @ (X - self.mean_).T).T)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def _principal(factor: Floats) -> Floats:
    """The factor turned to its principal axes, the largest first, each with a positive sum."""
    _, _, axes = np.linalg.svd(factor, full_matrices=False)
    turned = factor @ axes.T
    return np.asarray(turned * np.where(turned.sum(axis=0) < 0, -1.0, 1.0))


def _varimax(loadings: Floats) -> Floats:
    """Turned so that squared loadings vary the most within each column (Kaiser)."""
    features, columns = loadings.shape
    rotation = np.eye(columns)
    spread = 0.0
    for _ in range(1000):
        turned = loadings @ rotation
        target = turned**3 - turned * (turned**2).mean(axis=0)
        left, values, right = np.linalg.svd(loadings.T @ target)
        rotation = left @ right
        if values.sum() <= spread * (1 + 1e-12):
            break
        spread = values.sum()
    return np.asarray(loadings @ rotation)
