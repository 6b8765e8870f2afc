"""The command line and the package give the same bits for the same spec and seed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from conftest import command, program, random_graph

import gramfold


def test_clusters(tmp_path: Path, blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, _ = blocks
    path, out = tmp_path / "graph.mtx", tmp_path / "out"
    scipy.io.mmwrite(path, graph)
    said = command("cluster", path, "-k", 4, "--seed", 3, "--restarts", 2, "--out", out)
    model = gramfold.SymNMF(4, n_init=2, random_state=3).fit(graph)
    assert np.array_equal(np.load(out / "factor.npy"), model.embedding_)
    assert np.array_equal(np.load(out / "memberships.npy"), model.memberships_)
    assert np.array_equal(np.loadtxt(out / "labels.txt", int), model.labels_)
    assert said["objective"] == model.certificate_.objective


def test_points_and_a_scan(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(c, 0.3, (20, 2)) for c in (0, 3, 6)])
    path, out = tmp_path / "points.npy", tmp_path / "out"
    np.save(path, points)
    command("cluster", path, "--points", "-k", "2..4", "--seed", 1, "--out", out)
    model = gramfold.SymNMF((2, 4), affinity="nearest_neighbors", random_state=1).fit(points)
    assert np.array_equal(np.load(out / "factor.npy"), model.embedding_)
    model.save(tmp_path / "ours")
    ours, theirs = (json.loads((where / "solution.json").read_text()) for where in (tmp_path / "ours", out))
    assert ours["scan"] == theirs["scan"] and ours["restarts"] == theirs["restarts"]
    assert ours["scan"]["reason"] == model.reason_ and ours["similarity"] == theirs["similarity"]
    assert ours["files"] == theirs["files"] and ours["sha256"]["labels"] == theirs["sha256"]["labels"]


@pytest.mark.parametrize("regulariser", ["zero", "nonnegative", "ridge:lambda=0.5"])
def test_factors(tmp_path: Path, regulariser: str) -> None:
    matrix = random_graph(40, 0.3, 2, weighted=True)
    path, out = tmp_path / "a.mtx", tmp_path / "out"
    scipy.io.mmwrite(path, matrix)
    flags = {"zero": [], "nonnegative": ["--nonnegative"], "ridge:lambda=0.5": ["--ridge", 0.5]}[regulariser]
    said = command("factor", path, "--rank", 3, "--seed", 5, "--out", out, *flags)
    result = gramfold.factor(matrix, 3, regulariser=regulariser, random_state=5)
    assert said["spec"] == result.spec
    for name, array in (("factor", result.factor), ("X", result.x), ("Y", result.y)):
        assert np.array_equal(np.load(out / f"{name}.npy"), array), name


def test_cuts_and_lovasz_numbers(tmp_path: Path) -> None:
    graph = random_graph(50, 0.2, 4, weighted=True)
    path = tmp_path / "graph.mtx"
    scipy.io.mmwrite(path, graph)
    for name, run in (("maxcut", gramfold.maxcut), ("bisect", gramfold.bisect)):
        out = tmp_path / name
        command(name, path, "--seed", 2, "--out", out)
        cut = run(graph, random_state=2)
        assert np.array_equal(np.loadtxt(out / "partition.txt", int), cut.side)
        assert np.array_equal(np.load(out / "factor.npy"), cut.factor())
    out = tmp_path / "theta"
    said = command("theta", path, "--out", out)
    found = gramfold.theta(graph)
    assert said["objective"] == found.theta
    assert np.array_equal(np.load(out / "dual.npy").ravel(), found.y)


def test_a_program(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    C, A = rng.standard_normal((6, 6)), [np.eye(6), np.diag(np.arange(1.0, 7.0))]
    found = gramfold.solve_sdp(C + C.T, A, [1.0, 3.0], random_state=1)
    found.save(tmp_path / "ours")
    said = command("solve", tmp_path / "ours" / "program.dat-s", "--seed", 1, "--out", tmp_path / "theirs")
    assert said["objective"] == -found.objective  # Files of this format maximise.
    for name in ("dual.npy", "block-1-dense.npy"):
        assert (tmp_path / "theirs" / name).read_bytes() == (tmp_path / "ours" / name).read_bytes(), name


def test_factor_analysis(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    table = rng.standard_normal((80, 2)) @ rng.standard_normal((2, 7)) + rng.standard_normal((80, 7))
    np.save(tmp_path / "table.npy", table)
    np.save(tmp_path / "covariances.npy", np.cov(table.T))
    for name, flags, given in (("table", ["--points"], table), ("covariances", [], np.cov(table.T))):
        for rotation in ("varimax", "promax", "none"):
            out = tmp_path / rotation
            path = tmp_path / f"{name}.npy"
            said = command("factors", path, "-k", 2, *flags, "--rotate", rotation, "--seed", 7, "--out", out)
            ours = gramfold.factors(given, 2, points=name == "table", rotation=rotation, random_state=7)
            assert said["objective"] == ours.objective and said["spec"] == ours.spec
            assert said["communalities"] == pytest.approx(ours.communalities.tolist(), rel=1e-15)
            for role, array in (("factor", ours.factor), ("loadings", ours.loadings)):
                assert np.array_equal(np.load(out / f"{role}.npy"), array), role
            assert np.array_equal(np.load(out / "factor-correlations.npy"), ours.factor_correlations)
    model = gramfold.FactorAnalysis(2, rotation="promax", random_state=7).fit(table)
    assert np.array_equal(model.loadings_, gramfold.factors(table, 2, points=True, rotation="promax", random_state=7).loadings)


def test_metrics(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    points = rng.standard_normal((50, 4)) * [1.0, 5.0, 0.1, 2.0]
    labels = np.digitize(points[:, 0], [-0.4, 0.4])
    np.save(tmp_path / "points.npy", points)
    (tmp_path / "labels.txt").write_text("".join(f"{label}\n" for label in labels))
    given = ("metric", tmp_path / "points.npy", "--labels", tmp_path / "labels.txt", "--folds", 0)
    for name, flags, keywords in (
        ("all", [], {}),
        ("some", ["-r", 2, "--targets", 2, "--pull", 0.1, "--raw"], {"rank": 2, "targets": 2, "pull": 0.1, "standardise": False}),
    ):
        said = command(*given, *flags, "--out", tmp_path / name)
        ours = gramfold.metric(points, labels, **keywords)
        assert said["objective"] == ours.objective and said["model"] == ours.model
        assert np.array_equal(np.load(tmp_path / name / "factor.npy"), ours.components.T)
    model = gramfold.MetricLearner(2, targets=2, pull=0.1, standardise=False).fit(points, labels)
    assert np.array_equal(model.components_, ours.components)


def test_recovery(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    vectors, truth = rng.standard_normal((60, 8)), rng.standard_normal((8, 2))
    matrices = rng.standard_normal((60, 5, 5))
    for of, given, rank, flags, keywords in (
        ("vectors", vectors, 1, [], {}),
        ("vectors", vectors, 2, ["--loss", "huber:delta=0.5", "--ridge", 0.01], {"loss": "huber:delta=0.5", "ridge": 0.01}),
        ("matrices", matrices, 2, [], {}),
    ):
        Z = truth[: given.shape[1], :rank] @ truth[: given.shape[1], :rank].T
        b = np.einsum("ki,ij,kj->k", given, Z, given) if of == "vectors" else np.einsum("kij,ij->k", given, Z)
        np.save(tmp_path / "table.npy", np.column_stack([given.reshape(60, -1), b]))
        line = ("recover", tmp_path / "table.npy", "--of", of, "-r", rank, "--seed", 3, "--out", tmp_path / "out", *flags)
        said = command(*line)
        ours = gramfold.recover(given, b, rank=rank, random_state=3, **keywords)
        assert said["objective"] == ours.objective and said["spec"] == ours.spec
        assert said["relative_residual"] == ours.relative_residual
        for name, array in (("factor", ours.factor), ("X", ours.x), ("Y", ours.y)):
            assert np.array_equal(np.load(tmp_path / "out" / f"{name}.npy"), array), name
        if not keywords:
            assert np.allclose(ours.factor @ ours.factor.T, Z, atol=1e-5)


def test_kernels(tmp_path: Path, blocks: tuple[sp.csr_array, np.ndarray]) -> None:
    graph, truth = blocks
    rng = np.random.default_rng(10)
    pairs = rng.integers(0, 120, (25, 2))
    signs = np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 1, -1)
    scipy.io.mmwrite(tmp_path / "graph.mtx", graph)
    lines = [f"{i},{j},{sign}\n" for (i, j), sign in zip(pairs, signs, strict=True)]
    (tmp_path / "pairs.csv").write_text("".join(lines))
    given = ("kernel", tmp_path / "graph.mtx", "--pairs", tmp_path / "pairs.csv", "--seed", 2, "--out", tmp_path / "out")
    for flags, keywords in (
        ([], {}),
        (["-r", 4, "--loss", "logistic", "--smoothness", 0, "--ridge", 0.1], {"rank": 4, "loss": "logistic", "smoothness": 0, "ridge": 0.1}),
    ):
        said = command(*given, *flags)
        ours = gramfold.kernel(graph, pairs, signs, random_state=2, **keywords)
        assert said["objective"] == ours.objective and said["spec"] == ours.spec and said["kept"] == ours.kept
        assert np.array_equal(np.load(tmp_path / "out" / "factor.npy"), ours.factor)
        assert ours.kept == np.mean(signs * ours.matrix[pairs[:, 0], pairs[:, 1]] > 0)


def test_correlation_matrices(tmp_path: Path) -> None:
    A = np.random.default_rng(11).uniform(-1, 1, (12, 12))
    A = (A + A.T) / 2
    np.save(tmp_path / "A.npy", A)
    for rank in (2, 12):
        said = command("correlation", tmp_path / "A.npy", "-r", rank, "--seed", 4, "--out", tmp_path / "out")
        ours = gramfold.correlation(A, rank, random_state=4)
        assert np.array_equal(np.load(tmp_path / "out" / "factor.npy"), ours.factor)
        assert np.array_equal(np.load(tmp_path / "out" / "dual.npy").ravel(), ours.multipliers)
        assert said["objective"] == ours.objective and said["bound"]["value"] == ours.bound
        assert said["optimal"] == ours.optimal and said["spec"] == ours.spec and said["distance"] == ours.distance
        assert np.allclose(np.diag(ours.matrix), 1) and ours.bound <= ours.objective
        assert ours.distance == pytest.approx(np.linalg.norm(ours.matrix - A))
    assert ours.optimal


def test_exit_codes() -> None:
    for arguments, code in ((["--version"], 0), (["factor", "nothing.mtx", "--rank", "1"], 2), (["x"], 2)):
        assert program(*arguments).returncode == code
