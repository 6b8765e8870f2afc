"""One rival on one graph: prints a JSON object with the runs. Started by run.py, a process each.

The symmetric rivals minimise f(X) = ½‖A − XXᵀ‖² over X ≥ 0, from the start that Gramfold uses: uniform
on [0, 1), scaled so that ⟨A, XXᵀ⟩ = ‖XXᵀ‖². After every iteration the clock stops while f is evaluated.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from scipy.optimize import linear_sum_assignment

import graphs

# A run ends when f fell by less than this, relatively, over so many iterations.
STALL, WINDOW = 1e-8, 40


class Done(Exception):
    """The run is over."""


class Run:
    """Clock and trace of one run."""

    def __init__(self, a, budget: float, clock):
        self.a, self.budget, self.clock = a, budget, clock
        self.norm2 = float((a.data**2).sum()) if sp.issparse(a) else float((a**2).sum())
        self.spent, self.products, self.iterations = 0.0, 0.0, 0
        self.trace, self.recent = [], []
        self.best, self.factor = np.inf, None
        self.asymmetry = 0.0
        self.started = clock()

    def objective(self, x) -> float:
        gram = x.T @ x
        return 0.5 * (self.norm2 - 2 * float(np.vdot(self.a @ x, x)) + float(np.vdot(gram, gram)))

    def record(self, x, asymmetry: float = 0.0, steps: int = 1) -> None:
        """Stops the clock, notes f at the factor x, and starts it again."""
        self.spent += self.clock() - self.started
        self.iterations += steps
        value = self.objective(x)
        # The trace keeps what lowers f visibly; thresholds of 1e-4 need no more.
        if not self.trace or value < self.trace[-1][1] * (1 - 2e-6):
            self.trace.append((self.spent, value))
        if value < self.best:
            self.best, self.factor, self.asymmetry = value, np.array(x), asymmetry
        self.recent.append(value)
        window = max(2, WINDOW // steps)
        stalled = len(self.recent) > window and self.recent[-window - 1] - value <= STALL * value
        if stalled or self.spent >= self.budget or not np.isfinite(value):
            raise Done
        self.started = self.clock()

    def start(self, k: int, seed: int):
        """Gramfold's start, but for the generator of random numbers; not on the clock."""
        x = np.random.default_rng(seed).random((self.a.shape[0], k))
        gram = x.T @ x
        x *= np.sqrt(float(np.vdot(self.a @ x, x)) / float(np.vdot(gram, gram)))
        self.started = self.clock()
        return x


def spectral_norm(a) -> float:
    return float(abs(sla.eigsh(a, k=1, which="LM", return_eigenvectors=False, tol=1e-3)[0]))


def symhals(run: Run, k: int, seed: int, gamma) -> None:
    """Zhu et al. 2018: one pass over the columns of X, then of Y, of f(XYᵀ) + ½γ‖X − Y‖²."""
    a, x = run.a, run.start(k, seed)
    gamma = gamma(a, run.objective(x))
    # Rows of the k×n transposes are contiguous columns.
    xt = np.ascontiguousarray(x.T)
    yt = xt.copy()

    def sweep(moving, fixed):
        product = np.ascontiguousarray((a @ np.ascontiguousarray(fixed.T)).T)
        gram = fixed @ fixed.T
        for j in range(k):
            step = product[j] - gram[j] @ moving + gamma * (fixed[j] - moving[j])
            moving[j] = np.maximum(moving[j] + step / (gram[j, j] + gamma), 0)

    while True:
        sweep(xt, yt)
        sweep(yt, xt)
        run.products += 2
        run.record(0.5 * (xt + yt).T, float(np.linalg.norm(xt - yt) / np.linalg.norm(xt)))


def zhu(a, objective) -> float:
    return 0.5 * (spectral_norm(a) + np.sqrt(2 * objective))


def tuned(a, _) -> float:
    return 0.3 * spectral_norm(a)


class Folded:
    """The state of a descent on f(X) that needs one product with A an iteration.

    Along X + tD, f is a quartic in t whose coefficients need only A·D and k×k products.
    """

    def __init__(self, run: Run, x):
        self.run, self.x = run, x
        self.ax = run.a @ x
        self.gram = x.T @ x
        run.products += 1
        self.value = run.objective(x)
        self.gradient = 2 * (x @ self.gram - self.ax)

    def along(self, d):
        """Coefficients of t¹..t⁴ of f(X + tD) − f(X), and A·D."""
        ad = self.run.a @ d
        self.run.products += 1
        xd, dd = self.x.T @ d, d.T @ d
        s2 = 2 * np.vdot(self.gram, dd) + 2 * np.vdot(xd, xd.T)
        curvature = 0.5 * s2 - np.vdot(ad, d) + np.vdot(xd, xd)
        slope = np.vdot(self.gradient, d)
        return np.array([slope, curvature, 2 * np.vdot(xd, dd), 0.5 * np.vdot(dd, dd)]), ad, xd, dd

    def move(self, t, d, quartic, ad, xd, dd):
        self.value += value_at(quartic, t)
        self.x = self.x + t * d
        self.ax = self.ax + t * ad
        self.gram = self.gram + t * (xd + xd.T) + t * t * dd
        before, self.gradient = self.gradient, 2 * (self.x @ self.gram - self.ax)
        return before


