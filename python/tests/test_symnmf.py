"""The estimator, by scikit-learn's own checks and by its promises."""

from __future__ import annotations

import pickle
import warnings

import igraph
import joblib
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramfold import SymNMF

NOT_SQUARE = "feeds a table that is not square to a precomputed affinity, whatever the pairwise tag says"


def waivers(estimator: SymNMF) -> dict[str, str]:
    """What a precomputed affinity cannot pass; nothing else is waived."""
    if estimator.affinity != "precomputed":
        return {}
    return {"check_clustering": NOT_SQUARE}


def estimators() -> list[SymNMF]:
    return [
        SymNMF(n_clusters=3, affinity="rbf"),
        SymNMF(n_clusters=3, affinity="nearest_neighbors"),
        # Checks feed linear kernels, whose entries may be negative: only weights that are not normalised may be.
        SymNMF(n_clusters=3, affinity="precomputed", similarity="weights", normalise="none"),
    ]


@parametrize_with_checks(estimators(), expected_failed_checks=waivers)
def test_sklearn_checks(estimator: SymNMF, check: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)  # type: ignore[operator]


def test_communities_are_found(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, truth = blocks
    model = SymNMF(n_clusters=4, similarity="weights", random_state=0).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    assert np.array_equal(model.fit_predict(graph), model.labels_)
    assert (np.diff(np.bincount(model.labels_)) <= 0).all()
    assert model.embedding_.min() >= 0 and model.certificate_.exact
    assert np.allclose(model.memberships_.sum(axis=1), 1)
    assert np.array_equal(model.memberships_.argmax(axis=1), model.labels_)
    assert model.n_iter_ >= 1 and model.n_clusters_ == 4
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    roots = np.sqrt(degrees + degrees.mean())
    normalised = graph.toarray() / np.outer(roots, roots)
    direct = np.linalg.norm(normalised - model.embedding_ @ model.embedding_.T)
    assert model.reconstruction_err_ == pytest.approx(direct, rel=1e-9)


@pytest.mark.parametrize("similarity", ["auto", "weights", "walks", "mixed"])
def test_similarities(similarity: str, blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, truth = blocks
    model = SymNMF(4, similarity=similarity, random_state=0).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) > 0.95


def test_forms_of_a_graph_give_the_same_bits(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, _ = blocks
    forms = [graph, sp.csc_matrix(graph), sp.coo_array(graph), graph.astype(np.float32), graph.astype(int)]
    factors = [SymNMF(4, tol=1e-6, random_state=1).fit(form).embedding_ for form in forms]
    assert all(np.array_equal(factors[0], factor) for factor in factors)
    dense = SymNMF(4, tol=1e-6, random_state=1).fit(graph.toarray()).embedding_
    assert np.allclose(dense, factors[0], atol=1e-4)


def test_graphs_are_taken_as_they_are() -> None:
    club = nx.karate_club_graph()
    matrix = SymNMF(2, random_state=0).fit(nx.to_scipy_sparse_array(club, dtype=float))
    for graph in (club, igraph.Graph.from_networkx(club)):
        assert np.array_equal(SymNMF(2, random_state=0).fit_predict(graph), matrix.labels_)
        assert np.array_equal(SymNMF(2, random_state=0).fit_transform(graph), matrix.embedding_)


def test_random_states(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, _ = blocks
    run = lambda state: SymNMF(4, n_init=2, random_state=state).fit(graph).embedding_  # noqa: E731
    assert np.array_equal(run(5), run(5))
    assert np.array_equal(run(np.random.RandomState(5)), run(np.random.RandomState(5)))
    SymNMF(4, random_state=None).fit(graph)


def test_the_number_of_clusters_is_chosen(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, truth = blocks
    model = SymNMF(n_clusters=(2, 6), random_state=0).fit(graph)
    assert model.n_clusters_ == 4 and set(model.stability_) == {2, 3, 4, 5, 6}
    assert "modularity is at 4" in model.reason_
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    auto = SymNMF(n_clusters="auto", random_state=0).fit(graph)
    assert auto.n_clusters_ == 4 and set(auto.stability_) == set(range(2, 11))
    assert not hasattr(auto.set_params(n_clusters=3).fit(graph), "reason_")


def test_it_goes_where_estimators_go() -> None:
    points, truth = make_blobs(90, centers=3, random_state=3)
    model = SymNMF(n_clusters=3, affinity="nearest_neighbors", random_state=0)
    pipeline = make_pipeline(StandardScaler(), model)
    assert adjusted_rand_score(truth, pipeline.fit_predict(points)) > 0.9
    assert pipeline.fit_transform(points).shape == (90, 3)
    assert clone(model).get_params() == model.get_params()
    fitted = clone(model).fit(points)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.labels_, fitted.labels_) and again.certificate_ == fitted.certificate_

    def score(estimator: SymNMF, X: np.ndarray, y: np.ndarray | None = None) -> float:
        return float(adjusted_rand_score(y, estimator.fit_predict(X)))

    everything = [(np.arange(90), np.arange(90))]
    search = GridSearchCV(model, {"n_clusters": [2, 3, 6]}, scoring=score, cv=everything)
    assert search.fit(points, truth).best_params_ == {"n_clusters": 3}


def test_a_grid_over_a_precomputed_affinity_slices_both_sides(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, truth = blocks

    def score(estimator: SymNMF, X: sp.csr_array, y: np.ndarray) -> float:
        assert X.shape[0] == len(y)
        return float(adjusted_rand_score(y, clone(estimator).fit_predict(X[:, : X.shape[0]])))

    rng = np.random.default_rng(0)
    order = rng.permutation(120)
    halves = [(order[:60], order[:60])]
    search = GridSearchCV(SymNMF(random_state=0), {"n_clusters": [3, 4]}, scoring=score, cv=halves)
    assert search.fit(graph.tocsr(), truth).best_params_ == {"n_clusters": 4}


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_other_processes_and_threads(backend: str, blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, _ = blocks
    here = SymNMF(4, random_state=0).fit(graph).labels_  # The threads are up before the processes are forked.
    jobs = (joblib.delayed(SymNMF(4, random_state=0).fit)(graph) for _ in range(2))
    for model in joblib.Parallel(n_jobs=2, backend=backend)(jobs):
        assert np.array_equal(model.labels_, here)


@pytest.mark.parametrize("wrong", [(5, 2), (0, 2), (2, 3, 4), (2,), ("a", 3), (2.5, 3)])
def test_wrong_ranges_are_refused(wrong: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="is not allowed: expected a number, a pair"):
        SymNMF(wrong).fit(np.ones((6, 6)))


def test_names_of_features(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    points, _ = make_blobs(40, centers=2, random_state=0)
    table = pd.DataFrame(points, columns=["height", "width"])
    model = SymNMF(2, affinity="rbf", random_state=0).set_output(transform="pandas")
    factor = model.fit_transform(table)
    assert list(model.feature_names_in_) == ["height", "width"]
    assert list(factor.columns) == ["symnmf0", "symnmf1"] == list(model.get_feature_names_out())
    assert list(factor.index) == list(table.index)


def test_a_run_that_stops_early_warns(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, _ = blocks
    with pytest.warns(ConvergenceWarning, match="stopped at the iteration limit after 2 iterations"):
        SymNMF(4, max_iter=2, tol=1e-12, random_state=0).fit(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SymNMF(4, random_state=0).fit(graph)


def test_refusals(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, _ = blocks
    with pytest.raises(ValueError, match="must be a square matrix"):
        SymNMF(2).fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match="a normalised graph needs weights that are not negative"):
        SymNMF(2, similarity="weights").fit(-graph)
    with pytest.raises(ValueError, match="n_clusters = 121 is not allowed: n_samples = 120"):
        SymNMF(121).fit(graph)
    with pytest.raises(ValueError, match="there is no algorithm `x`"):
        SymNMF(2, algorithm="x").fit(graph)
    with pytest.raises(ValueError, match="100 neighbours are not possible: it must be between 1 and 11"):
        SymNMF(2, affinity="nearest_neighbors", n_neighbors=100).fit(np.eye(12))
    with pytest.raises(ValueError, match="similarity"):
        SymNMF(2, similarity="x").fit(graph)


def test_it_is_as_good_as_spectral_clustering_on_blobs() -> None:
    points, truth = make_blobs(150, centers=4, cluster_std=1.2, random_state=1)
    rival = SpectralClustering(4, affinity="nearest_neighbors", random_state=0).fit_predict(points)
    ours = SymNMF(4, affinity="nearest_neighbors", random_state=0).fit_predict(points)
    assert adjusted_rand_score(truth, ours) >= adjusted_rand_score(truth, rival) - 0.02


def test_every_setting_runs(blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, truth = blocks
    grid = ParameterGrid({"normalise": ["regularised", "symmetric", "none"], "diagonal": ["keep", "zero", "degree"]})
    for setting in grid:
        model = SymNMF(4, similarity="weights", random_state=0, **setting).fit(graph)
        assert adjusted_rand_score(truth, model.labels_) > 0.8, setting
