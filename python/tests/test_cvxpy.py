"""CVXPY problems, against Clarabel."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import cvxpy as cp
import numpy as np
import pytest
from conftest import random_graph

import gramfold

Built = tuple[cp.Problem, list[cp.Constraint]]


def max_cut() -> Built:
    weights = random_graph(12, 0.5, 0).toarray()
    X = cp.Variable((12, 12), PSD=True)
    constraints = [cp.diag(X) == 1]
    return cp.Problem(cp.Maximize(cp.sum(cp.multiply(weights, 1 - X)) / 4), constraints), constraints


def theta() -> Built:
    graph = random_graph(10, 0.4, 1).toarray()
    X = cp.Variable((10, 10), PSD=True)
    i, j = np.nonzero(np.triu(graph))
    constraints = [cp.trace(X) == 1, *(X[a, b] == 0 for a, b in zip(i, j, strict=True))]
    return cp.Problem(cp.Maximize(cp.sum(X)), constraints), constraints


def nearest_correlation() -> Built:
    rng = np.random.default_rng(2)
    target = rng.uniform(-1, 1, (5, 5))
    target = (target + target.T) / 2
    X = cp.Variable((5, 5), PSD=True)
    constraints = [cp.diag(X) == 1]
    return cp.Problem(cp.Minimize(cp.norm(X - target, "fro")), constraints), constraints


def nearest_in_squares() -> Built:
    rng = np.random.default_rng(3)
    target = rng.uniform(-1, 1, (5, 5))
    X = cp.Variable((5, 5), symmetric=True)
    constraints = [X >> 0, cp.trace(X) == 2]
    return cp.Problem(cp.Minimize(cp.sum_squares(X - target)), constraints), constraints


def completion() -> Built:
    rng = np.random.default_rng(4)
    factor = rng.standard_normal((8, 2))
    whole = factor @ factor.T
    seen = np.triu(rng.random((8, 8)) < 0.7)
    X = cp.Variable((8, 8), PSD=True)
    constraints = [cp.multiply(seen, X) == seen * whole]
    return cp.Problem(cp.Minimize(cp.trace(X)), constraints), constraints


def min_trace() -> Built:
    """Factor analysis: the largest diagonal that leaves a covariance semidefinite."""
    rng = np.random.default_rng(5)
    loadings = rng.standard_normal((6, 2))
    covariance = loadings @ loadings.T + np.diag(rng.uniform(0.5, 1, 6))
    d = cp.Variable(6)
    constraints = [covariance - cp.diag(d) >> 0, d >= 0]
    return cp.Problem(cp.Maximize(cp.sum(d)), constraints), constraints


def robust() -> Built:
    rng = np.random.default_rng(6)
    data = np.outer(rng.standard_normal(4), rng.standard_normal(5))
    data[1, 2] += 4
    low, sparse = cp.Variable((4, 5)), cp.Variable((4, 5))
    constraints = [low + sparse == data]
    objective = cp.normNuc(low) + 0.5 * cp.sum(cp.abs(sparse))
    return cp.Problem(cp.Minimize(objective), constraints), constraints


def largest_eigenvalue() -> Built:
    rng = np.random.default_rng(7)
    M = rng.standard_normal((5, 5))
    x = cp.Variable(2)
    constraints = [cp.norm(x, 2) <= 1, x[0] + x[1] == 0.3]
    objective = cp.lambda_max(M + M.T + x[0] * np.eye(5) + cp.diag(cp.hstack([x, 0, 0, 0])))
    return cp.Problem(cp.Minimize(objective), constraints), constraints


def bounded() -> Built:
    rng = np.random.default_rng(8)
    C = rng.standard_normal((5, 5))
    X = cp.Variable((5, 5), PSD=True)
    constraints = [cp.trace(X) <= 3, X >= -0.5, X[0, 0] >= 0.2, cp.norm(X[:, 1]) <= 1]
    return cp.Problem(cp.Minimize(cp.trace((C + C.T) @ X)), constraints), constraints


def long_norm() -> Built:
    rng = np.random.default_rng(9)
    x = cp.Variable(30)
    constraints = [cp.norm(x - rng.standard_normal(30)) <= 2, cp.sum(x) == 1]
    return cp.Problem(cp.Minimize(rng.standard_normal(30) @ x), constraints), constraints


SUITE = [
    max_cut, theta, nearest_correlation, nearest_in_squares, completion, min_trace, robust,
    largest_eigenvalue, bounded, long_norm,
]  # fmt: skip


@pytest.mark.parametrize("build", SUITE, ids=lambda build: build.__name__)
@pytest.mark.parametrize("form", ["auto", "primal", "dual"])
def test_agreement_with_clarabel(build: Callable[[], Built], form: str) -> None:
    if form == "primal" and build is long_norm:
        pytest.skip("an arrow matrix of 31 rows is for the dual form")
    problem, constraints = build()
    expected = problem.solve(solver=cp.CLARABEL)
    values = [variable.value.copy() for variable in problem.variables()]
    duals = [np.array(constraint.dual_value, float) for constraint in constraints]
    found = problem.solve(solver=gramfold.CvxpySolver(), tol=1e-8, form=form)
    assert problem.status in ("optimal", "optimal_inaccurate")
    assert found == pytest.approx(expected, rel=2e-5, abs=2e-5)
    for constraint in constraints:
        assert np.max(np.abs(constraint.violation())) <= 1e-4
    unique = build not in (max_cut, theta, largest_eigenvalue)
    for variable, value in zip(problem.variables(), values, strict=True):
        if unique and build is not robust:
            assert np.allclose(variable.value, value, atol=3e-3)
    if build in (max_cut, nearest_correlation, long_norm, largest_eigenvalue):
        for constraint, dual in zip(constraints, duals, strict=True):
            assert np.allclose(constraint.dual_value, dual, atol=3e-3), constraint


@pytest.mark.parametrize("build", SUITE, ids=lambda build: build.__name__)
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_multipliers_prove_the_optimum(build: Callable[[], Built], form: str) -> None:
    """c + Aᵀy = 0, y in the dual cone and cᵀx + bᵀy = 0: all that optimality needs."""
    if form == "primal" and build is long_norm:
        pytest.skip("an arrow matrix of 31 rows is for the dual form")
    problem, _ = build()
    solver = gramfold.CvxpySolver()
    data, _, _ = problem.get_problem_data(solver)
    raw = solver.solve_via_data(data, False, False, {"tol": 1e-8, "form": form})
    A, b, c, dims = data["A"], data["b"], data["c"], data["dims"]
    size = 1 + np.abs(c).max() + abs(float(c @ raw.x))
    assert np.abs(c + A.T @ raw.y).max() <= 1e-5 * size
    assert abs(float(c @ raw.x + b @ raw.y)) <= 1e-5 * size
    slack = b - A @ raw.x
    assert np.abs(slack[: dims.zero]).max(initial=0) <= 1e-5 * size
    at = dims.zero + dims.nonneg
    for inside in (slack, raw.y):
        assert inside[dims.zero : at].min(initial=0) >= -1e-5 * size
    for length in dims.soc:
        for inside in (slack, raw.y):
            assert np.linalg.norm(inside[at + 1 : at + length]) <= inside[at] + 1e-5 * size
        at += length
    for n in dims.psd:
        for inside in (slack, raw.y):
            matrix = inside[at : at + n * n].reshape(n, n)
            assert np.linalg.eigvalsh(matrix + matrix.T)[0] >= -1e-4 * size
        at += n * n


def test_a_max_cut_reaches_the_engine_for_fixed_diagonals() -> None:
    problem, _ = max_cut()
    problem.solve(solver=gramfold.CvxpySolver())
    stats = problem.solver_stats
    assert stats.solver_name == "GRAMFOLD" and stats.num_iters >= 1 and stats.solve_time > 0
    assert stats.extra_stats.method == "diagonal" and stats.extra_stats.solved
    direct = gramfold.maxcut(random_graph(12, 0.5, 0))
    assert problem.value == pytest.approx(-direct.objective, abs=1e-4)


def test_the_sum_of_a_matrix_stays_of_rank_one() -> None:
    n = 30
    X = cp.Variable((n, n), PSD=True)
    constraints = [cp.trace(X) == 1, X[0, 1] == 0]
    problem = cp.Problem(cp.Maximize(cp.sum(X)), constraints)
    assert problem.solve(solver=gramfold.CvxpySolver()) == pytest.approx(n - 1, abs=1e-3)


def test_infeasible_and_unbounded_problems_are_proved_so() -> None:
    X = cp.Variable((2, 2), PSD=True)
    solver = gramfold.CvxpySolver()
    infeasible = cp.Problem(cp.Minimize(cp.trace(X)), [X[0, 0] == 1, X[1, 1] == 1, X[0, 1] == 2])
    assert infeasible.solve(solver=solver) == np.inf and infeasible.status == "infeasible"
    unbounded = cp.Problem(cp.Minimize(X[0, 1]), [X[0, 0] == X[1, 1]])
    assert unbounded.solve(solver=solver) == -np.inf and unbounded.status == "unbounded"
    x = cp.Variable(2)
    contradiction = cp.Problem(cp.Minimize(x[0]), [x[0] == 1, x[0] == 2, cp.norm(x) <= 5])
    contradiction.solve(solver=solver)
    assert contradiction.status == "infeasible"
    matrix = cp.Problem(cp.Minimize(x[0]), [cp.bmat([[x[0], 1], [1, -x[0]]]) >> 0])
    matrix.solve(solver=solver)
    assert matrix.status == "infeasible"


def test_equations_alone_are_solved() -> None:
    x = cp.Variable(3)
    A, b, c = np.array([[1.0, 2, 0], [0, 1, 1], [1, 0, 1]]), np.array([3.0, 2, 1]), np.array([1.0, -1, 2])
    constraints = [A @ x == b]
    problem = cp.Problem(cp.Minimize(c @ x + 5), constraints)
    found = problem.solve(solver=gramfold.CvxpySolver())
    assert problem.status == "optimal" and found == pytest.approx(c @ np.linalg.solve(A, b) + 5)
    assert np.allclose(x.value, np.linalg.solve(A, b))
    assert np.allclose(c + A.T @ constraints[0].dual_value, 0)
    assert cp.Problem(cp.Minimize(c @ x), [A[:2] @ x == b[:2]]).solve(solver=gramfold.CvxpySolver()) == -np.inf
    assert cp.Problem(cp.Minimize(c @ x), [x == 1, x[0] == 2]).solve(solver=gramfold.CvxpySolver()) == np.inf


def test_options_are_checked_by_name() -> None:
    problem, _ = max_cut()
    with pytest.raises(TypeError, match="unrecognized solver option 'nonsense'; choose from tol"):
        problem.solve(solver=gramfold.CvxpySolver(), nonsense=3)
    with pytest.raises(ValueError, match="there is no method `simplex`"):
        problem.solve(solver=gramfold.CvxpySolver(), engine="simplex")
    with pytest.raises(ValueError, match="there is no form `x`"):
        problem.solve(solver=gramfold.CvxpySolver(), form="x")


def test_other_cones_are_refused() -> None:
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cp.sum(cp.exp(x))), [x >= -1])
    with pytest.raises(cp.error.SolverError, match="cannot solve this problem|not support"):
        problem.solve(solver=gramfold.CvxpySolver())


def test_a_limit_returns_what_there_is() -> None:
    problem, _ = max_cut()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=gramfold.CvxpySolver(), tol=1e-12, callback=lambda step: True)
    assert problem.status == "user_limit"
    assert problem.variables()[0].value.shape == (12, 12)


def test_a_parameter_changes_and_the_start_is_warm() -> None:
    n = 40
    laplacian = np.diag(random_graph(n, 0.3, 3).sum(axis=1)) - random_graph(n, 0.3, 3).toarray()
    weight = cp.Parameter(nonneg=True)
    X = cp.Variable((n, n), PSD=True)
    problem = cp.Problem(cp.Maximize(weight * cp.trace(laplacian @ X)), [cp.diag(X) == 1])
    solver = gramfold.CvxpySolver()
    weight.value = 1.0
    problem.solve(solver=solver, engine="lowrank")
    cold = problem.solver_stats.num_iters
    weight.value = 1.001
    problem.solve(solver=solver, engine="lowrank", warm_start=True)
    assert problem.status == "optimal" and problem.solver_stats.num_iters <= cold


def test_it_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    problem, _ = max_cut()
    problem.solve(solver=gramfold.CvxpySolver(), verbose=True)
    said = capsys.readouterr().out
    assert "objective" in said and "by diagonal" in said
