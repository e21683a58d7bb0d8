"""The problem statement shared by all methods."""

from treewright.problem._make import encode_labels, make_problem
from treewright.problem._problem import Problem

__all__ = ["Problem", "encode_labels", "make_problem"]
