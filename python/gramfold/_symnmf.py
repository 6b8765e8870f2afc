"""Symmetric nonnegative matrix factorisation as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin, _fit_context
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils._param_validation import StrOptions

from gramfold import _gramfold
from gramfold._arrays import as_matrix, as_points
from gramfold._estimators import COUNT, FROM_ZERO, Embedding, Estimator, estimator
from gramfold._results import keywords


@estimator
class SymNMF(ClusterMixin, Embedding):  # type: ignore[misc]
    """Cluster by A ≈ XXᵀ with X ≥ 0, and prove what can be proved of it.

    The rows of X are soft memberships; a row's largest entry is its cluster. Parameters that the command
    `gramfold cluster` has too mean the same, and give the same bits.

    Parameters
    ----------
    n_clusters : int, (int, int) or "auto"
        The number of clusters, the columns of X. A pair is a range to choose from by the evidence of eigenvalues
        and modularity, as `-k A..B` of the command does; "auto" is the range from 2 to 10, or to n − 1 for fewer samples.
    affinity : {"precomputed", "nearest_neighbors", "rbf"}
        What X is: a symmetric matrix of nonnegative weights; or points, of which a self-tuning graph of nearest
        neighbours or a Gaussian kernel is made.
    n_neighbors : int, optional
        Neighbours of each point; ⌊log₂ n⌋ + 1 if not given.
    gamma : float
        exp(−gamma‖x − y‖²) is the Gaussian kernel.
    similarity : str
        What is factorised: "weights"; "walks" (or "walks:window=5"), how much more often than by chance two nodes meet
        on random walks; "mixed", the mean of both; "auto" chooses by the graph.
    normalise : {"auto", "regularised", "symmetric", "none"}
        How degrees are divided out; "auto" is "none" for walks, else "regularised".
    diagonal : {"keep", "zero", "degree"}
        What to do with the diagonal.
    n_init : int, optional
        Runs from different starts, of which the best is kept: 1, or 2 for a range of clusters.
    algorithm, rule : str
        How the factors move and how the penalty is set; names as on the command line.
    tol : float
        Stop when stationarity and ‖X − Y‖/‖X‖ are both below this.
    max_iter : int
        The most iterations of a run.
    random_state : int, RandomState or None
        What the start is drawn from; an int is the `--seed` of the command line.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by decreasing size.
    embedding_ : ndarray of shape (n_samples, n_clusters_)
        The factor X.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Its rows, each divided by its sum.
    affinity_matrix_ : array or sparse matrix
        The weights before they were normalised.
    reconstruction_err_ : float
        ‖A − XXᵀ‖ for the normalised similarities A.
    certificate_ : Certificate
        What is proved of X.
    n_clusters_ : int
        The number of clusters.
    stability_ : dict, only for a range of clusters
        The mean agreement of the labels of several runs, by the number of clusters.
    reason_ : str, only for a range of clusters
        What speaks for the number of clusters.
    n_iter_ : int
        Iterations of the run that was kept.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from gramfold import SymNMF
    >>> points = np.array([[0.0], [0.1], [5.0], [5.1], [5.2]])
    >>> SymNMF(n_clusters=2, affinity="rbf", random_state=0).fit_predict(points).tolist()
    [1, 1, 0, 0, 0]
    """

    n_clusters: int | tuple[int, int] | str = 8
    _: KW_ONLY
    affinity: str = "precomputed"
    n_neighbors: int | None = None
    gamma: float = 1.0
    similarity: str = "auto"
    normalise: str = "auto"
    diagonal: str = "keep"
    n_init: int | None = None
    algorithm: str = "auto"
    rule: str = "spectral"
    random_state: Any = None
    tol: float = 1e-4

    _call = "gramfold.SymNMF(…)"
    _data = "the graph"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [COUNT, tuple, StrOptions({"auto"})],
        "affinity": [StrOptions({"precomputed", "nearest_neighbors", "rbf"})],
        "n_neighbors": [COUNT, None],
        "gamma": [FROM_ZERO],
        "similarity": [str],
        "normalise": [StrOptions({"auto", "regularised", "symmetric", "none"})],
        "diagonal": [StrOptions({"keep", "zero", "degree"})],
        "n_init": [COUNT, None],
        "algorithm": [str],
        "rule": [str],
        **Estimator._seeded_constraints,
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> SymNMF:
        """Factorise and cluster.

        Parameters
        ----------
        X : array, sparse matrix or graph of shape (n_samples, n_samples) or (n_samples, n_features)
            Weights, which may be a graph of networkx or igraph, or points, as `affinity` says.
        y : ignored

        Returns
        -------
        self
        """
        given = self.affinity == "precomputed"
        X = self._read(X, sparse=self.affinity != "nearest_neighbors", square=given)
        tried = self._range(X.shape[0])
        graph, self.affinity_matrix_ = self._graph(X)
        wanted = {
            "first": tried[0],
            "last": tried[-1],
            "restarts": None if self.n_init is None else int(self.n_init),
            "similarity": None if self.similarity == "auto" else self.similarity,
            "normalise": None if self.normalise == "auto" else self.normalise,
            "diagonal": self.diagonal,
        }
        how = keywords(
            1, "nonnegative", algorithm=self.algorithm, rule=self.rule, tol=float(self.tol),
            max_iter=int(self.max_iter), random_state=self.random_state,
        )  # fmt: skip
        run, self.labels_, self.memberships_, agreements, reason = _gramfold.cluster(graph, wanted, how)
        for kept in ("stability_", "reason_"):
            self.__dict__.pop(kept, None)
        if reason is not None:
            self.reason_ = reason
            self.stability_ = {k: float("nan") if agreed is None else agreed for k, agreed in agreements}
        self.embedding_ = run.factors()[0]
        self._keep(run)
        self.reconstruction_err_ = float(np.sqrt(2 * run.loss()))
        self.n_clusters_ = self.embedding_.shape[1]
        return self

    def _graph(self, X: Any) -> tuple[_gramfold.Matrix, Any]:
        if self.affinity == "precomputed":
            return as_matrix(X), X
        if self.affinity == "rbf":
            kernel = rbf_kernel(X, gamma=self.gamma)
            return as_matrix(kernel, symmetrise=True), kernel
        neighbours = None if self.n_neighbors is None else int(self.n_neighbors)
        graph = _gramfold.self_tuning(as_points(X), neighbours)
        starts, columns, values = graph.compressed()
        return graph, sp.csr_matrix((values, columns, starts), shape=(graph.dim, graph.dim))

    def _range(self, n: int) -> range:
        """The numbers of clusters to try."""
        if self.n_clusters == "auto":
            return range(2, min(10, max(2, n - 1)) + 1)
        if isinstance(self.n_clusters, tuple):
            ends = self.n_clusters
            if len(ends) != 2 or not all(isinstance(end, Integral) for end in ends) or not 1 <= ends[0] <= ends[1]:
                raise ValueError(f"n_clusters = {ends} is not allowed: expected a number, a pair (first, last) or 'auto'")
            first, last = map(int, ends)
        else:
            first = last = int(self.n_clusters)
        if last > n:
            raise ValueError(f"n_clusters = {last} is not allowed: n_samples = {n}")
        return range(first, last + 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.affinity != "nearest_neighbors"
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags
