"""What the scikit-learn estimators share: parameters, checks, and what fitting stores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils._set_output import _SetOutputMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from gramfold._arrays import weights, whole
from gramfold._gramfold import Answer
from gramfold._results import Certificate, Floats, Written, here

COUNT = Interval(Integral, 1, None, closed="left")
"""A number from 1."""
FROM_ZERO = Interval(Real, 0, None, closed="left")

estimator = dataclass(eq=False, repr=False)
"""Makes `__init__` of the parameters: it stores them, and nothing else."""


@estimator
class Estimator(Written, BaseEstimator):  # type: ignore[misc]
    """An estimator whose fit is a run: its last parameters are those of every run."""

    tol: float = field(default=1e-6, kw_only=True)
    max_iter: int = field(default=10_000, kw_only=True)

    _call: ClassVar[str]
    """What made the answer, for its report."""
    _data: ClassVar[str]
    """What the data are called there."""

    _run_constraints: ClassVar[dict[str, list[Any]]] = {
        "tol": [Interval(Real, 0, 1, closed="neither")],
        "max_iter": [COUNT],
    }
    _seeded_constraints: ClassVar[dict[str, list[Any]]] = {**_run_constraints, "random_state": ["random_state"]}

    def _read(self, X: Any, *, sparse: bool = True, square: bool = False, missing: bool = False) -> Any:
        """The samples, checked: numbers in an array or a sparse matrix, or the weights of a graph."""
        X = validate_data(
            self,
            weights(np.ma.filled(X.astype(np.float64), np.nan) if missing and np.ma.is_masked(X) else X),
            accept_sparse=["csr", "csc", "coo"] if sparse else False,
            dtype=[np.float64, np.float32],
            ensure_min_samples=2,
            ensure_all_finite="allow-nan" if missing else True,
        )
        if square and X.shape[0] != X.shape[1]:
            raise ValueError(
                "Precomputed affinity must be a square matrix. "
                f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        return X

    def _components(self, features: int) -> int:
        """As many as were asked for, if there can be."""
        wanted = int(self.n_components)
        if wanted > features:
            raise ValueError(f"n_components = {wanted} is not allowed: n_features = {features}")
        return wanted

    def _keep(self, run: Answer) -> None:
        """Store what every fit says of its run; warn of one that stopped early."""
        if not run.converged:
            said = f"{run.status} after {run.iterations} iterations: raise max_iter or tol"
            warnings.warn(said, ConvergenceWarning, stacklevel=4)
        self.n_iter_ = max(1, run.iterations)
        self._run: Answer | None = run
        self._proved: Certificate | None = None

    @property
    def certificate_(self) -> Certificate:
        """What is proved of the answer; computed when it is first asked for."""
        check_is_fitted(self, "n_iter_")
        if self._proved is None:
            self._proved = Certificate._of(*here(self._run).certify())
        return self._proved

    def _write(self, path: str, report: bool) -> None:
        check_is_fitted(self, "n_iter_")
        here(self._run).write(path, report, self._data, self._call)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if "_run" not in state:
            return state
        # What is computed when it is asked for must be computed now: the run itself stays here.
        return {**state, "_proved": self.certificate_, "_run": None}


class Embedding(_SetOutputMixin, Estimator):  # type: ignore[misc]
    """An estimator that finds a row of a factor for each sample."""

    embedding_: Floats

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Fit, and return the factor.

        Parameters
        ----------
        X : array, sparse matrix or graph
            As for `fit`.
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
        """
        return self.fit(X).embedding_  # type: ignore[no-any-return]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns of the factor: the name of the class in lower case, and a number.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "embedding_")
        name = type(self).__name__.lower()
        return np.asarray([f"{name}{k}" for k in range(self.embedding_.shape[1])], dtype=object)


class Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):  # type: ignore[misc]
    """An estimator that maps points, also new ones, by its components."""

    components_: Floats

    def _points(self, X: Any) -> Floats:
        """New points, as those that were fitted."""
        check_is_fitted(self, "components_")
        return np.asarray(validate_data(self, whole(X), dtype=np.float64, reset=False))

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])
