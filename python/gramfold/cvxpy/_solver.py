"""The solver object that CVXPY calls."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import cvxpy.settings as s
import numpy as np
from cvxpy.constraints import PSD, SOC
from cvxpy.reductions.solution import Solution, failure_solution
from cvxpy.reductions.solvers import utilities
from cvxpy.reductions.solvers.conic_solvers.conic_solver import ConicSolver

from gramfold._results import Floats, listening
from gramfold._sdp import SdpSolution, options
from gramfold.cvxpy import _dual, _primal
from gramfold.cvxpy._conic import Conic, Form
from gramfold.cvxpy._eliminate import Unfit

INACCURATE = 1e-4
"""A run that stalled with an error below this is an inaccurate optimum."""


@dataclass
class _Raw:
    """What our `invert` receives."""

    status: str
    x: Floats | None = None
    y: Floats | None = None
    objective: float = float("nan")
    solution: SdpSolution | None = None
    seconds: float = 0.0
    setup_seconds: float = 0.0


class CvxpySolver(ConicSolver):  # type: ignore[misc]
    """Solves CVXPY problems over zero, nonnegative, second-order and semidefinite cones, with a proof.

    Use it as ``problem.solve(solver=gramfold.CvxpySolver(), tol=1e-7)``. A semidefinite variable stays one block, so
    that structure is seen: a Max-Cut reaches the engine for fixed diagonals. ``problem.solver_stats.extra_stats`` is
    the `SdpSolution` with its certificate. Keep the solver object to start warm when parameters change.

    Options
    -------
    tol : float
        The relative gap to a proved bound, and the relative infeasibility, to reach; 1e-6.
    engine : str
        The `method` of `solve_sdp`; CVXPY keeps that name for itself.
    rank : int
        Columns of the factors to start with.
    time_limit : float
        The longest time, in seconds.
    random_state : int
        What is random is drawn from this.
    form : {"auto", "primal", "dual"}
        Whether variables in cones are the primal Z, or all variables the dual y; the one with fewer constraints.
    callback : callable
        Receives every step; the run ends where it returns True.

    Examples
    --------
    >>> import cvxpy as cp, numpy as np, gramfold
    >>> X = cp.Variable((3, 3), PSD=True)
    >>> problem = cp.Problem(cp.Maximize(cp.sum(cp.multiply(1 - np.eye(3), 1 - X)) / 4), [cp.diag(X) == 1])
    >>> round(float(problem.solve(solver=gramfold.CvxpySolver())), 4)
    2.25
    """

    MIP_CAPABLE = False
    BOUNDED_VARIABLES = False
    SUPPORTED_CONSTRAINTS: ClassVar[list[Any]] = [*ConicSolver.SUPPORTED_CONSTRAINTS, SOC, PSD]
    REQUIRES_CONSTR = True
    OPTIONS: ClassVar[dict[str, Any]] = {
        "tol": 1e-6,
        "engine": "auto",
        "rank": None,
        "time_limit": None,
        "random_state": 0,
        "form": "auto",
        "callback": None,
    }

    def name(self) -> str:
        return "GRAMFOLD"

    def import_solver(self) -> None:
        """Nothing is missing where this class is."""

    def supports_quad_obj(self) -> bool:
        return False

    def cite(self, data: Any) -> str:
        return (
            "@misc{hu2026provable, author = {Enliang Hu}, title = {Provable Exactness for Asymmetric "
            "Low-Rank SDP Learning}, note = {arXiv:1811.01198}, year = {2026}}"
        )

    def solve_via_data(
        self, data: Any, warm_start: bool, verbose: bool, solver_opts: Any, solver_cache: Any = None
    ) -> _Raw:
        unknown = sorted(solver_opts.keys() - self.OPTIONS.keys())
        if unknown:
            raise TypeError(
                f"GRAMFOLD: unrecognized solver option {', '.join(map(repr, unknown))}; "
                f"choose from {', '.join(self.OPTIONS)}"
            )
        asked = self.OPTIONS | solver_opts
        conic = Conic.of(data, data[self.DIMS])
        kept = (solver_cache or {}).get(self.name()) if warm_start else None
        best: tuple[Form, SdpSolution] | None = None
        setup = seconds = 0.0
        for make in _forms(conic, asked["form"]):
            clock = time.perf_counter()
            try:
                form: Form = make(conic)
            except Unfit:
                continue
            except _dual.Determined as found:
                return _Raw(s.OPTIMAL, found.x, found.y, float(data[s.C] @ found.x))
            except _dual.Infeasible:
                return _Raw(s.INFEASIBLE)
            except (_dual.Unbounded, _primal.Unbounded):
                return _Raw(s.UNBOUNDED)
            finally:
                setup += time.perf_counter() - clock
            clock = time.perf_counter()
            solution = _solve(form, asked, verbose, kept)
            seconds += time.perf_counter() - clock
            if best is None or solution.solved or _error(solution) < _error(best[1]):
                best = form, solution
            # What stalls in one form without a proof may have one in the other.
            if solution.status != "stalled":
                break
        if best is None:
            raise ValueError(
                "the problem has more equations between free variables than can be eliminated; make "
                "matrices variables with PSD=True, so that they need not be"
            )
        form, solution = best
        if solver_cache is not None:
            solver_cache[self.name()] = (form.key, solution._blocks, solution.y)
        if verbose:
            print(solution)
        status = _status(solution, form.infeasible)
        if status in s.SOLUTION_PRESENT:
            x, y = form.recover(solution)
            return _Raw(status, x, y, float(data[s.C] @ x), solution, seconds, setup)
        return _Raw(status, None, None, float("nan"), solution, seconds, setup)

    def invert(self, raw: _Raw, inverse_data: Any) -> Solution:
        iterations = raw.solution.n_iter if raw.solution is not None else 0
        attr = {
            s.NUM_ITERS: iterations,
            s.SOLVE_TIME: raw.seconds,
            s.SETUP_TIME: raw.setup_seconds,
            s.EXTRA_STATS: raw.solution,
        }
        if raw.x is None or raw.y is None:
            return failure_solution(raw.status, attr)
        zero = inverse_data[self.DIMS].zero
        duals = utilities.get_dual_values(
            raw.y[:zero], utilities.extract_dual_value, inverse_data[self.EQ_CONSTR]
        )
        duals.update(
            utilities.get_dual_values(
                raw.y[zero:], utilities.extract_dual_value, inverse_data[self.NEQ_CONSTR]
            )
        )
        value = raw.objective + inverse_data[s.OFFSET]
        return Solution(raw.status, value, {inverse_data[self.VAR_ID]: raw.x}, duals, attr)


def _solve(form: Form, asked: dict[str, Any], verbose: bool, kept: Any) -> SdpSolution:
    keywords = options(
        asked["engine"], asked["tol"], asked["rank"], asked["time_limit"], asked["random_state"]
    )
    warm = kept[1:] if kept is not None and kept[0] == form.key else None
    with listening(_told(asked["callback"], verbose), False) as told:
        return SdpSolution(form.program.solve(keywords, warm, told))


def _forms(conic: Conic, asked: str) -> list[Any]:
    """The form that was asked for, or both, the one with fewer constraints first."""
    if asked not in ("auto", "primal", "dual"):
        raise ValueError(f"there is no form `{asked}`; choose from `auto`, `primal`, `dual`")
    if not (conic.nonneg or conic.soc or conic.psd):
        return [_dual.Dual]
    if asked == "auto":
        both: list[Any] = [_primal.Primal, _dual.Dual]
        return both[::-1] if _prefers_dual(conic) else both
    return [_primal.Primal if asked == "primal" else _dual.Dual]


def _prefers_dual(conic: Conic) -> bool:
    """Whether the dual form has fewer constraints, by an estimate that costs nothing."""
    sizes = [
        size
        for rows, size in zip(conic.psd_rows(), conic.psd, strict=True)
        if _primal._variable(conic.A, conic.b, rows, size) is None
    ]
    variables = sum(n * (n + 1) // 2 for n in conic.psd) - sum(n * (n + 1) // 2 for n in sizes)
    slacks = sum(n * (n + 1) // 2 for n in sizes + conic.soc)
    counts = np.diff(conic.A.indptr[conic.zero : conic.zero + conic.nonneg + 1])
    bounds = int((counts == 1).sum())
    free = max(0, len(conic.c) - variables - bounds)
    primal = max(0, conic.zero + conic.nonneg - bounds + slacks - free)
    return max(0, len(conic.c) - conic.zero) < primal


def _status(solution: SdpSolution, infeasible: str) -> str:
    if solution.status == "solved":
        return str(s.OPTIMAL)
    if solution.status in ("primal_infeasible", "dual_infeasible"):
        return str(s.INFEASIBLE if solution.status == infeasible else s.UNBOUNDED)
    if solution.status == "stalled":
        return str(s.OPTIMAL_INACCURATE if _error(solution) <= INACCURATE else s.SOLVER_ERROR)
    return str(s.USER_LIMIT)


def _error(solution: SdpSolution) -> float:
    """The largest of the infeasibilities and of the gap: to a proved bound, or else between the objectives."""
    certificate = solution.certificate
    infeasibility = max(certificate.dimacs[0], certificate.dimacs[1])
    if certificate.relative_gap is not None:
        return max(infeasibility, abs(certificate.relative_gap))
    return max(infeasibility, certificate.dimacs[3], abs(certificate.dimacs[4]))


def _told(callback: Any, verbose: bool) -> Any:
    """The user's callback, with a line for each step if that is asked for."""
    if not verbose:
        return callback

    def line(step: Any) -> object:
        print(
            f"{step.iteration:6d}  objective {step.primal_objective: .8e}  dual {step.dual_objective: .8e}  "
            f"infeasibility {step.primal_infeasibility:.1e}  {step.seconds:.2f} s"
        )
        return callback(step) if callback is not None else None

    return line
