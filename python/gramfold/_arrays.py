"""Matrices and graphs, whatever they come as, without copies that are not needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gramfold._gramfold import Matrix

_NOT_FINITE = "the matrix has an entry that is not finite"
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def as_matrix(graph: Any, *, symmetrise: bool = False) -> Matrix:
    """A symmetric matrix from an array, a sparse matrix, or a networkx or igraph graph."""
    graph = weights(graph)
    if sp.issparse(graph):
        rows = floats(graph.tocsr())
        if rows.shape[0] != rows.shape[1]:
            raise ValueError(_not_square(rows.shape))
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        if not np.isfinite(rows.data).all():
            raise ValueError(_NOT_FINITE)
        return Matrix.sparse(rows.indptr, rows.indices, rows.data, symmetrise)
    array = np.asarray(graph)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(_not_square(array.shape))
    array = floats(array)
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        # A symmetric matrix is its transpose, and whatever is refused of one is refused of the other.
        array = array.T
    if not np.isfinite(array).all():
        raise ValueError(_NOT_FINITE)
    return Matrix.dense(np.ascontiguousarray(array), symmetrise)


def as_points(points: Any) -> NDArray[Any]:
    """A table of numbers, row after row."""
    table = floats(np.asarray(whole(points)))
    if table.ndim != 2 or not table.size:
        raise ValueError(f"expected a table of points, one a row, found {_shape(table.shape)}")
    if not np.isfinite(table).all():
        raise ValueError("the table has an entry that is not finite")
    return np.ascontiguousarray(table)


def floats(array: Any) -> Any:
    """Numbers of double or single precision."""
    if np.issubdtype(array.dtype, np.complexfloating):
        raise ValueError("complex numbers are not supported: expected a real symmetric matrix")
    if array.dtype in _FLOATS:
        return array
    if array.dtype.kind in "mM":
        raise TypeError("expected numbers, found dates or times")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError("expected numbers, found something else") from None


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "a number"


def _not_square(shape: tuple[int, ...]) -> str:
    return f"expected a square matrix, found {_shape(shape)}"


def whole(array: Any) -> Any:
    """An array as it is, if nothing of it is masked and, where it is sparse, its indices are those of entries."""
    if np.ma.is_masked(array):
        raise ValueError("the array has masked entries: fill them in, or complete it with gramfold.complete")
    return _within(array) if sp.issparse(array) else array


def _within(matrix: Any) -> Any:
    """A sparse matrix without an index outside: SciPy reads and writes wherever the indices say."""
    if len(matrix.shape) != 2:
        raise ValueError(f"expected a matrix, found a sparse array of {len(matrix.shape)} axes")
    if matrix.format in ("csr", "csc", "bsr"):
        starts, indices = matrix.indptr, matrix.indices
        across, along = matrix.shape[::-1] if matrix.format == "csc" else matrix.shape
        if matrix.format == "bsr":
            across, along = across // matrix.blocksize[0], along // matrix.blocksize[1]
        sound = (
            len(starts) == across + 1
            and starts[0] == 0
            and starts[-1] <= min(len(indices), len(matrix.data))
            and (np.diff(starts) >= 0).all()
            and _below(indices[: starts[-1]], along)
        )
        if sound and not starts[-1] == len(indices) == len(matrix.data):
            # Room for more entries follows, which not all of SciPy leaves alone.
            matrix = matrix.copy()
            matrix.prune()
    elif matrix.format == "dia":
        sound = len(matrix.offsets) == len(matrix.data)
    else:
        matrix = matrix.tocoo()
        sound = all(
            len(indices) == len(matrix.data) and _below(indices, size)
            for indices, size in zip((matrix.row, matrix.col), matrix.shape, strict=True)
        )
    if not sound:
        raise ValueError("the sparse matrix is broken: an index lies outside of it, or its arrays do not fit together")
    return matrix


def _below(indices: NDArray[Any], size: int) -> bool:
    return not len(indices) or bool(0 <= indices.min() and indices.max() < size)


def weights(graph: Any) -> Any:
    """The adjacency matrix of a graph object; any other array that nothing is masked of as it is."""
    library = type(graph).__module__.partition(".")[0]
    if library not in ("networkx", "igraph"):
        return whole(graph)
    if graph.is_directed():
        how = "to_undirected" if library == "networkx" else "as_undirected"
        raise ValueError(f"the graph is directed: use graph.{how}()")
    try:
        return _networkx(graph) if library == "networkx" else _igraph(graph)
    except (TypeError, ValueError):
        raise TypeError("a weight of the graph is not a number") from None


def _networkx(graph: Any) -> Any:
    import networkx as nx

    if not len(graph):
        return sp.csr_array((0, 0))
    return nx.to_scipy_sparse_array(graph, dtype=np.float64, weight="weight", format="csr")


def _igraph(graph: Any) -> Any:
    weight = "weight" if "weight" in graph.es.attributes() else None
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    values = np.asarray(graph.es[weight], dtype=float) if weight else np.ones(len(ends))
    n = graph.vcount()
    loops = ends[:, 0] == ends[:, 1]
    upper = sp.coo_array((values, (ends[:, 0], ends[:, 1])), shape=(n, n))
    lower = sp.coo_array((values[~loops], (ends[~loops, 1], ends[~loops, 0])), shape=(n, n))
    return (upper + lower).tocsr()
