"""docs/sdp-benchmarks.md (between its markers) and docs/sdp-profile.svg, from the results."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from common import replace, seconds  # noqa: E402

import solvers  # noqa: E402
from judge import GAP, INFEASIBILITY, OBJECTIVE  # noqa: E402

COLOURS = {
    "gramfold": "#2a78b5", "csdp": "#d0743c", "sdpa": "#4b9b5a", "dsdp": "#8a62b0", "clarabel": "#b8404e", "scs": "#777777",
}
# The longest a run may take, and how it shrinks where another solver is fast already.
BUDGETS = {True: {"cap": 60, "factor": 50, "floor": 5}, False: {"cap": 300, "factor": 300, "floor": 60}}

INTRODUCTION = """# Benchmarks: semidefinite programs

`cargo xtask bench sdp [--quick]` measures `gramfold solve` beside its rivals and rewrites what follows.
"""

METHOD = """A run counts if its primal and its dual objective are both within {objective:g}·(1 + |optimum|) of the optimum and every
relative infeasibility (constraints, Y ⪰ 0, slack) is at most {infeasibility:g}; of an infeasible program, if it is declared so and rightly.
The optimum is the tightest of what is published, what Gramfold certified (and NumPy confirmed from the files it wrote), and what CSDP and
SDPA agree on; where that leaves it less certain than asked, a run's own gap must be as small. Anything else is a failure, and is written in place of the time. Asked for: {tolerances}.

