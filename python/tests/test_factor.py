"""Factorisations, bounds, callbacks and errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import gramfold


def wave(n: int) -> np.ndarray:
    a = np.fromfunction(lambda i, j: np.sin(1 + i * j), (n, n))
    return a + a.T


def test_the_best_rank_is_found_and_proved() -> None:
    a = wave(30)
    result = gramfold.factor(a, rank=3)
    values = np.linalg.eigvalsh(a)
    best = 0.5 * ((a**2).sum() - (np.sort(np.maximum(values, 0))[-3:] ** 2).sum())
    assert result.converged and result.certificate.exact and result.certificate.optimal
    assert result.certificate.objective == pytest.approx(best, rel=1e-9)
    direct = np.linalg.norm(a - result.factor @ result.factor.T) / np.linalg.norm(a)
    assert result.relative_error == pytest.approx(direct, rel=1e-6)


@pytest.mark.parametrize("form", ["dense", "fortran", "csr", "csc", "coo", "float32", "list"])
def test_every_form_of_a_matrix_is_the_same_matrix(form: str) -> None:
    a = np.round(wave(12))
    forms = {
        "dense": a,
        "fortran": np.asfortranarray(a),
        "csr": sp.csr_array(a),
        "csc": sp.csc_matrix(a),
        "coo": sp.coo_array(a),
        "float32": a.astype(np.float32),
        "list": a.tolist(),
    }
    one = gramfold.factor(forms["csr"] if form in ("csc", "coo") else a, rank=2)
    other = gramfold.factor(forms[form], rank=2)
    if form != "csr":
        assert np.array_equal(one.factor, other.factor)
    assert np.allclose(one.factor, other.factor, atol=1e-6)


def test_a_seed_gives_the_same_bits_and_another_seed_others() -> None:
    a = wave(40)
    run = lambda seed: gramfold.factor(a, rank=4, start="random", random_state=seed, max_iter=5)  # noqa: E731
    assert np.array_equal(run(3).factor, run(3).factor)
    assert not np.array_equal(run(3).factor, run(4).factor)


def test_a_callback_sees_every_step_and_may_stop() -> None:
    seen: list[int] = []

    def stop(step: object) -> bool:
        seen.append(step.iteration)  # type: ignore[attr-defined]
        return len(seen) >= 4

    result = gramfold.factor(wave(60), rank=5, start="random", tol=1e-12, callback=stop)
    assert len(seen) == 4 and result.status == "interrupted" and not result.converged

    def fail(step: object) -> None:
        raise RuntimeError("out of tape")

    with pytest.raises(RuntimeError, match="out of tape"):
        gramfold.factor(wave(60), rank=5, callback=fail)

    def iterate(step: object) -> None:
        raise StopIteration

    assert gramfold.factor(wave(60), rank=5, callback=iterate).status == "interrupted"


def test_refusals_have_the_sentences_of_the_command_line() -> None:
    a = wave(5)
    with pytest.raises(ValueError, match="rank 6 is not allowed: it must be between 1 and 5"):
        gramfold.factor(a, rank=6)
    with pytest.raises(ValueError, match="there is no algorithm `newtown`; choose from"):
        gramfold.factor(a, rank=1, algorithm="newtown")
    a[0, 1] += 1
    with pytest.raises(ValueError, match="expected a symmetric matrix, found .* the largest difference"):
        gramfold.factor(a, rank=1)
    with pytest.raises(ValueError, match="expected a symmetric matrix"):
        gramfold.factor(sp.csr_array(a), rank=1)
    gramfold.factor(a, rank=1, symmetrise=True)
    with pytest.raises(ValueError, match="expected a square matrix, found 2x3"):
        gramfold.factor(np.ones((2, 3)), rank=1)
    with pytest.raises(ValueError, match="not finite"):
        gramfold.factor(np.full((2, 2), np.nan), rank=1)
    with pytest.raises(ValueError, match="complex"):
        gramfold.factor(np.eye(2) * 1j, rank=1)


def test_results_show_themselves_and_pickle() -> None:
    result = gramfold.factor(wave(20), rank=2)
    assert "converged after" in repr(result) and "exact" in repr(result)
    page = result._repr_html_()
    assert "<svg" in page and "Factorisation" in page
    again = pickle.loads(pickle.dumps(result))
    assert np.array_equal(again.factor, result.factor)
    assert again.certificate == result.certificate and repr(again) == repr(result)


def test_bounds_name_what_is_needed() -> None:
    a = np.diag([3.0, -2.0, 1.0])
    found = gramfold.bounds(a, rank=2)
    assert found.needed == pytest.approx(1.0)
    assert "is needed" in repr(found) and "does not apply" in repr(found)
    assert found._repr_html_().count("<tr>") == len(found.bounds)
    applicable = [bound for bound in found.bounds if bound.value is not None]
    assert any(bound.role == "all_critical_points" for bound in applicable)
    assert found["Theorem 1"].formula.startswith("½λmax")
    with pytest.raises(KeyError):
        found["Theorem 99"]
