"""Correlations explained by a few common factors."""

from __future__ import annotations

import json
from typing import Any

from gramfold import _gramfold
from gramfold._arguments import count
from gramfold._arrays import as_matrix, as_points
from gramfold._factor import Factorisation
from gramfold._results import Callback, Floats, keywords, listening


class Loadings(Factorisation):
    """How variables load on common factors, and what is proved of that.

    Attributes
    ----------
    factor : ndarray of shape (n, n_factors)
        Unrotated loadings, on principal axes.
    loadings : ndarray of shape (n, n_factors)
        Loadings as they were rotated, the factors by the variance that they explain.
    factor_correlations : ndarray of shape (n_factors, n_factors)
        Correlations of the factors: the identity but for "promax".
    communalities : ndarray of shape (n,)
        The share of each variable's variance that the factors explain; above 1 in a Heywood case.
    heywood : list of int
        Variables with such a case.
    explained : float
        The share of all variance that the factors explain.
    rmsr, largest_residual : float
        The root of the mean squared residual correlation, and the largest.
    degrees_of_freedom : int
        Correlations less free parameters: below 0 the loadings are not determined.
    """

    _title = "Loadings"
    _call = "gramfold.factors(A, …)"

    def __init__(self, run: _gramfold.Answer, loadings: Floats, factor_correlations: Floats, said: str) -> None:
        super().__init__(run)
        summary = json.loads(said)
        self.loadings = loadings
        self.factor_correlations = factor_correlations
        self.communalities = (self.factor**2).sum(axis=1)
        self.heywood = [int(variable) for variable in summary["heywood"]]
        self.explained = float(summary["explained"])
        self.rmsr = float(summary["rmsr"])
        self.largest_residual = float(summary["largest_residual"])
        self.degrees_of_freedom = int(summary["degrees_of_freedom"])

    def _lines(self) -> list[str]:
        n, count = self.factor.shape
        doubtful = [f"Heywood case: variables {self.heywood}"] if self.heywood else []
        if self.degrees_of_freedom < 0:
            doubtful.append(f"{n} variables do not determine {count} factors")
        return [
            f"{count} factors explain {self.explained:.1%} of the variance of {n} variables",
            f"residual correlations: {self.rmsr:.3g} in the root of the mean square, {self.largest_residual:.3g} at most",
            *doubtful,
            *super()._lines()[1:],
        ]


def factors(
    A: Any,
    n_factors: int,
    *,
    points: bool = False,
    rotation: str = "varimax",
    algorithm: str = "auto",
    rule: str = "spectral",
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    start: str = "spectral",
    random_state: Any = 0,
    callback: Callback | None = None,
    progress: bool = False,
) -> Loadings:
    """Explain correlations by a few common factors, and rotate them to a simple structure.

    Minimises the squared residual correlations off the diagonal ("minres"), as `gramfold factors` does: the same arguments
    give the same bits.

    Parameters
    ----------
    A : array or sparse matrix
        Correlations or covariances; or observations.
    n_factors : int
        The number of factors, fewer than there are variables.
    points : bool
        A is a table: an observation a row, a variable a column.
    rotation : {"varimax", "promax", "none"}
        How the loadings are turned; after "promax" factors may correlate.
    algorithm, rule, tol, max_iter, time_limit, start, random_state, callback, progress
        As for `factor`.

    Returns
    -------
    Loadings

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> R = np.array([[1, 0.72, 0.63, 0], [0.72, 1, 0.56, 0], [0.63, 0.56, 1, 0], [0, 0, 0, 1]])
    >>> np.abs(gramfold.factors(R, 1).loadings[:, 0]).round(3).tolist()
    [0.9, 0.8, 0.7, 0.0]
    """
    matrix = _gramfold.correlations(as_points(A)) if points else as_matrix(A)
    how = keywords(
        count("n_factors", n_factors), algorithm=algorithm, rule=rule, tol=tol, max_iter=max_iter,
        time_limit=time_limit, start=start, random_state=random_state,
    )  # fmt: skip
    with listening(callback, progress) as told:
        return Loadings(*_gramfold.explain(matrix, rotation, how, told))
