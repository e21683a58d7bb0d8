"""The problem statement shared by all methods."""

from treewright.problem._problem import Problem

__all__ = ["Problem"]
