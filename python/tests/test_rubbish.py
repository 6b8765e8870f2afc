"""Whatever a function is given, it answers: with a result, or with one sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import gramfold

GOOD = np.array([[2.0, 1, 0.5, 0.2], [1, 2, 0.3, 0.1], [0.5, 0.3, 2, 1], [0.2, 0.1, 1, 2]])

TAKE_A_MATRIX: dict[str, Callable[[Any], Any]] = {
    "factor": lambda A: gramfold.factor(A, 2, max_iter=50),
    "factor, nonnegative": lambda A: gramfold.factor(A, 1, regulariser="nonnegative", max_iter=50),
    "bounds": gramfold.bounds,
    "minimise": lambda A: gramfold.minimise(A, rank=1, max_iter=50),
    "complete": lambda A: gramfold.complete(A, rank=1, ridge=0.1, folds=0, max_iter=50),
    "complete and choose": lambda A: gramfold.complete(A, folds=2, max_iter=50),
    "locate": lambda A: gramfold.locate(A, max_iter=50),
    "factors": lambda A: gramfold.factors(A, 1, max_iter=50),
    "factors of points": lambda A: gramfold.factors(A, 1, points=True, max_iter=50),
    "metric": lambda A: gramfold.metric(A, [0, 0, 1, 1], max_iter=20),
    "correlation": lambda A: gramfold.correlation(A, 2, max_iter=50),
    "recover": lambda A: gramfold.recover(A, [1.0, 2, 3, 4], max_iter=50),
    "recover targets": lambda A: gramfold.recover(GOOD, A, max_iter=50),
    "kernel": lambda A: gramfold.kernel(A, [(0, 1), (1, 3)], [1, -1], max_iter=50),
    "pairs": lambda A: gramfold.kernel(GOOD, A, [1, -1, 1, 1], max_iter=50),
    "maxcut": gramfold.maxcut,
    "bisect": gramfold.bisect,
    "theta": gramfold.theta,
    "theta plus": lambda A: gramfold.theta(A, plus=True),
    "solve_sdp": lambda A: gramfold.solve_sdp(A, [np.eye(4)], [1.0]),
    "a constraint": lambda A: gramfold.solve_sdp(np.eye(4), [A], [1.0]),
    "a warm start": lambda A: gramfold.solve_sdp(GOOD, [np.eye(4)], [1.0], warm=A),
    "rank_ones": lambda A: gramfold.minimise(gramfold.rank_ones(A, np.ones(4)), n=4, rank=1, max_iter=50),
    "matrices": lambda A: gramfold.minimise(gramfold.matrices([A], [1.0]), n=4, rank=1, max_iter=50),
    "SymNMF": lambda A: gramfold.SymNMF(2, random_state=0).fit(A),
    "SymNMF of points": lambda A: gramfold.SymNMF(2, affinity="nearest_neighbors", random_state=0).fit(A),
    "LowRankPSD": lambda A: gramfold.LowRankPSD(1, max_iter=50).fit(A),
    "LowRankPSD by Huber": lambda A: gramfold.LowRankPSD(1, loss="huber", max_iter=50).fit(A),
    "MatrixCompletion": lambda A: gramfold.MatrixCompletion(1, ridge=0.1, folds=0, max_iter=50).fit(A),
    "Locate": lambda A: gramfold.Locate(1, max_iter=50).fit(A),
    "FactorAnalysis": lambda A: gramfold.FactorAnalysis(1, max_iter=50).fit(A),
    "MetricLearner": lambda A: gramfold.MetricLearner(max_iter=20).fit(A, [0, 0, 1, 1]),
}


def read_only() -> np.ndarray:
    held = GOOD.copy()
    held.flags.writeable = False
    return held


def wide_indices() -> sp.csr_array:
    held = sp.csr_array(GOOD)
    held.indices, held.indptr = held.indices.astype(np.int64), held.indptr.astype(np.int64)
    return held


def broken_indices() -> dict[str, Any]:
    """Indices so far outside that SciPy, which trusts them, would write to memory that there is not."""
    far = 2_000_000_000
    held: dict[str, Any] = {
        "csr": sp.csr_array(GOOD),
        "csc": sp.csc_array(GOOD),
        "bsr": sp.bsr_array(GOOD, blocksize=(2, 2)),
        "negative": sp.csc_array(GOOD),
        "starts": sp.csr_array(GOOD),
        "last start": sp.csr_array(GOOD),
        "rows": sp.coo_array(GOOD),
        "columns": sp.coo_array(GOOD),
        "lil": sp.lil_array(GOOD),
    }
    for name in ("csr", "csc", "bsr"):
        held[name].indices[-1] = far
    held["negative"].indices[3] = -far
    held["starts"].indptr[1] = far
    held["last start"].indptr[-1] = far
    held["rows"].row[3] = held["columns"].col[3] = far
    held["lil"].rows[1][2] = far
    return {f"broken indices: {name}": matrix for name, matrix in held.items()}


def room_to_spare() -> sp.csr_array:
    held = sp.csr_array(GOOD)
    held.indices = np.append(held.indices, [0, 0]).astype(held.indices.dtype)
    held.data = np.append(held.data, [0.0, 0.0])
    return held


RUBBISH: dict[str, Any] = {
    "nan": np.full((4, 4), np.nan),
    "a nan": np.where(GOOD == 0.3, np.nan, GOOD),
    "inf": np.where(GOOD == 0.3, np.inf, GOOD),
    "huge": GOOD * 1e300,
    "tiny": GOOD * 1e-300,
    "zero": np.zeros((4, 4)),
    "negative": -GOOD,
    "not square": np.ones((4, 3)),
    "not symmetric": np.arange(16.0).reshape(4, 4),
    "a vector": np.ones(4),
    "a number": 3.0,
    "three axes": np.ones((4, 4, 4)),
    "no rows": np.zeros((0, 0)),
    "one row": np.ones((1, 1)),
    "no columns": np.zeros((4, 0)),
    "objects": np.array([["a", 1, 2, 3]] * 4, dtype=object),
    "strings": np.array([["a"] * 4] * 4),
    "ragged": [[1.0, 2.0], [3.0]],
    "none": None,
    "text": "karate.mtx",
    "a dict": {"a": 1},
    "complex": GOOD + 1j,
    "masked": np.ma.masked_array(GOOD, mask=GOOD == 0.3),
    "an empty graph": nx.Graph(),
    "a directed graph": nx.DiGraph([(0, 1)]),
    "a graph of words": nx.Graph([(0, 1, {"weight": "heavy"})]),
    "a graph of nan": nx.Graph([(0, 1, {"weight": float("nan")})]),
    "an igraph of words": igraph.Graph(edges=[(0, 1)], edge_attrs={"weight": ["heavy"]}),
    "dates": np.full((4, 4), np.datetime64("2026-01-01")),
    "sparse nan": sp.csr_array(np.where(GOOD == 0.3, np.nan, GOOD)),
    "sparse and empty": sp.csr_array((4, 4)),
    "sparse without rows": sp.csr_array((0, 0)),
    "one axis and sparse": sp.coo_array(np.ones(4)),
    **broken_indices(),
}

GOOD_FORMS: dict[str, Any] = {
    "float32": GOOD.astype(np.float32),
    "Fortran order": np.asfortranarray(GOOD),
    "float32 in Fortran order": np.asfortranarray(GOOD.astype(np.float32)),
    "read only": read_only(),
    "a view": np.repeat(np.repeat(GOOD, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": np.ascontiguousarray(GOOD[::-1, ::-1])[::-1, ::-1],
    "big endian": GOOD.astype(">f8"),
    "float16": GOOD.astype(np.float16),
    "long double": GOOD.astype(np.longdouble),
    "lists": GOOD.tolist(),
    "int64 indices": wide_indices(),
    "room to spare": room_to_spare(),
    "csc": sp.csc_array(GOOD),
    "lil": sp.lil_array(GOOD),
    "dok": sp.dok_array(GOOD),
    "a sparse matrix": sp.coo_matrix(GOOD),
    "int32": (10 * GOOD).astype(np.int32),
    "pandas": pd.DataFrame(GOOD),
    "nothing masked": np.ma.masked_array(GOOD),
}


def answers(run: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run()
        except (ValueError, TypeError) as error:
            said = str(error)
            assert said and "object has no attribute" not in said and "unpack" not in said, said
            return None


@pytest.mark.parametrize("function", TAKE_A_MATRIX)
def test_rubbish_is_answered(function: str) -> None:
    for rubbish in RUBBISH.values():
        answers(lambda rubbish=rubbish: TAKE_A_MATRIX[function](rubbish))


@pytest.mark.parametrize("broken", broken_indices())
@pytest.mark.parametrize("function", [gramfold.theta, gramfold.complete, gramfold.SymNMF(2).fit])
def test_broken_indices_are_named(function: Callable[[Any], Any], broken: str) -> None:
    with pytest.raises(ValueError, match="the sparse matrix is broken|exceeds matrix dimension"):
        function(RUBBISH[broken])


@pytest.mark.parametrize("function", TAKE_A_MATRIX)
def test_every_good_form_is_taken(function: str) -> None:
    dense = ("metric", "rank_ones", "SymNMF of points", "factors of points", "FactorAnalysis", "MetricLearner")
    for name, form in GOOD_FORMS.items():
        if function in ("a warm start", "recover targets", "pairs") or (sp.issparse(form) and function in dense):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert TAKE_A_MATRIX[function](form) is not None, name


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (lambda: gramfold.factor(GOOD, 0), "rank"),
        (lambda: gramfold.factor(GOOD, -1), "rank"),
        (lambda: gramfold.factor(GOOD, 1.5), "rank"),
        (lambda: gramfold.factor(GOOD, 2, tol=0), "tol = 0 is not allowed"),
        (lambda: gramfold.factor(GOOD, 2, tol=float("nan")), "tol = NaN is not allowed"),
        (lambda: gramfold.factor(GOOD, 2, time_limit=-1), "time_limit = -1 is not allowed"),
        (lambda: gramfold.factor(GOOD, 2, max_iter=-1), "max_iter"),
        (lambda: gramfold.factor(GOOD, 2, random_state=-1), "random_state"),
        (lambda: gramfold.factor(GOOD, 2, random_state="x"), "random_state"),
        (lambda: gramfold.factor(GOOD, 2, random_state=2**70), "random_state"),
        (lambda: gramfold.factor(GOOD, 2, regulariser="nothing"), "nothing"),
        (lambda: gramfold.factor(GOOD, 2, regulariser="ridge:lambda=x"), "lambda=x"),
        (lambda: gramfold.factor(GOOD, 2, algorithm="x"), "x"),
        (lambda: gramfold.factor(GOOD, 2, start="x"), "there is no start `x`"),
        (lambda: gramfold.factor(GOOD, 2, callback=3), "callback"),
        (lambda: gramfold.minimise(gramfold.entries([0], [1], [1.0, 2.0]), n=2), "1"),
        (lambda: gramfold.minimise(gramfold.entries([0, 1], [1], [1.0]), n=2), "2 rows, but 1 columns"),
        (lambda: gramfold.minimise(gramfold.entries([0], [5], [1.0]), n=2), "outside"),
        (lambda: gramfold.minimise(gramfold.entries([-1], [0], [1.0]), n=2), "negative"),
        (lambda: gramfold.minimise(gramfold.entries([0], [1], [np.nan]), n=2), "a target is NaN"),
        (lambda: gramfold.minimise(gramfold.entries([0], [1], [1.0], weights=[-1.0]), n=2), "weight"),
        (lambda: gramfold.minimise(gramfold.entries([0], [1], [1.0], "nothing"), n=2), "nothing"),
        (lambda: gramfold.minimise(gramfold.entries([0], [1], [1.0]), n=-2), "n"),
        (lambda: gramfold.minimise(gramfold.rank_ones(np.ones((2, 3)), [1.0, 1.0]), n=2), "3 numbers"),
        (lambda: gramfold.minimise(gramfold.matrices([np.eye(3)], [1.0]), n=2), "outside"),
        (lambda: gramfold.complete(GOOD, rank=0), "rank"),
        (lambda: gramfold.complete(GOOD, rank=-1), "rank"),
        (lambda: gramfold.complete(GOOD, rank=1, ridge=-1.0, folds=0), "ridge = -1.0 is not allowed"),
        (lambda: gramfold.complete(GOOD, rank=1, ridge=float("nan"), folds=0), "ridge"),
        (lambda: gramfold.complete(GOOD, folds=-1), "folds"),
        (lambda: gramfold.complete(GOOD, biases="x"), "biases = 'x' is not allowed"),
        (lambda: gramfold.complete(GOOD, loss="x"), "x"),
        (lambda: gramfold.locate(GOOD, dim=0), "dim"),
        (lambda: gramfold.locate(GOOD, dim=-1), "dim"),
        (lambda: gramfold.locate(GOOD, anchors={0: [np.nan, 0.0]}), "finite"),
        (lambda: gramfold.locate(GOOD, anchors={"a": [0.0, 0.0]}), "anchor"),
        (lambda: gramfold.factors(GOOD, 0), "n_factors = 0 is not allowed"),
        (lambda: gramfold.factors(GOOD, 4), "there are only 4 variables"),
        (lambda: gramfold.factors(GOOD, 1, rotation="x"), "there is no rotation `x`"),
        (lambda: gramfold.metric(GOOD, [0, 1]), "expected a class for each of the 4 points, found 2"),
        (lambda: gramfold.metric(GOOD, [0, 0, 0, 0]), "only one class"),
        (lambda: gramfold.metric(GOOD, [0, 1, 2, 3]), "no class has two points"),
        (lambda: gramfold.metric(GOOD, [0, 0, 1, 1], rank=0), "rank"),
        (lambda: gramfold.metric(GOOD, [0, 0, 1, 1], margin=-1.0), "margin"),
        (lambda: gramfold.metric(GOOD, [0, 0, 1, 1], pull=float("inf")), "pull"),
        (lambda: gramfold.correlation(GOOD, 0), "rank"),
        (lambda: gramfold.correlation(GOOD, 5), "rank 5"),
        (lambda: gramfold.correlation(GOOD * 1e150, 2), "these are no correlations"),
        (lambda: gramfold.recover(GOOD, [1.0, 2]), "a target for each of the 4 measurements, found 2"),
        (lambda: gramfold.recover(GOOD, [1.0, 2, 3, np.nan]), "not finite"),
        (lambda: gramfold.recover(GOOD, [1.0, 2, 3, 4], rank=5), "rank = 5 is not allowed: the matrix has only 4 rows"),
        (lambda: gramfold.recover(GOOD, [1.0, 2, 3, 4], ridge=-1), "ridge"),
        (lambda: gramfold.recover(GOOD, [1.0, 2, 3, 4], loss="x"), "x"),
        (lambda: gramfold.recover(np.ones((4, 2, 3)), [1.0, 2, 3, 4]), "found 4x2x3"),
        (lambda: gramfold.kernel(GOOD, [], []), "no pair to learn from"),
        (lambda: gramfold.kernel(GOOD, [(0, 4)], [1]), "there is no node 4"),
        (lambda: gramfold.kernel(GOOD, [(0, 1)], [1, 1]), "a sign for each of the 1 pairs, found 2"),
        (lambda: gramfold.kernel(GOOD, [(0, 1)], [2]), "1 or -1"),
        (lambda: gramfold.kernel(GOOD, [(0.5, 1)], [1]), "whole numbers"),
        (lambda: gramfold.kernel(GOOD, [(0, 1)], [1], rank=5), "the graph has only 4 nodes"),
        (lambda: gramfold.kernel(GOOD, [(0, 1)], [1], smoothness=-1), "smoothness"),
        (lambda: gramfold.kernel(-GOOD, [(0, 1)], [1]), "negative weight"),
        (lambda: gramfold.solve_sdp(GOOD, [np.eye(4)], [1.0, 2.0]), "1 constraints but 2"),
        (lambda: gramfold.solve_sdp(GOOD, [np.eye(3)], [1.0]), "expected"),
        (lambda: gramfold.solve_sdp(GOOD, [np.eye(4)], [np.nan]), "finite"),
        (lambda: gramfold.solve_sdp(GOOD, [np.eye(4)], [1.0], method="x"), "x"),
        (lambda: gramfold.solve_sdp(GOOD, [np.eye(4)], [1.0], rank=0), "rank = 0 is not allowed"),
        (lambda: gramfold.maxcut(GOOD, planes=-1), "planes"),
        (lambda: gramfold.SymNMF(2, algorithm="x").fit(np.abs(GOOD)), "x"),
        (lambda: gramfold.SymNMF(2, similarity="x").fit(np.abs(GOOD)), "x"),
        (lambda: gramfold.set_threads(-1), "threads"),
        (lambda: gramfold.factor(RUBBISH["masked"], 1), "masked entries: fill them in"),
        (lambda: gramfold.metric(RUBBISH["masked"], [0, 0, 1, 1]), "masked entries"),
        (lambda: gramfold.SymNMF(2).fit(RUBBISH["masked"]), "masked entries"),
        (lambda: gramfold.FactorAnalysis(1).fit(RUBBISH["masked"]), "masked entries"),
        (lambda: gramfold.MetricLearner().fit(RUBBISH["masked"], [0, 0, 1, 1]), "masked entries"),
        (lambda: gramfold.maxcut(RUBBISH["a graph of words"]), "a weight of the graph is not a number"),
        (lambda: gramfold.maxcut(RUBBISH["an igraph of words"]), "a weight of the graph is not a number"),
        (lambda: gramfold.maxcut(RUBBISH["a graph of nan"]), "an entry that is not finite"),
    ],
)
def test_wrong_arguments_are_named(run: Callable[[], Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        run()
    assert says in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value).strip()
