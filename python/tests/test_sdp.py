"""Semidefinite programs, cuts and Lovász numbers."""

from __future__ import annotations

import itertools
import math
import pickle

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import random_graph

import gramfold


def test_a_smallest_eigenvalue() -> None:
    rng = np.random.default_rng(0)
    c = rng.standard_normal((8, 8))
    c += c.T
    solution = gramfold.solve_sdp(c, [np.eye(8)], [1.0])
    smallest = np.linalg.eigvalsh(c)[0]
    assert solution.solved
    assert solution.objective == pytest.approx(smallest, abs=1e-5)
    assert solution.bound is not None and solution.bound <= smallest + 1e-12
    assert solution.y[0] == pytest.approx(smallest, abs=1e-5)
    assert np.trace(solution.Z) == pytest.approx(1.0)
    assert np.allclose(solution.factor() @ solution.factor().T, solution.Z, atol=1e-8)


def test_blocks_of_both_kinds() -> None:
    # min ⟨I, Z⟩ + z₁ + 3z₂ s.t. Z₁₁ + z₁ = 2, Z₁₂ + z₂ = 1.
    one, two = np.array([[1.0, 0], [0, 0]]), np.array([[0, 0.5], [0.5, 0]])
    solution = gramfold.solve_sdp(
        [np.eye(2), np.array([1.0, 3.0])],
        [[one, np.array([1.0, 0.0])], [sp.csr_array(two), np.array([0.0, 1.0])]],
        [2.0, 1.0],
    )
    assert solution.solved
    z = solution.block(1)
    assert solution.block(0)[0, 0] + z[0] == pytest.approx(2.0, abs=1e-5)
    assert solution.block(0)[0, 1] + z[1] == pytest.approx(1.0, abs=1e-5)
    # Z₁₁ = a, Z₁₂ = 1 cost a + 1/a, z₁ the rest: the smallest of 2 + 1/a with a ≤ 2.
    assert solution.objective == pytest.approx(2.5, abs=1e-5)


def test_constraints_as_rows_are_the_same_program() -> None:
    c = np.diag([1.0, 2.0, 0.5]) + 0.1
    rows = sp.csr_array(np.stack([np.eye(3).ravel(), np.eye(3)[::-1].ravel()]))
    one = gramfold.solve_sdp(c, [np.eye(3), np.eye(3)[::-1]], [1.0, 0.3])
    two = gramfold.solve_sdp(c, rows, np.array([1.0, 0.3]))
    assert np.array_equal(one.y, two.y)


def test_an_infeasible_program_is_proved_so() -> None:
    solution = gramfold.solve_sdp(np.eye(2), [np.eye(2)], [-1.0])
    assert solution.status == "primal_infeasible" and not solution.solved
    assert solution.primal_ray is not None


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="there are 1 constraints but 2 right-hand sides"):
        gramfold.solve_sdp(np.eye(2), [np.eye(2)], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"expected \(2, 2\)"):
        gramfold.solve_sdp(np.eye(2), [np.eye(3)], [1.0])
    with pytest.raises(ValueError, match="is not symmetric"):
        gramfold.solve_sdp(np.eye(2), [np.array([[1.0, 2.0], [0.0, 1.0]])], [1.0])
    with pytest.raises(ValueError, match="there is no method `simplex`"):
        gramfold.solve_sdp(np.eye(2), [np.eye(2)], [1.0], method="simplex")
    with pytest.raises(ValueError, match="tol = 2 is not allowed"):
        gramfold.solve_sdp(np.eye(2), [np.eye(2)], [1.0], tol=2)


def test_a_warm_start_takes_fewer_steps() -> None:
    graph = random_graph(60, 0.2, 1)
    laplacian = sp.csgraph.laplacian(graph)
    constraints = [sp.csr_array(([1.0], ([i], [i])), shape=(60, 60)) for i in range(60)]
    cold = gramfold.solve_sdp(-laplacian, constraints, np.ones(60), method="lowrank")
    warm = gramfold.solve_sdp(-laplacian, constraints, np.ones(60), method="lowrank", warm=cold)
    assert warm.solved and warm.n_iter <= cold.n_iter
    assert pickle.loads(pickle.dumps(cold)).objective == cold.objective


def best_cut(weights: np.ndarray, halves: bool) -> float:
    """By trying every side of every node."""
    n = len(weights)
    best = -math.inf
    for sides in itertools.product([0, 1], repeat=n - 1):
        side = np.array([0, *sides])
        if halves and abs(2 * side.sum() - n) > n % 2:
            continue
        cut = weights[np.ix_(side == 0, side == 1)].sum()
        best = max(best, -cut if halves else cut)
    return -best if halves else best


@pytest.mark.parametrize("seed", [0, 1])
def test_cuts_of_small_graphs_are_the_best_and_bounded(seed: int) -> None:
    weights = random_graph(9, 0.5, seed, weighted=True).toarray()
    cut, halves = gramfold.maxcut(weights), gramfold.bisect(weights)
    assert cut.weight == best_cut(weights, False)
    assert halves.weight == best_cut(weights, True)
    assert cut.limit is not None and cut.limit >= cut.weight
    assert halves.limit is not None and halves.limit <= halves.weight
    assert abs(2 * halves.side.sum() - 9) == 1
    across = weights[np.ix_(~cut.side, cut.side)].sum()
    assert across == cut.weight and cut.method == "diagonal"
    assert "no cut is above" in repr(cut) and "<svg" in cut._repr_html_()


def test_graphs_of_three_libraries_are_the_same() -> None:
    graph = nx.petersen_graph()
    forms = [graph, nx.to_scipy_sparse_array(graph), igraph.Graph.from_networkx(graph), nx.to_numpy_array(graph)]
    found = [gramfold.theta(form) for form in forms]
    assert all(theta.theta == pytest.approx(4.0, abs=1e-5) for theta in found)
    assert all(theta.edges == 15 and theta.independent_at_most == 4 for theta in found)
    with pytest.raises(ValueError, match="directed"):
        gramfold.theta(nx.DiGraph([(0, 1)]))
    weighted = igraph.Graph(n=3, edges=[(0, 1), (1, 2)])
    weighted.es["weight"] = [2.0, 3.0]
    assert gramfold.maxcut(weighted).weight == 5.0


def test_lovasz_numbers_that_are_known() -> None:
    for n in (5, 7, 9):
        angle = math.cos(math.pi / n)
        found = gramfold.theta(nx.cycle_graph(n))
        assert found.theta == pytest.approx(n * angle / (1 + angle), abs=1e-5)
        assert found.limit is not None and found.limit >= n * angle / (1 + angle) - 1e-9
    plus = gramfold.theta(nx.cycle_graph(5), plus=True)
    assert plus.theta == pytest.approx(math.sqrt(5), abs=1e-5) and plus.plus


def test_programs_without_constraints() -> None:
    solved = gramfold.solve_sdp(np.diag([1.0, 2.0]), [], [])
    assert solved.status == "solved" and solved.objective == 0.0 and np.array_equal(solved.Z, np.zeros((2, 2)))
    falls = gramfold.solve_sdp(np.array([[0.0, 1.0], [1.0, 0.0]]), [], [])
    assert falls.status == "dual_infeasible"
    with_numbers = gramfold.solve_sdp([np.eye(2), np.array([-1.0])], [], [])
    assert with_numbers.status == "dual_infeasible"
