"""The Python package beside its rivals, in CPU time: clusterings of graphs and CVXPY problems."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from common import machine, replace, threads  # noqa: E402

os.environ.update(threads(1))  # Before anything starts threads.
import clustering  # noqa: E402
import conic  # noqa: E402

PACKAGES = ["gramfold", "numpy", "scipy", "scikit-learn", "cvxpy", "scs", "clarabel"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gramfold", type=Path, required=True, help="the program")
    parser.add_argument("--out", type=Path, help="not used: everything is in the tables")
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    where = machine(PACKAGES)
    graphs = ["| graph | method | CPU | ½‖A−XXᵀ‖² | ARI |", "|---|---|---|---|---|"]
    graphs += clustering.table("digits, 1 797 nodes, k = 10", *clustering.digits(), 10, args.gramfold)
    n = 2_000 if args.quick else 20_000
    graphs += clustering.table(f"communities, {n} nodes, k = 10", *clustering.communities(n, 10), 10, args.gramfold)
    print("\n".join(graphs), flush=True)
    solved = ["| problem | solver | CVXPY, CPU | solver, CPU | value | status |", "|---|---|---|---|---|---|"]
    print("\n".join(solved), flush=True)
    solved += conic.table(args.quick)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    section = f"{today}, `cargo xtask bench python`. {where}\n\n" + "\n".join(graphs) + "\n\n" + "\n".join(solved)
    if not args.quick:
        replace(args.docs / "python.md", "python-benchmark", "# Python\n", section)


if __name__ == "__main__":
    main()
