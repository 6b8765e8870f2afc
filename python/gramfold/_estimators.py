"""What the scikit-learn estimators share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted


def warn_unless(converged: bool, status: str, iterations: int) -> None:
    """Say that a run stopped early."""
    if not converged:
        warnings.warn(
            f"{status} after {iterations} iterations: raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=3,
        )


def square(X: Any) -> None:
    """Refuse a precomputed matrix that is not square."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "Precomputed affinity must be a square matrix. "
            f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
        )


class Columns:
    """Names for the columns of a factor: the class and a number."""

    embedding_: NDArray[np.float64]

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
