"""A loss of one's own: similarities with gross errors, judged by log cosh instead of squares."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import gramfold

LOG_COSH = gramfold.scalar(
    value=lambda z, b: np.logaddexp(z - b, b - z) - np.log(2),
    slope=lambda z, b: np.tanh(z - b),
    curvature=lambda z, b: 1 - np.tanh(z - b) ** 2,
    largest_curvature=1.0,
    largest_slope=1.0,
    infimum=0.0,
)


def main(picture: Path) -> tuple[float, float]:
    """Learn points from their products, a tenth of them wrong; the errors with log cosh and with squares."""
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    truth = np.stack([np.cos(angle) * (2 + np.cos(5 * angle)), np.sin(angle) * (2 + np.cos(5 * angle))], axis=1)
    rows, cols = np.triu_indices(60)
    products = (truth @ truth.T)[rows, cols]
    wrong = rng.random(len(products)) < 0.1
    measured = np.where(wrong, products + rng.normal(0, 40, len(products)), products)

    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained", sharex=True, sharey=True)
    errors = []
    losses: dict[str, str | gramfold.scalar] = {"log cosh": LOG_COSH, "squares": "square"}
    for axis, (name, phi) in zip(axes, losses.items(), strict=True):
        result = gramfold.minimise(gramfold.entries(rows, cols, measured, phi), n=60, rank=2)
        points = turned(result.factor, truth)
        errors.append(float(np.linalg.norm(points - truth) / np.linalg.norm(truth)))
        axis.plot(*truth.T, color="0.7")
        axis.plot(*points.T, ".")
        axis.set_title(f"{name}: error {errors[-1]:.1%}")
        axis.set_aspect("equal")
    figure.savefig(picture)
    plt.close(figure)
    return errors[0], errors[1]


def turned(points: NDArray[np.float64], onto: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points, rotated onto others as well as can be: products say nothing of a rotation."""
    left, _, right = np.linalg.svd(points.T @ onto)
    return np.asarray(points @ left @ right)


if __name__ == "__main__":
    print("errors with log cosh and squares: {:.1%}, {:.1%}".format(*main(Path("custom_loss.png"))))
