"""Handwritten digits, clustered without their labels."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import normalized_mutual_info_score

import gramfold


def main(picture: Path) -> float:
    """Cluster the digits; the normalised mutual information with what they are."""
    digits = load_digits()
    images, truth = digits.data[:600], digits.target[:600]
    model = gramfold.SymNMF(n_clusters=10, affinity="nearest_neighbors", random_state=0)
    labels = model.fit_predict(images)
    figure, axes = plt.subplots(2, 5, figsize=(6, 3), layout="constrained")
    for k, axis in enumerate(axes.flat):
        axis.imshow(images[labels == k].mean(axis=0).reshape(8, 8), cmap="Greys")
        axis.set_title(f"{np.sum(labels == k)} images", fontsize=8)
        axis.set_axis_off()
    figure.savefig(picture)
    plt.close(figure)
    return float(normalized_mutual_info_score(truth, labels))


if __name__ == "__main__":
    print(f"NMI {main(Path('digits.png')):.3f}")
