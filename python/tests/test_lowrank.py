"""Any loss and regulariser as an estimator."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import gramfold
from gramfold import LowRankPSD


@parametrize_with_checks(
    [
        LowRankPSD(),
        LowRankPSD(affinity="linear"),
        LowRankPSD(affinity="rbf", regulariser="nonnegative"),
        LowRankPSD(affinity="rbf", loss="huber:delta=0.1", regulariser="ridge:lambda=0.1"),
    ]
)
def test_sklearn_checks(estimator: LowRankPSD, check: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)  # type: ignore[operator]


def test_products_of_centred_points_give_principal_components() -> None:
    points, _ = make_blobs(60, n_features=5, centers=3, random_state=0)
    model = make_pipeline(StandardScaler(with_std=False), LowRankPSD(2, affinity="linear", random_state=0))
    ours = model.fit_transform(points)
    theirs = PCA(2).fit_transform(points)
    assert np.allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-4 * np.abs(theirs).max() ** 2)
    assert model[-1].certificate_.optimal and model[-1].n_iter_ >= 1


def test_losses_by_name() -> None:
    rng = np.random.default_rng(0)
    truth = rng.standard_normal((30, 2))
    A = truth @ truth.T
    spoilt = A.copy()
    spoilt[3, 7] = spoilt[7, 3] = 100.0
    fit = lambda loss: LowRankPSD(2, loss=loss, random_state=0).fit(spoilt)  # noqa: E731
    error = lambda model: np.linalg.norm(model.embedding_ @ model.embedding_.T - A)  # noqa: E731
    assert error(fit("huber:delta=0.05")) < 0.1 < error(fit("square"))
    assert np.allclose(
        fit("square").embedding_ @ fit("square").embedding_.T,
        fit("quadratic").embedding_ @ fit("quadratic").embedding_.T,
        atol=1e-3,
    )
    signs = LowRankPSD(2, loss="logistic", regulariser="ridge:lambda=0.1", random_state=0).fit(np.sign(A))
    assert (np.sign(signs.embedding_ @ signs.embedding_.T) == np.sign(A)).mean() > 0.9
    assert signs.objective_ == signs.certificate_.objective


def test_entries_that_are_not_stored_are_missing() -> None:
    rng = np.random.default_rng(1)
    truth = rng.standard_normal((40, 2))
    A = truth @ truth.T
    seen = np.triu(rng.random((40, 40)) < 0.5)
    seen |= seen.T
    model = LowRankPSD(2, loss="square", random_state=0).fit(sp.csr_array(np.where(seen, A, 0)))
    assert np.allclose(model.embedding_ @ model.embedding_.T, A, atol=1e-3)


def test_regularisers_by_name() -> None:
    A = np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 1]])
    rows = LowRankPSD(2, regulariser="simplex-rows", random_state=0).fit(A).embedding_
    assert np.allclose(rows.sum(axis=1), 1) and rows.min() >= 0
    assert LowRankPSD(2, regulariser="nonnegative", random_state=0).fit(A).embedding_.min() >= 0


def test_it_goes_where_estimators_go() -> None:
    points, _ = make_blobs(30, n_features=3, random_state=0)
    model = LowRankPSD(2, affinity="rbf", random_state=0)
    assert clone(model).get_params() == model.get_params()
    fitted = clone(model).fit(points)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).embedding_, fitted.embedding_)
    table = pd.DataFrame(points, columns=["a", "b", "c"], index=range(5, 35))
    named = clone(model).set_output(transform="pandas").fit_transform(table)
    assert list(named.columns) == ["lowrankpsd0", "lowrankpsd1"] and list(named.index) == list(table.index)


def test_refusals_and_warnings() -> None:
    with pytest.raises(ValueError, match="must be a square matrix"):
        LowRankPSD().fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match="`orthogonal` is refused"):
        LowRankPSD(regulariser="orthogonal").fit(np.eye(4))
    with pytest.raises(ValueError, match="n_components = 5 is not allowed: n_samples = 4"):
        LowRankPSD(5).fit(np.eye(4))
    with pytest.raises(ValueError, match="there is no loss `x`"):
        LowRankPSD(loss="x").fit(np.eye(4))
    A = np.random.default_rng(0).random((30, 30))
    with pytest.warns(ConvergenceWarning, match="stopped at the iteration limit"):
        gramfold.LowRankPSD(5, regulariser="nonnegative", max_iter=1, tol=1e-12).fit(A + A.T)