def value_at(quartic, t: float) -> float:
    return float(t * (quartic[0] + t * (quartic[1] + t * (quartic[2] + t * quartic[3]))))


def lowest(quartic) -> float:
    """The best t in (0, 1]."""
    roots = np.roots([4 * quartic[3], 3 * quartic[2], 2 * quartic[1], quartic[0]])
    steps = [float(r.real) for r in roots if abs(r.imag) < 1e-9 and 0 < r.real < 1]
    return min(steps + [1.0], key=lambda t: value_at(quartic, t))


def pbb(run: Run, k: int, seed: int) -> None:
    """Projected Barzilai–Borwein with a nonmonotone test."""
    state = Folded(run, run.start(k, seed))
    length = 0.25 / max(np.linalg.norm(state.gram), 1e-300)
    values, even = [state.value], False
    while True:
        d = np.maximum(state.x - length * state.gradient, 0) - state.x
        line = state.along(d)
        quartic = line[0]
        enough = max(values[-10:]) - state.value + 1e-4 * quartic[0]
        t = 1.0 if value_at(quartic, 1.0) <= enough else lowest(quartic)
        before = state.move(t, d, *line)
        values.append(state.value)
        y = state.gradient - before
        sy, yy, ss = t * np.vdot(d, y), np.vdot(y, y), t * t * np.vdot(d, d)
        if ss == 0:
            raise Done
        even = not even
        length = (ss / sy if even else sy / yy) if sy > 0 else 2 * length
        length = min(max(length, 1e-12), 1e12)
        run.record(state.x)


def gncg(run: Run, k: int, seed: int) -> None:
    """Projected Gauss–Newton: at most k conjugate gradient steps on the free variables, exact line search."""
    state = Folded(run, run.start(k, seed))
    while True:
        x, g, gram = state.x, state.gradient, state.gram
        free = (x > 0) | (g < 0)
        damping = 1e-6 * np.trace(gram) / k
        d = np.zeros_like(x)
        residual = np.where(free, -g, 0)
        p, rho = residual, np.vdot(residual, residual)
        first = rho
        for _ in range(k):
            if rho <= 1e-4 * first or rho == 0:
                break
            hp = np.where(free, 2 * (p @ gram + x @ (p.T @ x)) + damping * p, 0)
            alpha = rho / np.vdot(p, hp)
            d += alpha * p
            residual = residual - alpha * hp
            before, rho = rho, np.vdot(residual, residual)
            p = residual + rho / before * p
        d = np.maximum(x + d, 0) - x
        if np.vdot(g, d) >= 0:
            # The projection can undo the descent of a Newton step; a gradient step cannot.
            d = np.maximum(x - g / (2 * np.linalg.norm(gram)), 0) - x
        if not d.any():
            raise Done
        line = state.along(d)
        state.move(lowest(line[0]), d, *line)
        run.record(state.x)


