"""Any loss and regulariser as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.utils._param_validation import StrOptions

from gramfold._arrays import as_matrix
from gramfold._estimators import COUNT, FROM_ZERO, Embedding, Estimator, estimator
from gramfold._gramfold import Problem
from gramfold._losses import entries
from gramfold._minimise import problem_of
from gramfold._results import keywords


@estimator
class LowRankPSD(Embedding):
    """Embed samples by a factor X of low rank whose products x_i·x_j fit their similarities.

    Minimises f(XXᵀ) + h(X) for a loss f and a regulariser h by name, and certifies the answer.

    Parameters
    ----------
    n_components : int
        The number of columns of X.
    loss : str
        "quadratic", ½‖A − XXᵀ‖² of the whole matrix; or how each entry is judged: "square", "huber:delta=0.5", "logistic",
        "squared-hinge", "smoothed-hinge", "at-least", "at-most" or "poisson". Of a sparse matrix these judge the entries that are
        stored: the others are taken as missing.
    regulariser : str
        "zero", "ridge:lambda=0.1", "nonnegative", "l1:mu=0.1", "elastic-net", "nonnegative-l1", "box", "row-ball:radius=1",
        "simplex-rows", "row-group", "column-group:mu=0.1", "trace" or "mcp".
    affinity : {"precomputed", "linear", "rbf"}
        What X is: a symmetric matrix of similarities; or points, of which products or a Gaussian kernel are taken.
    gamma : float, optional
        exp(−gamma‖x − y‖²) is the Gaussian kernel; one over the number of features if not given.
    algorithm, rule, start : str
        How the factors move, how the penalty is set, and where they start; names as on the command line.
    tol, max_iter, random_state
        As for `SymNMF`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The factor X.
    objective_ : float
        f(XXᵀ) + h(X).
    certificate_ : Certificate
        What is proved of X.
    n_iter_, n_features_in_, feature_names_in_
        As for `SymNMF`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramfold import LowRankPSD
    >>> A = np.array([[4.0, 2, 2], [2, 1, 1], [2, 1, 9]])  # The last number is wrong.
    >>> model = LowRankPSD(n_components=1, loss="huber:delta=0.1", random_state=0).fit(A)
    >>> (model.embedding_ @ model.embedding_.T).round(1)[0].tolist()
    [4.0, 2.0, 2.0]
    """

    n_components: int = 2
    _: KW_ONLY
    loss: str = "quadratic"
    regulariser: str = "zero"
    affinity: str = "precomputed"
    gamma: float | None = None
    algorithm: str = "auto"
    rule: str = "spectral"
    start: str = "spectral"
    random_state: Any = None

    _call = "gramfold.LowRankPSD(…)"
    _data = "the similarities"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [COUNT],
        "loss": [str],
        "regulariser": [str],
        "affinity": [StrOptions({"precomputed", "linear", "rbf"})],
        "gamma": [FROM_ZERO, None],
        "algorithm": [str],
        "rule": [str],
        "start": [StrOptions({"spectral", "random"})],
        **Estimator._seeded_constraints,
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> LowRankPSD:
        """Find the factor.

        Parameters
        ----------
        X : array, sparse matrix or graph of shape (n_samples, n_samples) or (n_samples, n_features)
            Similarities, which may be a graph of networkx or igraph, or points, as `affinity` says.
        y : ignored

        Returns
        -------
        self
        """
        problem = self._problem(self._read(X, square=self.affinity == "precomputed"))
        how = keywords(
            int(self.n_components), self.regulariser, algorithm=self.algorithm, rule=self.rule, tol=float(self.tol),
            max_iter=int(self.max_iter), start=self.start, random_state=self.random_state,
        )  # fmt: skip
        run = problem.factorise(how, None)
        self.embedding_ = run.factors()[0]
        self._keep(run)
        self.objective_ = self.certificate_.objective
        return self

    def _problem(self, X: Any) -> Problem:
        if self.affinity == "precomputed":
            matrix, symmetrise = X, False
        elif self.affinity == "linear":
            matrix, symmetrise = linear_kernel(X), True
        else:
            matrix, symmetrise = rbf_kernel(X, gamma=self.gamma), True
        n = matrix.shape[0]
        if self.n_components > n:
            raise ValueError(f"n_components = {self.n_components} is not allowed: n_samples = {n}")
        held = as_matrix(matrix, symmetrise=symmetrise)
        if self.loss == "quadratic":
            return Problem.of_matrix(held)
        if self.loss == "linear":
            return Problem.of_cost(held)
        if sp.issparse(matrix):
            upper = sp.triu(sp.coo_array(matrix), format="coo")
            rows, cols, values = upper.row, upper.col, upper.data
        else:
            rows, cols = np.triu_indices(n)
            values = np.asarray(matrix)[rows, cols]
        return problem_of(entries(rows, cols, values, self.loss), n)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags
