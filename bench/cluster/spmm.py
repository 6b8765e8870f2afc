"""SciPy's CSR @ dense on one matrix of the roofline: prints the seconds. Started by run.py."""

import sys
import time

import numpy as np
import scipy.sparse as sp


def mix(e):
    """The outputs of SplitMix64 from state 0, as in roofline.rs."""
    z = (e + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def main() -> None:
    dim, degree, banded = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "banded"
    half = degree // 2
    e = np.arange(dim * half, dtype=np.uint64)
    if banded:
        i, j = e // half, (e // half + 1 + e % half) % dim
    else:
        i, j = mix(2 * e) % np.uint64(dim), mix(2 * e + np.uint64(1)) % np.uint64(dim)
    i, j = i.astype(np.int32), j.astype(np.int32)
    loops = i == j
    rows, columns = np.r_[i, j[~loops]], np.r_[j, i[~loops]]
    a = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(dim, dim))
    a.sum_duplicates()
    for width in map(int, sys.argv[4:]):
        y = np.add.outer(np.arange(dim), np.arange(width)) % 5 * 1.0
        times = []
        for _ in range(4):
            begin = time.perf_counter()
            a @ y
            times.append(time.perf_counter() - begin)
        print(width, a.nnz, min(times), flush=True)


if __name__ == "__main__":
    main()
