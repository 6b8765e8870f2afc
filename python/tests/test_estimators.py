"""Factor analysis and metric learning, by scikit-learn's own checks and beside what is known."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.decomposition
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramfold import FactorAnalysis, MetricLearner


@parametrize_with_checks([FactorAnalysis(), FactorAnalysis(1, rotation="promax"), MetricLearner(), MetricLearner(1)])
def test_sklearn_checks(estimator: object, check: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)  # type: ignore[operator]


def observations(n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Variables with two factors, in units of their own, and their loadings."""
    rng = np.random.default_rng(0)
    loadings = np.array([[0.9, 0], [0.8, 0], [0.7, 0.1], [0.6, 0], [0, 0.8], [0.1, 0.7], [0, 0.6], [0, 0.5]])
    noise = np.sqrt(1 - (loadings**2).sum(axis=1))
    X = rng.standard_normal((n, 2)) @ loadings.T + noise * rng.standard_normal((n, 8))
    return X * np.arange(1.0, 9.0) + 5.0, loadings


def test_loadings_are_found() -> None:
    X, loadings = observations()
    model = FactorAnalysis(2, rotation="varimax", random_state=0).fit(X)
    order = np.argsort(-np.abs(model.loadings_[0]))
    found = model.loadings_[:, order] * np.sign(model.loadings_[[0, 4], order])
    assert np.abs(found - loadings).max() < 0.08
    assert np.allclose(model.communalities_, (loadings**2).sum(axis=1), atol=0.08)
    assert np.allclose(model.components_.T / np.arange(1.0, 9.0)[:, None], model.loadings_, rtol=0.1)
    assert model.certificate_.exact


def test_it_fits_correlations_as_well_as_maximum_likelihood() -> None:
    X, _ = observations(300)
    standard = StandardScaler().fit_transform(X)
    theirs = sklearn.decomposition.FactorAnalysis(2).fit(standard)
    ours = FactorAnalysis(2, random_state=0).fit(standard)
    correlations = np.corrcoef(standard.T)
    off = ~np.eye(8, dtype=bool)
    error = lambda model: np.linalg.norm((correlations - model.components_.T @ model.components_)[off])  # noqa: E731
    assert error(ours) <= error(theirs) + 1e-9
    # Both estimate the same factors, up to a rotation.
    a, b = ours.transform(standard), theirs.transform(standard)
    left, _, right = np.linalg.svd(a.T @ b)
    assert np.corrcoef((a @ left @ right).ravel(), b.ravel())[0, 1] > 0.99


def test_a_heywood_case_shows() -> None:
    rng = np.random.default_rng(1)
    r = np.array([[1, 0.9, 0.9], [0.9, 1, 0.5], [0.9, 0.5, 1]])
    values, vectors = np.linalg.eigh(r)
    X = rng.standard_normal((20_000, 3)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    model = FactorAnalysis(1, random_state=0).fit(X)
    assert model.communalities_[0] > 1 and (model.noise_variance_ > 0).all()


def test_a_metric_leaves_out_what_says_nothing() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 6)) * [1, 1, 10, 10, 10, 10]
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    learner = MetricLearner(1)
    neighbours = KNeighborsClassifier(3)
    learnt = make_pipeline(learner, neighbours).fit(X[:100], y[:100])
    assert learnt.score(X[100:], y[100:]) > 0.85 > neighbours.fit(X[:100], y[:100]).score(X[100:], y[100:]) + 0.2
    assert clone(learner).get_params() == learner.get_params()
    fitted = pickle.loads(pickle.dumps(learner.fit(X, y)))
    assert np.array_equal(fitted.transform(X), learner.transform(X))
    assert np.array_equal(clone(learner).fit(X, y).components_, learner.components_)


def test_they_go_where_estimators_go() -> None:
    wine = load_wine(as_frame=True)
    chosen = make_pipeline(StandardScaler(), MetricLearner(), KNeighborsClassifier())
    search = GridSearchCV(chosen, {"metriclearner__n_components": [1, 2]}, cv=3).fit(wine.data, wine.target)
    assert search.best_score_ > 0.9
    factors = FactorAnalysis(2, random_state=0).set_output(transform="pandas").fit_transform(wine.data)
    assert isinstance(factors, pd.DataFrame) and list(factors.columns) == ["factoranalysis0", "factoranalysis1"]


def test_refusals_and_warnings() -> None:
    X, _ = observations(50)
    with pytest.raises(ValueError, match="n_components = 9 is not allowed: n_features = 8"):
        FactorAnalysis(9).fit(X)
    with pytest.raises(ValueError, match="y has 1 class"):
        MetricLearner().fit(X, np.zeros(50, dtype=int))
    with pytest.raises(ValueError, match="n_components = 9 is not allowed: n_features = 8"):
        MetricLearner(9).fit(X, np.arange(50) % 2)
    with pytest.warns(ConvergenceWarning, match="stopped at the iteration limit"):
        FactorAnalysis(2, max_iter=1, tol=1e-14).fit(X)
