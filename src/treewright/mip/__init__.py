"""Optimal trees by mixed-integer programming: slower than the search, open to any linear constraint, a cross-check."""

from treewright.mip._model import Model
from treewright.mip._solve import MIPOptions, make_formulation, solve

__all__ = ["MIPOptions", "Model", "make_formulation", "solve"]
