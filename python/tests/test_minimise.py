"""Any loss: by name, and written in Python."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import gramfold


def observed(n: int, rank: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A matrix of low rank, and some places (i ≤ j) with its entries there."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, rank))
    Z = X @ X.T
    rows, cols = np.nonzero(np.triu(rng.random((n, n)) < share))
    return Z, rows, cols, Z[rows, cols]


class LogCosh:
    """φ(z, b) = log cosh(z − b)."""

    largest_curvature = 1.0
    largest_slope = 1.0
    infimum = 0.0

    def value(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.logaddexp(z - b, b - z) - np.log(2)

    def slope(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.tanh(z - b)

    def curvature(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
        return 1 - np.tanh(z - b) ** 2


class Square:
    """½(z − b)², which the package has itself."""

    largest_curvature = least_curvature = 1.0
    infimum = 0.0

    def value(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
        return 0.5 * (z - b) ** 2

    def slope(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
        return z - b

    def curvature(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.ones_like(z)


def test_a_matrix_is_completed() -> None:
    Z, rows, cols, values = observed(40, 2, 0.5, 1)
    result = gramfold.minimise(gramfold.entries(rows, cols, values), n=40, rank=2)
    assert result.converged and result.certificate.exact
    assert np.allclose(result.factor @ result.factor.T, Z, atol=1e-4)
    assert result.relative_error is None and "objective" in repr(result)


def test_a_function_of_the_user_finds_what_the_same_by_name_does() -> None:
    _, rows, cols, values = observed(25, 2, 0.5, 2)
    ours = gramfold.minimise(gramfold.entries(rows, cols, values, "square"), "ridge:lambda=0.5", 25, 2)
    own = gramfold.minimise(gramfold.entries(rows, cols, values, Square()), "ridge:lambda=0.5", 25, 2)
    assert own.converged and own.certificate.exact
    assert own.objective == pytest.approx(ours.objective, rel=1e-8)
    assert np.allclose(own.factor @ own.factor.T, ours.factor @ ours.factor.T, atol=1e-4)
    assert own.spec["loss"]["name"] == "python" and ours.spec["loss"]["name"] == "square"


def test_wild_errors_do_little_harm_to_a_flat_loss() -> None:
    Z, rows, cols, values = observed(40, 2, 0.6, 3)
    wild = np.random.default_rng(4).random(len(values)) < 0.05
    spoilt = np.where(wild, values + 30.0, values)
    flat = gramfold.minimise(gramfold.entries(rows, cols, spoilt, LogCosh()), n=40, rank=2)
    steep = gramfold.minimise(gramfold.entries(rows, cols, spoilt), n=40, rank=2)
    error = lambda result: np.linalg.norm(result.factor @ result.factor.T - Z) / np.linalg.norm(Z)  # noqa: E731
    assert flat.converged and error(flat) < 0.08 < error(steep)
    # The same objective, computed here.
    z = (flat.factor @ flat.factor.T)[rows, cols]
    twice = np.where(rows == cols, 1, 2)
    assert flat.objective == pytest.approx((twice * LogCosh().value(z, spoilt)).sum(), rel=1e-9)


def test_three_functions_make_a_loss() -> None:
    _, rows, cols, values = observed(20, 1, 0.5, 5)
    own = LogCosh()
    phi = gramfold.scalar(own.value, own.slope, own.curvature, largest_curvature=1.0, infimum=0.0)
    one = gramfold.minimise(gramfold.entries(rows, cols, values, phi), n=20, rank=1)
    assert one.certificate.objective < 1e-8


class Diagonals:
    """The sums of Z along its diagonals: ⟨A_k, Z⟩ = Σ ½(Z_{i,i+k} + Z_{i+k,i})."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.norm = float(np.sqrt(n))

    def image(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        Z = X @ Y.T
        return np.array([0.5 * (np.trace(Z, k) + np.trace(Z, -k)) for k in range(self.n)])

    def adjoint(self, s: np.ndarray, V: np.ndarray) -> np.ndarray:
        return sum(0.5 * s[k] * (np.eye(self.n, k=k) + np.eye(self.n, k=-k)) for k in range(self.n)) @ V


def test_a_map_of_the_user() -> None:
    n = 12
    truth = np.cos(0.7 * np.arange(n))[:, None]
    linear = Diagonals(n)
    targets = linear.image(truth, truth)
    own = gramfold.minimise(gramfold.mapped(linear, targets), "ridge:lambda=0.1", n, 3)
    named = [0.5 * (np.eye(n, k=k) + np.eye(n, k=-k)) for k in range(n)]
    ours = gramfold.minimise(gramfold.matrices(named, targets), "ridge:lambda=0.1", n, 3)
    assert own.converged and own.objective == pytest.approx(ours.objective, rel=1e-6)
    assert np.allclose(linear.image(own.factor, own.factor), linear.image(ours.factor, ours.factor), atol=1e-3)


def test_distances_and_rank_ones() -> None:
    rng = np.random.default_rng(6)
    points = rng.standard_normal((15, 2))
    rows, cols = np.triu_indices(15, 1)
    squared = ((points[rows] - points[cols]) ** 2).sum(axis=1)
    placed = gramfold.minimise(gramfold.distances(rows, cols, squared), n=15, rank=2).factor
    found = ((placed[rows] - placed[cols]) ** 2).sum(axis=1)
    assert np.allclose(found, squared, atol=1e-3)
    vectors = rng.standard_normal((60, 8))
    truth = rng.standard_normal((8, 1))
    phases = gramfold.minimise(gramfold.rank_ones(vectors, (vectors @ truth)[:, 0] ** 2), n=8, rank=1).factor
    assert np.allclose(np.abs(phases), np.abs(truth), atol=1e-3)


def test_weights_count() -> None:
    loss = gramfold.entries([0, 0], [0, 0], [1.0, 4.0], weights=[3.0, 1.0])
    X = gramfold.minimise(loss, n=1, rank=1).factor
    assert X[0, 0] ** 2 == pytest.approx(1.75, rel=1e-6)


def test_a_matrix_is_a_loss_and_every_regulariser_has_a_name() -> None:
    A = np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 1]])
    plain = gramfold.minimise(A, "nonnegative", rank=2)
    assert np.array_equal(plain.factor, gramfold.factor(sp.csr_array(A), 2, regulariser="nonnegative").factor) or np.allclose(
        plain.factor, gramfold.factor(A, 2, regulariser="nonnegative").factor
    )
    for name in ("l1:mu=0.1", "box:above=1", "row-ball:radius=1", "simplex-rows", "column-group:mu=0.1"):
        assert gramfold.minimise(A, name, rank=2).factor.shape == (3, 2)


