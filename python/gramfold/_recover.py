"""Matrices of low rank from measurements of them: phase retrieval, matrix sensing."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from gramfold import _gramfold
from gramfold._arguments import ridge_named
from gramfold._arrays import floats, whole
from gramfold._factor import Factorisation
from gramfold._results import Callback, Floats, keywords, listening


class Recovery(Factorisation):
    """A matrix Z = XXᵀ that was recovered from measurements, and what is proved of it.

    Attributes
    ----------
    factor : ndarray of shape (n, rank)
        X; of rank one it is the signal, up to its sign.
    relative_residual : float
        ‖𝒜(XXᵀ) − b‖/‖b‖.
    warning : str or None
        A sentence where the measurements are too few to determine the answer.
    """

    _title = "Recovery"
    _call = "gramfold.recover(measurements, targets, …)"
    _data = "the measurements"

    def __init__(self, run: _gramfold.Answer, relative_residual: float, warning: str | None) -> None:
        super().__init__(run)
        self.relative_residual = relative_residual
        self.warning = warning

    def _lines(self) -> list[str]:
        met = f"the measurements are met to {self.relative_residual:.3g} of their size"
        return [met, *([self.warning] if self.warning else []), *super()._lines()]


def recover(
    measurements: Any,
    targets: ArrayLike,
    *,
    rank: int = 1,
    loss: str = "square",
    ridge: float = 0.0,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    random_state: Any = 0,
    callback: Callback | None = None,
    progress: bool = False,
) -> Recovery:
    """Recover a matrix of low rank from measurements of it: phase retrieval, matrix sensing.

    Finds X with a_kᵀXXᵀa_k ≈ b_k, or ⟨A_k, XXᵀ⟩ ≈ b_k, from a spectral start, as `gramfold recover` does: the same arguments give
    the same bits.

    Parameters
    ----------
    measurements : array of shape (m, n) or (m, n, n), or sequence of sparse matrices
        The vectors a_k, or the matrices A_k.
    targets : array of shape (m,)
        What was measured, b.
    rank : int
        The number of columns of X.
    loss : str
        How a measurement is judged: ``"square"``, or ``"huber:delta=0.5"`` for gross errors.
    ridge : float
        λ in (λ/2)‖X‖².
    tol, max_iter, time_limit, random_state, callback, progress
        As for `factor`.

    Returns
    -------
    Recovery

    Examples
    --------
    A signal comes back from the intensities of 24 projections, up to its sign.

    >>> import numpy as np, gramfold
    >>> rng = np.random.default_rng(0)
    >>> signal, vectors = np.array([3.0, -1.0, 2.0, 0.5]), rng.normal(size=(24, 4))
    >>> found = gramfold.recover(vectors, (vectors @ signal) ** 2).factor[:, 0]
    >>> (found * np.sign(found[0])).round(4).tolist()
    [3.0, -1.0, 2.0, 0.5]
    """
    given, b = _stacked(whole(measurements)), floats(np.asarray(targets)).astype(np.float64)
    if given.ndim not in (2, 3) or given.ndim == 3 and given.shape[1] != given.shape[2] or not given.size:
        found = "x".join(map(str, given.shape)) or "a number"
        raise ValueError(f"expected vectors (m, n) or square matrices (m, n, n) of measurements, found {found}")
    if b.shape != (len(given),):
        raise ValueError(f"expected a target for each of the {len(given)} measurements, found {b.size}")
    table = np.column_stack([given.reshape(len(given), -1), b])
    if not np.isfinite(table).all():
        raise ValueError("a measurement or a target is not finite")
    how = keywords(
        rank, ridge_named(ridge), tol=tol, max_iter=max_iter, time_limit=time_limit, random_state=random_state
    )
    with listening(callback, progress) as told:
        return Recovery(*_gramfold.recover(np.ascontiguousarray(table), given.ndim == 2, loss, how, told))


def _stacked(measurements: Any) -> Floats:
    """One array, also of a sequence of sparse matrices."""
    if sp.issparse(measurements):
        measurements = measurements.toarray()
    elif isinstance(measurements, (list, tuple)) and any(map(sp.issparse, measurements)):
        measurements = [whole(each).toarray() if sp.issparse(each) else each for each in measurements]
    try:
        array = np.asarray(measurements)
    except ValueError:
        raise ValueError("the measurements are not of one size") from None
    return np.asarray(floats(array), dtype=np.float64)
