"""How often `gramfold cluster -k 2..24` chooses the number of classes: the table of docs/cluster.md.

    python3 bench/cluster/choice.py target/release/gramfold DATA [--nodes 6000]

Needs numpy, scipy and scikit-learn. Graphs of the directory are NAME.mtx or NAME.mtx.gz with classes NAME_labels.txt, one a line, −1 for none; those with at most 20
classes are taken. The generated graphs are not those that the rule was made on, but of the same kinds: planted partitions, graphs with degrees and sizes of communities that follow power
laws (after LFR), and neighbour graphs of Gaussian clouds, moons and circles.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

import scipy.io

from planted import circles, clouds, communities, moons, partition, points


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
    "clouds, 5, in the plane": lambda: clouds(5, 500, 2, 1.2, 15),
    "two moons": lambda: moons(500, 0.08, 16),
    "two moons, wider": lambda: moons(500, 0.12, 17),
    "two circles": lambda: circles(500, 0.4, 0.05, 18),
    "iris": lambda: points("iris"),
    "wine": lambda: points("wine"),
    "breast cancer": lambda: points("breast_cancer"),
}


def said(reason: str) -> str:
    """What each witness speaks for, as cells of a table: weights, walks, modularity, and parts where those decide."""
    patterns = ["weights is at", "walks is at", "modularity is at", "fall apart into"]
    found = [re.search(f"{pattern} (\\d+)", reason) for pattern in patterns]
    return " | ".join(match.group(1) if match else "" for match in found)


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
    print("| graph | classes | chosen | weights | walks | modularity | parts |\n|---|--:|--:|--:|--:|--:|--:|", flush=True)
    right = {"of the directory": [], "generated": []}

    def judge(kind: str, name: str, graph: Path, k: int) -> None:
        found, reason = chosen(args.gramfold, graph)
        right[kind].append(found is not None and abs(found - k) <= 0.1 * k)
        print(f"| {name} | {k} | {found} | {said(reason)} |", flush=True)

    for truth in sorted(args.data.glob("*_labels.txt")):
        name = truth.name.removesuffix("_labels.txt")
        graph = next((file for ending in (".mtx", ".mtx.gz") if (file := args.data / (name + ending)).is_file()), None)
        labels = truth.read_text().split()
        k = len({label for label in labels if int(label) >= 0})
        if graph is not None and len(labels) <= args.nodes and k <= 20:
            judge("of the directory", name, graph, k)
    with tempfile.TemporaryDirectory() as work:
        for name, make in GENERATED.items():
            weights, labels = make()
            k = len(set(labels.tolist()))
            graph = Path(work) / "g.mtx"
            scipy.io.mmwrite(graph, weights, symmetry="symmetric")
            judge("generated", name, graph, k)
    for kind, judged in right.items():
        print(f"\n{kind}: {sum(judged)} of {len(judged)} within a tenth")


if __name__ == "__main__":
    main()
