"""Losses of what is measured of Z = XXᵀ: a linear map, targets, and how each number is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from gramfold._arrays import whole
from gramfold._results import Floats


@runtime_checkable
class Scalar(Protocol):
    """A convex function φ(z, b) of a measured number and its target, on arrays of them.

    Attributes that are not methods bound it for every z: `largest_curvature` is needed; `largest_slope`,
    `least_curvature` and `infimum` may be given, and then more can be proved.
    """

    largest_curvature: float

    def value(self, z: Floats, b: Floats) -> ArrayLike:
        """φ."""

    def slope(self, z: Floats, b: Floats) -> ArrayLike:
        """φ′, the derivative by z."""

    def curvature(self, z: Floats, b: Floats) -> ArrayLike:
        """φ″."""


class Map(Protocol):
    """A linear map Z ↦ (⟨A_k, Z⟩) with symmetric A_k.

    `norm` bounds it: ‖image of Z‖ ≤ norm·‖Z‖ for every Z. `accuracy`, 1e-12 if it is not given, says how exactly the image
    is computed, relative to norm·‖X‖·‖Y‖.
    """

    norm: float

    def image(self, X: Floats, Y: Floats) -> ArrayLike:
        """The numbers ⟨A_k, XYᵀ⟩."""

    def adjoint(self, s: Floats, V: Floats) -> ArrayLike:
        """(Σ s_k·A_k)·V."""


Function = Callable[[Floats, Floats], Any]


@dataclass(frozen=True)
class scalar:  # noqa: N801 - it is used as a function
    """A `Scalar` of three functions.

    Parameters
    ----------
    value, slope, curvature : callable
        φ, φ′ and φ″ of arrays z and b.
    largest_curvature : float
        φ″ never passes this.
    largest_slope, least_curvature, infimum : float
        What else is known for every z.

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> phi = gramfold.scalar(
    ...     value=lambda z, b: np.log(np.cosh(z - b)),
    ...     slope=lambda z, b: np.tanh(z - b),
    ...     curvature=lambda z, b: 1 / np.cosh(z - b) ** 2,
    ...     largest_curvature=1.0, largest_slope=1.0, infimum=0.0,
    ... )
    >>> float(phi.slope(np.array([0.0]), np.array([0.0]))[0])
    0.0
    """

    value: Function
    slope: Function
    curvature: Function
    largest_curvature: float
    largest_slope: float = float("inf")
    least_curvature: float = 0.0
    infimum: float = float("-inf")


@dataclass(frozen=True, eq=False)
class Measured:
    """f(Z) = Σ w_k·φ(⟨A_k, Z⟩, b_k).

    Parameters
    ----------
    kind : str
        What is measured; use `entries`, `distances`, `rank_ones`, `matrices` or `mapped` to make one.
    given : object
        The places, vectors or matrices, or the user's `Map`.
    targets : ndarray
        b, one number an observation.
    phi : str or Scalar
        φ by name (``"square"``, ``"huber:delta=0.5"``, ``"logistic"``, ``"squared-hinge"``, ``"smoothed-hinge"``, ``"at-least"``,
        ``"at-most"``, ``"poisson"``) or as an object.
    weights : ndarray, optional
        w ≥ 0, one number an observation.
    """

    kind: str
    given: Any
    targets: Floats
    phi: str | Scalar | scalar
    weights: Floats | None = None


Phi = str | Scalar | scalar


def entries(
    rows: ArrayLike, cols: ArrayLike, targets: ArrayLike, phi: Phi = "square", weights: ArrayLike | None = None
) -> Measured:
    """Entries Z_ij = x_i·x_j; an observation of (i, j) stands for (j, i), too.

    Parameters
    ----------
    rows, cols : array of int
        i and j of each observation.
    targets : array
        What was observed.
    phi : str or Scalar
        How it is judged.
    weights : array, optional
        How much each observation counts.

    Returns
    -------
    Measured
    """
    return Measured("entries", _places(rows, cols), _numbers(targets), phi, _optional(weights))


def distances(
    rows: ArrayLike, cols: ArrayLike, targets: ArrayLike, phi: Phi = "square", weights: ArrayLike | None = None
) -> Measured:
    """Squared distances ‖x_i − x_j‖². Parameters are those of `entries`."""
    return Measured("distances", _places(rows, cols), _numbers(targets), phi, _optional(weights))


def rank_ones(
    vectors: ArrayLike, targets: ArrayLike, phi: Phi = "square", weights: ArrayLike | None = None
) -> Measured:
    """a_kᵀZa_k for the rows a_k of a matrix. Other parameters are those of `entries`."""
    rows = np.ascontiguousarray(vectors, dtype=np.float64)
    return Measured("rank-one", rows, _numbers(targets), phi, _optional(weights))


def matrices(
    given: Sequence[Any], targets: ArrayLike, phi: Phi = "square", weights: ArrayLike | None = None
) -> Measured:
    """⟨A_k, Z⟩ for symmetric arrays or sparse matrices. Other parameters are those of `entries`."""
    parts = []
    for k, matrix in enumerate(given):
        held = sp.coo_array(whole(matrix) if sp.issparse(matrix) else np.asarray(matrix, dtype=np.float64))
        difference = abs(held - held.T)
        if difference.nnz and difference.max() > 1e-10 * abs(held).max():
            raise ValueError(f"matrix {k} is not symmetric: the largest difference is {difference.max():.3g}")
        parts.append((*_places(held.row, held.col), _numbers(held.data)))
    return Measured("matrices", parts, _numbers(targets), phi, _optional(weights))


def mapped(
    linear: Map, targets: ArrayLike, phi: Phi = "square", weights: ArrayLike | None = None
) -> Measured:
    """What a map of the user's own measures. Other parameters are those of `entries`."""
    return Measured("python", linear, _numbers(targets), phi, _optional(weights))


def _numbers(values: ArrayLike) -> Floats:
    return np.ascontiguousarray(np.asarray(values, dtype=np.float64).ravel())


def _optional(values: ArrayLike | None) -> Floats | None:
    return None if values is None else _numbers(values)


def _places(rows: ArrayLike, cols: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    def index(values: ArrayLike) -> NDArray[np.int64]:
        held = np.asarray(values)
        if held.size and held.dtype.kind not in "iu":
            raise TypeError("expected whole numbers for the places of measurements")
        return np.ascontiguousarray(held.astype(np.int64).ravel())

    return index(rows), index(cols)
