"""Numbers that a caller gave, checked: what is wrong is said by name."""

from __future__ import annotations

import math
import operator
from typing import Any

LARGEST_SEED = 2**64 - 1


def count(name: str, value: Any, least: int = 1) -> int:
    """A whole number from `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r} is not allowed: expected a whole number from {least}") from None
    if not least <= number < 2**63:
        raise ValueError(f"{name} = {number} is not allowed: expected a whole number from {least}")
    return number


def optional_count(name: str, value: Any) -> int | None:
    """A whole number from 1, or none."""
    return None if value is None else count(name, value)


def number(name: str, value: Any) -> float:
    """A number that is not negative."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r} is not allowed: expected a number from 0") from None
    if not (found >= 0 and math.isfinite(found)):
        raise ValueError(f"{name} = {found} is not allowed: expected a number from 0")
    return found


def optional_number(name: str, value: Any) -> float | None:
    """The same, or none."""
    return None if value is None else number(name, value)


def seed(value: Any) -> int:
    """A whole number that a seed can be."""
    try:
        found = operator.index(value)
    except TypeError:
        expected = "expected a whole number from 0, a generator of NumPy or None"
        raise TypeError(f"random_state = {value!r} is not allowed: {expected}") from None
    if not 0 <= found <= LARGEST_SEED:
        raise ValueError(f"random_state = {found} is not allowed: expected a whole number from 0 to {LARGEST_SEED}")
    return found


def ridge_named(value: Any) -> str:
    """The regulariser (λ/2)‖X‖², or none for λ = 0, as the command line names it."""
    found = number("ridge", value)
    return f"ridge:lambda={found!r}" if found > 0 else "zero"
