"""Factor analysis as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import validate_data

from gramfold._arrays import whole
from gramfold._estimators import COUNT, Estimator, Transformer, estimator
from gramfold._factors import factors
from gramfold._results import Floats, here

IMPROPER = 1e-3
"""The least share of a variable's variance that is taken as its own: a communality may come out above 1."""


@estimator
class FactorAnalysis(Transformer):
    """Explain the correlations of variables by a few common factors.

    Minimises Σ (r_ij − l_i·l_j)² over the pairs i ≠ j of variables ("minres"): what a variable has for itself, its place on the
    diagonal, does not count. It is `gramfold.factors`, the command `gramfold factors`, as an estimator.

    Parameters
    ----------
    n_components : int
        Factors.
    rotation : {"varimax", "promax"}, optional
        How the loadings are turned; after "promax" factors may correlate.
    tol, max_iter, random_state
        As for `SymNMF`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        Loadings, in the units of the variables.
    loadings_ : ndarray of shape (n_features_in_, n_components)
        Correlations of variables with factors.
    factor_correlations_ : ndarray of shape (n_components, n_components)
        Correlations of the factors.
    communalities_ : ndarray of shape (n_features_in_,)
        The share of each variable's variance that the factors explain; above 1 in a Heywood case.
    noise_variance_ : ndarray of shape (n_features_in_,)
        What is left of each variance.
    mean_ : ndarray of shape (n_features_in_,)
        Means of the variables.
    certificate_ : Certificate
        What is proved of the loadings.
    n_iter_, n_features_in_, feature_names_in_
        As for `SymNMF`.

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

    n_components: int = 1
    _: KW_ONLY
    rotation: str | None = None
    random_state: Any = None

    _call = "gramfold.FactorAnalysis(…)"
    _data = "the observations"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [COUNT],
        "rotation": [StrOptions({"varimax", "promax"}), None],
        **Estimator._seeded_constraints,
    }

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
        X = validate_data(self, whole(X), dtype=np.float64, ensure_min_samples=2, ensure_min_features=2)
        result = factors(
            X,
            self._components(X.shape[1]),
            points=True,
            rotation=self.rotation or "none",
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            random_state=self.random_state,
        )
        self._keep(here(result._run))
        scale = X.std(axis=0)
        self.mean_ = X.mean(axis=0)
        self.loadings_ = result.loadings
        self.factor_correlations_ = result.factor_correlations
        self.communalities_ = result.communalities
        self.components_ = (self.loadings_ * scale[:, None]).T
        self.noise_variance_ = scale**2 * np.maximum(1 - self.communalities_, IMPROPER)
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
        X = self._points(X)
        weighted = self.components_ / self.noise_variance_
        precision = np.linalg.inv(self.factor_correlations_) + weighted @ self.components_.T
        return np.asarray(np.linalg.solve(precision, weighted @ (X - self.mean_).T).T)
