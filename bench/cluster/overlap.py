"""Planted overlapping communities: `gramfold cluster --overlap` against SLPA, DEMON, BigCLAM and others of cdlib. The table of
docs/cluster.md.

    pip install numpy scipy cdlib
    python3 bench/cluster/overlap.py target/release/gramfold [--seeds 3]

Gramfold and BigCLAM are told the number of communities; the others find their own. A dash where a method gave no cover within two minutes; means are over the rest. Scores are the overlapping NMI of McDaid, Greene and
Hurley (arXiv:1110.2515, the maximum as the norm) and the omega index (Collins and Dent 1988). `--test` checks them on covers worked out by hand.
"""

from __future__ import annotations

import argparse
import csv
import signal
import statistics
import subprocess
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

# Nodes, communities, share of nodes in several, in how many those are, share of links that lead anywhere, mean degree.
CASES = [
    (1000, 8, 0.1, 2, 0.1, 14),
    (1000, 8, 0.4, 2, 0.1, 14),
    (1000, 12, 0.2, 3, 0.1, 18),
    (1000, 12, 0.2, 2, 0.3, 18),
    (1500, 25, 0.3, 2, 0.2, 16),
    (3000, 40, 0.2, 2, 0.3, 24),
]

# Seconds that a rival may take for a graph.
PATIENCE = 120


def planted(n: int, k: int, share: float, several: int, mixing: float, degree: float, seed: int):
    """A graph after LFR (Lancichinetti and Fortunato 2009) with k communities of uneven sizes: degrees follow a power law, a node
    shares its links inside equally among its communities, and `mixing` of them lead anywhere."""
    random = np.random.default_rng(seed)
    sizes = (1.0 + np.arange(k)) ** -0.6
    sizes /= sizes.sum()
    shared = np.zeros(n, bool)
    shared[random.choice(n, int(share * n), replace=False)] = True
    communities = [random.choice(k, several if shared[i] else 1, replace=False, p=sizes) for i in range(n)]
    degrees = np.minimum((1 - random.random(n)) ** (-1 / 1.5), 8.0)
    degrees *= degree / degrees.mean()
    edges: set[tuple[int, int]] = set()

    def join(nodes, links) -> None:
        """Pairs the ends of links at random."""
        ends = np.repeat(nodes, np.floor(links + random.random(len(nodes))).astype(int))
        random.shuffle(ends)
        edges.update((min(a, b), max(a, b)) for a, b in zip(ends[::2].tolist(), ends[1::2].tolist()) if a != b)

    for community in range(k):
        nodes = np.array([i for i in range(n) if community in communities[i]], int)
        join(nodes, np.array([(1 - mixing) * degrees[i] / len(communities[i]) for i in nodes]))
    join(np.arange(n), mixing * degrees)
    a, b = np.array(sorted(edges)).T
    matrix = sp.coo_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()
    return matrix, [{i for i in range(n) if c in communities[i]} for c in range(k)]


def overlapping_nmi(one: list[set[int]], two: list[set[int]], n: int) -> float:
    """1 if both covers have the same clusters, 0 if neither says anything of the other."""

    def h(count):
        return np.where(count > 0, -count / n * np.log2(np.maximum(count, 1) / n), 0.0)

    def members(cover):
        matrix = np.zeros((len(cover), n))
        for row, cluster in zip(matrix, cover):
            row[list(cluster)] = 1
        return matrix

    def entropies(x, y):
        """Sums of H(X_i) and of H(X_i | Y)."""
        both, size, other = x @ y.T, x.sum(1)[:, None], y.sum(1)[None, :]
        parts = h(both), h(n - size - other + both), h(size - both), h(other - both)
        # A cluster that tells of the complement of another does not count as like it.
        alike = parts[0] + parts[1] >= parts[2] + parts[3]
        given = np.where(alike, sum(parts) - h(other) - h(n - other), np.inf)
        alone = (h(size) + h(n - size)).ravel()
        return alone.sum(), np.minimum(alone, given.min(axis=1)).sum()

    one, two = [c for c in one if c], [c for c in two if c]
    if not one or not two:
        return 0.0
    x, y = members(one), members(two)
    (left, left_given), (right, right_given) = entropies(x, y), entropies(y, x)
    largest = max(left, right)
    return 0.5 * (left - left_given + right - right_given) / largest if largest > 0 else float(one == two)