def sklearn_nmf(run: Run, k: int, seed: int, init: str) -> None:
    """scikit-learn's coordinate descent on ½‖A − WH‖², folded into one factor of the best scale."""
    from sklearn.decomposition import NMF

    warnings.simplefilter("ignore")
    x = run.start(k, seed)
    w, h = x.copy(), np.ascontiguousarray(x.T)
    if init == "nndsvda":
        model = NMF(k, init=init, solver="cd", tol=0, max_iter=1, random_state=seed)
        w = model.fit_transform(run.a)
        h = model.components_
        run.products += 2
        fold(run, w, h, 1)
    while True:
        # A call each iteration would charge scikit-learn for its input checks: calls grow with the run.
        steps = max(2, run.iterations // 5)
        model = NMF(k, init="custom", solver="cd", tol=0, max_iter=steps)
        w = model.fit_transform(run.a, W=w, H=h)
        h = model.components_
        run.products += 2 * steps
        fold(run, w, h, steps)


def fold(run: Run, w, h, steps: int) -> None:
    run.spent += run.clock() - run.started
    a, b = np.linalg.norm(w, axis=0), np.linalg.norm(h, axis=1)
    ratio = np.sqrt(np.divide(b, a, out=np.ones_like(a), where=(a > 0) & (b > 0)))
    x, y = w * ratio, (h.T / ratio)
    m = 0.5 * (x + y)
    gram = m.T @ m
    m *= np.sqrt(max(float(np.vdot(run.a @ m, m)), 0) / max(float(np.vdot(gram, gram)), 1e-300))
    asymmetry = float(np.linalg.norm(x - y) / max(np.linalg.norm(x), 1e-300))
    run.started = run.clock()
    run.record(m, asymmetry, steps)


FACTORISERS = {
    "sklearn-nndsvda": lambda run, k, seed: sklearn_nmf(run, k, seed, "nndsvda"),
    "sklearn-random": lambda run, k, seed: sklearn_nmf(run, k, seed, "random"),
    "symhals-bound": lambda run, k, seed: symhals(run, k, seed, zhu),
    "symhals-tuned": lambda run, k, seed: symhals(run, k, seed, tuned),
    "pbb": pbb,
    "gncg": gncg,
}


def spectral(weights, k: int, seed: int):
    from sklearn.cluster import SpectralClustering

    return SpectralClustering(k, affinity="precomputed", random_state=seed).fit_predict(weights)


def eigenvectors(weights, k: int, seed: int):
    from sklearn.cluster import KMeans

    a = graphs.normalised(weights)
    start = np.random.default_rng(seed).random(a.shape[0])
    _, vectors = sla.eigsh(a, k=k, which="LA", v0=start, tol=1e-6)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return KMeans(k, n_init=10, random_state=seed).fit_predict(rows)


def joined(weights):
    """The graph for igraph, and its weights."""
    import igraph

    upper = sp.triu(weights, k=1).tocoo()
    return igraph.Graph(weights.shape[0], list(zip(upper.row.tolist(), upper.col.tolist()))), upper.data.tolist()


def leiden(weights, _: int, seed: int):
    import leidenalg

    graph, links = joined(weights)
    kind = leidenalg.ModularityVertexPartition
    return np.array(leidenalg.find_partition(graph, kind, weights=links, seed=seed).membership)


def leiden_tuned(weights, k: int, seed: int):
    """Leiden at the resolution, by bisection, whose number of clusters is nearest to k."""
    import leidenalg

    graph, links = joined(weights)
    kind = leidenalg.RBConfigurationVertexPartition
    low, high, best = 1e-3, 50.0, None
    for _ in range(18):
        middle = (low * high) ** 0.5
        found = leidenalg.find_partition(graph, kind, weights=links, seed=seed, resolution_parameter=middle)
        if best is None or abs(len(found) - k) < abs(len(best) - k):
            best = found
        if len(found) == k:
            break
        low, high = (middle, high) if len(found) < k else (low, middle)
    return np.array(best.membership)


def louvain(weights, _: int, seed: int):
    import random

    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    graph, links = joined(weights)
    return np.array(graph.community_multilevel(weights=links).membership)


CLUSTERERS = {"spectral": spectral, "eigenvectors": eigenvectors, "leiden": leiden}


def scores(labels, truth) -> dict:
    """Accuracy under the best matching of clusters and classes, NMI and ARI, of the labelled nodes."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    if truth is None:
        return {}
    known = truth >= 0
    labels, truth = np.unique(labels[known], return_inverse=True)[1], truth[known]
    table = np.zeros((labels.max() + 1, truth.max() + 1))
    np.add.at(table, (labels, truth), 1)
    rows, columns = linear_sum_assignment(-table)
    return {
        "accuracy": table[rows, columns].sum() / len(truth),
        "nmi": normalized_mutual_info_score(truth, labels),
        "ari": adjusted_rand_score(truth, labels),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("method", choices=[*FACTORISERS, *CLUSTERERS])
    parser.add_argument("file", type=Path)
    parser.add_argument("-k", type=int, required=True)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--seeds", type=int, required=True)
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("--wall", action="store_true", help="wall instead of CPU time, for several threads")
    args = parser.parse_args()
    matrix = graphs.load(args.file)
    truth = np.loadtxt(args.truth, dtype=int) if args.truth else None
    clock = time.perf_counter if args.wall else time.process_time
    runs = []
    for seed in range(args.seeds):
        if args.method in CLUSTERERS:
            warnings.simplefilter("ignore")
            begin = clock()
            labels = CLUSTERERS[args.method](matrix, args.k, seed)
            seconds = clock() - begin
            runs.append({"seconds": seconds, "clusters": int(len(set(labels))), **scores(labels, truth)})
            continue
        run = Run(matrix, args.budget, clock)
        try:
            FACTORISERS[args.method](run, args.k, seed)
        except Done:
            pass
        labels = run.factor.argmax(axis=1)
        runs.append({
            "seconds": run.spent, "objective": run.best, "asymmetry": run.asymmetry, "products": run.products,
            "iterations": run.iterations, "trace": run.trace, **scores(labels, truth),
        })
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"runs": runs, "memory": memory}))


if __name__ == "__main__":
    main()
