"""Gramfold as a solver of CVXPY problems."""

from gramfold.cvxpy._solver import CvxpySolver

__all__ = ["CvxpySolver"]
