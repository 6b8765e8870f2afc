"""Completion as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from gramfold._complete import complete, predicted
from gramfold._estimators import COUNT, FROM_ZERO, Estimator, estimator
from gramfold._results import Floats, here


@estimator
class MatrixCompletion(Estimator):
    """Complete a symmetric matrix from some of its entries, b_ij ≈ a_i + a_j + x_i·x_j.

    Parameters
    ----------
    n_components : int, optional
        Columns of the factor; chosen by held-out entries if not given.
    ridge : float, optional
        λ in (λ/2)‖X‖²; chosen if not given.
    loss : str
        How an entry is judged: "square", "huber", "logistic" (for entries ±1), "poisson" (for counts), …
    biases : {"auto", "none"} or float
        Whether there is an a; a number says how strongly it is drawn to its mean.
    folds : int
        In how many parts entries are held out to choose and to judge; 0 for none.
    tol, max_iter
        As for `SymNMF`.
    random_state : int, RandomState or None
        What the start, and what is held out, is drawn from.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components_)
        The factor X.
    biases_ : ndarray of shape (n_samples,)
        a; zeros where the model has none.
    n_components_ : int
        Columns of the factor.
    ridge_ : float
        λ.
    held_out_ : dict or None
        Errors on entries that were held out.
    certificate_ : Certificate
        What is proved of X.
    n_iter_, n_features_in_, feature_names_in_
        As for `SymNMF`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramfold import MatrixCompletion
    >>> x = np.arange(1.0, 13.0)
    >>> known = np.outer(x, x)
    >>> known[2, 3] = known[3, 2] = np.nan
    >>> model = MatrixCompletion(1, ridge=0.0, biases="none", random_state=0)
    >>> round(float(model.fit_transform(known)[2, 3]), 3)
    12.0
    """

    n_components: int | None = None
    _: KW_ONLY
    ridge: float | None = None
    loss: str = "square"
    biases: str | float = "auto"
    folds: int = 5
    random_state: Any = None

    _call = "gramfold.MatrixCompletion(…)"
    _data = "the entries"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [COUNT, None],
        "ridge": [FROM_ZERO, None],
        "loss": [str],
        "biases": [StrOptions({"auto", "none"}), FROM_ZERO],
        "folds": [Interval(Integral, 0, None, closed="left")],
        **Estimator._seeded_constraints,
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> MatrixCompletion:
        """Choose the model and fit it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_samples)
            What is known: what is NaN in an array, or not stored in a sparse matrix, is missing.
        y : ignored

        Returns
        -------
        self
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Fit, and fill in what is missing.

        Parameters
        ----------
        X : array or sparse matrix
            As for `fit`.
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            What is known as it is, and predictions elsewhere.
        """
        self._validate_params()
        known = self._fit(X)
        completed = np.asarray(self.embedding_ @ self.embedding_.T)
        completed += self.biases_[:, None] + self.biases_[None, :]
        if sp.issparse(known):
            held = sp.coo_array(known)
            completed[held.row, held.col] = completed[held.col, held.row] = held.data
            return completed
        filled = np.where(np.isnan(known), known.T, known)
        return np.where(np.isnan(filled), completed, filled)

    def entries(self, rows: ArrayLike, cols: ArrayLike) -> Floats:
        """Predict entries.

        Parameters
        ----------
        rows, cols : array of int
            i and j of each.

        Returns
        -------
        ndarray
            a_i + a_j + x_i·x_j.
        """
        check_is_fitted(self, "embedding_")
        return predicted(self.embedding_, self.biases_, rows, cols)

    def _fit(self, X: Any) -> Any:
        X = self._read(X, square=True, missing=True)
        result = complete(
            X,
            rank=None if self.n_components is None else int(self.n_components),
            ridge=None if self.ridge is None else float(self.ridge),
            loss=self.loss,
            biases=self.biases,
            folds=int(self.folds),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            random_state=self.random_state,
        )
        self._keep(here(result._run))
        self.embedding_ = result.factor
        self.biases_ = result.biases
        self.n_components_ = result.rank
        self.ridge_ = result.ridge
        self.held_out_ = result.held_out
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = True
        tags.input_tags.allow_nan = True
        return tags