Times are CPU seconds (user and system) of the process on one thread, with reading and writing, the median of three where they are below
half a second; of SCS and Clarabel only the call of the solver, since Python reads their files. A run ends after {cap} s, or {factor} times the
fastest that reached the optimum before it (at least {floor} s), and at 8 GB of address space. Infeasibilities of csdp, sdpa and dsdp are
their own claims; those of scs and clarabel are measured from what they return. Memory is the peak of the process, with Python for scs and
clarabel; below 10 MB it is not resolved. SDPA's errors are absolute in its output, and taken as they are.
"""


def cell(run: dict | None) -> str:
    if run is None:
        return "not installed"
    return seconds(run["cpu_seconds"]) if run["reached"] else f"*{run['failed']}*"


def text(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def optimum(case: dict) -> str:
    if case["published_infeasible"]:
        return f"{case['published_infeasible']} infeasible"
    found = case["optimum"]
    return "unknown" if found is None else f"{(found['low'] + found['high']) / 2:.8g}"


def times(results: dict) -> list[str]:
    names = list(COLOURS)
    lines = [f"| program | n | m | optimum | {' | '.join(names)} | gramfold ÷ csdp |", "|---" * 1 + "|--:" * (4 + len(names)) + "|"]
    for case in results["cases"]:
        cells = " | ".join(cell(case["runs"].get(name)) for name in names)
        ratio = case["verdict"]["ratio"]
        lines.append(f"| {case['name']} | {case['n']} | {case['m']} | {optimum(case)} | {cells} | {text(ratio, '.2f')} |")
    return lines


def verdicts(results: dict) -> list[str]:
    lines = [
        "| program | method | certified gap | gap ≤ 1e-6 | bound on the right side of the published optimum | files confirm the claims | goal | CPU time | goal met |",
        "|---|---|--:|---|---|---|--:|--:|---|",
    ]
    word = {True: "yes", False: "**no**", None: "–"}
    for case in results["cases"]:
        run, verdict = case["runs"]["gramfold"], case["verdict"]
        check = None if case["published_infeasible"] else run.get("check")
        gap = None if case["published_infeasible"] else verdict["gap"]
        confirmed = "–" if not check else "**no**" if check["wrong"] else "yes" if check["bound_checked"] else "all but the bound"
        method = (run.get("claims") or {}).get("method", "–")
        lines.append(
            f"| {case['name']} | {method} | {text(gap, '.0e')} | {word[verdict['gap_met']]} | "
            f"{word[verdict['bound_right']]} | {confirmed} | {verdict['goal']} | {cell(run)} | {word[verdict['speed_met']]} |"
        )
    return lines


def details(results: dict) -> list[str]:
    """Error in the objective, infeasibility and memory of every run."""
    names = list(COLOURS)
    lines = [f"| program | {' | '.join(names)} |", "|---" + "|--:" * len(names) + "|"]
    for case in results["cases"]:
        cells = []
        for name in names:
            run = case["runs"].get(name)
            if run is None:
                cells.append("–")
                continue
            errors = f"{text(run.get('objective_error'), '.0e')}, {text(run.get('infeasibility'), '.0e')}"
            cells.append(f"{errors}, {run['memory'] / 1e6:.0f} MB")
        lines.append(f"| {case['name']} | {' | '.join(cells)} |")
    return lines


def words(results: dict) -> list[str]:
    """What to know before reading a table."""
    cases = results["cases"]
    lines = []
    for name in COLOURS:
        runs = [case["runs"][name] for case in cases if name in case["runs"]]
        if runs:
            lines.append(f"{name} {sum(run['reached'] for run in runs)}")
    out = [f"Of {len(cases)} programs, solved to the asked accuracy: {', '.join(lines)}."]
    left = [name for name in results["planned"] if name not in {case["name"] for case in cases}]
    if left:
        out.append(f"The run was interrupted. Not measured: {', '.join(left)}.")
    missing = [name for name in COLOURS if name not in results["installed"]]
    if missing:
        out.append(f"Not installed, and so not run: {', '.join(missing)}.")
    judged = [case for case in cases if case["verdict"]["bound_right"] is not None]
    right = sum(case["verdict"]["bound_right"] for case in judged)
    out.append(f"Gramfold's dual bound is on the right side of the published optimum on {right} of {len(judged)} programs that have both.")
    lists = [
        ("Gramfold fails on", [f"{c['name']} ({c['runs']['gramfold']['failed']})" for c in cases if not c["runs"]["gramfold"]["reached"]]),
        ("The certified gap is above 1e-6, or missing, on", [c["name"] for c in cases if not c["verdict"]["gap_met"]]),
        ("Gramfold misses its goal for the time on", [
            f"{c['name']} ({seconds(c['runs']['gramfold']['cpu_seconds'])}, goal {c['verdict']['goal']}"
            + (f", {c['verdict']['ratio']:.2g}× csdp" if c["verdict"]["ratio"] else "") + ")"
            for c in cases if c["runs"]["gramfold"]["reached"] and c["verdict"]["speed_met"] is False
        ]),
        ("Gramfold claims something wrong on", [f"{c['name']} ({'; '.join(c['verdict']['wrong'])})" for c in cases if c["verdict"]["wrong"]]),
    ]
    return out + [f"{title}: {', '.join(found) or 'none'}." for title, found in lists]


def section(results: dict) -> str:
    command = "cargo xtask bench sdp" + (" --quick" if results["quick"] else "")
    method = METHOD.format(
        objective=OBJECTIVE, infeasibility=INFEASIBILITY, tolerances=solvers.TOLERANCES, **BUDGETS[results["quick"]]
    )
    lines = [
        f"`{command}`, {results['date']}, {results['gramfold']}, {results['seconds'] / 60:.0f} minutes. {results['machine']}.", "",
        "![Share of the programs that each solver solves within a factor of the fastest](sdp-profile.svg)", "",
        "\n\n".join(words(results)), "", "## CPU time", "", *times(results), "", method,
        "## Gramfold against its goals", "",
        f"Goals: a certified relative gap of {GAP:g} and the published optimum on the right side of the bound, everywhere. Max-Cut and bisection: half "
        "the CPU time that the mixing method needed for 1e-6 without a proof, or a quarter of SDPLR's for 1e-5, on a machine like this one, "
        "where such a figure is known. Everything else: at most twice CSDP's CPU time beside it where n ≤ 300 (n is the sum over blocks), "
        "and at most CSDP's beyond. `files confirm` says that objective, feasibility and bound follow from the written Y and x in NumPy; rays of infeasible programs are not looked at.", "",
        *verdicts(results), "", "## Error in the objective, infeasibility, peak memory", "", *details(results),
    ]
    return "\n".join(lines).rstrip()


def plot(results: dict) -> str:
    """The performance profile: the share of programs solved within a factor of the fastest solver."""
    cases = results["cases"]
    best = [min((run["cpu_seconds"] for run in case["runs"].values() if run["reached"]), default=None) for case in cases]
    ratios = {
        name: sorted(
            case["runs"][name]["cpu_seconds"] / low for case, low in zip(cases, best)
            if low is not None and name in case["runs"] and case["runs"][name]["reached"]
        )
        for name in COLOURS if name in results["installed"]
    }
    decades = 3
    left, width, top, height = 60, 560, 60, 300
    x = lambda value: left + width * min(math.log10(value) / decades, 1)
    y = lambda count: top + height * (1 - count / len(cases))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 190} {top + height + 60}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#222">',
        f'<rect width="100%" height="100%" fill="#fff"/><text x="{left}" y="20" font-size="14" font-weight="600">'
        "Share of the programs solved within a factor of the fastest solver</text>",
        f'<text x="{left}" y="38" fill="#666">{len(cases)} programs, one thread, CPU time; objective to {OBJECTIVE:g}, infeasibility {INFEASIBILITY:g}; {results["date"]}</text>',
    ]
    for power in range(decades + 1):
        at = x(10.0**power)
        parts.append(
            f'<path d="M{at:.1f} {top}V{top + height}" stroke="#ddd"/>'
            f'<text x="{at:.1f}" y="{top + height + 18}" text-anchor="middle">{10**power}×</text>'
        )
    for share in range(0, 101, 25):
        at = top + height * (1 - share / 100)
        parts.append(
            f'<path d="M{left} {at:.1f}H{left + width}" stroke="#ddd"/><text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{share} %</text>'
        )
    parts.append(f'<text x="{left + width / 2}" y="{top + height + 42}" text-anchor="middle" fill="#444">CPU time ÷ that of the fastest solver on the program</text>')
    labels = []
    for name, values in ratios.items():
        path = f"M{left} {y(0):.1f}"
        for count, value in enumerate(values, 1):
            path += f"H{x(value):.1f}V{y(count):.1f}"
        path += f"H{left + width}"
        parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="{2.5 if name == "gramfold" else 1.5}"/>')
        labels.append([y(len(values)) + 4, name, len(values)])
    # Labels at the ends of the lines, pushed apart downwards, and back up if they leave the plot.
    labels.sort()
    for above, below in zip(labels, labels[1:]):
        below[0] = max(below[0], above[0] + 16)
    excess = labels[-1][0] - (top + height + 4)
    for label in labels if excess > 0 else []:
        label[0] -= excess
    for at, name, count in labels:
        weight = 600 if name == "gramfold" else 400
        parts.append(
            f'<text x="{left + width + 8}" y="{at:.1f}" fill="{COLOURS[name]}" font-weight="{weight}">{name}: {count} of {len(cases)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def summary(case: dict) -> str:
    """One line for the terminal."""
    runs = ", ".join(f"{name} {cell(run)}" for name, run in case["runs"].items())
    wrong = case["verdict"]["wrong"]
    return f"{case['name']:16} {runs}" + (f"  WRONG: {'; '.join(wrong)}" if wrong else "")


def write(results: dict, docs: Path) -> None:
    """Replaces what is between the markers, and the plot."""
    page, picture = docs / "sdp-benchmarks.md", docs / "sdp-profile.svg"
    replace(page, "sdp", INTRODUCTION, section(results))
    picture.write_text(plot(results))
    print(f"written: {page}, {picture}", file=sys.stderr)


if __name__ == "__main__":
    # Rewrites the pages from results measured before: report.py sdp.json DOCS
    write(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
