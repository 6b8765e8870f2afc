"""Gramfold beside its rivals, on the same graphs in one run. `cargo xtask bench cluster` starts this."""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np
import scipy.sparse

import graphs
import report
from common import machine, threads as with_threads

HERE = Path(__file__).parent
FACTORISERS = ["sklearn-nndsvda", "sklearn-random", "symhals-bound", "symhals-tuned", "pbb", "gncg"]
# Above so many nodes, only the rivals that were fastest on some smaller graph.
LARGE, FASTEST = 20_000, ["sklearn-nndsvda", "symhals-tuned", "pbb"]
CLUSTERERS = ["spectral", "eigenvectors", "leiden"]
PACKAGES = ["numpy", "scipy", "scikit-learn", "igraph", "leidenalg"]
# Objectives count as reached within these factors of the best known.
FACTORS = {"0.1 %": 1.001, "0.01 %": 1.0001}


def folded_bound(loss: float, distance: float, threshold: float | None) -> float:
    """About an upper bound of f(MMᵀ), M = ½(X + Y), from a record of Gramfold's trace, which has f(XYᵀ) and an estimate of λ.

    With D = X − Y the difference of MMᵀ and the symmetric part of XYᵀ is ¼DDᵀ. So for the quadratic f,
    f(MMᵀ) ≤ f(XYᵀ) + ¼λ‖D‖² + ‖D‖⁴/32 with λ the largest eigenvalue of the gradient, which is twice the
    threshold, and without it f(MMᵀ) ≤ ½(√(2f(XYᵀ)) + ¼‖D‖²)².
    """
    square = distance**2
    bound = 0.5 * (math.sqrt(2 * max(loss, 0)) + square / 4) ** 2
    if threshold is not None:
        bound = min(bound, loss + max(threshold, 0) / 2 * square + square**2 / 32)
    return bound


def objective(case: graphs.Case, x) -> float:
    """½‖A − XXᵀ‖² with the matrix of the rivals."""
    a, gram = graphs.load(case.matrix), x.T @ x
    norm = float((a.data**2).sum()) if scipy.sparse.issparse(a) else float((a**2).sum())
    return 0.5 * (norm - 2 * float(np.vdot(a @ x, x)) + float(np.vdot(gram, gram)))


def gramfold(args, case: graphs.Case, seeds: int, threads: int, cap: float, work: Path) -> dict:
    """The library, all seeds in one process as for the rivals, for times; the program, a process a seed, for the rest."""
    command = [args.seeds, case.matrix, case.k, seeds, threads, cap]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    traced, runs, memory = [json.loads(line) for line in done.stdout.splitlines()], [], 0
    for seed in range(seeds):
        out = work / "gramfold"
        shutil.rmtree(out, ignore_errors=True)
        command = [args.gramfold, "cluster", case.weights, "-k", case.k, "--normalise", case.normalise]
        command += ["--similarity", "weights", "--diagonal", "keep"]
        command += ["--threads", threads, "--seed", seed, "--time-limit", cap, "--json", "--out", out]
        if case.truth:
            command += ["--truth", case.truth]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=20 * cap)
        if done.returncode not in (0, 1) or not done.stdout:
            return {"failed": done.stderr.strip().splitlines()[-1:] or ["no output"]}
        claims = json.loads(done.stdout)
        theirs = objective(case, np.load(out / "factor.npy"))
        if abs(theirs - claims["objective"]) > 1e-6 * theirs:
            sys.exit(f"{case.name}: Gramfold says {claims['objective']}, NumPy {theirs}: not the same matrix?")
        run = traced[seed]
        # The two may differ in their last bits: the program normalises the graph itself.
        if abs(run["objective"] - claims["objective"]) > 1e-2 * theirs:
            sys.exit(f"{case.name}: {run['objective']} in the library, {claims['objective']} in the program")
        points = [(seconds, folded_bound(*record)) for seconds, *record in run["trace"]]
        points.append((run["seconds"], run["objective"]))
        scores = {key: claims[key] for key in ("accuracy", "nmi", "ari") if claims[key] is not None}
        runs.append({
            **run, "trace": points, "command_cpu_seconds": claims["cpu_seconds"], "status": claims["status"], **scores,
        })
        memory = max(memory, claims["peak_memory_bytes"] or 0)
    return {"runs": runs, "memory": memory}


def rival(method: str, case: graphs.Case, seeds: int, threads: int, budget: float, cap: float) -> dict:
    """A rival in a process of its own."""
    file = case.matrix if method in FACTORISERS else case.weights
    command = [sys.executable, HERE / "rivals.py", method, file, "-k", case.k, "--seeds", seeds, "--budget", budget]
    if case.truth:
        command += ["--truth", case.truth]
    if threads > 1:
        command.append("--wall")
    # On a loaded machine wall time is more than CPU time; clustering-only rivals have no budget of their own.
    limit = 30 + 3 * seeds * (budget if method in FACTORISERS else cap / 3)
    try:
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, timeout=limit,
            env=with_threads(threads),
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"no answer within {limit:.0f} s"}
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    return json.loads(done.stdout)