def omega(one: list[set[int]], two: list[set[int]], n: int) -> float:
    """How often pairs are together in the same number of clusters of both covers, corrected for chance."""

    def together(cover):
        rows = [i for cluster in cover for i in cluster]
        columns = [c for c, cluster in enumerate(cover) for _ in cluster]
        matrix = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, max(1, len(cover)))).tocsr()
        return (matrix @ matrix.T).toarray().astype(int)[np.triu_indices(n, 1)]

    left, right = together(one), together(two)
    counts, pairs = (Counter(left.tolist()), Counter(right.tolist())), len(left)
    expected = sum(count / pairs * counts[1][times] / pairs for times, count in counts[0].items())
    return 1.0 if expected >= 1 else (float((left == right).mean()) - expected) / (1 - expected)


def test() -> None:
    """The values that crates/gramfold-cluster/src/overlap works out by hand."""
    one, two = [{0, 1, 2}, {2, 3, 4}], [{0, 1, 2}, {3, 4}]
    assert abs(omega(one, two, 5) - 8 / 13) < 1e-12 and omega(one, one, 5) == 1
    three = 2 - 0.75 * np.log2(3)
    expected = 0.5 * ((three + 1) - (1.5 - 1) + 2 - (1.5 - three)) / 2
    assert abs(overlapping_nmi([{0, 1, 2}, {2, 3}], [{0, 1}, {2, 3}], 4) - expected) < 1e-12
    assert abs(overlapping_nmi([{0, 1}, {2, 3}], [{0, 1}], 4) - 0.5) < 1e-12


def gramfold(program: Path, matrix, k: int, seed: int) -> list[set[int]]:
    with tempfile.TemporaryDirectory() as work:
        graph, out = Path(work) / "g.mtx", Path(work) / "out"
        scipy.io.mmwrite(graph, matrix, symmetry="symmetric")
        command = [program, "cluster", graph, "-k", k, "--overlap", "--seed", seed, "--quiet", "--out", out]
        subprocess.run(list(map(str, command)), check=True)
        cover: list[set[int]] = [set() for _ in range(k)]
        with (out / "overlap.csv").open() as table:
            for row in csv.DictReader(table):
                cover[int(row["cluster"])].add(int(row["node"]))
        return cover


def rivals() -> dict:
    """Functions of a networkx graph and the number of communities, at the settings that cdlib documents."""
    warnings.simplefilter("ignore")
    from cdlib import algorithms

    return {
        "SLPA": lambda graph, k: algorithms.slpa(graph, t=21, r=0.1),
        "DEMON": lambda graph, k: algorithms.demon(graph, epsilon=0.25, min_com_size=3),
        "BigCLAM": lambda graph, k: algorithms.big_clam(graph, k),
        "Angel": lambda graph, k: algorithms.angel(graph, threshold=0.25),
        "core expansion": lambda graph, k: algorithms.core_expansion(graph),
    }


def in_time(run):
    """The cover that a rival finds; none where it fails or takes too long."""

    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        return [set(map(int, cluster)) for cluster in run().communities]
    except Exception:  # noqa: BLE001 A rival's errors are many.
        return None
    finally:
        signal.alarm(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gramfold", type=Path, nargs="?")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="without rivals, which then need not be installed")
    parser.add_argument("--test", action="store_true")
    args = parser.parse_args()
    test()
    if args.test or args.gramfold is None:
        return
    others = {} if args.alone else rivals()
    methods = ["gramfold", *others]
    print("| nodes, communities, shared, in, mixing, degree | " + " | ".join(methods) + " |")
    print("|---|" + "--:|" * len(methods), flush=True)
    scores: dict[str, list[tuple[float, float, float]]] = {method: [] for method in methods}
    for case in CASES:
        cells = []
        inputs = [planted(*case, seed=100 + seed) for seed in range(args.seeds)]
        for method in methods:
            found = []
            for seed, (matrix, truth) in enumerate(inputs):
                clock = time.perf_counter()
                if method == "gramfold":
                    cover = gramfold(args.gramfold, matrix, case[1], seed)
                else:
                    import networkx as nx

                    graph = nx.from_scipy_sparse_array(matrix)
                    cover = in_time(lambda: others[method](graph, case[1]))
                seconds = time.perf_counter() - clock
                n = case[0]
                if cover:
                    found.append((overlapping_nmi(truth, cover, n), omega(truth, cover, n), seconds))
            scores[method] += found
            means = [statistics.mean(score[i] for score in found) for i in (0, 1)] if found else []
            cells.append(" / ".join(f"{mean:.3f}" for mean in means) or "–")
        print(f"| {', '.join(map(str, case))} | " + " | ".join(cells) + " |", flush=True)
    means = [[statistics.mean(score[i] for score in scores[method]) for i in range(3)] for method in methods]
    print("| mean | " + " | ".join(f"{nmi:.3f} / {index:.3f}" for nmi, index, _ in means) + " |")
    print("| seconds | " + " | ".join(f"{seconds:.1f}" for *_, seconds in means) + " |")


if __name__ == "__main__":
    main()
