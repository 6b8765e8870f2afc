"""NMI of `gramfold cluster` by similarity, over the labelled graphs of a directory: the table of docs/cluster.md.

    python3 bench/cluster/quality.py target/release/gramfold DATA [--seeds 1] [--nodes 25000]

Needs nothing but Python. A graph is NAME.mtx or NAME.mtx.gz, its classes NAME_labels.txt, one a line, −1 for none.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

SETTINGS = {
    "weights": ["--similarity", "weights"],
    "walks": ["--similarity", "walks"],
    "mixed": ["--similarity", "mixed:measure=logarithm"],
    "default": [],
}


def measured(program: Path, graph: Path, truth: Path, k: int, seeds: int, flags: list[str]) -> float:
    """The mean NMI over the seeds."""
    scores = []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as out:
            command = [program, "cluster", graph, "-k", k, "--truth", truth, "--seed", seed, "--json", *flags]
            command += ["--out", Path(out) / "solution"]
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            if done.returncode not in (0, 1):
                raise SystemExit(f"{graph.name}: {done.stderr.strip()}")
            scores.append(json.loads(done.stdout)["nmi"])
    return statistics.mean(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gramfold", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=25_000, help="the largest graph")
    args = parser.parse_args()
    rows = []
    print("| graph | " + " | ".join(SETTINGS) + " |\n|---|" + "--:|" * len(SETTINGS), flush=True)
    for truth in sorted(args.data.glob("*_labels.txt")):
        name = truth.name.removesuffix("_labels.txt")
        graph = next((file for ending in (".mtx", ".mtx.gz") if (file := args.data / (name + ending)).is_file()), None)
        labels = truth.read_text().split()
        if graph is None or len(labels) > args.nodes:
            continue
        k = len({label for label in labels if int(label) >= 0})
        row = [measured(args.gramfold, graph, truth, k, args.seeds, flags) for flags in SETTINGS.values()]
        rows.append(row)
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in row) + " |", flush=True)
    if rows:
        print("| mean | " + " | ".join(f"{statistics.mean(column):.3f}" for column in zip(*rows)) + " |")


if __name__ == "__main__":
    main()
