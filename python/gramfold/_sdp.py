"""Linear semidefinite programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gramfold._arguments import optional_count
from gramfold._arrays import whole
from gramfold._gramfold import Outcome, Program
from gramfold._results import Block, Callback, Floats, Result, SdpCertificate, here, listening, seed_of


class SdpSolution(Result):
    """An answer to a semidefinite program, and what is proved of it.

    Attributes
    ----------
    status : str
        ``"solved"``, ``"primal_infeasible"``, ``"dual_infeasible"``, ``"stalled"``, ``"max_iterations"``,
        ``"time_limit"`` or ``"interrupted"``, judged by the certificate.
    y : ndarray of shape (m,)
        The multipliers.
    certificate : SdpCertificate
        What is proved.
    method, why : str
        The engine, and why it was that one.
    ranks : list of int
        The rank of each block of Z.
    """

    _title = "Semidefinite program"

    def __init__(self, outcome: Outcome) -> None:
        self._outcome: Outcome | None = outcome
        self.status, self._status_words = outcome.status
        self.method, self.why = outcome.method
        self.n_iter = outcome.iterations
        self.ranks = outcome.ranks
        self.y = outcome.dual()
        self._blocks = outcome.blocks()
        self.certificate = SdpCertificate._of(*outcome.certificate())
        self.primal_ray = outcome.primal_ray()

    @property
    def objective(self) -> float:
        """⟨C, Z⟩."""
        return self.certificate.primal_objective

    @property
    def bound(self) -> float | None:
        """No feasible Z has a smaller objective: proved."""
        return self.certificate.bound

    @property
    def solved(self) -> bool:
        """Whether infeasibility and the proved gap are both within the tolerance."""
        return self.status == "solved"

    def block(self, index: int = 0) -> Floats:
        """A block of Z: a matrix, or the numbers of a nonnegative one."""
        return dense(self._blocks[index])

    @property
    def Z(self) -> Floats:
        """Z of a program with one block; see `block` for more."""
        if len(self._blocks) != 1:
            raise ValueError(f"Z has {len(self._blocks)} blocks: use block(index)")
        return self.block(0)

    def factor(self, index: int = 0) -> Floats:
        """R with Z = RRᵀ for a semidefinite block."""
        kind, array = self._blocks[index]
        if kind == "factor":
            return array
        if kind == "diagonal":
            raise ValueError(f"block {index} is nonnegative, not semidefinite")
        values, vectors = np.linalg.eigh(array)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))

    @cached_property
    def trace(self) -> list[dict[str, Any]]:
        """What was seen of each step."""
        return list(json.loads(here(self._outcome).trace()))

    def _lines(self) -> list[str]:
        bound = "none" if self.bound is None else f"{self.bound:.9g}"
        return [
            f"{self._status_words} by {self.method} after {self.n_iter} iterations: {self.why}",
            f"objective {self.objective:.9g}, bound {bound}, ranks {self.ranks}",
            *self.certificate.words.split("\n"),
        ]

    def _curve(self) -> tuple[str, list[tuple[float, float]]]:
        def gap(step: dict[str, Any]) -> float:
            primal, dual = step["primal_objective"], step["dual_objective"]
            return float(abs(primal - dual) / (1 + abs(primal) + abs(dual)))

        return "relative gap", [(step["iteration"], gap(step)) for step in self.trace]

    def __getstate__(self) -> dict[str, Any]:
        _ = self.trace
        return self.__dict__ | {"_outcome": None}

    def _write(self, path: str, report: bool) -> None:
        here(self._outcome).write((path, report, "the program", "gramfold.solve_sdp(C, A, b)"))


def dense(block: Block) -> Floats:
    """A block as a matrix, or as the numbers of a nonnegative one."""
    kind, array = block
    if kind == "factor":
        return np.asarray(array @ array.T)
    return array[:, 0] if kind == "diagonal" else array


def solve_sdp(
    C: Any,
    A: Any,
    b: Any,
    *,
    method: str = "auto",
    tol: float = 1e-6,
    rank: int | None = None,
    time_limit: float | None = None,
    random_state: Any = 0,
    warm: SdpSolution | None = None,
    callback: Callback | None = None,
    progress: bool = False,
) -> SdpSolution:
    """Solve min ⟨C, Z⟩ s.t. ⟨A_i, Z⟩ = b_i, Z ⪰ 0, and prove how good the answer is.

    Parameters
    ----------
    C : matrix, or list of blocks
        The cost: a symmetric array or sparse matrix. With several blocks a list, in which a vector stands for a
        block of nonnegative numbers.
    A : sequence
        The constraints, each of the form of C (with blocks, None stands for zero); or, for one block, a sparse
        matrix whose rows are the n² entries of each.
    b : array of shape (m,)
        The right-hand side.
    method : {"auto", "interior", "lowrank", "split", "diagonal"}
        The engine.
    tol : float
        The relative gap to a proved bound, and the relative infeasibility, to reach.
    rank : int, optional
        Columns of the factors to start with.
    time_limit : float, optional
        The longest time to iterate and to prove, in seconds.
    random_state : int, Generator, RandomState or None
        What is random is drawn from this.
    warm : SdpSolution, optional
        Where to start: the solution of a similar program.
    callback : callable, optional
        Receives every step; the run ends where it returns True or raises StopIteration.
    progress : bool
        Show the iterations with tqdm.

    Returns
    -------
    SdpSolution

    Examples
    --------
    >>> import numpy as np, gramfold
    >>> C = np.array([[1.0, 2.0], [2.0, 1.0]])
    >>> solution = gramfold.solve_sdp(C, [np.eye(2)], [1.0])
    >>> solution.solved, round(solution.objective, 5)
    (True, -1.0)
    """
    rhs = np.ascontiguousarray(np.asarray(b, dtype=np.float64).ravel())
    cones, entries = _entries(C, A, len(rhs))
    program = Program(cones, rhs, entries, [])
    keywords = options(method, tol, rank, time_limit, random_state)
    if warm is not None and not isinstance(warm, SdpSolution):
        raise TypeError("warm must be the solution of a similar program")
    start = None if warm is None else (warm._blocks, warm.y)
    with listening(callback, progress) as told:
        return SdpSolution(program.solve(keywords, start, told))


def options(
    method: str, tol: float, rank: int | None, time_limit: float | None, random_state: Any
) -> dict[str, Any]:
    """How to solve."""
    return {
        "method": method,
        "tol": tol,
        "rank": optional_count("rank", rank),
        "time_limit": time_limit,
        "seed": seed_of(random_state),
    }


Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], Floats]


def _entries(C: Any, A: Any, m: int) -> tuple[list[int], Entries]:
    """The cones and the entries of C and the A_i in all blocks."""
    blocks = list(C) if isinstance(C, (list, tuple)) and _holds_blocks(C) else [C]
    cones = []
    for block in blocks:
        shape = np.shape(block) if not sp.issparse(block) else block.shape
        if len(shape) == 2 and shape[0] == shape[1]:
            cones.append(int(shape[0]))
        elif len(shape) == 1:
            cones.append(-int(shape[0]))
        else:
            raise ValueError(f"a block of C has the shape {shape}: expected a square matrix or a vector")
    parts = [_part(0, k, block, cones[k]) for k, block in enumerate(blocks)]
    if sp.issparse(A) or (isinstance(A, np.ndarray) and A.ndim == 2):
        parts.append(_rows(A, m, cones))
    else:
        if len(A) != m:
            raise ValueError(f"there are {len(A)} constraints but {m} right-hand sides")
        for i, constraint in enumerate(A):
            own = list(constraint) if len(blocks) > 1 or _holds_blocks(constraint) else [constraint]
            if len(own) != len(blocks):
                raise ValueError(f"constraint {i + 1} has {len(own)} blocks, but C has {len(blocks)}")
            parts += [
                _part(i + 1, k, block, cones[k]) for k, block in enumerate(own) if block is not None
            ]
    joined = [np.concatenate([part[k] for part in parts]) for k in range(5)]
    return cones, (joined[0], joined[1], joined[2], joined[3], joined[4])


def _holds_blocks(value: Any) -> bool:
    """Whether this is a list of matrices and vectors, not a list of numbers or of lists of numbers."""
    return isinstance(value, (list, tuple)) and any(
        part is None or sp.issparse(part) or isinstance(part, np.ndarray) for part in value
    )


def _part(matrix: int, block: int, value: Any, size: int) -> Entries:
    """The entries of the upper triangle of one matrix in one block."""
    n = abs(size)
    if size < 0:
        numbers = np.asarray(value, dtype=np.float64)
        if numbers.shape != (n,):
            raise ValueError(f"matrix {matrix} has a block of shape {numbers.shape}: expected ({n},)")
        row = col = np.flatnonzero(numbers)
        data = numbers[row]
    else:
        held = sp.coo_array(whole(value) if sp.issparse(value) else np.asarray(value, dtype=np.float64))
        if held.shape != (n, n):
            raise ValueError(f"matrix {matrix} has a block of shape {held.shape}: expected ({n}, {n})")
        row, col, data = _symmetric(held, f"matrix {matrix}, block {block}")
    return _indexed(np.full(len(row), matrix), np.full(len(row), block), row, col, data)


def _symmetric(held: Any, name: str) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """The upper triangle of a matrix that must be symmetric up to rounding."""
    asymmetry = abs(held - held.T)
    largest = abs(held).max() if held.nnz else 0.0
    if asymmetry.nnz and asymmetry.max() > 1e-10 * largest:
        raise ValueError(f"{name} is not symmetric: the largest difference is {asymmetry.max():.3g}")
    upper = sp.triu(0.5 * (held + held.T), format="coo")
    row, col = upper.coords if hasattr(upper, "coords") else (upper.row, upper.col)
    return row, col, upper.data


def _rows(A: Any, m: int, cones: list[int]) -> Entries:
    """Constraints given as the rows of one matrix with n² columns."""
    if len(cones) != 1 or cones[0] < 0:
        raise ValueError("constraints as rows of one matrix are for programs with one semidefinite block")
    n = cones[0]
    held = sp.coo_array(whole(A))
    if held.shape != (m, n * n):
        raise ValueError(f"A has the shape {held.shape}: expected ({m}, {n * n})")
    matrix, place = held.coords if hasattr(held, "coords") else (held.row, held.col)
    row, col = np.divmod(place, n)
    # Each entry counts half, once at (i, j) and once at (j, i), as an asymmetric A_i would.
    data = np.where(row == col, 1.0, 0.5) * held.data
    return _indexed(matrix + 1, np.zeros(len(row)), row, col, data)


def _indexed(matrix: Any, block: Any, row: Any, col: Any, data: Any) -> Entries:
    def index(values: Any) -> NDArray[Any]:
        return np.ascontiguousarray(values, dtype=np.int64)

    return (
        index(matrix), index(block), index(row), index(col),
        np.ascontiguousarray(data, dtype=np.float64),
    )  # fmt: skip
