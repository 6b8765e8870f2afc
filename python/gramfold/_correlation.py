"""Nearest correlation matrices of low rank."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gramfold import _gramfold
from gramfold._arrays import as_matrix
from gramfold._factor import Factorisation
from gramfold._results import Callback, Floats, keywords, listening


class NearestCorrelation(Factorisation):
    """A correlation matrix XXᵀ of low rank near to a given matrix, and what is proved of how near one can be.

    Attributes
    ----------
    factor : ndarray of shape (n, rank)
        X, with rows of length one.
    distance : float
        ‖XXᵀ − A‖.
    objective : float
        ½‖XXᵀ − A‖².
    bound : float or None
        No correlation matrix of the rank has a smaller objective: proved.
    optimal : bool
        Whether there is none nearer, to 1e-6.
    multipliers : ndarray of shape (n,)
        y, with which the bound is proved.
    certificate : Certificate
        Of ½‖Z − (A + Diag y)‖² over all Z ⪰ 0 of the rank.
    """

    _title = "Nearest correlation matrix"
    _call = "gramfold.correlation(A, …)"

    def __init__(self, run: _gramfold.Answer, objective: float, bound: float | None, multipliers: Floats) -> None:
        super().__init__(run)
        self._value = objective
        self.distance = float(np.sqrt(2 * objective))
        self.bound = bound
        self.multipliers = multipliers

    @property
    def objective(self) -> float:
        """½‖XXᵀ − A‖²."""
        return self._value

    @property
    def optimal(self) -> bool:
        """Whether no correlation matrix of the rank is nearer, to 1e-6."""
        return self.certificate.optimal

    @property
    def matrix(self) -> Floats:
        """The correlation matrix itself."""
        return np.asarray(self.factor @ self.factor.T)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """All that the run depended on but the data."""
        whole = super().spec
        stop = whole["stop"]
        return {
            "rank": whole["rank"],
            "tolerance": stop["stationarity"],
            "max_iterations": stop["max_iterations"],
            "time_limit": stop["time_limit"],
            "seed": whole["seed"],
        }

    def _lines(self) -> list[str]:
        n, rank = self.factor.shape
        proved = "no bound is proved"
        if self.bound is not None:
            better = "optimal: no" if self.optimal else "proved: no"
            proved = f"{better} correlation matrix of rank {rank} has ½‖·‖² below {self.bound:.9g}"
        return [
            f"a correlation matrix of {n} variables, rank {rank}: ‖XXᵀ − A‖ = {self.distance:.6g}",
            f"{self.status} after {self.n_iter} iterations; objective {self.objective:.9g}",
            proved,
        ]


def correlation(
    A: Any,
    rank: int,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    random_state: Any = 0,
    symmetrise: bool = False,
    callback: Callback | None = None,
    progress: bool = False,
) -> NearestCorrelation:
    """Find the nearest correlation matrix of a given rank, and prove how near one can be.

    Minimises ½‖XXᵀ − A‖² over X with rows of length one, as `gramfold correlation` does: the same arguments give the same bits.

    Parameters
    ----------
    A : array or sparse matrix
        A symmetric matrix.
    rank : int
        The number of columns of X.
    symmetrise : bool
        Take ½(A + Aᵀ) of a matrix that is not symmetric.
    tol, max_iter, time_limit, random_state, callback, progress
        As for `factor`.

    Returns
    -------
    NearestCorrelation

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> A = np.array([[1.0, 0.9, 0.1], [0.9, 1, 0.9], [0.1, 0.9, 1]])  # No correlations are like this.
    >>> nearest = gramfold.correlation(A, rank=2)
    >>> nearest.matrix.round(3)[0].tolist(), nearest.optimal
    ([1.0, 0.77, 0.185], True)
    """
    how = keywords(rank, tol=tol, max_iter=max_iter, time_limit=time_limit, random_state=random_state)
    matrix = as_matrix(A, symmetrise=symmetrise)
    with listening(callback, progress) as told:
        return NearestCorrelation(*_gramfold.nearest_correlation(matrix, how, told))
