"""The problem statements shared by all methods."""

from treewright.problem._asked import check_min_samples_leaf
from treewright.problem._asked import rows_that_weigh as rows_that_weigh
from treewright.problem._f1 import F1Problem, make_f1_problem
from treewright.problem._make import encode_labels, make_problem
from treewright.problem._policy import PolicyProblem, make_policy_problem
from treewright.problem._policy import check_action_costs as check_action_costs
from treewright.problem._policy import check_rewards as check_rewards
from treewright.problem._probability import ProbabilityProblem, make_probability_problem
from treewright.problem._problem import Problem, TreeProblem
from treewright.problem._quantity_target import warn_of_quantity as warn_of_quantity
from treewright.problem._regression import CRITERIA, Criterion, RegressionProblem, make_regression_problem
from treewright.problem._regression import check_target as check_target
from treewright.problem._row_costs import RowCostsProblem, make_row_costs_problem
from treewright.problem._survival import SurvivalProblem, make_survival_problem
from treewright.problem._survival import check_survival as check_survival
from treewright.problem._weights import apply_class_weight, check_sample_weight

__all__ = [
    "CRITERIA",
    "Criterion",
    "F1Problem",
    "PolicyProblem",
    "ProbabilityProblem",
    "Problem",
    "RegressionProblem",
    "RowCostsProblem",
    "SurvivalProblem",
    "TreeProblem",
    "apply_class_weight",
    "check_min_samples_leaf",
    "check_sample_weight",
    "encode_labels",
    "make_f1_problem",
    "make_policy_problem",
    "make_probability_problem",
    "make_problem",
    "make_regression_problem",
    "make_row_costs_problem",
    "make_survival_problem",
]
