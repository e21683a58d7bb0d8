"""The problem statements shared by all methods."""

from treewright.problem._make import encode_labels, make_problem
from treewright.problem._problem import Problem
from treewright.problem._policy import PolicyProblem, check_rewards, make_policy_problem
from treewright.problem._regression import RegressionProblem, make_regression_problem
from treewright.problem._weights import check_sample_weight

__all__ = [
    "PolicyProblem",
    "Problem",
    "RegressionProblem",
    "check_rewards",
    "check_sample_weight",
    "encode_labels",
    "make_policy_problem",
    "make_problem",
    "make_regression_problem",
]
