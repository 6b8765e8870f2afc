"""min f(XXᵀ) + h(X) for any loss and regulariser."""

from __future__ import annotations

from typing import Any

from gramfold._arguments import count
from gramfold._arrays import as_matrix
from gramfold._factor import Factorisation
from gramfold._gramfold import Problem
from gramfold._losses import Measured
from gramfold._results import Callback, keywords, listening


class Minimum(Factorisation):
    """A minimum of f(XXᵀ) + h(X); attributes are those of `Factorisation`."""

    _title = "Minimum"
    _call = "gramfold.minimise(loss, …)"
    _data = "the loss"


def minimise(
    loss: Any,
    regulariser: str = "zero",
    n: int | None = None,
    rank: int = 1,
    *,
    algorithm: str = "auto",
    rule: str = "spectral",
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    start: str = "spectral",
    random_state: Any = 0,
    callback: Callback | None = None,
    progress: bool = False,
) -> Minimum:
    """Minimise f(XXᵀ) + h(X) over X with few columns, and certify the answer.

    Parameters
    ----------
    loss : Measured, array, sparse matrix or graph
        f: measurements and how they are judged, as `entries`, `distances`, `rank_ones`, `matrices` and `mapped` make them;
        or a symmetric matrix A, for ½‖A − Z‖².
    regulariser : str
        h by name: ``"zero"``, ``"nonnegative"``, ``"ridge:lambda=0.1"``, ``"l1:mu=0.1"``, ``"row-ball:radius=1"``, …
    n : int, optional
        The number of rows of X; not needed where the loss is a matrix.
    rank : int
        The number of columns of X.
    algorithm, rule, tol, max_iter, time_limit, start, random_state
        As for `factor`.
    callback : callable, optional
        Receives every step; the run ends where it returns True or raises StopIteration.
    progress : bool
        Show the iterations with tqdm.

    Returns
    -------
    Minimum

    Examples
    --------
    Two of three numbers of a matrix of rank one say what the third is.

    >>> import gramfold
    >>> loss = gramfold.entries([0, 0], [0, 1], [4.0, 6.0])
    >>> X = gramfold.minimise(loss, n=2, rank=1).factor
    >>> round(float(X[1, 0] ** 2), 4)
    9.0
    """
    problem = problem_of(loss, n)
    how = keywords(
        rank, regulariser, algorithm=algorithm, rule=rule, tol=tol, max_iter=max_iter,
        time_limit=time_limit, start=start, random_state=random_state,
    )  # fmt: skip
    with listening(callback, progress) as told:
        run = problem.factorise(how, told)
    return Minimum(run, problem.norm_squared)


def problem_of(loss: Any, n: int | None) -> Problem:
    """f on matrices of n rows."""
    if not isinstance(loss, Measured):
        if hasattr(loss, "value") or hasattr(loss, "image"):
            raise TypeError(
                "a function of numbers, or a map, makes a loss only with data: see gramfold.entries and gramfold.mapped"
            )
        matrix = as_matrix(loss)
        if n is not None and n != matrix.dim:
            raise ValueError(f"n = {n}, but the matrix has {matrix.dim} rows")
        return Problem.of_matrix(matrix)
    if n is None:
        raise TypeError("n is needed: the number of rows of X")
    return Problem.of_measurements(count("n", n), loss.kind, loss.given, loss.phi, loss.targets, loss.weights)