def test_what_the_user_raises_is_raised() -> None:
    class Broken(LogCosh):
        calls = 0

        def slope(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
            Broken.calls += 1
            if Broken.calls > 20:
                raise ZeroDivisionError("after twenty")
            return super().slope(z, b)

    _, rows, cols, values = observed(20, 2, 0.5, 7)
    with pytest.raises(ZeroDivisionError, match="after twenty"), np.errstate(all="ignore"):
        gramfold.minimise(gramfold.entries(rows, cols, values, Broken()), n=20, rank=2)

    class Short(LogCosh):
        def value(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
            return np.zeros(1 + len(z))

    with pytest.raises(ValueError, match="value gives .* numbers, not .* numbers"):
        gramfold.minimise(gramfold.entries(rows, cols, values, Short()), n=20, rank=2)


def test_refusals() -> None:
    loss = gramfold.entries([0], [1], [1.0])
    with pytest.raises(TypeError, match="n is needed"):
        gramfold.minimise(loss, rank=1)
    with pytest.raises(ValueError, match="outside the matrix"):
        gramfold.minimise(loss, n=1, rank=1)
    with pytest.raises(TypeError, match="no attribute `largest_curvature`"):
        plain = SimpleNamespace(value=np.abs, slope=np.sign, curvature=np.zeros_like)
        gramfold.minimise(gramfold.entries([0], [1], [1.0], plain), n=2, rank=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no method `value`"):
        gramfold.minimise(gramfold.entries([0], [1], [1.0], object()), n=2, rank=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="makes a loss only with data"):
        gramfold.minimise(LogCosh(), n=2, rank=1)
    with pytest.raises(TypeError, match="no method `image`"):
        gramfold.minimise(gramfold.mapped(object(), [1.0]), n=2, rank=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`hinge` is refused"):
        gramfold.minimise(gramfold.entries([0], [1], [1.0], "hinge"), n=2, rank=1)
    with pytest.raises(ValueError, match="there is no loss `x`"):
        gramfold.minimise(gramfold.entries([0], [1], [1.0], "x"), n=2, rank=1)
    with pytest.raises(ValueError, match="2 targets for 1 observations"):
        gramfold.minimise(gramfold.entries([0], [1], [1.0, 2.0]), n=2, rank=1)
    with pytest.raises(ValueError, match="is not symmetric"):
        gramfold.matrices([np.array([[0.0, 1], [2, 0]])], [1.0])


def test_callbacks_stop_and_bars_show(capsys: pytest.CaptureFixture[str]) -> None:
    _, rows, cols, values = observed(30, 2, 0.5, 8)
    loss = gramfold.entries(rows, cols, values, LogCosh())
    seen = []
    stopped = gramfold.minimise(loss, n=30, rank=2, callback=lambda step: seen.append(step) or step.iteration >= 3)
    assert stopped.status == "interrupted" and seen[-1].iteration == 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm warns where notebooks are not installed.
        gramfold.minimise(loss, n=30, rank=2, progress=True)
        gramfold.maxcut(np.ones((5, 5)), progress=True)
    assert "objective=" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads() -> None:
    _, rows, cols, values = observed(60, 3, 0.5, 9)
    loss = gramfold.entries(rows, cols, values, LogCosh())
    runs = []
    for threads in (1, 3, None):
        gramfold.set_threads(threads)
        runs.append(gramfold.minimise(loss, n=60, rank=3, max_iter=20).factor)
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])
