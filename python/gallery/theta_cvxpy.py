"""The Lovász number of a graph, written in CVXPY."""

from __future__ import annotations

import math
from pathlib import Path

import cvxpy as cp
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import gramfold


def lovasz(graph: nx.Graph) -> float:
    """θ of a graph."""
    n = graph.number_of_nodes()
    X = cp.Variable((n, n), PSD=True)
    constraints = [cp.trace(X) == 1, *(X[i, j] == 0 for i, j in graph.edges)]
    problem = cp.Problem(cp.Maximize(cp.sum(X)), constraints)
    return float(problem.solve(solver=gramfold.CvxpySolver()))


def main(picture: Path) -> float:
    """θ of odd cycles beside the formula; the largest difference."""
    sizes = np.arange(5, 16, 2)
    found = np.array([lovasz(nx.cycle_graph(n)) for n in sizes])
    known = np.array([n * math.cos(math.pi / n) / (1 + math.cos(math.pi / n)) for n in sizes])
    figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
    axis.plot(sizes, known, label="n cos(π/n)/(1 + cos(π/n))")
    axis.plot(sizes, found, "o", label="CVXPY and Gramfold")
    axis.set_xlabel("nodes of the cycle")
    axis.set_ylabel("θ")
    axis.legend()
    figure.savefig(picture)
    plt.close(figure)
    return float(np.abs(found - known).max())


if __name__ == "__main__":
    print(f"largest difference {main(Path('theta.png')):.1e}")
