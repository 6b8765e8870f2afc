"""Sensors placed by the distances that a few pairs of them can measure."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

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
    distances = np.full((len(truth), len(truth)), np.nan)
    distances[rows, cols] = true[near] * (1 + 0.01 * rng.standard_normal(near.sum()))
    placed = gramfold.locate(distances, anchors=dict(enumerate(corners))).positions
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


if __name__ == "__main__":
    print(f"error {main(Path('sensors.png')):.4f}")
