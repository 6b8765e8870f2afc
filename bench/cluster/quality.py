"""Labels of `gramfold cluster` and of its rivals, by graph: `cargo xtask bench labels` starts this, and it writes the tables of docs/cluster.md.

Labelled graphs are NAME.mtx or NAME.mtx.gz in DATA with classes NAME_labels.txt, one a line, −1 for none; the generated ones are in `GENERATED`, and those in `ASIDE` were made and
measured after everything was chosen. Everything that was measured is kept in OUT/quality.json, by graph, method and seed, and by the program's bytes for Gramfold: a second run measures only
what is missing, and rivals never again. The tables go between the lines `<!-- quality -->` and `<!-- end of quality -->`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import planted  # noqa: E402
import rivals  # noqa: E402
from common import machine  # noqa: E402

SETTINGS = {
    "default": [],
    "weights": ["--similarity", "weights"],
    "weights, symmetric": ["--similarity", "weights", "--normalise", "symmetric"],
    "walks": ["--similarity", "walks"],
    "walks, regularised": ["--similarity", "walks", "--normalise", "regularised"],
    "walks of 3": ["--similarity", "walks:window=3"],
    "walks, logarithm": ["--similarity", "walks:measure=logarithm"],
    "mixed": ["--similarity", "mixed"],
}
RIVALS = {
    "Leiden": rivals.leiden,
    "Leiden, true k": rivals.leiden_tuned,
    "Louvain": rivals.louvain,
    "spectral": rivals.spectral,
    "eigenvectors": rivals.eigenvectors,
}
GENERATED = {
    **{f"communities, 8, mixing 0.{m}": lambda m=m: planted.communities(8, 1000, m / 10, 16, 100 + m) for m in range(1, 7)},
    "partition, 5 of 150": lambda: planted.partition(5, 150, 10, 6, 301),
    "partition, 15 of 60": lambda: planted.partition(15, 60, 8, 5, 302),
    "clouds, 8": lambda: planted.clouds(8, 900, 4, 2.5, 303),
    "clouds, 15": lambda: planted.clouds(15, 1200, 3, 1.2, 304),
    "two moons": lambda: planted.moons(600, 0.08, 305),
    "two circles": lambda: planted.circles(600, 0.5, 0.06, 306),
    "iris": lambda: planted.points("iris"),
    "wine": lambda: planted.points("wine"),
    "breast cancer": lambda: planted.points("breast_cancer"),
}
ASIDE = {
    **{f"communities, 12, mixing 0.{m}": lambda m=m: planted.communities(12, 1500, m / 10, 20, 500 + m) for m in range(1, 7)},
    "partition, 9 of 90": lambda: planted.partition(9, 90, 9, 6, 511),
    "clouds, 10": lambda: planted.clouds(10, 1000, 5, 3.0, 512),
    "clouds, 6, in the plane": lambda: planted.clouds(6, 700, 2, 1.8, 513),
    "two moons, wider": lambda: planted.moons(500, 0.13, 514),
    "two circles, apart": lambda: planted.circles(500, 0.35, 0.05, 515),
}
MARKS = ("<!-- quality -->", "<!-- end of quality -->")


class Cache:
    """What was measured, in one file."""

    def __init__(self, file: Path):
        self.file = file
        self.known = json.loads(file.read_text()) if file.is_file() else {}

    def get(self, key: list, make) -> dict:
        name = hashlib.sha256(json.dumps(key).encode()).hexdigest()
        if name not in self.known:
            self.known[name] = make()
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(self.known))
        return self.known[name]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def gramfold(program: Path, graph: Path, truth, k: int, seed: int, flags: list[str]) -> dict:
    with tempfile.TemporaryDirectory() as out:
        command = [program, "cluster", graph, "-k", k, "--seed", seed, "--json", *flags, "--out", Path(out) / "solution"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{graph.name}: {done.stderr.strip()}")
        labels = np.loadtxt(Path(out) / "solution" / "labels.txt", dtype=int)
        spent = sum(part["cpu_seconds"] for part in json.loads(done.stdout)["timings"].values())
    return {**rivals.scores(labels, truth), "seconds": spent}


def measured(args, cache: Cache, weights, truth) -> dict[str, dict]:
    """The mean scores of every method on one graph."""
    k = len(set(truth[truth >= 0].tolist()))
    weights = sp.csr_matrix(weights, dtype=float)
    weights.sort_indices()
    name = digest(weights.indptr.tobytes() + weights.indices.tobytes() + weights.data.tobytes() + truth.tobytes())
    program = digest(args.gramfold.read_bytes())
    found: dict[str, list[dict]] = {}
    with tempfile.TemporaryDirectory() as work:
        file = Path(work) / "graph.npz"
        sp.save_npz(file, weights, compressed=False)
        for seed in range(args.seeds):
            for label, flags in SETTINGS.items():
                if label != "default" and label not in args.settings:
                    continue
                make = lambda: gramfold(args.gramfold, file, truth, k, seed, flags)
                found.setdefault(label, []).append(cache.get([name, program, flags, seed], make))
            for label, method in RIVALS.items():
                make = lambda: rivals.scores(np.asarray(method(weights, k, seed)), truth)
                found.setdefault(label, []).append(cache.get([name, label, seed], make))
    return {label: {what: statistics.mean(run[what] for run in runs) for what in runs[0]} for label, runs in found.items()}


def labelled(data: Path, nodes: int):
    """The graphs of a directory: their names, weights and classes."""
    for file in sorted(data.glob("*_labels.txt")):
        name = file.name.removesuffix("_labels.txt")
        graph = next((path for ending in (".mtx", ".mtx.gz") if (path := data / (name + ending)).is_file()), None)
        truth = np.loadtxt(file, dtype=int)
        if graph is not None and len(truth) <= nodes:
            yield name, scipy.io.mmread(graph), truth


def table(title: str, rows: list[tuple[str, dict[str, dict]]]) -> str:
    """NMI of every method; accuracy and ARI of the default, too."""
    methods = list(rows[0][1])
    lines = [f"| {title} | " + " | ".join(["default: accuracy / ARI", *methods]) + " |", "|---|--:|" + "--:|" * len(methods)]

    def line(name: str, scores: dict[str, dict]) -> str:
        own = f"{scores['default']['accuracy']:.3f} / {scores['default']['ari']:.3f}"
        return f"| {name} | {own} | " + " | ".join(f"{scores[method]['nmi']:.3f}" for method in methods) + " |"

    lines += [line(name, scores) for name, scores in rows]
    mean = lambda method, what: statistics.mean(scores[method][what] for _, scores in rows)
    lines.append(line("mean", {m: {w: mean(m, w) for w in ("nmi", "accuracy", "ari")} for m in methods}))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gramfold", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=25_000, help="the largest graph")
    parser.add_argument(
        "--settings", type=lambda text: text.split(";"), default=["weights", "walks", "mixed"], help="settings beside the default, by `;`"
    )
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    cache = Cache(args.out / "quality.json")
    tables = []
    made = lambda graphs: ((name, *make()) for name, make in graphs.items())
    for title, graphs in (("labelled", labelled(args.data, args.nodes)), ("generated", made(GENERATED)), ("kept aside", made(ASIDE))):
        rows = []
        for name, weights, truth in graphs:
            rows.append((name, measured(args, cache, weights, truth)))
            print(name, {method: round(scores["nmi"], 3) for method, scores in rows[-1][1].items()}, flush=True)
        tables.append(table(title, rows))
    version = subprocess.run([args.gramfold, "--version"], capture_output=True, text=True).stdout.strip()
    seeds = "one seed" if args.seeds == 1 else f"means of {args.seeds} seeds"
    about = f"`cargo xtask bench labels`, {date.today()}, {version}, {seeds}. {machine(['numpy', 'scipy', 'scikit-learn', 'igraph', 'leidenalg'])}."
    text = "\n\n".join([about, *tables])
    print(text)
    page = args.docs / "cluster.md"
    before, rest = page.read_text().split(MARKS[0])
    page.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


if __name__ == "__main__":
    main()
