"""Labels of `gramfold cluster` and of its rivals, by graph: `cargo xtask bench labels` starts this, and it writes the tables of docs/cluster.md.

Labelled graphs are NAME.mtx or NAME.mtx.gz in DATA with classes NAME_labels.txt, one a line, −1 for none; the generated ones are in `GENERATED`, and those in `ASIDE` were made and
measured after everything was chosen. Everything that was measured is kept in OUT/quality.json, by graph, method and seed, and by the program's bytes for Gramfold: a second run measures only
what is missing, and rivals never again. The tables go between marks in the page: one of methods by graph, and one of what the default was chosen from.
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
    "walks": ["--similarity", "walks"],
    "mixed": ["--similarity", "mixed"],
}
# What the default was chosen from: all of these with all of those.
SIMILARITIES = [
    "weights",
    *(f"walks:window={window}" for window in (2, 3, 5, 10)),
    *(f"walks:window={window},measure=logarithm" for window in (3, 5, 10)),
    "walks:measure=indicator",
    "mixed",
]
NORMALISATIONS = ["none", "regularised", "symmetric"]
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


class Measure:
    """What the program and its rivals find on one graph."""

    def __init__(self, args, cache: Cache, weights, truth):
        self.args, self.cache, self.truth = args, cache, truth
        self.k = len(set(truth[truth >= 0].tolist()))
        self.weights = sp.csr_matrix(weights, dtype=float)
        self.weights.sort_indices()
        parts = (self.weights.indptr, self.weights.indices, self.weights.data, truth)
        self.name = digest(b"".join(part.tobytes() for part in parts))
        self.program = digest(args.gramfold.read_bytes())

    def labels(self, flags: list[str]) -> dict[str, float]:
        """Mean scores of the program with these flags."""
        with tempfile.TemporaryDirectory() as work:
            file = Path(work) / "graph.npz"
            sp.save_npz(file, self.weights, compressed=False)
            make = lambda seed: gramfold(self.args.gramfold, file, self.truth, self.k, seed, flags)
            return self.mean(lambda seed: self.cache.get([self.name, self.program, flags, seed], lambda: make(seed)))

    def rival(self, label: str) -> dict[str, float]:
        """Mean scores of a rival."""
        make = lambda seed: rivals.scores(np.asarray(RIVALS[label](self.weights, self.k, seed)), self.truth)
        return self.mean(lambda seed: self.cache.get([self.name, label, seed], lambda: make(seed)))

    def mean(self, run) -> dict[str, float]:
        runs = [run(seed) for seed in range(self.args.seeds)]
        return {what: statistics.mean(run[what] for run in runs) for what in runs[0]}


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


def means(sets: dict[str, list[Measure]]) -> str:
    """Mean NMI over each set of graphs, by similarity and normalisation."""
    of = lambda graphs, flags: statistics.mean(graph.labels(flags)["nmi"] for graph in graphs)
    columns = [(title, normalise) for title in sets for normalise in NORMALISATIONS]
    lines = ["| similarity | " + " | ".join(f"{title}, {normalise}" for title, normalise in columns) + " |", "|---|" + "--:|" * len(columns)]
    for similarity in SIMILARITIES:
        flags = lambda normalise: ["--similarity", similarity, "--normalise", normalise]
        found = [of(sets[title], flags(normalise)) for title, normalise in columns]
        lines.append(f"| `{similarity}` | " + " | ".join(f"{value:.3f}" for value in found) + " |")
        print(lines[-1], flush=True)
    found = ", ".join(f"{of(graphs, []):.3f} ({title})" for title, graphs in sets.items())
    return "\n".join(lines) + f"\n\nThe default: {found}."


def write(page: Path, name: str, text: str) -> None:
    """Writes a table of the page, between its marks."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, rest = page.read_text().split(begin)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gramfold", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=25_000, help="the largest graph")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    cache = Cache(args.out / "quality.json")
    tables, sets = [], {}
    made = lambda graphs: ((name, *make()) for name, make in graphs.items())
    for title, graphs in (("labelled", labelled(args.data, args.nodes)), ("generated", made(GENERATED)), ("kept aside", made(ASIDE))):
        rows, sets[title] = [], []
        for name, weights, truth in graphs:
            measure = Measure(args, cache, weights, truth)
            sets[title].append(measure)
            own = {label: measure.labels(flags) for label, flags in SETTINGS.items()}
            rows.append((name, own | {label: measure.rival(label) for label in RIVALS}))
            print(name, {method: round(scores["nmi"], 3) for method, scores in rows[-1][1].items()}, flush=True)
        tables.append(table(title, rows))
    version = subprocess.run([args.gramfold, "--version"], capture_output=True, text=True).stdout.strip()
    seeds = "one seed" if args.seeds == 1 else f"means of {args.seeds} seeds"
    about = f"`cargo xtask bench labels`, {date.today()}, {version}, {seeds}. {machine(['numpy', 'scipy', 'scikit-learn', 'igraph', 'leidenalg'])}."
    write(args.docs / "cluster.md", "quality", "\n\n".join([about, *tables]))
    write(args.docs / "cluster.md", "similarities", f"`cargo xtask bench labels`, {date.today()}, {version}, {seeds}.\n\n{means(sets)}")


if __name__ == "__main__":
    main()
