"""The whole command beside a short program: `cargo xtask bench whole` starts this.

The short program reads the same file with SciPy, normalises it and runs projected Barzilai–Borwein steps from a random start
until the objective is within 1e-6 of what it comes to. It proves nothing and writes nothing. Imports are not on its clock.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import graphs  # noqa: E402
import rivals  # noqa: E402
from common import machine, replace, seconds, threads  # noqa: E402

# Within this of the limit; and so many runs of each, in turn.
WITHIN, RUNS = 1e-6, 5
PARTS = ["read", "similarity", "start", "run", "certificate", "write"]


class Clocked(rivals.Run):
    """A run whose clock never stops: the objective comes with the step, and is not evaluated."""

    def __init__(self, a, clock):
        super().__init__(a, float("inf"), clock)
        self.points, self.state = [], None

    def record(self, x, asymmetry: float = 0.0, steps: int = 1) -> None:
        self.points.append((self.clock(), self.state.value))
        recent = [value for _, value in self.points[-rivals.WINDOW :]]
        if len(recent) == rivals.WINDOW and recent[0] - recent[-1] <= 1e-9 * recent[-1]:
            raise rivals.Done


def peer(path: Path, k: int, seed: int) -> float:
    """CPU seconds of the short program."""
    begin = time.process_time()
    a = graphs.normalised(sp.csr_matrix(scipy.io.mmread(path), dtype=float))
    run = Clocked(a, time.process_time)
    folded = rivals.Folded

    def seen(*args):
        run.state = folded(*args)
        return run.state

    rivals.Folded = seen
    try:
        rivals.pbb(run, k, seed)
    except rivals.Done:
        pass
    rivals.Folded = folded
    limit = min(value for _, value in run.points)
    return next(at for at, value in run.points if value <= limit * (1 + WITHIN)) - begin


def whole(program: Path, path: Path, k: int, more: list[str], out: Path) -> dict:
    """What one command took: CPU seconds of the process, and of its parts."""
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "cluster", path, "-k", k, "--threads", 1, "--json", "--out", out, *more]
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    claims = json.loads(text)
    parts = {part: claims["timings"].get(part, {}).get("cpu_seconds", 0.0) for part in PARTS}
    # Its own account of its memory: that of the system begins with this process, before the program takes its place.
    return {"seconds": usage.ru_utime + usage.ru_stime, "memory": claims["peak_memory_bytes"], "parts": parts}


def measure(program: Path, path: Path, k: int, work: Path) -> dict:
    """The commands and the short program, in turn."""
    found = {"weights": [], "default": [], "peer": []}
    for seed in range(RUNS):
        found["weights"].append(whole(program, path, k, ["--similarity", "weights"], work / "out"))
        found["default"].append(whole(program, path, k, [], work / "out"))
        command = [sys.executable, __file__, "--peer", path, "-k", k, "--seed", seed]
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=True, env=threads(1)
        )
        found["peer"].append(float(done.stdout))
    best = {name: min(found[name], key=lambda run: run["seconds"]) for name in ("weights", "default")}
    return {**best, "peer": statistics.median(found["peer"])}


def table(results: dict) -> str:
    """The section of docs/benchmarks.md."""
    lines = [
        "## The whole command",
        "",
        f"`cargo xtask bench whole`, {results['date']}, {results['gramfold']}. {results['machine']}.",
        "",
        f"CPU seconds of the whole command on one thread: reading, similarity, start, run, certificate and writing, the least of {RUNS} runs. "
        f"`SciPy + PBB`: reading the same file with SciPy, normalising it and projected Barzilai–Borwein from a random start until the objective is "
        f"within {WITHIN:g} of its limit, the median of {RUNS} seeds, without imports, a proof or files. Ratio: that over the command with "
        "`--similarity weights`, which factorises the same matrix. Share: of the certificate.",
        "",
        "| graph | k | SciPy + PBB | `--similarity weights` | ratio | start | run | certificate | share | write | default | its run | its certificate | memory |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["graphs"]:
        weights, default = row["weights"], row["default"]
        parts, more = weights["parts"], default["parts"]
        share = parts["certificate"] / weights["seconds"]
        lines.append(
            f"| {row['name']} | {row['k']} | {seconds(row['peer'])} | {seconds(weights['seconds'])} "
            f"| {row['peer'] / weights['seconds']:.2f} | {seconds(parts['start'])} | {seconds(parts['run'])} "
            f"| {seconds(parts['certificate'])} | {share:.0%} | {seconds(parts['write'])} | {seconds(default['seconds'])} "
            f"| {seconds(more['run'])} | {seconds(more['certificate'])} | {default['memory'] / 1e6:.0f} MB |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gramfold", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--graphs", help="names, with commas between them; all that have labels by default")
    parser.add_argument("--peer", type=Path)
    parser.add_argument("-k", type=int)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    if args.peer:
        print(peer(args.peer, args.k, args.seed))
        return
    work = args.out / "whole"
    work.mkdir(parents=True, exist_ok=True)
    results = {
        "date": date.today().isoformat(), "machine": machine(["numpy", "scipy"]), "graphs": [],
        "gramfold": subprocess.run([args.gramfold, "--version"], capture_output=True, text=True).stdout.strip(),
    }
    wanted = args.graphs.split(",") if args.graphs else None
    cases = []
    for truth in args.data.glob("*_labels.txt"):
        name = truth.name.removesuffix("_labels.txt")
        files = [file for file in (args.data / f"{name}.mtx", args.data / f"{name}.mtx.gz") if file.is_file()]
        if files and (wanted is None or name in wanted):
            labels = np.loadtxt(truth, dtype=int)
            cases.append((len(labels), name, files[0], len(set(labels[labels >= 0]))))
    for _, name, file, k in sorted(cases):
        row = {"name": name.removesuffix("_knn"), "k": k, **measure(args.gramfold, file, k, work)}
        results["graphs"].append(row)
        print(f"{row['name']}: {row['peer']:.3f} {row['weights']['seconds']:.3f} {row['default']['seconds']:.3f}",
              file=sys.stderr, flush=True)
        (args.out / "whole.json").write_text(json.dumps(results, indent=1))
    if wanted is None:
        replace(args.docs / "benchmarks.md", "whole", "# Benchmarks\n", table(results))


if __name__ == "__main__":
    main()