def reach(method: dict, target: float) -> dict:
    """When the runs of a method first reach an objective: median, how many do, and time spent a success."""
    times, spent = [], 0.0
    for run in method["runs"]:
        first = next((t for t, value in run["trace"] if value <= target), math.inf)
        times.append(first)
        spent += min(first, run["seconds"])
    reached = sum(map(math.isfinite, times))
    return {
        "median": finite(statistics.median_high(times)),
        "reached": reached,
        "runs": len(times),
        "per_success": finite(spent / reached if reached else math.inf),
    }


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def compare(case: graphs.Case, args, work: Path) -> dict:
    """Every method on one graph."""
    limits, cap = report.BUDGETS, report.BUDGETS["cap"]
    large = case.n > LARGE
    seeds = 3 if args.quick or large else 10
    methods = {"gramfold": gramfold(args, case, seeds, 1, cap, work)}
    if "failed" in methods["gramfold"]:
        sys.exit(f"gramfold failed on {case.name}: {methods['gramfold']['failed']}")
    slowest = max(run["seconds"] for run in methods["gramfold"]["runs"])
    budget = min(max(limits["factor"] * slowest, limits["floor"]), cap)
    for method in (FASTEST if large else FACTORISERS) + (CLUSTERERS if case.truth else []):
        methods[method] = rival(method, case, seeds, 1, budget, cap)
    parallel = {"gramfold": gramfold(args, case, seeds, 2, cap, work)}
    timed = {name: m for name, m in methods.items() if m.get("runs") and "trace" in m["runs"][0]}
    best = min(run["objective"] for method in timed.values() for run in method["runs"])
    for method in timed.values():
        method["reach"] = {name: reach(method, best * factor) for name, factor in FACTORS.items()}
    fastest = min(
        (name for name in timed if name != "gramfold"),
        key=lambda name: timed[name]["reach"]["0.1 %"]["per_success"] or math.inf, default=None,
    )
    if fastest:
        parallel[fastest] = rival(fastest, case, seeds, 2, budget, cap)
    for method in parallel.values():
        if "runs" in method:
            method["reach"] = {name: reach(method, best * factor) for name, factor in FACTORS.items()}
    for method in [*methods.values(), *parallel.values()]:
        for run in method.get("runs", []):
            run.pop("trace", None)
    return {
        "name": case.name, "n": case.n, "stored": case.stored, "k": case.k, "best": best, "budget": budget,
        "zero": objective(case, np.zeros((case.n, 1))),
        "seeds": seeds, "methods": methods, "two_threads": parallel,
    }


def million(program: Path, work: Path) -> dict:
    """Gramfold alone on a random graph of a million nodes and fifty million entries: ten iterations."""
    n, k = 1_000_000, 32
    random = np.random.default_rng(4)
    weights = graphs.pattern(n, *(random.integers(0, n, 25_000_000, dtype=np.int32) for _ in range(2)))
    file, out = work / "million.npz", work / "million"
    scipy.sparse.save_npz(file, scipy.sparse.csr_matrix(weights), compressed=False)
    stored = weights.nnz
    del weights
    command = [program, "cluster", file, "-k", k, "--max-iter", 10, "--threads", 2, "--json", "--out", out]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    claims = json.loads(done.stdout)
    trace = [json.loads(line) for line in (out / "trace.jsonl").read_text().splitlines()]
    # The start is shown while it is made, too.
    begun = sum(record["iteration"] == 0 for record in trace)
    times = [record["seconds"] for record in trace[begun - 1 :]]
    shutil.rmtree(out)
    file.unlink()
    steps = [after - before for before, after in zip(times, times[1:])]
    return {
        "n": n, "stored": stored, "k": k, "per_iteration": statistics.median(steps), "iterations": len(steps),
        "start": times[0], "seconds": claims["seconds"], "memory": claims["peak_memory_bytes"],
    }


def roofline(program: Path, quick: bool) -> list[dict]:
    """Gramfold's product with A beside what memory allows, and SciPy's."""
    command = [str(program)] + (["--quick"] if quick else [])
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for key in {(row["dim"], row["degree"], row["matrix"]) for row in rows}:
        same = [row for row in rows if (row["dim"], row["degree"], row["matrix"]) == key]
        widths = sorted({row["width"] for row in same})
        command = [sys.executable, HERE / "spmm.py", *key, *widths]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            width, stored, seconds = line.split()
            for row in same:
                if row["width"] == int(width):
                    row["scipy_seconds"] = float(seconds)
                    if row["stored"] != int(stored):
                        sys.exit(f"roofline: {row['stored']} entries, but SciPy has {stored}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gramfold", type=Path, required=True)
    parser.add_argument("--roofline", type=Path, required=True)
    parser.add_argument("--seeds", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    results = {
        "format": 1, "date": date.today().isoformat(), "quick": args.quick, "machine": machine(PACKAGES),
        "gramfold": subprocess.run([args.gramfold, "--version"], capture_output=True, text=True).stdout.strip(),
    }
    begin = time.monotonic()
    work = args.out / "work"
    work.mkdir(parents=True, exist_ok=True)
    results["roofline"] = roofline(args.roofline, args.quick)
    print(f"roofline measured, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    if not args.quick:
        results["million"] = million(args.gramfold, work)
        print(f"a million nodes measured, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    cases = graphs.collect(args.data, work, args.quick)
    results["graphs"] = []
    for case in sorted(cases, key=lambda case: case.stored):
        results["graphs"].append(compare(case, args, work))
        (args.out / "cluster.json").write_text(json.dumps(results, indent=1))
        line = report.summary(results["graphs"][-1])
        print(f"{line}  [{time.monotonic() - begin:.0f} s so far]", file=sys.stderr, flush=True)
    results["seconds"] = time.monotonic() - begin
    (args.out / "cluster.json").write_text(json.dumps(results, indent=1))
    report.write(results, args.docs)


if __name__ == "__main__":
    main()
