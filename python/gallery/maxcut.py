"""A heavy cut of a random graph, and a bound that no cut can pass."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx

import gramfold


def main(picture: Path) -> gramfold.Cut:
    """Cut a random graph in two."""
    graph = nx.gnp_random_graph(60, 0.1, seed=4)
    cut = gramfold.maxcut(graph)
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    place = nx.spring_layout(graph, seed=2)
    across = [(i, j) for i, j in graph.edges if cut.side[i] != cut.side[j]]
    nx.draw_networkx_nodes(graph, place, ax=axis, node_color=cut.side, cmap="Set2", node_size=50)
    nx.draw_networkx_edges(graph, place, ax=axis, edgelist=across, alpha=0.5)
    axis.set_title(f"{cut.weight:.0f} of {graph.number_of_edges()} edges cut; no cut has more than {cut.limit:.0f}")
    axis.set_axis_off()
    figure.savefig(picture)
    plt.close(figure)
    return cut


if __name__ == "__main__":
    print(main(Path("maxcut.png")))
