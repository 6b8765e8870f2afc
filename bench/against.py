"""Two builds of `gramfold` side by side: CPU time of whole commands, one thread, in turns.

    python bench/against.py OLD NEW --data ../shared/data/sdp/sdplib [--runs 5] [--only NAME]…

OLD and NEW are binaries. Prints a table with the median CPU time of each and their ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = (
    "arch0 control1 control3 gpp100 hinf1 mcp100 mcp124-1 mcp500-1 qap5 qap6 qap8 "
    "theta1 theta2 theta4 truss1 truss2 truss6 thetaG11 maxG11"
).split()
LOWRANK = ["mcp500-1", "qap5", "theta1"]


def run(binary: str, arguments: list[str]) -> tuple[float, dict]:
    """CPU seconds of one command, and the JSON that it prints; it writes to a new directory."""
    with tempfile.TemporaryDirectory() as directory:
        command = [binary, *arguments, "--threads", "1", "--json", "--out", f"{directory}/answer"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        out = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, json.loads(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs=2)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    cases = [(name, name, []) for name in PROGRAMS]
    cases += [(f"{name} (lowrank)", name, ["--method", "lowrank"]) for name in LOWRANK]
    print("| program | old | new | new/old | iterations |\n|---|---:|---:|---:|---|")
    for label, name, flags in cases:
        if options.only and label not in options.only:
            continue
        file = next(options.data.rglob(f"{name}.dat-s"), None)
        if file is None:
            print(f"| {label} | not there | | | |")
            continue
        times, iterations = ([], []), [0, 0]
        for _ in range(options.runs):
            for which, binary in enumerate(options.binaries):
                seconds, answer = run(binary, ["solve", str(file), *flags])
                times[which].append(seconds)
                iterations[which] = answer.get("iterations", "?")
        old, new = (statistics.median(t) for t in times)
        print(
            f"| {label} | {1e3 * old:.1f} ms | {1e3 * new:.1f} ms | {new / old:.2f} | "
            f"{iterations[0]} → {iterations[1]} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
