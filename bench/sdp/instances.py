"""The semidefinite programs of the benchmark: those of the data directory, and generated ones.

All of them as SDPA sparse files: max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

# Small enough for every solver to take seconds, and one or two of every kind.
QUICK = """truss1 control1 hinf1 qap5 theta1 infp1 infd1 truss2 mcp100 mcp124-1 gpp100 gpp124-1 control3 qap6 qap8
theta2 hamming_7_5_6 wald1 wald2 arch0 truss8 mcp500-1 toruspm3-8-50 theta4 maxG11 G1 G14""".split()
# The same problems under other names.
TWINS = {"G11": "maxG11", "G32": "maxG32", "G60": "maxG60"}


@dataclass
class Published:
    """What is known of an optimum: an interval, or that there is none (`infeasible`: SDPA's primal or dual)."""

    low: float | None = None
    high: float | None = None
    infeasible: str | None = None


@dataclass
class Case:
    """One program: its file, its size, and what is published about it."""

    name: str
    file: Path
    kind: str
    n: int
    m: int
    published: Published | None = None


@dataclass
class Sdpa:
    """A program in memory: entry e is F_{matrix[e]}[row[e], column[e]] = value[e] in a block, upper triangle."""

    c: np.ndarray
    blocks: list[int]
    matrix: np.ndarray = field(repr=False)
    block: np.ndarray = field(repr=False)
    row: np.ndarray = field(repr=False)
    column: np.ndarray = field(repr=False)
    value: np.ndarray = field(repr=False)


def read(path: Path) -> Sdpa:
    """The program of a file."""
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    while lines[0].lstrip()[0] in '"*':
        lines.pop(0)
    numbers = lambda text: re.sub(r"[(){},]", " ", text)
    m, count = (int(numbers(line).split()[0]) for line in lines[:2])
    blocks = [int(size) for size in numbers(lines[2]).split()[:count]]
    rest = np.array(numbers(" ".join(lines[3:])).split(), dtype=float)
    c, entries = rest[:m], rest[m:].reshape(-1, 5)
    matrix, block, row, column = (entries[:, k].astype(int) for k in range(4))
    keep = entries[:, 4] != 0
    low, high = np.minimum(row, column) - 1, np.maximum(row, column) - 1
    return Sdpa(c, blocks, matrix[keep], block[keep] - 1, low[keep], high[keep], entries[keep, 4])


def write(path: Path, c, n: int, entries) -> None:
    """A program with one block; the entries are (matrix, row, column, value) with rows from 0."""
    with path.open("w") as file:
        file.write(f"{len(c)}\n1\n{n}\n{' '.join(f'{value:.17g}' for value in c)}\n")
        for matrix, row, column, value in entries:
            file.write(f"{matrix} 1 {row + 1} {column + 1} {value:.17g}\n")


def maxcut(path: Path, n: int, a, b, weights) -> None:
    """max ¼⟨L, Y⟩ with a unit diagonal, of the graph with the edges (a, b)."""
    degrees = np.bincount(a, weights, n) + np.bincount(b, weights, n)
    entries = [(0, i, i, degrees[i] / 4) for i in range(n) if degrees[i]]
    entries += [(0, min(i, j), max(i, j), -w / 4) for i, j, w in zip(a, b, weights) if w]
    entries += [(i + 1, i, i, 1.0) for i in range(n)]
    write(path, np.ones(n), n, entries)


def theta(path: Path, n: int, a, b) -> None:
    """max ⟨J, Y⟩ with trace 1 and Y_ij = 0 on the edges."""
    entries = [(0, i, j, 1.0) for i in range(n) for j in range(i, n)]
    entries += [(1, i, i, 1.0) for i in range(n)]
    entries += [(k + 2, i, j, 1.0) for k, (i, j) in enumerate(zip(a, b))]
    write(path, np.eye(1, len(a) + 1)[0], n, entries)


def edges(n: int, count: int, seed: int):
    """So many different edges, i < j, drawn uniformly."""
    random = np.random.default_rng(seed)
    chosen = set()
    while len(chosen) < count:
        i, j = sorted(random.integers(0, n, 2).tolist())
        if i != j:
            chosen.add((i, j))
    pairs = np.array(sorted(chosen))
    return pairs[:, 0], pairs[:, 1]


def torus(side: int, seed: int):
    """The edges of a toroidal grid, with weights ±1."""
    node = np.arange(side * side).reshape(side, side)
    a = np.r_[node.ravel(), node.ravel()]
    b = np.r_[np.roll(node, -1, axis=1).ravel(), np.roll(node, -1, axis=0).ravel()]
    return a, b, np.random.default_rng(seed).choice([-1.0, 1.0], len(a))


# What is published of these was found by solvers in double precision, which these programs defeat; the x that Gramfold returns for them is
# feasible in rational arithmetic, with a smaller objective. SDPLIB itself gives 2.0326 and 0.2 "to low accuracy".
DOUBTFUL = {"hinf1": Published(2.03255, 2.03265), "hinf12": Published()}


def published(row: dict) -> Published:
    """The interval that a line of optimal_values.csv stands for: its bracket, one in its note, or half a unit of the last digit that counts."""
    if row["instance"] in DOUBTFUL:
        return DOUBTFUL[row["instance"]]
    text, note = row["optimal_value"], row["note"]
    if text.endswith("_infeasible"):
        return Published(infeasible=text.removesuffix("_infeasible"))
    value = float(text)
    inside = re.search(r"\[(-?[\d.]+);(-?[\d.]+)\]", note)
    if inside:
        return Published(*sorted(map(float, inside.groups())))
    if "exact" in note or value == 0:
        unit = 1e-8 * (1 + abs(value))
    elif "." in text:
        unit = 10.0 ** -len(text.split(".")[1])
    else:
        unit = 10.0 ** (len(text) - len(text.rstrip("0")))
    if re.search("csdp|clarabel", note, re.I):
        unit = max(unit, 2e-7 * (1 + abs(value)))  # What a solver in floating point found, however many digits are given.
    low = float(row["lower"]) if row["lower"] else value - unit / 2
    high = float(row["upper"]) if row["upper"] else value + unit / 2
    return Published(low, high)


def kind(name: str) -> str:
    """Max-Cut and bisection have goals of their own."""
    return "cut" if re.match(r"mcp|gpp|maxG|G\d|torus|maxcut|wald", name) else "general"


def collect(data: Path | None, work: Path, quick: bool) -> list[Case]:
    """Writes the files that are missing, and lists every case."""
    work.mkdir(parents=True, exist_ok=True)
    known = {}
    if data is not None and (data / "optimal_values.csv").is_file():
        with (data / "optimal_values.csv").open() as file:
            known = {row["instance"]: row for row in csv.DictReader(file)}
    files = []
    for path in sorted(data.rglob("*.dat-s")) if data else []:
        files.append((path.name.removesuffix(".dat-s"), path))
    for path in sorted(data.rglob("G*.txt")) if data else []:
        if path.stem not in TWINS and not (quick and path.stem not in QUICK):
            table = np.loadtxt(path, skiprows=1)
            n = int(path.read_text().split(None, 1)[0])
            copy = work / f"{path.stem}.dat-s"
            maxcut(copy, n, table[:, 0].astype(int) - 1, table[:, 1].astype(int) - 1, table[:, 2])
            files.append((path.stem, copy))
    files = [(name, path) for name, path in files if not quick or name in QUICK]
    for name, make in generated(quick):
        path = work / f"{name}.dat-s"
        make(path)
        files.append((name, path))
    cases = []
    for name, path in files:
        m, n = header(path)
        facts = published(known[name]) if name in known else None
        cases.append(Case(name, path, kind(name), n, m, facts))
    return sorted(cases, key=lambda case: case.n * case.m)


def header(path: Path) -> tuple[int, int]:
    """The number of constraints and of rows of all blocks."""
    with path.open() as file:
        lines = (re.sub(r"[(){},]", " ", line).split() for line in file if line.strip() and line.lstrip()[0] not in '"*')
        m, count, blocks = int(next(lines)[0]), int(next(lines)[0]), next(lines)
    return m, sum(abs(int(size)) for size in blocks[:count])


def generated(quick: bool):
    """Name and writer of every generated program."""
    for n, degree in [(300, 8)] if quick else [(300, 8), (2_000, 10), (20_000, 8), (100_000, 6)]:
        a, b = edges(n, n * degree // 2, seed=n)
        yield f"maxcut-{n}", lambda path, n=n, a=a, b=b: maxcut(path, n, a, b, np.ones(len(a)))
    for side in [20] if quick else [20, 50, 100, 316]:
        yield f"maxcut-torus-{side}x{side}", lambda path, side=side: maxcut(path, side * side, *torus(side, seed=side))
    for n, share in [(60, 0.2), (100, 0.1)] if quick else [(60, 0.2), (100, 0.1), (150, 0.15), (500, 0.02), (1000, 0.005)]:
        a, b = edges(n, int(share * n * (n - 1) / 2), seed=n)
        yield f"theta-{n}-{share:g}", lambda path, n=n, a=a, b=b: theta(path, n, a, b)
