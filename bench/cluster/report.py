"""docs/benchmarks.md (between its markers) and docs/cluster-benchmark.svg, from the results."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from statistics import mean, pstdev

sys.path.insert(0, str(Path(__file__).parent.parent))
from common import replace, seconds  # noqa: E402

SCORES = ("accuracy", "nmi", "ari")
# What the project asks of itself: a third of the fastest rival's time.
WANTED = 3.0
# How long a run may take, by whether the benchmark is the quick one: times Gramfold's, and seconds.
BUDGETS = {"factor": 5, "floor": 1, "cap": 60}

INTRODUCTION = """# Benchmarks

`cargo xtask bench rule` measures what the spectral rule costs; `cargo xtask bench cluster [--quick]`
measures `gramfold cluster` beside its rivals and rewrites what follows.
"""

METHOD = """Every method minimises ½‖A − XXᵀ‖² over X ≥ 0 for the same A (D^-½AD^-½ with the mean degree added to D,
the default of `gramfold cluster`; as it is for `dense-600`) and the same k (the number of classes). Random starts are uniform on [0, 1) and scaled so that
⟨A, XXᵀ⟩ = ‖XXᵀ‖², from seeds of their own; Gramfold takes its default, the spectral start, whose time counts. A time is what a run needs until its objective is within 0.1 % of
the best that any method reached from any seed on that graph: the median over the seeds, where (a/b) says that
only a of b seeds got there; a dash where half or fewer did. One thread, all seeds of a method in one process. CPU time: of the rivals without the
evaluation of the objective, of Gramfold with it, with f(XYᵀ) replaced by an estimate (λmax by a few Lanczos steps) of the objective at the folded factor
½(X + Y). Reading the graph is nobody's time;
`whole command` is the CPU time of Gramfold with reading, certificate and writing.
A run ends where the objective stalls (1e-8 over 40 iterations) or after {factor} times the longest run of Gramfold
(at least {floor} s, at most {cap} s). Ratio: the fastest rival's time over Gramfold's; by time spent per success, marked †,
where a median is missing.

