"""A ≈ XXᵀ with few columns."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from gramfold._arrays import as_matrix
from gramfold._gramfold import Answer, Problem
from gramfold._results import Callback, Certificate, Floats, Result, here, keywords, listening


class Factorisation(Result):
    """A factor of a symmetric matrix, and what is proved of it.

    Attributes
    ----------
    factor : ndarray of shape (n, rank)
        The answer ½(X + Y).
    x, y : ndarray of shape (n, rank)
        Both halves of the split.
    gamma : float
        The penalty that holds them together.
    status : str
        How the run ended; `converged` says whether it met the tolerance.
    n_iter : int
        Iterations.
    objective : float
        f(XXᵀ) + h(X).
    relative_error : float or None
        ‖A − XXᵀ‖/‖A‖, where a matrix was factorised.
    """

    _title = "Factorisation"
    _call = "gramfold.factor(A, …)"
    _data = "A"

    def __init__(self, run: Answer, norm_squared: float | None = None) -> None:
        self._run: Answer | None = run
        self.factor, self.x, self.y = run.factors()
        self.gamma = run.gamma
        self.status = run.status
        self.converged = run.converged
        self.n_iter = run.iterations
        self._norm_squared = norm_squared

    @cached_property
    def certificate(self) -> Certificate:
        """What is proved; computed when it is first asked for."""
        return Certificate._of(*here(self._run).certify())

    @cached_property
    def trace(self) -> list[dict[str, Any]]:
        """What was seen of each iteration."""
        return list(json.loads(here(self._run).trace()))

    @cached_property
    def spec(self) -> dict[str, Any]:
        """All that the run depended on but the data."""
        return dict(json.loads(here(self._run).spec()))

    @property
    def objective(self) -> float:
        """f(XXᵀ) + h(X)."""
        return self.certificate.objective

    @property
    def relative_error(self) -> float | None:
        """‖A − XXᵀ‖/‖A‖, where a matrix was factorised."""
        if self._norm_squared is None:
            return None
        loss = float(self.certificate.details["loss"])
        return float((2 * loss / self._norm_squared) ** 0.5) if self._norm_squared else 0.0

    def _lines(self) -> list[str]:
        n, rank = self.factor.shape
        error = self.relative_error
        relative = "" if error is None else f", relative error {error:.6g}"
        regulariser = self.spec["regulariser"]["name"]
        return [
            f"X: {n}x{rank}" + ("" if regulariser == "zero" else f", {regulariser}"),
            f"{self.status} after {self.n_iter} iterations",
            f"objective {self.certificate.objective:.6g}{relative}",
            *self.certificate.words.split("\n"),
        ]

    def _curve(self) -> tuple[str, list[tuple[float, float]]]:
        # Runs on X alone have no asymmetry, and not every algorithm measures stationarity on its way.
        fields = {"‖X−Y‖/‖X‖": "asymmetry", "stationarity": "stationarity", "f": "loss"}
        for name, field in fields.items():
            points = [(step["iteration"], step[field]) for step in self.trace if step[field]]
            if len(points) > 1:
                break
        return name, points

    def __getstate__(self) -> dict[str, Any]:
        # What is computed when it is asked for must be computed now: the run itself stays here.
        _ = self.certificate, self.trace, self.spec
        return self.__dict__ | {"_run": None}

    def _write(self, path: str, report: bool) -> None:
        here(self._run).write(path, report, self._data, self._call)


def factor(
    A: Any,
    rank: int,
    *,
    regulariser: str = "zero",
    algorithm: str = "auto",
    rule: str = "spectral",
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    start: str = "spectral",
    random_state: Any = 0,
    symmetrise: bool = False,
    callback: Callback | None = None,
    progress: bool = False,
) -> Factorisation:
    """Approximate a symmetric matrix by XXᵀ, and certify the answer.

    Minimises ½‖A − XXᵀ‖² + h(X), as `gramfold factor` does: the same arguments give the same bits.

    Parameters
    ----------
    A : array, sparse matrix or graph
        A symmetric matrix.
    rank : int
        The number of columns of X.
    regulariser : str
        h by name: ``"zero"``, ``"nonnegative"``, ``"ridge:lambda=0.1"``, …
    algorithm, rule : str
        How the factors move and how γ is set; names as on the command line.
    tol : float
        Stop when stationarity and ‖X − Y‖/‖X‖ are both below this.
    max_iter : int
        The most iterations.
    time_limit : float, optional
        The longest time to iterate, in seconds.
    start : {"spectral", "random"}
        Where to start.
    random_state : int, Generator, RandomState or None
        What the start is drawn from; an int is the `--seed` of the command line.
    symmetrise : bool
        Take ½(A + Aᵀ) of a matrix that is not symmetric.
    callback : callable, optional
        Receives every step; the run ends where it returns True or raises StopIteration.
    progress : bool
        Show the iterations with tqdm.

    Returns
    -------
    Factorisation

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> gramfold.factor(np.diag([4.0, 1.0]), rank=1).certificate.optimal
    True
    """
    problem = Problem.of_matrix(as_matrix(A, symmetrise=symmetrise))
    how = keywords(
        rank, regulariser, algorithm=algorithm, rule=rule, tol=tol, max_iter=max_iter,
        time_limit=time_limit, start=start, random_state=random_state,
    )  # fmt: skip
    with listening(callback, progress) as told:
        run = problem.factorise(how, told)
    return Factorisation(run, problem.norm_squared)
