"""Data that several tests use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

# The tests may share two cores with others.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def program(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command-line program with these arguments."""
    line = [sys.executable, "-m", "gramfold", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True)


def command(*arguments: object) -> dict[str, Any]:
    """What a command says as JSON."""
    done = program(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def random_graph(n: int, p: float, seed: int, weighted: bool = False) -> sp.csr_array:
    """A symmetric adjacency matrix without loops."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) < p, 1).astype(float)
    if weighted:
        upper *= rng.integers(1, 9, (n, n))
    return sp.csr_array(upper + upper.T)


@pytest.fixture
def blocks() -> tuple[sp.csr_array, np.ndarray]:
    """A graph of four noisy communities, and which they are."""
    rng = np.random.default_rng(7)
    truth = np.repeat(np.arange(4), 30)
    p = np.where(truth[:, None] == truth[None, :], 0.5, 0.04)
    upper = np.triu(rng.random((120, 120)) < p, 1).astype(float)
    return sp.csr_array(upper + upper.T), truth
