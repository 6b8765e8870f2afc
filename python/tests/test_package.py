"""The package as a whole: doctests, types, threads, signals, import time."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gramfold

SLOW = "import numpy, gramfold; gramfold.factor; a = numpy.random.default_rng(0).random((1500, 1500)); "


@pytest.mark.parametrize(
    "name", [info.name for info in pkgutil.walk_packages(gramfold.__path__, "gramfold.")] + ["gramfold"]
)
def test_doctests(name: str) -> None:
    if name in ("gramfold._gramfold", "gramfold.__main__"):
        return
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_example_of_the_readme() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    example = text.split("```python\n", 1)[1].split("```", 1)[0]
    exec(compile(example, "README.md", "exec"), {})


def test_everything_public_is_documented_and_there() -> None:
    for name in gramfold.__all__:
        member = getattr(gramfold, name)
        assert name == "__version__" or member.__doc__, name
    assert set(gramfold.__all__) == set(dir(gramfold)) == gramfold._WHERE.keys() | {"__version__", "set_threads"}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = gramfold.nothing  # type: ignore[attr-defined]


def test_it_is_typed() -> None:
    assert (Path(gramfold.__path__[0]) / "py.typed").is_file()
    assert (Path(gramfold.__path__[0]) / "_gramfold.pyi").is_file()


def test_optional_packages_are_not_imported() -> None:
    code = (
        "import sys, gramfold\n"
        "def there(*names): print([name for name in names if name in sys.modules])\n"
        "there('numpy', 'scipy')\n"
        "gramfold.factor, gramfold.solve_sdp, gramfold.complete\n"
        "there('sklearn', 'cvxpy', 'networkx', 'matplotlib')\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n[]\n"


def test_threads_change_no_bit() -> None:
    a = np.random.default_rng(0).random((700, 700))
    a += a.T
    runs = []
    for threads in (1, 3, None):
        gramfold.set_threads(threads)
        runs.append(gramfold.factor(a, rank=3, regulariser="nonnegative", max_iter=20).factor)
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])
    with pytest.raises(ValueError, match="0 threads are not allowed"):
        gramfold.set_threads(0)


def test_other_threads_run_while_it_solves() -> None:
    a = np.random.default_rng(1).random((900, 900))
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    other = threading.Thread(target=count)
    other.start()
    start = time.perf_counter()
    gramfold.factor(a + a.T, rank=8, regulariser="nonnegative", max_iter=60)
    seconds = time.perf_counter() - start
    done.set()
    other.join()
    assert counted > 20 * seconds


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c_ends_a_run() -> None:
    # A job in the background of a shell begins with SIGINT ignored.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = heard + SLOW + (
        "print('begun', flush=True)\n"
        "try:\n"
        "    gramfold.factor(a + a.T, rank=40, regulariser='nonnegative', tol=1e-14, max_iter=10**9)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=60)
    assert said == "interrupted\n" and child.returncode == 0
