"""Sensors placed by the distances that a few pairs of them can measure."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

import gramfold


def main(picture: Path) -> float:
    """Place 60 sensors from noisy distances within reach and four known corners; the root of the mean squared error."""
    rng = np.random.default_rng(1)
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    truth = np.concatenate([corners, rng.random((56, 2))])
    rows, cols = np.triu_indices(len(truth), 1)
    true = np.linalg.norm(truth[rows] - truth[cols], axis=1)
    near = (true < 0.4) | (cols < 4)
    rows, cols = rows[near], cols[near]
    measured = true[near] * (1 + 0.01 * rng.standard_normal(near.sum()))
    loss = gramfold.distances(rows, cols, measured**2, weights=1 / measured**2)
    placed = moved(gramfold.minimise(loss, n=len(truth), rank=2).factor, corners)
    error = float(np.sqrt(((placed[4:] - truth[4:]) ** 2).sum(axis=1).mean()))
    figure, axis = plt.subplots(figsize=(4.4, 4.4), layout="constrained")
    axis.add_collection(LineCollection([truth[[i, j]] for i, j in zip(rows, cols, strict=True)], colors="0.9", linewidths=0.5))
    axis.plot(*truth.T, "o", markersize=6, markerfacecolor="none", label="where they are")
    axis.plot(*placed.T, ".", label="where they were placed")
    axis.plot(*corners.T, "s", color="0.3", label="known")
    axis.legend(fontsize=7, loc="lower right")
    axis.set_title(f"{len(rows)} distances, error {error:.3f}")
    figure.savefig(picture)
    plt.close(figure)
    return error


def moved(points: NDArray[np.float64], onto: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points, shifted and rotated so that the first lie on the known ones as well as can be."""
    first = points[: len(onto)]
    left, _, right = np.linalg.svd((first - first.mean(axis=0)).T @ (onto - onto.mean(axis=0)))
    return np.asarray((points - first.mean(axis=0)) @ left @ right + onto.mean(axis=0))


if __name__ == "__main__":
    print(f"error {main(Path('sensors.png')):.4f}")
