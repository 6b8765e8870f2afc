"""Generated graphs whose clusters are known: for quality.py and choice.py. Each function gives the weights and the labels."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def matrix(n: int, edges: set[tuple[int, int]]):
    """The unweighted graph of the edges."""
    a, b = np.array(sorted(edges)).T
    return sp.coo_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()


def partition(k: int, size: int, inside: float, outside: float, seed: int):
    """k blocks of equal size; mean degrees inside and outside of them."""
    random = np.random.default_rng(seed)
    n = k * size
    labels = np.repeat(np.arange(k), size)
    chance = np.where(labels[:, None] == labels[None, :], inside / size, outside / (n - size))
    upper = np.triu(random.random((n, n)) < chance, 1)
    return sp.csr_array((upper | upper.T).astype(float)), labels


def communities(k: int, n: int, mixing: float, degree: float, seed: int):
    """k communities of uneven sizes and degrees by a power law (after LFR); `mixing` of the links lead anywhere."""
    random = np.random.default_rng(seed)
    sizes = np.maximum((random.random(k) * 0.8 + 0.2) ** -0.9, 0)
    labels = random.choice(k, n, p=sizes / sizes.sum())
    degrees = np.minimum((1 - random.random(n)) ** (-1 / 1.5), 8.0)
    degrees *= degree / degrees.mean()
    edges: set[tuple[int, int]] = set()

    def join(nodes, links) -> None:
        ends = np.repeat(nodes, np.floor(links + random.random(len(nodes))).astype(int))
        random.shuffle(ends)
        edges.update((min(a, b), max(a, b)) for a, b in zip(ends[::2].tolist(), ends[1::2].tolist()) if a != b)

    for community in range(k):
        nodes = np.flatnonzero(labels == community)
        join(nodes, (1 - mixing) * degrees[nodes])
    join(np.arange(n), mixing * degrees)
    return matrix(n, edges), labels


def neighbours(points, count: int = 10):
    """Points joined to their nearest neighbours."""
    n = len(points)
    squared = ((points[:, None, :] - points[None, :, :]) ** 2).sum(2)
    np.fill_diagonal(squared, np.inf)
    near = np.argsort(squared, axis=1)[:, :count]
    return matrix(n, {(min(i, j), max(i, j)) for i in range(n) for j in near[i].tolist()})


def clouds(k: int, n: int, dimensions: int, spread: float, seed: int):
    """Neighbours in Gaussian clouds around random places of a cube."""
    random = np.random.default_rng(seed)
    centres = random.uniform(-10, 10, (k, dimensions))
    labels = np.arange(n) % k
    return neighbours(centres[labels] + spread * random.standard_normal((n, dimensions))), labels


def moons(n: int, noise: float, seed: int):
    """Neighbours on two half circles, each with its end within the other."""
    random = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    angle = np.pi * random.random(n)
    x = np.where(labels == 0, np.cos(angle), 1 - np.cos(angle))
    y = np.where(labels == 0, np.sin(angle), 0.5 - np.sin(angle))
    return neighbours(np.c_[x, y] + noise * random.standard_normal((n, 2))), labels


def circles(n: int, ratio: float, noise: float, seed: int):
    """Neighbours on two circles, one within the other."""
    random = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    angle = 2 * np.pi * random.random(n)
    radius = np.where(labels == 0, 1.0, ratio)
    points = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    return neighbours(points + noise * random.standard_normal((n, 2))), labels


def points(name: str):
    """Neighbours in a table of scikit-learn, its columns standardised: iris, wine or breast_cancer."""
    from sklearn import datasets

    table = getattr(datasets, f"load_{name}")()
    return neighbours((table.data - table.data.mean(0)) / table.data.std(0)), table.target
