"""What is saved is what the command line writes: its own check takes it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from conftest import random_graph

import gramfold

GRAPH = random_graph(30, 0.3, 1, weighted=True)
C = np.diag(np.arange(1.0, 6.0)) - 0.3
J = np.ones((9, 9))

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
}


def gramfold_command(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "gramfold", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True)


@pytest.mark.parametrize("name", RESULTS)
def test_check_takes_what_is_saved(name: str, tmp_path: Path) -> None:
    result = RESULTS[name]()
    result.save(tmp_path / "out")
    checked = gramfold_command("check", tmp_path / "out")
    assert checked.returncode == 0 and "every claim holds" in checked.stdout, checked.stdout + checked.stderr
    result.save(tmp_path / "out")  # In the place of the first.
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "gramfold." in page and "Certificate" in page
    assert "<svg" in result._repr_html_() or len(result.trace) < 2


def test_the_directory_is_that_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "graph.mtx"
    scipy.io.mmwrite(path, GRAPH)
    gramfold_command("factor", path, "--rank", 2, "--nonnegative", "--out", tmp_path / "theirs")
    RESULTS["factor"]().save(tmp_path / "ours")
    ours, theirs = (json.loads((tmp_path / name / "solution.json").read_text()) for name in ("ours", "theirs"))
    assert ours.keys() == theirs.keys()
    changing = {"input", "seconds", "cpu_seconds", "peak_memory_bytes", "sha256"}
    assert {key: ours[key] for key in ours.keys() - changing} == {key: theirs[key] for key in theirs.keys() - changing}
    same = ours["sha256"].keys() - {"trace"}  # The trace has the seconds.
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
    measured = gramfold.minimise(gramfold.entries([0], [1], [1.0]), n=2, rank=1)
    with pytest.raises(ValueError, match="only factorisations of a matrix"):
        measured.report(tmp_path / "page.html")
