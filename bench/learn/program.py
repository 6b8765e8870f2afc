"""The program that is measured, and how CPU time is taken."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class Gramfold:
    """The program, one thread."""

    def __init__(self, program: Path, work: Path):
        self.program, self.work = program, work

    def run(self, *args: Any) -> dict:
        """What a command claims, with the CPU time of its solver (`solver`) and of all of it (`whole`), and the directory."""
        out = self.work / "out"
        line = [str(self.program), *map(str, args), "--threads", "1", "--json", "--out", str(out)]
        before = os.times()
        done = subprocess.run(line, capture_output=True, text=True)
        after = os.times()
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(line)}: {done.stderr}")
        claims = json.loads(done.stdout)
        claims["whole"] = after.children_user + after.children_system - before.children_user - before.children_system
        claims["solver"] = claims["timings"]["run"]["cpu_seconds"]
        claims["warned"] = "warning" in done.stderr
        claims["out"] = out
        return claims

    def best(self, repeats: int, *args: Any) -> dict:
        """The same, with the least of each time."""
        runs = [self.run(*args) for _ in range(repeats)]
        return runs[-1] | {part: min(run[part] for run in runs) for part in ("solver", "whole")}

    def factor(self, claims: dict, name: str = "factor.npy") -> np.ndarray:
        return np.load(claims["out"] / name)


def timed(run: Callable[[], Any], repeats: int = 1) -> tuple[Any, float]:
    """The last result, and the least CPU time."""
    least, result = np.inf, None
    for _ in range(repeats):
        clock = time.process_time()
        result = run()
        least = min(least, time.process_time() - clock)
    return result, least
