"""Every threshold on γ."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramfold._arguments import optional_count
from gramfold._arrays import as_matrix, as_points
from gramfold._gramfold import Problem
from gramfold._results import seed_of


@dataclass(frozen=True)
class Bound:
    """A bound on γ, evaluated or not applicable."""

    name: str
    formula: str
    role: str
    """What a γ beyond it implies."""
    value: float | None
    fails: str | None
    """The assumption that the problem does not meet."""


@dataclass(frozen=True, repr=False)
class Bounds:
    """All bounds, and the γ that is needed."""

    needed: float
    why: str
    rank: int
    bounds: tuple[Bound, ...]

    def __getitem__(self, name: str) -> Bound:
        for bound in self.bounds:
            if bound.name == name:
                return bound
        raise KeyError(name)

    def _rows(self) -> list[tuple[str, str, str]]:
        """Name, value and formula of each."""
        said = [f"does not apply: {bound.fails}" if bound.value is None else f"{bound.value:.6g}" for bound in self.bounds]
        return [(bound.name, value, bound.formula) for bound, value in zip(self.bounds, said, strict=True)]

    def _head(self) -> str:
        return f"γ = {self.needed:.6g} is needed ({self.why}), rank {self.rank}"

    def __repr__(self) -> str:
        rows = (f"  {name}: {value}; {formula}" for name, value, formula in self._rows())
        return "\n".join(["<Bounds>", f"  {self._head()}", *rows])

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        return f'<div style="font-family: sans-serif"><b>Bounds</b><div>{html.escape(self._head())}</div><table>{rows}</table></div>'


def bounds(
    A: Any,
    *,
    regulariser: str = "zero",
    rank: int | None = None,
    start: Any = None,
    random_state: Any = 0,
    symmetrise: bool = False,
) -> Bounds:
    """List every bound on γ that applies to ½‖A − XXᵀ‖² + h(X), as `gramfold bounds` does.

    Parameters
    ----------
    A : array, sparse matrix or graph
        A symmetric matrix.
    regulariser : str
        h: ``"zero"``, ``"nonnegative"`` or ``"ridge:lambda=0.1"``.
    rank : int, optional
        Columns of a random start; the smaller of 10 and n if not given.
    start : array of shape (n, rank), optional
        The start Y₀ that some bounds depend on.
    random_state : int, Generator, RandomState or None
        What a random start is drawn from.
    symmetrise : bool
        Take ½(A + Aᵀ) of a matrix that is not symmetric.

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> found = gramfold.bounds(np.diag([1.0, -2.0]), rank=1)
    >>> round(found.needed, 6)
    1.0
    """
    matrix = as_matrix(A, symmetrise=symmetrise)
    given = None if start is None else as_points(start).astype(np.float64, copy=False)
    wanted = optional_count("rank", rank) or min(10, matrix.dim)
    told = Problem.of_matrix(matrix).bounds(regulariser, wanted, seed_of(random_state), given)
    found = json.loads(told)
    return Bounds(
        needed=found["needed"]["value"],
        why=found["needed"]["why"],
        rank=found["rank"],
        bounds=tuple(Bound(**bound) for bound in found["bounds"]),
    )
