"""What is saved is what the command line writes: its own check takes it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from conftest import program, random_graph
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import gramfold

GRAPH = random_graph(30, 0.3, 1, weighted=True)
C = np.diag(np.arange(1.0, 6.0)) - 0.3
J = np.ones((9, 9))

RNG = np.random.default_rng(3)
POINTS = RNG.random((12, 2))
APART = np.linalg.norm(POINTS[:, None] - POINTS, axis=2)
VECTORS = RNG.standard_normal((40, 4))
SYMMETRIC = [np.diag(v) + np.outer(v, v) for v in VECTORS]
SIGNAL = RNG.standard_normal((4, 1))
TABLE = RNG.standard_normal((60, 1)) @ np.ones((1, 5)) + RNG.standard_normal((60, 5))

RESULTS: dict[str, Callable[[], Any]] = {
    "factor": lambda: gramfold.factor(GRAPH, 2, regulariser="nonnegative"),
    "dense": lambda: gramfold.factor(GRAPH.toarray(), 3, regulariser="ridge:lambda=0.5"),
    "maxcut": lambda: gramfold.maxcut(GRAPH),
    "bisect": lambda: gramfold.bisect(GRAPH),
    "theta": lambda: gramfold.theta(GRAPH),
    "theta plus": lambda: gramfold.theta(GRAPH[:12, :12], plus=True),
    "solve": lambda: gramfold.solve_sdp(C, [np.eye(5)], [1.0]),
    "blocks": lambda: gramfold.solve_sdp([np.eye(1), np.array([1.0, 2.0])], [[np.eye(1), np.ones(2)]], [1.0]),
    "a constant matrix": lambda: gramfold.solve_sdp(-J, [np.eye(9)], [1.0]),
    "infeasible": lambda: gramfold.solve_sdp(np.eye(2), [np.eye(2)], [-1.0]),
    "no constraints": lambda: gramfold.solve_sdp(np.eye(2), [], []),
    "complete": lambda: gramfold.complete(GRAPH, rank=2, random_state=1),
    "complete by huber": lambda: gramfold.complete(GRAPH, rank=1, ridge=1.0, loss="huber", folds=0),
    "locate": lambda: gramfold.locate(APART, anchors={i: POINTS[i] for i in range(4)}),
    "locate freely": lambda: gramfold.locate(np.where(APART < 0.9, APART, np.nan)),
    "factors": lambda: gramfold.factors(np.corrcoef(TABLE.T), 2),
    "factors of points": lambda: gramfold.factors(TABLE, 2, points=True, rotation="promax"),
    "metric": lambda: gramfold.metric(TABLE, TABLE[:, 0] > 0, rank=2),
    "metric as it is": lambda: gramfold.metric(TABLE, TABLE[:, 0] > 0, standardise=False, targets=2, impostors=2),
    "correlation": lambda: gramfold.correlation(np.cos(APART), 2),
    "correlation cut short": lambda: gramfold.correlation(np.cos(APART), 2, max_iter=1, tol=1e-12),
    "recover": lambda: gramfold.recover(VECTORS, (VECTORS @ SIGNAL)[:, 0] ** 2),
    "recover a matrix": lambda: gramfold.recover(SYMMETRIC, [float(SIGNAL[:, 0] @ A @ SIGNAL[:, 0]) for A in SYMMETRIC], rank=2),
    "kernel": lambda: gramfold.kernel(GRAPH, [(0, 1), (2, 3), (4, 9)], [1, -1, 1]),
    "minimise a matrix": lambda: gramfold.minimise(GRAPH, "nonnegative", rank=2),
    "entries": lambda: gramfold.minimise(
        gramfold.entries([0, 0, 1], [0, 1, 3], [4.0, 6.0, 1.0], "huber:delta=0.5", [1.0, 2.0, 0.5]), "ridge:lambda=0.1", 5, 2
    ),
    "distances": lambda: gramfold.minimise(gramfold.distances([0, 1, 0], [1, 2, 2], [1.0, 2.0, 1.5]), n=3, rank=2),
    "vectors": lambda: gramfold.minimise(gramfold.rank_ones(VECTORS, (VECTORS @ SIGNAL)[:, 0] ** 2), n=4, rank=1),
    "matrices": lambda: gramfold.minimise(
        gramfold.matrices(SYMMETRIC, [float(SIGNAL[:, 0] @ A @ SIGNAL[:, 0]) for A in SYMMETRIC]), n=4, rank=1,
        random_state=2**64 - 1,
    ),
    "cut short": lambda: gramfold.complete(GRAPH, rank=2, ridge=0.1, folds=0, max_iter=1),
}


ESTIMATORS: dict[str, Callable[[], Any]] = {
    "SymNMF": lambda: gramfold.SymNMF(3, random_state=1).fit(GRAPH),
    "SymNMF by weights": lambda: gramfold.SymNMF(2, similarity="weights", n_init=3, random_state=1).fit(GRAPH),
    "SymNMF of points": lambda: gramfold.SymNMF((2, 4), affinity="nearest_neighbors", random_state=1).fit(POINTS),
    "SymNMF of a kernel": lambda: gramfold.SymNMF(2, affinity="rbf", normalise="none", random_state=1).fit(POINTS),
    "LowRankPSD": lambda: gramfold.LowRankPSD(2, random_state=1).fit(GRAPH),
    "LowRankPSD by Huber": lambda: gramfold.LowRankPSD(1, loss="huber:delta=0.5", random_state=1).fit(APART),
    "MatrixCompletion": lambda: gramfold.MatrixCompletion(1, ridge=0.1, folds=0, random_state=1).fit(GRAPH),
    "Locate": lambda: gramfold.Locate(2, random_state=1).fit(APART),
    "FactorAnalysis": lambda: gramfold.FactorAnalysis(1, random_state=1).fit(TABLE),
    "MetricLearner": lambda: gramfold.MetricLearner(1).fit(TABLE, TABLE[:, 0] > 0),
}


@pytest.mark.parametrize("name", [*RESULTS, *ESTIMATORS])
def test_check_takes_what_is_saved(name: str, tmp_path: Path) -> None:
    result = (RESULTS | ESTIMATORS)[name]()
    result.save(tmp_path / "out")
    checked = program("check", tmp_path / "out")
    assert checked.returncode == 0 and "every claim holds" in checked.stdout, checked.stdout + checked.stderr
    result.save(tmp_path / "out")  # In the place of the first.
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "gramfold." in page and "Certificate" in page
    assert name in ESTIMATORS or "<svg" in result._repr_html_() or len(result.trace) < 3


def test_the_directory_is_that_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "graph.mtx"
    scipy.io.mmwrite(path, GRAPH)
    program("factor", path, "--rank", 2, "--nonnegative", "--out", tmp_path / "theirs")
    RESULTS["factor"]().save(tmp_path / "ours")
    ours, theirs = (json.loads((tmp_path / name / "solution.json").read_text()) for name in ("ours", "theirs"))
    assert ours.keys() == theirs.keys()
    changing = {"input", "seconds", "cpu_seconds", "peak_memory_bytes", "sha256"}
    assert {key: ours[key] for key in ours.keys() - changing} == {key: theirs[key] for key in theirs.keys() - changing}
    same = ours["sha256"].keys() - {"trace", "solution"}  # These have the seconds.
    assert {key: ours["sha256"][key] for key in same} == {key: theirs["sha256"][key] for key in same}


def test_refusals(tmp_path: Path) -> None:
    result = RESULTS["factor"]()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="is not a directory of gramfold"):
        result.save(tmp_path / "mine")
    again = pickle.loads(pickle.dumps(result))
    with pytest.raises(ValueError, match="a result that was pickled cannot be written"):
        again.save(tmp_path / "out")
    assert again.trace == result.trace and repr(again) == repr(result)
    model = ESTIMATORS["SymNMF"]()
    with pytest.raises(NotFittedError):
        clone(model).save(tmp_path / "out")
    with pytest.raises(ValueError, match="a result that was pickled cannot be written"):
        pickle.loads(pickle.dumps(model)).save(tmp_path / "out")
    phi = gramfold.scalar(lambda z, b: (z - b) ** 2 / 2, lambda z, b: z - b, lambda z, b: np.ones_like(z), 1.0)
    own = gramfold.minimise(gramfold.entries([0], [1], [1.0], phi), n=2, rank=1)
    with pytest.raises(ValueError, match="functions or maps of your own cannot be written"):
        own.report(tmp_path / "page.html")
    weighted = gramfold.minimise(gramfold.rank_ones(VECTORS, np.ones(40), weights=np.ones(40)), n=4, rank=1)
    with pytest.raises(ValueError, match="that have weights cannot be written"):
        weighted.save(tmp_path / "out")
    negative = gramfold.minimise(gramfold.distances([0], [1], [-1.0]), n=2, rank=1)
    with pytest.raises(ValueError, match="a file has only distances from 0"):
        negative.save(tmp_path / "out")
