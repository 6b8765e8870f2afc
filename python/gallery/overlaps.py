"""A social network whose members belong to more than one circle."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import gramfold


def main(picture: Path) -> list[int]:
    """Draw the soft memberships of a karate club; the members who stand between both sides."""
    club = nx.karate_club_graph()
    model = gramfold.SymNMF(n_clusters=2, random_state=0)
    model.fit(nx.to_scipy_sparse_array(club, weight=None, dtype=float))
    share = model.memberships_[:, 0]
    between = [int(node) for node in np.flatnonzero((share > 0.25) & (share < 0.75))]
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    place = nx.spring_layout(club, seed=1)
    nx.draw_networkx(club, place, ax=axis, node_color=share, cmap="coolwarm", font_size=7, node_size=180)
    axis.set_title(f"{model.certificate_.words.splitlines()[0][:70]} …", fontsize=7)
    axis.set_axis_off()
    figure.savefig(picture)
    plt.close(figure)
    return between


if __name__ == "__main__":
    print("between both sides:", main(Path("overlaps.png")))
