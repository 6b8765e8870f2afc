"""Every solver on one file, in a process of its own: what it answered, its CPU time and its memory.

Errors are relative infeasibilities: of the constraints, of Y ⪰ 0, and of the slack. `primal` is ⟨F_0, Y⟩ and
`dual` is cᵀx, in the signs of SDPLIB; `infeasible` is what is declared of SDPA's two programs.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

from common import threads

HERE = Path(__file__).parent
MEMORY = 8 << 30
# CSDP and SDPA read their parameters from files; these are their own, but for the tolerances.
CSDP = """axtol=1.0e-7
atytol=1.0e-7
objtol=1.0e-6
pinftol=1.0e8
dinftol=1.0e8
maxiter=100
minstepfrac=0.90
maxstepfrac=0.97
minstepp=1.0e-8
minstepd=1.0e-8
usexzgap=1
tweakgap=0
affine=0
printlevel=1
perturbobj=1
fastmode=0
"""
SDPA = """100 unsigned int maxIteration;
1.0E-6 double 0.0 < epsilonStar;
1.0E2 double 0.0 < lambdaStar;
2.0 double 1.0 < omegaStar;
-1.0E5 double lowerBound;
1.0E5 double upperBound;
0.1 double 0.0 <= betaStar < 1.0;
0.2 double 0.0 <= betaBar < 1.0, betaStar <= betaBar;
0.9 double 0.0 < gammaStar < 1.0;
1.0E-7 double 0.0 < epsilonDash;
NOPRINT char* xPrint
NOPRINT char* XPrint
NOPRINT char* YPrint
%+10.16e char* infPrint
"""
TOLERANCES = (
    "gramfold `--tol 1e-6`; csdp objtol 1e-6, axtol and atytol 1e-7; sdpa epsilonStar 1e-6, epsilonDash 1e-7; dsdp gaptol 1e-6; "
    "clarabel tol_gap_rel 1e-6, tol_feas 1e-8; scs eps_abs and eps_rel 1e-7"
)


def openblas(out: Path) -> Path | None:
    """The directory of the OpenBLAS that `cargo xtask bench sdp` unpacked."""
    return next((file.parent.resolve() for file in (out / "openblas").rglob("libblas.so.3")), None)


def blas(out: Path) -> str:
    """In words, what csdp and dsdp compute with."""
    fast = openblas(out)
    if fast:
        return "csdp and dsdp with " + next((file.name for file in fast.glob("libopenblasp-*")), "OpenBLAS")
    return "csdp and dsdp with the BLAS of the system, which may be several times slower than OpenBLAS"


def process(command: list, limit: float, work: Path) -> dict:
    """Runs a command on one thread, at most `limit` seconds of CPU time."""
    fast = openblas(work.parent)
    environment = threads(1) | ({"LD_LIBRARY_PATH": str(fast)} if fast else {})

    out, used = work / "out.txt", work / "usage.json"
    launch = [sys.executable, "-I", "-S", HERE / "launch.py", used, int(limit) + 1, MEMORY, *command]
    with out.open("w") as stdout, (work / "err.txt").open("w") as stderr:
        child = subprocess.Popen(list(map(str, launch)), stdout=stdout, stderr=stderr, cwd=work, env=environment)
        # A process that waits for ever spends no CPU time.
        guard = threading.Timer(10 * limit + 60, child.terminate)
        guard.start()
        child.wait()
        guard.cancel()
    usage = json.loads(used.read_text())
    cpu, code = usage["cpu_seconds"], usage["code"]
    answer = usage | {"output": out.read_text(errors="replace")}
    error = (work / "err.txt").read_text(errors="replace")
    if cpu >= limit or code in (-signal.SIGXCPU, -signal.SIGKILL):
        answer["failed"] = f"> {limit:.0f} s"
    elif code < 0 or re.search(r"memory allocation|out of memory|MemoryError|bad_alloc|Storage Allocation", error + answer["output"], re.I):
        answer["failed"] = "out of memory" if code >= 0 or code == -signal.SIGABRT else f"killed by signal {-code}"
    answer["error"] = error.strip().splitlines()[-1:] if error.strip() else []
    return answer


def number(pattern: str, text: str) -> float | None:
    found = re.search(pattern + r"\s*[:=]?\s*([-+]?[\d.]+(?:e[-+]?\d+)?)", text, re.I)
    return float(found.group(1)) if found else None


def gramfold(case, limit: float, work: Path, program: Path) -> dict:
    out = work / "gramfold"
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "solve", case.file, "--tol", "1e-6", "--threads", "1", "--json", "--out", out]
    answer = process(command, limit, work)
    try:
        claims = json.loads(answer["output"])
    except ValueError:
        return answer
    bound = claims["bound"]
    # `primal_infeasible` or `dual_infeasible`, with SDPA's names.
    declared = claims["status"].removesuffix("_infeasible") if claims["status"].endswith("_infeasible") else None
    return answer | {
        "status": claims["status"], "primal": claims["objective"], "dual": bound["value"] if bound else None,
        "errors": claims["dimacs"][:4], "infeasible": declared, "claims": claims,
    }


def csdp(case, limit: float, work: Path) -> dict:
    (work / "param.csdp").write_text(CSDP)
    answer = process(["csdp", case.file], limit, work)
    text = answer["output"]
    errors = re.search(r"DIMACS error measures:(.*)", text)
    # CSDP's primal is SDPA's dual.
    infeasible = "primal" if "SDP is dual infeasible" in text else "dual" if "SDP is primal infeasible" in text else None
    words = re.search(r"^(Success|Partial Success|Failure|Stuck).*$", text, re.M)
    return answer | {
        "status": words.group(0) if words else None, "infeasible": infeasible,
        "primal": number("Primal objective value", text), "dual": number("Dual objective value", text),
        "errors": [float(value) for value in errors.group(1).split()[:4]] if errors else None,
    }


def sdpa(case, limit: float, work: Path) -> dict:
    (work / "param.sdpa").write_text(SDPA)
    command = ["sdpa", "-ds", case.file, "-o", work / "sdpa.result", "-p", work / "param.sdpa", "-numThreads", "1"]
    answer = process(command, limit, work)
    text = answer["output"]
    phase = re.search(r"phase.value\s*=\s*(\w+)", text)
    phase = phase.group(1) if phase else None
    # "Probably infeasible" of one program and "unbounded" of the other are the same finding.
    infeasible = {"pINF_dFEAS": "primal", "dUNBD": "primal", "pFEAS_dINF": "dual", "pUNBD": "dual"}.get(phase)
    errors = [number("d.feas.error", text), number("p.feas.error", text)]
    return answer | {
        "status": phase, "infeasible": infeasible,
        "primal": number("objValDual", text), "dual": number("objValPrimal", text),
        "errors": errors if None not in errors else None,
    }


def dsdp(case, limit: float, work: Path) -> dict:
    answer = process(["dsdp5", case.file, "-gaptol", "1e-6"], limit, work)
    text = answer["output"]
    words = re.search(r"^DSDP (Converged|Terminated|Stopped|Primal|Dual|Unsure).*$", text, re.M | re.I)
    infeasible = "primal" if "Primal Unbounded, Dual Infeasible" in text else None
    infeasible = "dual" if "Dual Unbounded, Primal Infeasible" in text else infeasible
    errors = [number("P Infeasible", text), number("D Infeasible", text)]
    primal, dual = number(r"P Objective\s*", text), number("DSDP Solution", text)
    return answer | {
        "status": words.group(0).strip() if words else None, "infeasible": infeasible,
        "primal": None if primal is None else -primal, "dual": None if dual is None else -dual,
        "errors": errors if None not in errors else None,
    }


def conic(name: str, case, limit: float, work: Path) -> dict:
    """In Python: the time is that of the solver alone, the memory that of the process."""
    answer = process([sys.executable, HERE / "conic.py", name, case.file, "--limit", 10 * limit], limit, work)
    try:
        found = json.loads(answer["output"].strip().splitlines()[-1])
    except (ValueError, IndexError):
        return answer
    status = found["status"].lower()
    infeasible = None
    if "inaccurate" not in status and "almost" not in status:
        infeasible = "primal" if status in ("infeasible", "primalinfeasible") else infeasible
        infeasible = "dual" if status in ("unbounded", "dualinfeasible") else infeasible
    return answer | {"infeasible": infeasible, "primal": None, "dual": None, "errors": None} | found


def available(program: Path) -> dict:
    """The solvers that are here, by name, and None for those that are not."""
    named = {"csdp": ("csdp", csdp), "sdpa": ("sdpa", sdpa), "dsdp": ("dsdp5", dsdp)}
    found = {"gramfold": lambda case, limit, work: gramfold(case, limit, work, program)}
    for name, (command, solver) in named.items():
        found[name] = solver if shutil.which(command) else None
    for name in ("clarabel", "scs"):
        try:
            __import__(name)
            found[name] = lambda case, limit, work, name=name: conic(name, case, limit, work)
        except ImportError:
            found[name] = None
    return found
