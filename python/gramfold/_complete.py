"""Symmetric matrices from some of their entries."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from gramfold import _gramfold
from gramfold._arguments import count, optional_count, optional_number
from gramfold._arrays import floats, weights
from gramfold._factor import Factorisation
from gramfold._results import Callback, Floats, keywords, listening

Places = tuple[NDArray[np.int64], NDArray[np.int64]]


class Completion(Factorisation):
    """A completed matrix, b_ij ≈ a_i + a_j + x_i·x_j, and how good its predictions are.

    Attributes
    ----------
    factor : ndarray of shape (n, rank)
        X.
    biases : ndarray of shape (n,)
        a; zeros where the model has none.
    rank, ridge : int, float
        What was given, or chosen by held-out entries.
    held_out : dict or None
        Errors on entries that were held out: `rmse` (with the ends `low` and `high` of its 95 % interval), `mean_absolute`,
        `median_absolute`, `spearman`, the mean `loss`, and `accuracy`, the share of signs that are right, where all entries are ±1.
    trials : list of dict
        The models that were compared.
    warning : str or None
        A sentence where the entries do not determine the answer.
    """

    _title = "Completion"
    _call = "gramfold.complete(entries, …)"
    _data = "the entries"

    def __init__(self, run: _gramfold.Answer, biases: Floats, choice: str, warning: str | None) -> None:
        super().__init__(run)
        chosen = json.loads(choice)
        self.biases = biases
        self.rank = int(chosen["model"]["rank"])
        self.ridge = float(chosen["model"]["ridge"])
        self.held_out = chosen["score"]
        self._loss = str(chosen["model"]["loss"]["name"])
        self.trials = list(chosen["trials"])
        self.warning = warning

    def predict(self, rows: ArrayLike, cols: ArrayLike) -> Floats:
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
        return predicted(self.factor, self.biases, rows, cols)

    @property
    def matrix(self) -> Floats:
        """The predictions of all entries."""
        return np.asarray(self.factor @ self.factor.T + self.biases[:, None] + self.biases[None, :])

    def _judged(self, score: dict[str, Any]) -> str:
        """What held-out entries say, by what the loss is for."""
        if self._loss in ("logistic", "squared-hinge", "smoothed-hinge"):
            share = score["accuracy"]
            return f"{share['value']:.1%} of held-out signs right ({share['low']:.1%} to {share['high']:.1%})"
        if self._loss == "huber":
            return f"held-out error {score['median_absolute']:.4g} (median)"
        error = score["rmse"]
        return f"held-out error {error['value']:.4g} ({error['low']:.4g} to {error['high']:.4g})"

    def _lines(self) -> list[str]:
        judged = [] if self.held_out is None else [self._judged(self.held_out)]
        chosen = f"rank {self.rank}, ridge {self.ridge:.4g}"
        return [*judged, chosen, *([self.warning] if self.warning else []), *super()._lines()]


def complete(
    entries: Any,
    *,
    rank: int | None = None,
    ridge: float | None = None,
    loss: str = "square",
    biases: str | float = "auto",
    folds: int = 5,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    random_state: Any = 0,
    callback: Callback | None = None,
    progress: bool = False,
) -> Completion:
    """Complete a symmetric matrix from some of its entries, and say how good the predictions are.

    Fits b_ij ≈ a_i + a_j + x_i·x_j, as `gramfold complete` does: the same arguments give the same bits.

    Parameters
    ----------
    entries : array, sparse matrix or graph
        What is known: what is NaN in an array, or not stored in a sparse matrix, is missing. An entry stands for its
        mirror image, too.
    rank : int, optional
        Columns of X; chosen by held-out entries if not given.
    ridge : float, optional
        λ in (λ/2)‖X‖²; chosen if not given.
    loss : str
        How an entry is judged: ``"square"``, ``"huber"``, ``"logistic"`` (for entries ±1), ``"poisson"`` (for counts), …
    biases : {"auto", "none"} or float
        Whether there is an a; a number says how strongly it is drawn to its mean.
    folds : int
        In how many parts entries are held out to choose and to judge; 0 for none.
    tol, max_iter, time_limit, random_state, callback, progress
        As for `factor`.

    Returns
    -------
    Completion

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> x = np.arange(1.0, 13.0)
    >>> known = np.outer(x, x)
    >>> known[2, 3] = known[3, 2] = np.nan
    >>> completed = gramfold.complete(known, rank=1, ridge=0.0, biases="none")
    >>> round(float(completed.predict(2, 3)), 3)
    12.0
    """
    n, places, values = observations(entries)
    shifted = loss.partition(":")[0] in ("square", "huber")
    if folds == 0 and (rank is None or ridge is None):
        raise ValueError("folds = 0 holds nothing out to choose by: give rank and ridge")
    wanted = {
        "loss": loss,
        "rank": optional_count("rank", rank),
        "ridge": optional_number("ridge", ridge),
        "shrinkages": _shrinkages(biases, shifted, folds),
        "folds": count("folds", folds, 0),
    }
    how = keywords(1, tol=tol, max_iter=max_iter, time_limit=time_limit, random_state=random_state)
    with listening(callback, progress) as told:
        return Completion(*_gramfold.complete(n, places, values, wanted, how, told))


def predicted(factor: Floats, biases: Floats, rows: ArrayLike, cols: ArrayLike) -> Floats:
    """a_i + a_j + x_i·x_j."""
    i, j = np.asarray(rows, dtype=np.int64), np.asarray(cols, dtype=np.int64)
    return np.asarray(biases[i] + biases[j] + np.einsum("...k,...k->...", factor[i], factor[j]))


def _shrinkages(biases: str | float, shifted: bool, folds: int) -> list[float | None]:
    """The kinds of biases to choose from, as the command line has them."""
    if biases == "none":
        return [None]
    if biases == "auto":
        return [None, 3.0] if shifted and folds > 0 else [None]
    if isinstance(biases, str) or not biases >= 0:
        raise ValueError(f"biases = {biases!r} is not allowed: expected 'auto', 'none' or a number from 0")
    if not shifted:
        raise ValueError("biases are for the losses square and huber")
    return [float(biases)]


def observations(entries: Any) -> tuple[int, Places, Floats]:
    """The entries that are known, one of each pair, in row order; what is masked is not."""
    if np.ma.isMaskedArray(entries):
        entries = floats(entries).filled(np.nan)
    entries = weights(entries)
    if sp.issparse(entries):
        held = sp.coo_array(entries)
        rows, cols, values = held.row, held.col, np.asarray(held.data, dtype=np.float64)
        shape = held.shape
    else:
        dense = floats(np.asarray(entries)).astype(np.float64, copy=False)
        shape = dense.shape
        if dense.ndim == 2:
            rows, cols = np.nonzero(~np.isnan(dense))
            values = dense[rows, cols]
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"expected a square matrix, found {'x'.join(map(str, shape)) or 'a number'}")
    if not np.isfinite(values).all():
        raise ValueError("an entry is not finite")
    low, high = np.minimum(rows, cols).astype(np.int64), np.maximum(rows, cols).astype(np.int64)
    order = np.lexsort((high, low))
    low, high, values = low[order], high[order], values[order]
    same = (np.diff(low) == 0) & (np.diff(high) == 0)
    differ = np.abs(np.diff(values)) > 1e-10 * np.abs(values).max(initial=0.0)
    if (same & differ).any():
        at = int(np.flatnonzero(same & differ)[0])
        raise ValueError(
            f"the entries at ({low[at] + 1}, {high[at] + 1}) and its mirror image differ: {values[at]!r} and {values[at + 1]!r}"
        )
    first = np.concatenate([[True], ~same]) if len(values) else np.zeros(0, dtype=bool)
    index = np.ascontiguousarray
    return int(shape[0]), (index(low[first]), index(high[first])), index(values[first])
