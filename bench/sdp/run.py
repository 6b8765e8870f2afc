"""Gramfold beside other solvers of semidefinite programs, in one run. `cargo xtask bench sdp` starts this."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from common import THREADS, machine  # noqa: E402

os.environ |= {name: "1" for name in THREADS}

import check  # noqa: E402
import instances  # noqa: E402
import judge  # noqa: E402
import report  # noqa: E402
import solvers  # noqa: E402

# Shorter runs than this are measured three times; not in Python, where starting takes longer than that.
SHORT = 0.5
ONCE = ["clarabel", "scs"]


def measure(name: str, solver, case: instances.Case, limit: float, work: Path) -> dict:
    """The median of three runs where they are short; what it answered is that of the last."""
    spent = []
    while True:
        run = solver(case, limit, work)
        spent.append(run["cpu_seconds"])
        if len(spent) == 3 or "failed" in run or spent[0] > SHORT or name in ONCE:
            run["cpu_seconds"] = statistics.median(spent)
            return run


def compare(case: instances.Case, found: dict, quick: bool, work: Path) -> dict:
    """Every solver on one program."""
    budget = report.BUDGETS[quick]
    limit, runs = budget["cap"], {}
    for name, solver in found.items():
        if solver is None:
            continue
        run = runs[name] = measure(name, solver, case, limit, work)
        run["ended"] = run.get("failed")
        claims = run.get("claims")
        # Of an infeasible program there is no bound to confirm; its ray is not looked at here.
        if claims and claims["bound"] and claims["files"].get("dual") and not run["infeasible"]:
            run["check"] = check.check(case.file, claims)
        # The optimum may still be less well known than at the end: who looks right so far sets the limit for the rest.
        judge.assess(case, run, judge.reference(case, runs))
        if run["reached"]:
            limit = min(limit, max(budget["floor"], budget["factor"] * run["cpu_seconds"]))
    for run in runs.values():
        run.pop("output", None)
    return settle(case, runs)


def settle(case: instances.Case, runs: dict) -> dict:
    """Judges the runs of one program, now that all of them are known."""
    optimum = judge.reference(case, runs)
    for run in runs.values():
        judge.assess(case, run, optimum)
    known = case.published
    return {
        "name": case.name, "kind": case.kind, "n": case.n, "m": case.m, "optimum": optimum,
        "published_infeasible": known.infeasible if known else None, "runs": runs, "verdict": judge.verdict(case, runs),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gramfold", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="*", help="names of programs; the pages are not rewritten")
    parser.add_argument("--resume", action="store_true", help="keep what sdp.json has of an interrupted run, and judge it anew")
    args = parser.parse_args()
    work = (args.out / "sdp").resolve()
    found = solvers.available(args.gramfold.resolve())
    results = {
        "format": 1, "date": date.today().isoformat(), "quick": args.quick,
        "machine": machine(["numpy", "scipy", "scs", "clarabel"]) + "; " + solvers.blas(args.out),
        "gramfold": subprocess.run([args.gramfold, "--version"], capture_output=True, text=True).stdout.strip(),
        "installed": [name for name, solver in found.items() if solver], "cases": [],
    }
    cases = instances.collect(args.data.resolve() if args.data else None, work, args.quick)
    results["planned"] = [case.name for case in cases]
    begin = time.monotonic()
    if args.resume:
        before = json.loads((args.out / "sdp.json").read_text())
        if any(before[key] != results[key] for key in ("format", "quick", "gramfold", "installed")):
            sys.exit("sdp.json is of another kind of run: start anew without --resume")
        measured = {case["name"]: case["runs"] for case in before["cases"]}
        judged = [settle(case, measured[case.name]) for case in cases if case.name in measured]
        results = before | {"planned": results["planned"], "cases": judged}
        begin -= before["seconds"]
    known = {case["name"] for case in results["cases"]}
    for case in cases:
        if case.name in known or args.only and case.name not in args.only:
            continue
        results["cases"].append(compare(case, found, args.quick, work))
        results["seconds"] = time.monotonic() - begin
        line = report.summary(results["cases"][-1])
        print(f"{line}  [{results['seconds']:.0f} s so far]", file=sys.stderr, flush=True)
        if not args.only:
            (args.out / "sdp.json").write_text(json.dumps(results, indent=1))
    if not args.only:
        report.write(results, args.docs)


if __name__ == "__main__":
    main()
