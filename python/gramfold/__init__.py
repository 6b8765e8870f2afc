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

from gramfold._gramfold import __version__, set_threads

if TYPE_CHECKING:
    from gramfold._bounds import Bound, Bounds, bounds
    from gramfold._complete import Completion, complete
    from gramfold._completion import MatrixCompletion
    from gramfold._correlation import NearestCorrelation, correlation
    from gramfold._cuts import Cut, bisect, maxcut
    from gramfold._factor import Factorisation, factor
    from gramfold._factoranalysis import FactorAnalysis
    from gramfold._factors import Loadings, factors
    from gramfold._kernel import Kernel, kernel
    from gramfold._locate import Location, locate
    from gramfold._location import Locate
    from gramfold._losses import Measured, distances, entries, mapped, matrices, rank_ones, scalar
    from gramfold._lowrank import LowRankPSD
    from gramfold._metric import Metric, metric
    from gramfold._metriclearner import MetricLearner
    from gramfold._minimise import Minimum, minimise
    from gramfold._recover import Recovery, recover
    from gramfold._results import Certificate, SdpCertificate
    from gramfold._sdp import SdpSolution, solve_sdp
    from gramfold._symnmf import SymNMF
    from gramfold._theta import Theta, theta
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
    "Kernel",
    "Locate",
    "Loadings",
    "Location",
    "LowRankPSD",
    "MatrixCompletion",
    "Measured",
    "Metric",
    "MetricLearner",
    "Minimum",
    "NearestCorrelation",
    "Recovery",
    "SdpCertificate",
    "SdpSolution",
    "SymNMF",
    "Theta",
    "__version__",
    "bisect",
    "bounds",
    "complete",
    "correlation",
    "distances",
    "entries",
    "factor",
    "factors",
    "kernel",
    "locate",
    "mapped",
    "matrices",
    "maxcut",
    "metric",
    "minimise",
    "rank_ones",
    "recover",
    "scalar",
    "set_threads",
    "solve_sdp",
    "theta",
]

_MODULES = {
    "_bounds": "Bound Bounds bounds",
    "_complete": "Completion complete",
    "_completion": "MatrixCompletion",
    "_correlation": "NearestCorrelation correlation",
    "_cuts": "Cut bisect maxcut",
    "_factor": "Factorisation factor",
    "_factoranalysis": "FactorAnalysis",
    "_factors": "Loadings factors",
    "_kernel": "Kernel kernel",
    "_locate": "Location locate",
    "_location": "Locate",
    "_losses": "Measured distances entries mapped matrices rank_ones scalar",
    "_lowrank": "LowRankPSD",
    "_metric": "Metric metric",
    "_metriclearner": "MetricLearner",
    "_minimise": "Minimum minimise",
    "_recover": "Recovery recover",
    "_results": "Certificate SdpCertificate",
    "_sdp": "SdpSolution solve_sdp",
    "_symnmf": "SymNMF",
    "_theta": "Theta theta",
    "cvxpy": "CvxpySolver",
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names.split()}
"""Everything is imported when it is asked for: the program needs none of it, and few need scikit-learn and CVXPY."""


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'gramfold' has no attribute '{name}'")
    import importlib

    member = globals()[name] = getattr(importlib.import_module(f"gramfold.{_WHERE[name]}"), name)
    return member


def __dir__() -> list[str]:
    return sorted(__all__)
