"""How often `gramfold cluster -k 2..24` chooses the number of classes: the table of docs/cluster.md.

    python3 bench/cluster/choice.py target/release/gramfold DATA [--nodes 6000]

Needs numpy and scipy. Graphs of the directory are NAME.mtx or NAME.mtx.gz with classes NAME_labels.txt, one a line, −1 for none; those with at most 20
classes are taken. The generated graphs are not those that the rule was made on, but of the same kinds: planted partitions, graphs with degrees and sizes of communities that follow power
laws (after LFR), and neighbour graphs of Gaussian clouds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp


def matrix(n: int, edges: set[tuple[int, int]]):
    a, b = np.array(sorted(edges)).T
    return sp.coo_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()


def partition(k: int, size: int, inside: float, outside: float, seed: int):
    """k blocks of equal size; mean degrees inside and outside of them."""
    random = np.random.default_rng(seed)
    n = k * size
    labels = np.repeat(np.arange(k), size)
    chance = np.where(labels[:, None] == labels[None, :], inside / size, outside / (n - size))
    upper = np.triu(random.random((n, n)) < chance, 1)
    return sp.csr_array((upper | upper.T).astype(float)), k


def communities(k: int, n: int, mixing: float, degree: float, seed: int):
    """k communities of uneven sizes; `mixing` of the links lead anywhere."""
    random = np.random.default_rng(seed)
    sizes = np.maximum((random.random(k) * 0.8 + 0.2) ** -0.9, 0)
    labels = random.choice(k, n, p=sizes / sizes.sum())
    degrees = np.minimum((1 - random.random(n)) ** (-1 / 1.5), 8.0)
    degrees *= degree / degrees.mean()
    edges: set[tuple[int, int]] = set()

    def join(nodes, links) -> None:
        ends = np.repeat(nodes, np.floor(links + random.random(len(nodes))).astype(int))
        random.shuffle(ends)
        edges.update((min(a, b), max(a, b)) for a, b in zip(ends[::2].tolist(), ends[1::2].tolist()) if a != b)

    for community in range(k):
        nodes = np.flatnonzero(labels == community)
        join(nodes, (1 - mixing) * degrees[nodes])
    join(np.arange(n), mixing * degrees)
    return matrix(n, edges), k


def clouds(k: int, n: int, dimensions: int, spread: float, seed: int):
    """Gaussian clouds around corners of a cube, joined to their ten nearest neighbours."""
    random = np.random.default_rng(seed)
    centres = random.uniform(-10, 10, (k, dimensions))
    points = centres[np.arange(n) % k] + spread * random.standard_normal((n, dimensions))
    squared = ((points[:, None, :] - points[None, :, :]) ** 2).sum(2)
    np.fill_diagonal(squared, np.inf)
    near = np.argsort(squared, axis=1)[:, :10]
    return matrix(n, {(min(i, j), max(i, j)) for i in range(n) for j in near[i].tolist()}), k


GENERATED = {
    "partition, 4 of 100": lambda: partition(4, 100, 10, 4, 1),
    "partition, 7 of 80": lambda: partition(7, 80, 12, 6, 2),
    "partition, 12 of 60": lambda: partition(12, 60, 10, 5, 3),
    "partition, 16 of 50": lambda: partition(16, 50, 10, 8, 4),
    "communities, 5, mixing 0.2": lambda: communities(5, 800, 0.2, 14, 5),
    "communities, 8, mixing 0.3": lambda: communities(8, 800, 0.3, 14, 6),
    "communities, 10, mixing 0.4": lambda: communities(10, 1000, 0.4, 18, 7),
    "communities, 14, mixing 0.2": lambda: communities(14, 1000, 0.2, 14, 8),
    "communities, 18, mixing 0.3": lambda: communities(18, 1200, 0.3, 18, 9),
    "communities, 8, mixing 0.6": lambda: communities(8, 800, 0.6, 18, 10),
    "clouds, 4, apart": lambda: clouds(4, 500, 5, 1.5, 11),
    "clouds, 9, apart": lambda: clouds(9, 700, 6, 1.5, 12),
    "clouds, 6, near": lambda: clouds(6, 600, 4, 3.0, 13),
    "clouds, 15, in the plane": lambda: clouds(15, 900, 2, 0.6, 14),
}


def chosen(program: Path, graph: Path) -> tuple[int | None, str]:
    """The recommended number and its reason."""
    with tempfile.TemporaryDirectory() as out:
        command = [program, "cluster", graph, "-k", "2..24", "--tol", "1e-3", "--json", "--out", Path(out) / "solution"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{graph}: {done.stderr.strip()}")
        scan = json.loads(done.stdout)["scan"]
        return scan["recommended"], scan["reason"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gramfold", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--nodes", type=int, default=6_000, help="the largest graph")
    args = parser.parse_args()
    print("| graph | classes | chosen | reason |\n|---|--:|--:|---|", flush=True)
    right = {"of the directory": [], "generated": []}

    def judge(kind: str, name: str, graph: Path, k: int) -> None:
        found, reason = chosen(args.gramfold, graph)
        right[kind].append(found is not None and abs(found - k) <= 0.1 * k)
        print(f"| {name} | {k} | {found} | {reason} |", flush=True)

    for truth in sorted(args.data.glob("*_labels.txt")):
        name = truth.name.removesuffix("_labels.txt")
        graph = next((file for ending in (".mtx", ".mtx.gz") if (file := args.data / (name + ending)).is_file()), None)
        labels = truth.read_text().split()
        k = len({label for label in labels if int(label) >= 0})
        if graph is not None and len(labels) <= args.nodes and k <= 20:
            judge("of the directory", name, graph, k)
    with tempfile.TemporaryDirectory() as work:
        for name, make in GENERATED.items():
            weights, k = make()
            graph = Path(work) / "g.mtx"
            scipy.io.mmwrite(graph, weights, symmetry="symmetric")
            judge("generated", name, graph, k)
    for kind, judged in right.items():
        print(f"\n{kind}: {sum(judged)} of {len(judged)} within a tenth")


if __name__ == "__main__":
    main()
