"""Who reached what, and how Gramfold stands against the goals that the project has set itself."""

from __future__ import annotations

from instances import Case

OBJECTIVE, INFEASIBILITY, GAP = 1e-5, 1e-6, 1e-6
# CPU seconds on a 2-core AMD EPYC: half of what the mixing method needed there for 1e-6 without a proof, or a
# quarter of what SDPLR needed for 1e-5. The same machine was never used for both: read as ±30 %.
SECONDS = {
    "G1": 0.27, "G14": 0.07, "maxG11": 0.39, "maxG32": 0.9, "maxG60": 6.3, "G67": 19.0, "maxG55": 2.9,
    "mcp500-1": 0.018, "toruspm3-8-50": 0.15, "gpp100": 0.023,
}


def reference(case: Case, runs: dict) -> dict | None:
    """The tightest interval around the optimum: published, certified here, or agreed on by CSDP and SDPA."""
    known = case.published
    found = [(known.low, known.high, "published")] if known and known.low is not None else []
    others = []
    ours = runs["gramfold"]
    check = ours.get("check")
    if ours.get("status") == "solved" and check and check["bound_checked"] and not check["wrong"]:
        # A Y that misses the constraints a little may lie above the optimum by a little.
        slack = 10 * check["infeasibility"] * (1 + abs(ours["primal"]))
        others.append((ours["primal"] - slack, max(ours["primal"], ours["dual"]), "certified"))
    pair = [runs[name] for name in ("csdp", "sdpa") if name in runs and clean(runs[name])]
    if len(pair) == 2:
        values = [run[key] for run in pair for key in ("primal", "dual")]
        if max(values) - min(values) <= OBJECTIVE * (1 + abs(values[0])):
            others.append((min(values), max(values), "csdp and sdpa"))
    # What contradicts a published value counts for nothing.
    for low, high, source in others:
        if not found or low <= found[0][1] + margin(low) and high >= found[0][0] - margin(low):
            found.append((low, high, source))
    if not found:
        return None
    low, high, source = min(found, key=lambda interval: interval[1] - interval[0])
    return {"low": low, "high": high, "source": source}


def margin(value: float) -> float:
    return OBJECTIVE * (1 + abs(value))


def clean(run: dict) -> bool:
    """It finished, and says that its point is feasible."""
    return (
        not run.get("ended") and run.get("errors") is not None and run.get("primal") is not None
        and run.get("dual") is not None and max(run["errors"]) <= INFEASIBILITY
    )


def assess(case: Case, run: dict, optimum: dict | None) -> None:
    """Sets `reached`, the error in the objective, and why not."""
    expected = case.published.infeasible if case.published else None
    run["reached"] = False
    run["failed"] = run.get("ended")
    if run["failed"]:
        return
    if expected:
        run["reached"] = run.get("infeasible") == expected
        if not run["reached"]:
            declared = run.get("infeasible")
            run["failed"] = f"wrong: {declared} infeasible" if declared else "infeasibility not recognised"
        return
    if run.get("infeasible"):
        run["failed"] = f"wrong: {run['infeasible']} infeasible"
        return
    if run.get("primal") is None or run.get("errors") is None:
        words = run.get("status") or (run.get("error") or ["no answer"])[-1]
        run["failed"] = str(words)[:80]
        return
    if optimum is None:
        run["failed"] = "optimum unknown"
        return
    # Without a bound only the primal value can be judged; Gramfold's claim is the bound, so without it there is none.
    values = [run["primal"], run["dual"]] if run.get("dual") is not None else [run["primal"]]
    scale = 1 + max(abs(optimum["low"]), abs(optimum["high"]))
    run["objective_error"] = max(max(optimum["low"] - value, value - optimum["high"], 0.0) for value in values) / scale
    if optimum["high"] - optimum["low"] > OBJECTIVE * scale and len(values) == 2:
        # Too little is known of the optimum: then the run's own gap says how far off it may be.
        run["objective_error"] = max(run["objective_error"], abs(values[0] - values[1]) / scale)
    run["infeasibility"] = max(run["errors"])
    if run["objective_error"] > OBJECTIVE:
        run["failed"] = f"objective off by {run['objective_error']:.0e}"
    elif run["infeasibility"] > INFEASIBILITY:
        run["failed"] = f"infeasible by {run['infeasibility']:.0e}"
    else:
        run["reached"] = True


def verdict(case: Case, runs: dict) -> dict:
    """Gramfold against the goals: speed, certified gap, and the dual bound on the right side of the optimum."""
    ours, csdp = runs["gramfold"], runs.get("csdp")
    claims = ours.get("claims") or {}
    known = case.published
    result = {"wrong": list((ours.get("check") or {}).get("wrong", []))}
    bound, gap = claims.get("bound"), claims.get("relative_gap")
    result["gap"] = gap
    result["gap_met"] = gap is not None and gap <= GAP and claims.get("status") == "solved"
    if known and known.infeasible:
        result["gap_met"] = ours["reached"]
    result["bound_right"] = None
    if bound and known and known.low is not None:
        result["bound_right"] = bound["value"] >= known.low - 1e-12 * (1 + abs(known.low))
        if not result["bound_right"]:
            result["wrong"].append(f"dual bound {bound['value']!r} below the published {known.low!r}")
    if claims.get("status") == "solved" and not ours["reached"]:
        result["wrong"].append(f"says solved, but: {ours['failed']}")
    if ours.get("infeasible") and (not known or known.infeasible != ours["infeasible"]):
        result["wrong"].append(f"says {ours['infeasible']} infeasible")
    spent = ours["cpu_seconds"]
    result["ratio"] = spent / csdp["cpu_seconds"] if csdp and csdp["reached"] and ours["reached"] else None
    if case.name in SECONDS:
        result["goal"] = f"{SECONDS[case.name]:g} s"
        result["speed_met"] = ours["reached"] and spent <= SECONDS[case.name]
    elif case.kind == "cut":
        result["goal"] = "solved"
        result["speed_met"] = ours["reached"]
    else:
        factor = 2.0 if case.n <= 300 else 1.0
        result["goal"] = f"{factor:g}× csdp"
        if result["ratio"] is not None:
            result["speed_met"] = result["ratio"] <= factor
        else:
            result["speed_met"] = ours["reached"] if csdp else None
    return result
