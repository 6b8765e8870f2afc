"""What results share: certificates, traces, and how they show themselves."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike, fspath
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gramfold._arguments import count, seed

Floats = NDArray[np.float64]
Block = tuple[str, Floats]
Callback = Callable[[SimpleNamespace], object]
Kept = TypeVar("Kept")


@contextmanager
def listening(
    callback: Callback | None, progress: bool
) -> Iterator[Callable[[str], object] | None]:
    """What receives every step: the user's callback, with an object of it, and a bar of tqdm."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback = {callback!r} is not allowed: expected a function of a step")
    if progress:
        from tqdm.auto import tqdm

        bar = tqdm(unit=" iterations")
    elif callback is None:
        yield None
        return
    else:
        bar = None

    def told(step: str) -> object:
        shown = SimpleNamespace(**json.loads(step))
        if bar is not None:
            bar.update(max(0, shown.iteration - bar.n))
            residual = getattr(shown, "asymmetry", None)
            objective = getattr(shown, "loss", getattr(shown, "primal_objective", math.nan))
            said = {"objective": f"{objective:.6g}"}
            bar.set_postfix(said if residual is None else said | {"‖X−Y‖/‖X‖": f"{residual:.1e}"})
        return None if callback is None else callback(shown)

    try:
        yield told
    finally:
        if bar is not None:
            bar.close()


def seed_of(random_state: Any) -> int:
    """The seed for an int (as it is), None (drawn afresh) or a generator of NumPy."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return seed(random_state)


def keywords(
    rank: int,
    regulariser: str = "zero",
    *,
    algorithm: str = "auto",
    rule: str = "spectral",
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    start: str = "spectral",
    random_state: Any = 0,
) -> dict[str, Any]:
    """How to run, as the flags of the command line say it."""
    return {
        "rank": count("rank", rank),
        "regulariser": regulariser,
        "algorithm": algorithm,
        "rule": rule,
        "tol": tol,
        "max_iter": count("max_iter", max_iter, 0),
        "time_limit": time_limit,
        "start": start,
        "seed": seed_of(random_state),
    }


@dataclass(frozen=True)
class Certificate:
    """What is proved of a factorisation, recomputed from its factors and γ alone."""

    exact: bool
    """X and Y are the same critical point, so that the split solved the problem itself."""
    optimal: bool
    """The objective is the global minimum over the rank, to 1e-6."""
    gamma: float
    threshold: float
    """Theorem 1: a γ above this makes X and Y equal at a critical point. An estimate where `details` say so of the spectrum."""
    asymmetry: float
    """‖X − Y‖/‖X‖."""
    stationarity: float
    objective: float
    """½‖A − XXᵀ‖² (and the regulariser) at the answer."""
    lower_bound: float | None
    """No factor of this rank has a smaller objective."""
    words: str
    """All of this in words."""
    details: dict[str, Any] = field(repr=False)
    """Everything, as in `solution.json`."""

    @classmethod
    def _of(cls, told: str, words: str) -> Certificate:
        details = json.loads(told)
        bound = details["lower_bound"]
        return cls(
            exact=details["exact"],
            optimal=details["optimal"],
            gamma=details["gamma"],
            threshold=float(details["threshold"]),
            asymmetry=details["asymmetry"],
            stationarity=details["stationarity"],
            objective=details["loss"] + float(details["regularisation"]),
            lower_bound=None if bound is None else bound["value"],
            words=words,
            details=details,
        )

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class SdpCertificate:
    """What is proved of an answer to a semidefinite program, in the signs of its minimisation."""

    primal_objective: float
    dual_objective: float
    bound: float | None
    """No feasible Z has a smaller objective."""
    gap: float | None
    relative_gap: float | None
    dimacs: tuple[float, ...]
    """The six errors of the seventh DIMACS challenge."""
    words: str
    details: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, told: str, words: str) -> SdpCertificate:
        details = json.loads(told)
        bound = details["dual_bound"]
        return cls(
            primal_objective=details["primal_objective"],
            dual_objective=details["dual_objective"],
            bound=None if bound is None else bound["value"],
            gap=details["gap"],
            relative_gap=details["relative_gap"],
            dimacs=tuple(details["dimacs"]),
            words=words,
            details=details,
        )

    def __str__(self) -> str:
        return self.words


class Written:
    """What can be written as the command line writes it."""

    def _write(self, path: str, report: bool) -> None:
        raise NotImplementedError

    def save(self, directory: str | PathLike[str]) -> None:
        """Write the directory that the command line writes; `gramfold check` takes it.

        Parameters
        ----------
        directory : path
            A directory of its own: one that gramfold wrote earlier is replaced, anything else is left alone.
        """
        self._write(fspath(directory), False)

    def report(self, path: str | PathLike[str]) -> None:
        """Write the report of the command line, one HTML page.

        Parameters
        ----------
        path : path
            The page.
        """
        self._write(fspath(path), True)


class Result(Written):
    """A result that shows itself: in words, and in notebooks with its convergence."""

    _title = "Result"

    def _lines(self) -> list[str]:
        raise NotImplementedError

    def _curve(self) -> tuple[str, list[tuple[float, float]]]:
        """What is plotted against the iterations, on a logarithmic axis."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join([f"<{self._title}>", *("  " + line for line in self._lines())])

    def _repr_html_(self) -> str:
        lines = "".join(f"<div>{html.escape(line)}</div>" for line in self._lines())
        name, points = self._curve()
        return (
            f'<div style="font-family: sans-serif"><b>{html.escape(self._title)}</b>'
            f"{lines}{_plot(name, points)}</div>"
        )


def here(run: Kept | None) -> Kept:
    """What a result was made from; a pickled result has left it behind."""
    if run is None:
        raise ValueError("a result that was pickled cannot be written: its run stayed where it was made")
    return run


def _plot(name: str, points: list[tuple[float, float]]) -> str:
    """A curve on a logarithmic axis, as SVG."""
    points = [(x, math.log10(y)) for x, y in points if y > 0 and math.isfinite(y)]
    if len(points) < 2:
        return ""
    width, height, edge, below = 360, 140, 50, 34
    (left, right) = (points[0][0], points[-1][0])
    low, high = min(y for _, y in points), max(y for _, y in points)
    across, up = max(right - left, 1e-300), max(high - low, 1e-12)
    path = " ".join(
        f"{edge + (width - edge - 8) * (x - left) / across:.1f},"
        f"{8 + (height - below) * (high - y) / up:.1f}"
        for x, y in points
    )
    label = 'font-size="10" fill="currentColor"'
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="{html.escape(name)}">'
        f'<polyline points="{path}" fill="none" stroke="#3366cc" stroke-width="1.5"/>'
        f'<text x="2" y="14" {label}>{10**high:.1e}</text>'
        f'<text x="2" y="{height - below + 8}" {label}>{10**low:.1e}</text>'
        f'<text x="{edge}" y="{height - 8}" {label}>'
        f"{html.escape(name)}, iterations {left:.0f} to {right:.0f}</text></svg>"
    )
