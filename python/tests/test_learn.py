"""Completion and localisation: functions, estimators, and the same bits as the command line."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import command
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import gramfold
from gramfold import Locate, MatrixCompletion


@parametrize_with_checks([MatrixCompletion(1, folds=2), MatrixCompletion(1, ridge=0.1, folds=0), Locate(), Locate(metric="euclidean")])
def test_sklearn_checks(estimator: object, check: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)  # type: ignore[operator]


def known(n: int = 40, share: float = 0.5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of rank 2, and the same with entries missing."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    truth = X @ X.T
    seen = np.triu(rng.random((n, n)) < share)
    return truth, np.where(seen | seen.T, truth, np.nan)


def test_missing_entries_come_out() -> None:
    truth, entries = known()
    result = gramfold.complete(entries, rank=2, ridge=0.0, biases="none")
    hidden = np.isnan(entries)
    assert np.abs((result.matrix - truth)[hidden]).max() < 1e-3
    rows, cols = np.nonzero(hidden)
    assert np.allclose(result.predict(rows, cols), result.matrix[hidden])
    assert result.held_out["rmse"]["value"] < 0.2 and result.certificate.exact
    assert "held-out error" in repr(result) and result.warning is None


def test_the_model_is_chosen() -> None:
    _, entries = known(60, 0.6, 1)
    result = gramfold.complete(entries)
    assert result.rank in (2, 3) and len(result.trials) > 8
    assert min(trial["loss"] for trial in result.trials) <= result.held_out["rmse"]["value"] ** 2


def test_completion_gives_the_bits_of_the_command(tmp_path: Path) -> None:
    _, entries = known(30, 0.6, 2)
    rows, cols = np.nonzero(np.triu(~np.isnan(entries)))
    path = tmp_path / "entries.txt"
    path.write_text("".join(f"{i} {j} {float(entries[i, j])!r}\n" for i, j in zip(rows, cols, strict=True)))
    said = command("complete", path, "--seed", 4, "--out", tmp_path / "out")
    ours = gramfold.complete(entries, random_state=4)
    assert np.array_equal(np.load(tmp_path / "out" / "factor.npy"), ours.factor)
    assert said["rank"] == ours.rank and said["objective"] == ours.certificate.objective


def test_forms_of_entries() -> None:
    _, entries = known(20, 0.7, 3)
    upper = np.triu(np.ones((20, 20), dtype=bool))
    half = np.where(upper, entries, np.nan)
    held = ~np.isnan(entries)
    sparse = sp.csr_array((entries[held], np.nonzero(held)), shape=(20, 20))
    run = lambda given: gramfold.complete(given, rank=2, ridge=0.1, folds=0).factor  # noqa: E731
    assert np.array_equal(run(entries), run(half)) and np.array_equal(run(entries), run(sparse))
    masked = np.ma.masked_array(np.where(held, entries, 77.0), mask=~held)
    assert np.array_equal(run(entries), run(masked))
    model = MatrixCompletion(2, ridge=0.1, folds=0, random_state=0).fit(masked)
    assert np.array_equal(model.embedding_, run(entries))
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 2.0), (1, 2, 3.0), (0, 2, 6.0)])
    assert gramfold.complete(graph, rank=1, ridge=0.0, folds=0).factor.shape == (3, 1)


def test_the_estimator_fills_in() -> None:
    truth, entries = known()
    model = MatrixCompletion(2, ridge=0.0, biases="none", random_state=0)
    filled = model.fit_transform(entries)
    seen = ~np.isnan(entries)
    assert np.array_equal(filled[seen], entries[seen]) and not np.isnan(filled).any()
    assert np.abs(filled - truth).max() < 1e-3
    assert np.allclose(model.entries([0, 1], [2, 3]), [truth[0, 2], truth[1, 3]], atol=1e-3)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).embedding_, model.embedding_)
    assert clone(model).get_params() == model.get_params()


def sensors(n: int = 30, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Points in the unit square, and their distances within reach of each other."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    return points, np.where(distances < 0.6, distances, np.nan)


def test_points_are_placed() -> None:
    points, distances = sensors()
    anchors = {i: points[i] for i in range(4)}
    placed = gramfold.locate(distances, anchors=anchors)
    assert placed.framed and placed.converged and not placed.undetermined
    assert np.abs(placed.positions - points).max() < 1e-6
    free = gramfold.locate(distances)
    again = np.linalg.norm(free.positions[:, None] - free.positions, axis=2)
    seen = ~np.isnan(distances)
    assert not free.framed and np.allclose(again[seen], distances[seen], atol=1e-6)
    model = Locate(2, anchors=anchors, random_state=0).fit(distances)
    assert np.allclose(model.embedding_, points, atol=1e-6) and model.undetermined_ == {}
    assert np.allclose(Locate(2, metric="euclidean").fit(points).embedding_.std(axis=0).sum(), points.std() * 2, rtol=0.3)


def test_a_point_that_hangs_loose_is_named() -> None:
    points, distances = sensors()
    distances[29, :], distances[:, 29] = np.nan, np.nan
    distances[29, 0] = distances[0, 29] = 0.3
    placed = gramfold.locate(distances, anchors={i: points[i] for i in range(4)})
    assert set(placed.undetermined) == {29} and "not determined" in repr(placed)


def test_locations_have_the_bits_of_the_command(tmp_path: Path) -> None:
    points, distances = sensors(20, 6)
    rows, cols = np.nonzero(np.triu(~np.isnan(distances), 1))
    path = tmp_path / "distances.txt"
    path.write_text("".join(f"{i} {j} {float(distances[i, j])!r}\n" for i, j in zip(rows, cols, strict=True)))
    command("locate", path, "--dim", 2, "--seed", 2, "--out", tmp_path / "out")
    assert np.array_equal(np.load(tmp_path / "out" / "positions.npy"), gramfold.locate(distances, random_state=2).positions)


def test_refusals() -> None:
    _, entries = known(10, 0.8)
    with pytest.raises(ValueError, match="folds = 0 holds nothing out"):
        gramfold.complete(entries, folds=0)
    with pytest.raises(ValueError, match="folds = 1 is not allowed"):
        gramfold.complete(entries, folds=1)
    with pytest.raises(ValueError, match="expected a square matrix"):
        gramfold.complete(np.ones((2, 3)))
    with pytest.raises(ValueError, match="no entry is known"):
        gramfold.complete(np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="mirror image differ"):
        gramfold.complete(np.array([[1.0, 2], [3, 1]]))
    with pytest.raises(ValueError, match="biases are for the losses"):
        gramfold.complete(np.sign(entries), loss="logistic", biases=1.0)
    with pytest.raises(ValueError, match="a distance is not positive"):
        gramfold.locate(np.array([[0.0, -1], [-1, 0]]))
    with pytest.raises(ValueError, match="an anchor has 3 coordinates"):
        gramfold.locate(np.ones((3, 3)), anchors={0: [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="there is no point 7"):
        gramfold.locate(np.ones((3, 3)), anchors={7: [1.0, 2.0]})
