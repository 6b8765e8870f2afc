"""The learning commands beside their rivals, on the same problems in one run. `cargo xtask bench learn` starts this."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from common import THREADS, machine, replace, seconds  # noqa: E402

os.environ |= {name: "1" for name in THREADS}  # Before NumPy is loaded.

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402

import problems  # noqa: E402
import rivals  # noqa: E402

PACKAGES = ["numpy", "scipy", "numba", "scikit-learn", "statsmodels", "cmfrec"]


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


def completion(gramfold: Gramfold, quick: bool) -> list[str]:
    cases: list[tuple[str, dict, str]] = [
        ("n = 1000, r = 5, 10 %", {"n": 1000, "r": 5, "share": 0.1}, "≤ 20 ms"),
        ("n = 1000, r = 10, κ = 100, 10 %", {"n": 1000, "r": 10, "share": 0.1, "kappa": 100}, "≤ 70 ms"),
        ("n = 5000, r = 10, 5 %", {"n": 5000, "r": 10, "share": 0.05}, "≤ 400 ms"),
        ("n = 20 000, r = 20, 2 %", {"n": 20_000, "r": 20, "share": 0.02}, "≤ 5 s"),
    ]
    lines = [
        "CPU time to a relative error of 1e-6 over the whole matrix. Rivals are stopped where they reach it.",
        "",
        "| problem | Gramfold, solver | whole command | error | goal | row Cholesky ALS | ScaledGD | L-BFGS | cmfrec |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, settings, goal in cases[: 3 if quick else 4]:
        problem = problems.completion(seed=0, **settings)
        r, matrix = settings["r"], problem.matrix()
        path = gramfold.work / "entries.npz"
        sp.save_npz(path, sp.csr_matrix(matrix))
        large = settings["n"] > 10_000
        ours = gramfold.best(1 if large else 5, "complete", path, "-r", r, "--ridge", 0, "--biases", "none", "--folds", 0)
        cells = [seconds(ours["solver"]), seconds(ours["whole"]), f"{problem.error(gramfold.factor(ours)):.1e}", goal]
        limit = 120 if large else 20
        for method in (rivals.als, rivals.scaled_gradient):
            next(method(matrix[:50, :50].copy(), 2, 0))  # Compiled before it is timed.
            cells.append(reached(*rivals.to_accuracy(method, matrix, r, problem.error, 1e-6, limit)))
        cells.append("–" if large else reached(*rivals.quasi_newton_to_accuracy(matrix, r, problem.error, 1e-6, limit)))
        cells.append(cmfrec(problem, r))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def reached(spent: float | None, error: float) -> str:
    return f"{error:.1e} at its end" if spent is None else seconds(spent)


def cmfrec(problem: problems.Completion, r: int) -> str:
    try:
        from cmfrec import CMF
    except ImportError:
        return "not installed"
    entries = problem.matrix().tocoo()
    # 20 sweeps of alternating least squares, which is not symmetric: its own product is judged.
    model = CMF(k=r, lambda_=1e-9, user_bias=False, item_bias=False, center=False, niter=20, nthreads=1, use_cg=False, verbose=False)
    _, spent = timed(lambda: model.fit(entries))
    off = model.A_ @ model.B_.T - problem.truth @ problem.truth.T if problem.n <= 5000 else None
    error = "" if off is None else f", error {np.linalg.norm(off) / np.linalg.norm(problem.truth @ problem.truth.T):.0e}"
    return f"{seconds(spent)} for 20 sweeps{error}"


def scarce(gramfold: Gramfold, quick: bool) -> list[str]:
    seeds = 4 if quick else 20
    lines = [
        "",
        "Few entries, n = 1000, r = 5: seeds with a relative error of at most 1e-6 over the nodes that r + 2 or more entries",
        "speak of. A wrong answer without a warning is counted on its own.",
        "",
        "| entries for each unknown | right | wrong | of them not warned of | solver, median | row Cholesky ALS right |",
        "|---|---|---|---|---|---|",
    ]
    for times in (3, 2, 1.2):
        right = wrong = silent = rival = 0
        spent = []
        for seed in range(seeds):
            problem = problems.scarce(1000, 5, times, seed)
            matrix = problem.matrix()
            path = gramfold.work / "entries.npz"
            sp.save_npz(path, sp.csr_matrix(matrix))
            ours = gramfold.run("complete", path, "-r", 5, "--ridge", 0, "--biases", "none", "--folds", 0)
            spent.append(ours["solver"])
            sure = np.flatnonzero(np.diff(matrix.indptr) > 6)
            judged = problems.Completion(problem.truth[sure], problem.rows, problem.cols, problem.values)
            good = judged.error(gramfold.factor(ours)[sure]) <= 1e-6
            right, wrong = right + good, wrong + (not good)
            silent += not good and not ours["warned"]
            if seed < (2 if quick else 5):
                found, _ = rivals.to_accuracy(rivals.als, matrix, 5, lambda x: judged.error(x[sure]), 1e-6, 3)
                rival += found is not None
        lines.append(f"| {times} | {right} of {seeds} | {wrong} | {silent} | {seconds(float(np.median(spent)))} | {rival} of {2 if quick else 5} |")
        print(lines[-1], flush=True)
    return lines


def outliers(gramfold: Gramfold, quick: bool) -> list[str]:
    lines = [
        "",
        "Noise of 1 % and outliers (10 % of the entries off by ten times the root mean square): relative error over the whole matrix.",
        "",
        "| problem | Huber | solver | square | goal |",
        "|---|---|---|---|---|",
    ]
    for n, r, share in ((1000, 5, 0.1), (5000, 10, 0.05))[: 1 if quick else 2]:
        problem = problems.completion(n, r, share, 0, outliers=0.1, noise=0.01)
        path = gramfold.work / "entries.npz"
        sp.save_npz(path, sp.csr_matrix(problem.matrix()))
        fixed = ("complete", path, "-r", r, "--ridge", 0, "--biases", "none", "--folds", 0, "--loss")
        huber, square = gramfold.best(3, *fixed, "huber"), None
        error = problem.error(gramfold.factor(huber))
        square = problem.error(gramfold.factor(gramfold.run(*fixed, "square")))
        lines.append(f"| n = {n}, r = {r} | {error:.1e} | {seconds(huber['solver'])} | {square:.1e} | ≤ 5e-3 |")
        print(lines[-1], flush=True)
    return lines


def words(gramfold: Gramfold, data: Path | None) -> list[str]:
    path = data / "men.txt" if data else None
    if path is None or not path.is_file():
        return ["", "Word pairs: men.txt is not there."]
    ours = gramfold.run("complete", path)
    spearman = ours["held_out"]["spearman"]["value"]
    alone = gramfold.run("complete", path, "--rank", 1, "--ridge", 1e9)["held_out"]["spearman"]["value"]
    return [
        "",
        f"Word pairs (MEN, 3000 of 751 words), five folds, rank, ridge and biases chosen: Spearman {spearman:.3f} (goal ≥ .40), "
        f"biases alone {alone:.3f}; the whole command {seconds(ours['whole'])}.",
    ]


def splits(points: np.ndarray, classes: np.ndarray, count: int):
    """Stratified 70/30, standardised by the part that is learnt from."""
    from sklearn.model_selection import StratifiedShuffleSplit

    for train, test in StratifiedShuffleSplit(count, test_size=0.3, random_state=0).split(points, classes):
        mean, spread = points[train].mean(0), points[train].std(0)
        spread[spread == 0] = 1
        scaled = (points - mean) / spread
        yield scaled[train], classes[train], scaled[test], classes[test]


def metric(gramfold: Gramfold, quick: bool, data: Path | None) -> list[str]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis

    goals = {"iris": ".96", "wine": ".983", "breast cancer": "Euclid − .003", "digits": ".980", "ionosphere": ".89", "sonar": ".855"}
    count = 3 if quick else 20
    lines = [
        "",
        f"3-NN accuracy, {count} stratified splits of 70/30, standardised; CPU seconds a fit.",
        "",
        "| set | Euclid | LDA | NCA | Gramfold | goal | NCA a fit | Gramfold, solver | whole command |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, (points, classes) in problems.tables(data).items():
        if quick and name == "digits":
            continue
        right: dict[str, list[float]] = {key: [] for key in ("Euclid", "LDA", "NCA", "Gramfold")}
        spent: dict[str, list[float]] = {key: [] for key in ("NCA", "solver", "whole")}
        for x, y, x_test, y_test in splits(points, classes, count):

            def judge(a: np.ndarray, b: np.ndarray, y=y, y_test=y_test) -> float:
                return KNeighborsClassifier(3).fit(a, y).score(b, y_test)

            right["Euclid"].append(judge(x, x_test))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lda = LinearDiscriminantAnalysis().fit(x, y)
                nca, cpu = timed(lambda x=x, y=y: NeighborhoodComponentsAnalysis(random_state=0, max_iter=50).fit(x, y))
            right["LDA"].append(judge(lda.transform(x), lda.transform(x_test)))
            right["NCA"].append(judge(nca.transform(x), nca.transform(x_test)))
            spent["NCA"].append(cpu)
            table, labels = gramfold.work / "points.npy", gramfold.work / "labels.txt"
            np.save(table, x)
            labels.write_text("".join(f"{label}\n" for label in y))
            ours = gramfold.run("metric", table, "--labels", labels, "--folds", 0)
            learnt = gramfold.factor(ours)
            right["Gramfold"].append(judge(x @ learnt, x_test @ learnt))
            spent["solver"].append(ours["solver"])
            spent["whole"].append(ours["whole"])
        means = {key: float(np.mean(values)) for key, values in right.items()}
        medians = {key: float(np.median(values)) for key, values in spent.items()}
        lines.append(
            f"| {name} | {means['Euclid']:.3f} | {means['LDA']:.3f} | {means['NCA']:.3f} | {means['Gramfold']:.3f} | {goals[name]} | "
            f"{seconds(medians['NCA'])} | {seconds(medians['solver'])} | {seconds(medians['whole'])} |"
        )
        print(lines[-1], flush=True)
    return lines


def locate_once(gramfold: Gramfold, problem: problems.Network) -> tuple[dict, np.ndarray, np.ndarray]:
    """What was claimed, the positions, and the nodes that were called free."""
    n = len(problem.points)
    path, anchors = gramfold.work / "distances.npz", gramfold.work / "anchors.csv"
    i, j = problem.pairs.T
    both = sp.csr_matrix((np.r_[problem.distances, problem.distances], (np.r_[i, j], np.r_[j, i])), shape=(n, n))
    sp.save_npz(path, both)
    anchors.write_text("".join(f"{k},{x!r},{y!r}\n" for k, (x, y) in enumerate(problem.points[: problem.anchors].tolist())))
    ours = gramfold.run("locate", path, "--dim", 2, "--anchors", anchors)
    lines = (ours["out"] / "undetermined.csv").read_text().split("\n")[1:]
    free = np.array([int(line.split(",")[0]) for line in lines if line], int)
    return ours, np.load(ours["out"] / "positions.npy"), free


def locate(gramfold: Gramfold, quick: bool) -> list[str]:
    seeds = 3 if quick else 20
    lines = [
        "",
        f"Positions, unit square, average degree 12, 10 anchors, {seeds} seeds: right is a root mean squared error of at most 1e-6 over all",
        "nodes but those that are called free.",
        "",
        "| nodes | right | seeds with free nodes | solver, median | whole, median | goal | MDS-MAP and L-BFGS right | its CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n, goal in ((50, ""), (500, "≤ 30 ms"), (5000, "≤ 500 ms"))[: 2 if quick else 3]:
        right = with_free = rival_right = rival_runs = 0
        spent, whole, rival = [], [], []
        for seed in range(seeds):
            problem = problems.network(n, 12, 4 if n == 50 else 10, seed)
            ours, found, free = locate_once(gramfold, problem)
            right += problem.error(found, free) <= 1e-6
            with_free += len(free) > 0
            spent.append(ours["solver"])
            whole.append(ours["whole"])
            if n <= 500 and seed < 5:
                rival_runs += 1
                other, cpu = timed(lambda p=problem: rivals.shortest_paths(p.pairs, p.distances, p.points, p.anchors))
                rival.append(cpu)
                rival_right += problem.error(other, free) <= 1e-6
        beside = f"{rival_right} of {rival_runs} | {seconds(float(np.median(rival)))}" if rival else "– | –"
        lines.append(
            f"| {n} | {right} of {seeds} | {with_free} | {seconds(float(np.median(spent)))} | {seconds(float(np.median(whole)))} | {goal} | {beside} |"
        )
        print(lines[-1], flush=True)
    lines += ["", "With 5 % noise in each distance: root mean squared error.", "", "| nodes | degree | Gramfold | MDS-MAP and L-BFGS | L-BFGS from the truth |", "|---|---|---|---|---|"]
    for n in (50, 500):
        ours_off, other_off, best_off = [], [], []
        for seed in range(seeds):
            problem = problems.network(n, 12 if n == 500 else 16, 4 if n == 50 else 10, seed, noise=0.05)
            _, found, free = locate_once(gramfold, problem)
            ours_off.append(problem.error(found, free))
            other_off.append(problem.error(rivals.shortest_paths(problem.pairs, problem.distances, problem.points, problem.anchors), free))
            best_off.append(problem.error(rivals.stress_from(problem.pairs, problem.distances, problem.points.copy(), problem.anchors), free))
        medians = [f"{np.median(off):.4f}" for off in (ours_off, other_off, best_off)]
        lines.append(f"| {n} | {12 if n == 500 else 16} | " + " | ".join(medians) + " |")
        print(lines[-1], flush=True)
    return lines


def phases(gramfold: Gramfold, quick: bool) -> list[str]:
    seeds = 3 if quick else 20
    right = rival_right = 0
    spent, whole, rival = [], [], []
    n, m = 1000, 3000
    path = gramfold.work / "measurements.npy"
    for seed in range(seeds):
        signal, a, b = problems.phases(n, m, seed)

        def is_right(z: np.ndarray, signal=signal) -> bool:
            return min(np.linalg.norm(z - signal), np.linalg.norm(z + signal)) <= 1e-6 * np.linalg.norm(signal)

        np.save(path, np.c_[a, b])
        ours = gramfold.run("recover", path, "-r", 1)
        right += is_right(gramfold.factor(ours)[:, 0])
        spent.append(ours["solver"])
        whole.append(ours["whole"])
        if seed < (1 if quick else 5):
            z, cpu = timed(lambda a=a, b=b: rivals.truncated_amplitude_flow(a, b))
            rival.append(cpu)
            rival_right += is_right(z)
    return [
        "",
        "| phase retrieval, n = 1000, m = 3n | right to 1e-6 | CPU, median |",
        "|---|---|---|",
        f"| Gramfold, solver (goal ≤ 300 ms) | {right} of {seeds} | {seconds(float(np.median(spent)))} |",
        f"| the whole command | | {seconds(float(np.median(whole)))} |",
        f"| truncated amplitude flow, step .6 | {rival_right} of {len(rival)} | {seconds(float(np.median(rival)))} |",
    ]


def factors(gramfold: Gramfold, quick: bool) -> list[str]:
    from statsmodels.multivariate.factor import Factor

    lines = [
        "",
        "| factor analysis | Gramfold, solver | whole command | goal | ½Σ residual², off the diagonal | statsmodels `pa` | its CPU |",
        "|---|---|---|---|---|---|---|",
    ]
    for p, k, goal in ((100, 5, "≤ 5 ms"), (1000, 10, "≤ 200 ms")):
        r = problems.correlations(p, k, 0)
        path = gramfold.work / "correlations.npy"
        np.save(path, r)
        ours = gramfold.best(5 if p == 100 else 2, "factors", path, "-k", k)

        def value(x: np.ndarray, r=r) -> float:
            off = r - x @ x.T
            np.fill_diagonal(off, 0)
            return 0.5 * float(np.vdot(off, off))

        def principal(r=r, k=k) -> np.ndarray:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return Factor(corr=r, n_factor=k, method="pa").fit(maxiter=100, tol=1e-8).loadings

        loadings, cpu = (None, None) if quick and p > 100 else timed(principal)
        other = "–" if loadings is None else f"{value(loadings):.6f}"
        lines.append(
            f"| p = {p}, k = {k} | {seconds(ours['solver'])} | {seconds(ours['whole'])} | {goal} | {value(gramfold.factor(ours)):.6f} | {other} | {seconds(cpu)} |"
        )
        print(lines[-1], flush=True)
    return lines


def nearest(gramfold: Gramfold, quick: bool) -> list[str]:
    lines = [
        "",
        "| nearest correlation, rank 5 | Gramfold, solver | whole command | goal | ½‖XXᵀ − A‖² | proved optimal | L-BFGS on unit rows | its CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for p, goal in ((100, "≤ 20 ms"), (1000, "≤ 1 s")):
        a = problems.indefinite(p, 0)
        path = gramfold.work / "a.npy"
        np.save(path, a)
        ours = gramfold.best(5 if p == 100 else 2, "correlation", path, "--rank", 5)
        x, cpu = timed(lambda a=a: rivals.unit_rows(a, 5))
        value = [0.5 * np.linalg.norm(z @ z.T - a) ** 2 for z in (gramfold.factor(ours), x)]
        proved = "yes" if ours["optimal"] else "no"
        lines.append(
            f"| p = {p} | {seconds(ours['solver'])} | {seconds(ours['whole'])} | {goal} | {value[0]:.6f} | {proved} | {value[1]:.6f} | {seconds(cpu)} |"
        )
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gramfold", type=Path, required=True, help="the program")
    parser.add_argument("--passes", type=Path, help="the example that times single passes")
    parser.add_argument("--data", type=Path, help="men.txt, ionosphere.csv, sonar.csv")
    parser.add_argument("--out", type=Path, help="not used: everything is in the tables")
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", help="one section, which is printed and not written")
    args = parser.parse_args()
    where = machine(PACKAGES)
    with tempfile.TemporaryDirectory() as work:
        gramfold, quick, data = Gramfold(args.gramfold, Path(work)), args.quick, args.data
        sections: dict[str, tuple[str, Callable[[], list[str]]]] = {
            "completion": ("## Completion\n", lambda: completion(gramfold, quick)),
            "scarce": ("", lambda: scarce(gramfold, quick)),
            "outliers": ("", lambda: outliers(gramfold, quick)),
            "words": ("", lambda: words(gramfold, data)),
            "passes": ("", lambda: passes(args.passes, quick)),
            "metric": ("\n## Metric learning", lambda: metric(gramfold, quick, data)),
            "locate": ("\n## Localisation", lambda: locate(gramfold, quick)),
            "phases": ("\n## Phase retrieval", lambda: phases(gramfold, quick)),
            "factors": ("\n## Factor analysis", lambda: factors(gramfold, quick)),
            "nearest": ("\n## Nearest correlation matrix", lambda: nearest(gramfold, quick)),
        }
        if args.only:
            print("\n".join(sections[args.only][1]()))
            return
        text = []
        for title, section in sections.values():
            text += ([title] if title else []) + section()
    command = "cargo xtask bench learn" + (" --quick" if quick else "")
    text = [f"{date.today().isoformat()}, `{command}`. {where}. All times are CPU time of one thread.", "", *text]
    introduction = "# The learning commands beside their rivals\n\nWhat is measured is said in `bench/learn`.\n"
    replace(args.docs / "learn-benchmarks.md", "learn-quick" if quick else "learn", introduction, "\n".join(text))


def passes(example: Path | None, quick: bool) -> list[str]:
    if example is None:
        return []
    done = subprocess.run([example, "2" if quick else "20"], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    return [
        "",
        f"Single passes over {told['entries'] / 1e6:.0f} million stored entries, r = 20: a half-sweep {seconds(told['half_sweep'])} "
        f"(goal ≤ 800 ms for 20 million), a gradient {seconds(told['gradient'])} (goal ≤ 300 ms).",
    ]


if __name__ == "__main__":
    main()