Rivals: **pbb** projected Barzilai–Borwein and **gncg** projected Gauss–Newton with conjugate gradients, each with
one product with A an iteration; **symhals** Zhu et al. 2018 with γ their bound and with γ = 0.3‖A‖₂ (all four plain
NumPy and SciPy, `bench/cluster/rivals.py`); **sklearn** NMF by coordinate descent from the same random start and from
nndsvda (its time counts), its W and H balanced and averaged into one factor of the best scale. Only labels:
**spectral** scikit-learn's SpectralClustering, **eigenvectors** of D^-½AD^-½ with k-means on normalised rows, **leiden**
modularity, which chooses k itself. Above 20 000 nodes only sklearn-nndsvda, symhals-tuned and pbb run, each the fastest rival of
some smaller graph. Left out: SymANLS by exact nonnegative least squares (planc's iteration took 7 to 47
times as long as that of symhals on sparse graphs when it was measured before), planc and the MATLAB codes (not in a Python registry), karateclub
(does not install on Python 3.11).
"""


def reached(method: dict, level: str = "0.1 %") -> str:
    found = method["reach"][level]
    count = "" if found["reached"] == found["runs"] else f" ({found['reached']}/{found['runs']})"
    return seconds(found["median"]) + count


def rivals(graph: dict, methods: str = "methods") -> dict:
    return {name: m for name, m in graph[methods].items() if name != "gramfold" and "reach" in m}


def ratio(graph: dict, level: str = "0.1 %", methods: str = "methods") -> tuple[float | None, str | None, str]:
    """The fastest rival's time over Gramfold's, who that is, and a mark if it is not by medians."""
    ours = graph[methods]["gramfold"]["reach"][level]
    for key, mark in (("median", ""), ("per_success", "†")):
        times = {name: m["reach"][level][key] for name, m in rivals(graph, methods).items()}
        times = {name: time for name, time in times.items() if time is not None}
        if times and ours[key]:
            fastest = min(times, key=times.get)
            return times[fastest] / ours[key], fastest, mark
        if times and not ours["reached"]:
            return None, min(times, key=times.get), ""
    return None, None, ""


def ratio_text(graph: dict, level: str = "0.1 %", methods: str = "methods") -> str:
    value, _, mark = ratio(graph, level, methods)
    return "–" if value is None else f"{value:.2g}×{mark}"


def gain(graph: dict) -> float:
    """The share of ½‖A‖², the objective of X = 0, that the best X takes away."""
    return 1 - graph["best"] / graph["zero"]


def summary(graph: dict) -> str:
    """One line for the terminal."""
    _, fastest, _ = ratio(graph)
    theirs = reached(graph["methods"][fastest]) if fastest else "–"
    return f"{graph['name']:14} gramfold {reached(graph['methods']['gramfold'])}, {fastest} {theirs}: {ratio_text(graph)}"


def score(method: dict, key: str) -> float | None:
    values = [run[key] for run in method.get("runs", []) if key in run]
    return mean(values) if values else None


def overview(graphs: list[dict]) -> list[str]:
    lines = [
        "| graph | n | stored | k | Gramfold | fastest rival | ratio | ratio at 0.01 % | whole command |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for graph in graphs:
        ours = graph["methods"]["gramfold"]
        _, name, _ = ratio(graph)
        fastest = f"{name} {reached(graph['methods'][name])}" if name else "–"
        whole = mean(run["command_cpu_seconds"] for run in ours["runs"])
        lines.append(
            f"| {graph['name']} | {graph['n']} | {graph['stored']} | {graph['k']} | {reached(ours)} | "
            f"{fastest} | {ratio_text(graph)} | {ratio_text(graph, '0.01 %')} | {seconds(whole)} |"
        )
    return lines


def parallel(graph: dict) -> str:
    """What the methods that were run on two threads took."""
    return ", ".join(f"{name} {reached(m)}" for name, m in graph["two_threads"].items() if "reach" in m) or "–"


def details(graph: dict) -> list[str]:
    lines = [
        f"## {graph['name']}: n = {graph['n']}, {graph['stored']} stored, k = {graph['k']}, best {graph['best']:.8g}",
        "",
        f"The best X takes {gain(graph):.2%} of the objective of X = 0 away. Two threads, to 0.1 %: {parallel(graph)}.",
        "",
        "| method | to 0.1 % | to 0.01 % | objective / best, median (worst) | accuracy | NMI | ARI | products | asymmetry | memory |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, method in graph["methods"].items():
        if "failed" in method:
            lines.append(f"| {name} | failed: {method['failed']} |" + " |" * 8)
            continue
        runs = method["runs"]
        scores = [score(method, key) for key in SCORES]
        scores = " | ".join("–" if value is None else f"{value:.3f}" for value in scores)
        memory = f"{method['memory'] / 1e6:.0f} MB"
        if "reach" in method:
            values = sorted(run["objective"] / graph["best"] for run in runs)
            objective = f"{values[len(values) // 2]:.5f} ({values[-1]:.5f})"
            products = f"{mean(run['products'] for run in runs):.0f}"
            asymmetry = f"{max(run['asymmetry'] for run in runs):.0e}"
            times = f"{reached(method)} | {reached(method, '0.01 %')}"
        else:
            clusters = sorted({run["clusters"] for run in runs})
            chosen = f"{clusters[0]}–{clusters[-1]}" if len(clusters) > 1 else str(clusters[0])
            objective, products, asymmetry = f"k = {chosen}", "–", "–"
            times = f"whole: {seconds(mean(run['seconds'] for run in runs))} | –"
        lines.append(f"| {name} | {times} | {objective} | {scores} | {products} | {asymmetry} | {memory} |")
    return [*lines, ""]


def speed_words(graphs: list[dict]) -> str:
    known = [(graph["name"], ratio(graph)[0]) for graph in graphs]
    known = [(name, value) for name, value in known if value is not None]
    short = [f"{name} ({value:.2g}×)" for name, value in known if value < WANTED]
    slower = [name for name, value in known if value < 1]
    lost = []
    for graph in graphs:
        others = {name: m["reach"]["0.1 %"] for name, m in rivals(graph).items() if m["reach"]["0.1 %"]["reached"]}
        if not graph["methods"]["gramfold"]["reach"]["0.1 %"]["reached"] and others:
            who = ", ".join(f"{name} from {m['reached']} of {m['runs']}" for name, m in others.items())
            lost.append(f"{graph['name']} ({who})")
    text = f"The aim is a ratio of {WANTED:.0f} on every graph. It is reached on {len(known) - len(short)} of {len(graphs)}"
    text += f"; it is missed on {', '.join(short)}." if short else "."
    text += f" A rival is faster than Gramfold on {', '.join(slower)}." if slower else ""
    flat = [graph["name"] for graph in graphs if gain(graph) < 0.002]
    if flat:
        text += f" On {', '.join(flat)} the best X takes less than 0.2 % away from the objective of X = 0: there a few steps "
        text += "from anywhere are within 0.1 %, whatever the clusters are worth, and the ratio only says what a start costs."
    return text + (f" From none of its seeds does Gramfold come within 0.1 % of the best on {'; '.join(lost)}." if lost else "")


def accuracies(graph: dict) -> tuple[float, str, float, float]:
    """The range of accuracies among runs within 0.1 % of the best objective: width, graph, ends."""
    runs = [run for method in graph["methods"].values() for run in method.get("runs", [])]
    good = [run["accuracy"] for run in runs if run.get("objective", math.inf) <= 1.001 * graph["best"]]
    return max(good) - min(good), graph["name"], min(good), max(good)


def same_problem_words(labelled: list[dict]) -> str:
    """Where a rival that factorises the same matrix has more accurate labels than seeds explain."""
    below = []
    for graph in labelled:
        spread = lambda method: pstdev(run["accuracy"] for run in method["runs"])
        ours = graph["methods"]["gramfold"]
        others = {name: m for name, m in rivals(graph).items() if score(m, "accuracy") is not None}
        if others:
            name = max(others, key=lambda name: score(others[name], "accuracy"))
            best, mean_of_ours = score(others[name], "accuracy"), score(ours, "accuracy")
            if best - mean_of_ours > max(spread(ours), spread(others[name])):
                below.append(f"{graph['name']} ({mean_of_ours:.3f} against {best:.3f} of {name})")
    where = "on no graph" if not below else f"only on {', '.join(below)}" if len(below) < len(labelled) / 2 else f"on {', '.join(below)}"
    return f"Among the methods that factorise the same matrix, Gramfold's mean accuracy is below the best by more than the seeds spread {where}."


def quality_words(graphs: list[dict]) -> list[str]:
    """Where rivals that factorise the same matrix cluster better, in the measured numbers."""
    labelled = [graph for graph in graphs if score(graph["methods"]["gramfold"], "nmi") is not None]
    text = [same_problem_words(labelled)] if labelled else []
    if text:
        text.append("Labels beside those of spectral clustering, Leiden and Louvain are in [cluster.md](cluster.md#labels).")
        spread, name, low, high = max(map(accuracies, labelled))
        words = (
            "A lower objective is not a higher accuracy: of the runs within 0.1 % of the best objective, those on "
            f"{name} have accuracies from {low:.2f} to {high:.2f}, the widest range of all graphs."
        )
        text += [words] if spread > 0 else []
    return text


def roofline(rows: list[dict]) -> list[str]:
    lines = [
        "| matrix | n | stored | width | threads | stream GB/s | gather GB/s | gather | A·Y | share of roofline | SciPy, 1 thread | memory |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        scipy = seconds(row["scipy_seconds"]) if "scipy_seconds" in row else "–"
        memory = f"{row['peak_memory_bytes'] / 1e6:.0f} MB" if row["peak_memory_bytes"] else "–"
        lines.append(
            f"| {row['matrix']} | {row['dim']} | {row['stored']} | {row['width']} | {row['threads']} | "
            f"{row['stream_bytes_per_second'] / 1e9:.1f} | {row['gather_bytes_per_second'] / 1e9:.1f} | {seconds(row['gather_seconds'])} | "
            f"{seconds(row['seconds'])} | {row['share']:.0%} | {scipy} | {memory} |"
        )
    return lines


def section(results: dict) -> str:
    graphs = results["graphs"]
    command = "cargo xtask bench cluster" + (" --quick" if results["quick"] else "")
    method = METHOD.format(**BUDGETS)
    failed = [
        f"{name} on {graph['name']}: {m['failed']}" for graph in graphs for name, m in graph["methods"].items() if "failed" in m
    ]
    lines = [
        "## Clustering", "",
        f"`{command}`, {results['date']}, {results['gramfold']}, {results['seconds'] / 60:.0f} minutes. {results['machine']}.", "",
        "![Fastest rival's time over Gramfold's, by graph](cluster-benchmark.svg)", "",
        speed_words(graphs), "", *overview(graphs), "", method,
        *(["Did not answer: " + "; ".join(failed) + ".", ""] if failed else []),
        "## Quality of the clusters", "", "\n\n".join(quality_words(graphs)), "",
        "## Product with A and the roofline", "",
        "Stream: reading 256 MB in order. Gather: one value of every cache line of the rows of Y that A names, in A's order, "
        "counted as the whole rows. The roofline is the longer of the gather and of streaming A, Y and A·Y once. The gather cannot "
        "prefetch, the kernel does: a share above 100 % is that. Best of 7 (SciPy of 4), wall time. Memory: peak of the process, which "
        "builds A from a list of entries.", "",
        *roofline(results["roofline"]), "", *million(results),
        "The same command writes every method's figures, graph by graph, to `target/bench/cluster.md`.",
    ]
    return "\n".join(lines).rstrip()


def million(results: dict) -> list[str]:
    """What the run on a large random graph took, against the product alone."""
    run = results.get("million")
    if run is None:
        return []
    product = next(
        (row for row in results["roofline"] if (row["dim"], row["width"], row["threads"]) == (run["n"], run["k"], 2) and row["degree"] == 50),
        None,
    )
    bound = f", of which two gathers of that size alone take {2 * product['gather_seconds']:.2f} s" if product else ""
    return [
        f"A random graph with n = {run['n']:,} and {run['stored']:,} stored entries, k = {run['k']}, two threads: "
        f"{run['per_iteration']:.2f} s an iteration (median of {run['iterations']}){bound}; {run['start']:.0f} s to the start, "
        f"{run['seconds']:.0f} s in all with reading, certificate and writing; peak memory {run['memory'] / 1e9:.1f} GB.", "",
    ]


def plot(results: dict) -> str:
    """Bars of the ratios on a logarithmic axis."""
    bars = [(graph["name"], *ratio(graph)) for graph in results["graphs"]]
    known = [bar[1] for bar in bars if bar[1] is not None]
    low, high = min([0.5, *known]), max([10.0, *known])
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    left, width, row, top = 120, 520, 24, 56
    height = top + row * len(bars) + 44
    x = lambda value: left + width * (math.log10(value) - first) / (last - first)
    bottom = top + row * len(bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 130} {height}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#222">',
        f'<rect width="100%" height="100%" fill="#fff"/><text x="{left}" y="20" font-size="14" font-weight="600">'
        "Time of the fastest rival ÷ time of Gramfold, to 0.1 % of the best objective</text>",
        f'<text x="{left}" y="38" fill="#666">one thread; right of the line at 1 Gramfold is faster; {results["date"]}</text>',
    ]
    for power in range(first, last + 1):
        at = x(10.0**power)
        label = f"{10.0**power:g}"
        parts.append(
            f'<path d="M{at:.1f} {top}V{bottom}" stroke="#ddd"/><text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{label}</text>'
        )
    for index, (name, value, rival, mark) in enumerate(bars):
        y = top + row * index
        parts.append(f'<text x="{left - 8}" y="{y + 16}" text-anchor="end">{name}</text>')
        if value is None:
            words = f"not reached by Gramfold, but by {rival}" if rival else "no comparison"
            parts.append(f'<text x="{x(1) + 6:.1f}" y="{y + 16}" fill="#d0743c">{words}</text>')
            continue
        begin, end = sorted((x(1), x(value)))
        colour = "#2a78b5" if value >= WANTED else "#8fb8d8" if value >= 1 else "#d0743c"
        parts.append(
            f'<rect x="{begin:.1f}" y="{y + 4}" width="{end - begin:.1f}" height="{row - 8}" fill="{colour}"/>'
            f'<text x="{max(end, x(1)) + 6:.1f}" y="{y + 16}" fill="#444">{value:.2g}×{mark} {rival}</text>'
        )
    for value, label in ((1.0, "1"), (WANTED, f"{WANTED:.0f}")):
        parts.append(
            f'<path d="M{x(value):.1f} {top}V{bottom}" stroke="#444" stroke-dasharray="{"none" if value == 1 else "4 3"}"/>'
            f'<text x="{x(value):.1f}" y="{bottom + 32}" text-anchor="middle" fill="#444">{"equal" if value == 1 else label + "×"}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def methods(results: dict) -> str:
    """Every method on every graph."""
    lines = [
        "# Every method, graph by graph", "",
        f"{results['date']}, {results['gramfold']}, {results['machine']}. Means over the seeds, unless said otherwise; memory is the peak "
        "of the process, with Python and its libraries for the rivals.", "",
        *(line for graph in results["graphs"] for line in details(graph)),
    ]
    return "\n".join(lines)


def write(results: dict, docs: Path) -> None:
    """Replaces what is between the markers and the plot, and writes the figures of every method beside the other results."""
    page = docs / "benchmarks.md"
    replace(page, "cluster", INTRODUCTION, section(results))
    (docs / "cluster-benchmark.svg").write_text(plot(results))
    every = docs.parent / "target" / "bench" / "cluster.md"
    every.parent.mkdir(parents=True, exist_ok=True)
    every.write_text(methods(results))
    print(f"written: {page}, {docs / 'cluster-benchmark.svg'}", file=sys.stderr)


if __name__ == "__main__":
    # Rewrites the pages from results measured before: report.py cluster.json DOCS
    write(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
