"""Low-rank positive semidefinite matrices, learnt and proved.

Functions take NumPy arrays, SciPy sparse matrices and, wherever a graph is meant, networkx and igraph graphs. They
return results that say what was proved of them.

Examples
--------
>>> import numpy as np, gramfold
>>> A = np.array([[2, 1, 0], [1, 2, 0], [0, 0, 1.0]])
>>> result = gramfold.factor(A, rank=2)
>>> result.certificate.exact, result.certificate.optimal
(True, True)
>>> gramfold.SymNMF(n_clusters=2, random_state=0).fit_predict(A).tolist()
[0, 0, 1]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gramfold._bounds import Bound, Bounds, bounds
from gramfold._complete import Completion, complete
from gramfold._cuts import Cut, bisect, maxcut
from gramfold._factor import Factorisation, factor
from gramfold._factors import Loadings, factors
from gramfold._gramfold import __version__, set_threads
from gramfold._locate import Location, locate
from gramfold._losses import Measured, distances, entries, mapped, matrices, rank_ones, scalar
from gramfold._metric import Metric, metric
from gramfold._minimise import Minimum, minimise
from gramfold._results import Certificate, SdpCertificate
from gramfold._sdp import SdpSolution, solve_sdp
from gramfold._theta import Theta, theta

if TYPE_CHECKING:
    from gramfold._completion import MatrixCompletion
    from gramfold._factoranalysis import FactorAnalysis
    from gramfold._location import Locate
    from gramfold._lowrank import LowRankPSD
    from gramfold._metriclearner import MetricLearner
    from gramfold._symnmf import SymNMF
    from gramfold.cvxpy import CvxpySolver

__all__ = [
    "Bound",
    "Bounds",
    "Certificate",
    "Completion",
    "Cut",
    "CvxpySolver",
    "FactorAnalysis",
    "Factorisation",
    "Locate",
    "Loadings",
    "Location",
    "LowRankPSD",
    "MatrixCompletion",
    "Measured",
    "Metric",
    "MetricLearner",
    "Minimum",
    "SdpCertificate",
    "SdpSolution",
    "SymNMF",
    "Theta",
    "__version__",
    "bisect",
    "bounds",
    "complete",
    "distances",
    "entries",
    "factor",
    "factors",
    "locate",
    "mapped",
    "matrices",
    "maxcut",
    "metric",
    "minimise",
    "rank_ones",
    "scalar",
    "set_threads",
    "solve_sdp",
    "theta",
]

_LATER = {
    "CvxpySolver": "gramfold.cvxpy",
    "FactorAnalysis": "gramfold._factoranalysis",
    "Locate": "gramfold._location",
    "LowRankPSD": "gramfold._lowrank",
    "MatrixCompletion": "gramfold._completion",
    "MetricLearner": "gramfold._metriclearner",
    "SymNMF": "gramfold._symnmf",
}
"""What needs scikit-learn or CVXPY is imported when it is asked for."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'gramfold' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
