"""Every script of the gallery runs and finds what it should."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import pytest

matplotlib.use("Agg")
GALLERY = Path(__file__).parents[1] / "gallery"

EXPECTED: dict[str, Callable[[Any], bool]] = {
    "digits": lambda nmi: nmi > 0.8,
    "overlaps": lambda between: 0 < len(between) < 17,
    "maxcut": lambda cut: cut.limit >= cut.weight >= 0.95 * cut.limit,
    "theta_cvxpy": lambda difference: difference < 1e-4,
    "words": lambda correlation: correlation > 0.7,
    "sensors": lambda error: error < 0.02,
    "metric": lambda accuracy: accuracy[0] < 0.9 < accuracy[1],
    "custom_loss": lambda errors: errors[0] < 0.05 < errors[1],
}


def test_every_script_is_tested() -> None:
    assert {path.stem for path in GALLERY.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_script(name: str, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location(name, GALLERY / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    picture = tmp_path / "picture.png"
    assert EXPECTED[name](module.main(picture))
    assert picture.stat().st_size > 2000
