"""What the benchmarks share: threads, where they run, and how they write into the pages."""

from __future__ import annotations

import math
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

THREADS = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"]


def threads(count: int) -> dict:
    """The environment in which libraries use so many threads."""
    return os.environ | {name: str(count) for name in THREADS}


def machine(packages: list[str]) -> str:
    """One line about where this ran."""
    model = platform.processor() or "unknown processor"
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    found = []
    for name in packages:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    return (
        f"{model}, {os.cpu_count()} cores, load {load:.1f} at the start, {platform.system()} "
        f"{platform.release()}; Python {platform.python_version()}, {', '.join(found)}"
    )


def seconds(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def markers(name: str) -> tuple[str, str]:
    """What stands before and after the part of a page that a benchmark writes."""
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def replace(page: Path, name: str, introduction: str, section: str) -> None:
    """Replaces what is between the markers of the page, which begins with the introduction if it is new."""
    begin, end = markers(name)
    page.parent.mkdir(parents=True, exist_ok=True)
    text = page.read_text() if page.is_file() else introduction
    if begin not in text or end not in text:
        text = text.rstrip() + f"\n\n{begin}\n{end}\n"
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    page.write_text(before + begin + "\n" + section + "\n" + end + after)
