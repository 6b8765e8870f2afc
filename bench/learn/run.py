"""The learning commands beside their rivals, on the same problems in one run. `cargo xtask bench learn` starts this."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from datetime import date
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from common import THREADS, machine, replace  # noqa: E402

os.environ |= {name: "1" for name in THREADS}  # Before NumPy is loaded.

import completing  # noqa: E402
import locating  # noqa: E402
import measuring  # noqa: E402
import metrics  # noqa: E402
from program import Gramfold  # noqa: E402

PACKAGES = ["numpy", "scipy", "numba", "scikit-learn", "statsmodels", "cmfrec"]

INTRODUCTION = """# The learning commands beside their rivals

`cargo xtask bench learn` writes these tables; what is measured is said in `bench/learn`. All times are CPU time of one thread. "Solver" is the
run alone, "whole command" also reads the file, proves what can be proved, and writes the answer. Each section carries its date and the load of the machine: on a busy one
CPU times are longer for all methods, so compare the columns of a row. Sections that are not here were not measured yet.
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gramfold", type=Path, required=True, help="the program")
    parser.add_argument("--passes", type=Path, help="the example that times single passes")
    parser.add_argument("--data", type=Path, help="men.txt, ionosphere.csv, sonar.csv")
    parser.add_argument("--out", type=Path, help="not used: everything is in the tables")
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="smaller and fewer problems, printed and not written")
    parser.add_argument("--only", action="append", help="this section; may be repeated")
    args = parser.parse_args()
    where = machine(PACKAGES)
    with tempfile.TemporaryDirectory() as work:
        gramfold, quick, data = Gramfold(args.gramfold, Path(work)), args.quick, args.data
        sections: dict[str, tuple[str, Callable[[], list[str]]]] = {
            "completion": ("Completion", lambda: completing.completion(gramfold, large=False)),
            "large": ("Completion of a large matrix", lambda: [] if quick else completing.completion(gramfold, large=True)),
            "scarce": ("Completion from few entries", lambda: completing.scarce(gramfold, quick)),
            "outliers": ("Completion with outliers", lambda: completing.outliers(gramfold, quick)),
            "words": ("Word pairs", lambda: completing.words(gramfold, data)),
            "passes": ("Single passes", lambda: completing.passes(args.passes, quick)),
            "metric": ("Metric learning", lambda: metrics.metric(gramfold, quick, data)),
            "locate": ("Localisation", lambda: locating.locate(gramfold, quick)),
            "noise": ("Localisation with noise", lambda: locating.noise(gramfold, quick)),
            "phases": ("Phase retrieval", lambda: measuring.phases(gramfold, quick)),
            "factors": ("Factor analysis", lambda: measuring.factors(gramfold, quick)),
            "nearest": ("Nearest correlation matrix", lambda: measuring.nearest(gramfold, quick)),
        }
        failed = []
        for name in args.only or sections:
            title, section = sections[name]
            print(f"## {title}", flush=True)
            try:
                lines = section()
            except Exception:  # The other sections still run; what the page says of this one stays.
                traceback.print_exc()
                failed.append(title)
                continue
            print("\n".join(lines), flush=True)
            if not quick:
                lines = [f"## {title}", "", *lines, "", f"{date.today().isoformat()}. {where}."]
                replace(args.docs / "learn-benchmarks.md", f"learn-{name}", INTRODUCTION, "\n".join(lines))
    if failed:
        sys.exit(f"Not measured: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
