"""Similarities of words, most of them missing: what is known of a few pairs says how alike the others are."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gramfold

PROPERTIES = {
    "animal": "cat dog horse cow salmon shark eagle sparrow bee ant",
    "pet": "cat dog sparrow",
    "farm": "horse cow tractor",
    "swims": "salmon shark boat submarine",
    "flies": "eagle sparrow bee plane helicopter",
    "wheels": "car bus bicycle tractor plane",
    "engine": "car bus tractor boat submarine plane helicopter",
    "fruit": "apple pear cherry lemon",
    "food": "apple pear cherry lemon salmon cow bread cheese rice",
    "sweet": "apple pear cherry",
    "small": "bee ant cherry sparrow rice",
    "large": "horse cow shark bus plane submarine",
    "carries people": "horse car bus bicycle boat plane helicopter submarine",
    "dangerous": "shark eagle bee",
    "fur": "cat dog horse cow",
    "made": "car bus bicycle tractor boat submarine plane helicopter bread cheese",
}


def similarities() -> tuple[list[str], np.ndarray]:
    """The words, and for each pair how far they share their properties: the cosine."""
    words = sorted({word for listed in PROPERTIES.values() for word in listed.split()})
    table = np.array([[float(word in listed.split()) for listed in PROPERTIES.values()] for word in words])
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return words, table @ table.T


def main(picture: Path) -> float:
    """Complete the similarities from half of them; the correlation with those that were hidden."""
    words, truth = similarities()
    n = len(words)
    rows, cols = np.triu_indices(n, 1)
    seen = np.random.default_rng(3).random(len(rows)) < 0.5
    known = truth.copy()
    known[rows[~seen], cols[~seen]] = known[cols[~seen], rows[~seen]] = np.nan
    completed = gramfold.complete(known)  # Rank, ridge and biases are chosen by entries that are held out.
    found, hidden = completed.predict(rows[~seen], cols[~seen]), truth[rows[~seen], cols[~seen]]
    correlation = float(np.corrcoef(found, hidden)[0, 1])
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    axis.plot(hidden, found, ".", alpha=0.5)
    axis.axline((0, 0), slope=1, color="0.7", linewidth=1)
    best = np.argsort(-found)[:4]
    for k in best:
        i, j = rows[~seen][k], cols[~seen][k]
        axis.annotate(f"{words[i]}, {words[j]}", (hidden[k], found[k]), fontsize=7)
    axis.set_xlabel("similarity that was hidden")
    axis.set_ylabel("completed")
    axis.set_title(f"{seen.sum()} of {len(rows)} pairs known; correlation {correlation:.2f} on the others", fontsize=9)
    figure.savefig(picture)
    plt.close(figure)
    return correlation


if __name__ == "__main__":
    print(f"correlation {main(Path('words.png')):.3f}")
