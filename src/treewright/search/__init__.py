"""Exact search for the tree with the smallest objective."""

from treewright.search._accuracy_frontier import accuracy_frontier
from treewright.search._choose_engine import Choice, choose_engine
from treewright.search._forecast import SearchForecast, SearchTrial, forecast_search
from treewright.search._fractions import common_unit as common_unit
from treewright.search._fractions import in_fractions as in_fractions
from treewright.search._frontier import Frontier
from treewright.search._frontier import check_max_leaves as check_max_leaves
from treewright.search._guided import Guessed, Guesses, solve_guided
from treewright.search._integers import IntegerCosts, integer_costs, whole_weights
from treewright.search._integers import is_coarse as is_coarse
from treewright.search._jobs import answers_in_order, check_n_jobs, threads_of
from treewright.search._jobs import jobs_for as jobs_for
from treewright.search._kept import engine_answer as engine_answer
from treewright.search._kept import kept_result as kept_result
from treewright.search._leaf_accuracy import solve_leaf_accuracy, solve_with_leaf_accuracy
from treewright.search._leaf_accuracy_result import leaf_accuracy_result_of, leaf_value
from treewright.search._limits import Limits, Progress, ProgressCallback, stop_reason
from treewright.search._limits import half_of_memory as half_of_memory
from treewright.search._options import BinaryOptions, LeafAccuracyOptions, RankedOptions
from treewright.search._progress_bar import SECONDS_BEFORE_BAR as SECONDS_BEFORE_BAR
from treewright.search._progress_bar import progress_bar
from treewright.search._progress_bar import quiet_bar as quiet_bar
from treewright.search._progress_bar import watched as watched
from treewright.search._ranked_rows import RankedRows as RankedRows
from treewright.search._ranked_rows import ranked_rows as ranked_rows
from treewright.search._ranks import RankedColumn as RankedColumn
from treewright.search._ranks import cut_numbers as cut_numbers
from treewright.search._ranks import rank_matrix as rank_matrix
from treewright.search._ranks import ranked_columns as ranked_columns
from treewright.search._ranks import ranked_splits
from treewright.search._reference_thresholds import thresholds_from_reference
from treewright.search._regression_frontier import regression_frontier, solve_regression_frontier
from treewright.search._result import measured as measured
from treewright.search._result import result_of
from treewright.search._roc import RocFrontier, RocLine, RocPoint
from treewright.search._roc import rounded_up as rounded_up
from treewright.search._roc_frontier import roc_frontier
from treewright.search._same_guesses import search_with_same_guesses
from treewright.search._smaller_problems import Ended as Ended
from treewright.search._smaller_problems import SmallerProblems as SmallerProblems
from treewright.search._smaller_problems import Trial as Trial
from treewright.search._smaller_problems import time_in_words as time_in_words
from treewright.search._smaller_problems import trial_of as trial_of
from treewright.search._solve import solve, solve_binary
from treewright.search._solve_f1 import solve_f1
from treewright.search._solve_frontier import solve_frontier
from treewright.search._solve_policy import solve_policy
from treewright.search._solve_probability import solve_probability
from treewright.search._solve_ranked import solve_ranked
from treewright.search._solve_regression import regression_loss, solve_regression
from treewright.search._solve_roc import solve_roc
from treewright.search._solve_row_costs import solve_row_costs
from treewright.search._solve_simple_lines import simple_line_importances, solve_simple_lines
from treewright.search._solve_survival import solve_survival
from treewright.search._space import RankedSpace, Thresholds

__all__ = [
    "BinaryOptions",
    "Choice",
    "Frontier",
    "Guessed",
    "Guesses",
    "IntegerCosts",
    "LeafAccuracyOptions",
    "Limits",
    "Progress",
    "ProgressCallback",
    "RankedOptions",
    "RankedSpace",
    "RocFrontier",
    "RocLine",
    "RocPoint",
    "SearchForecast",
    "SearchTrial",
    "Thresholds",
    "accuracy_frontier",
    "answers_in_order",
    "check_n_jobs",
    "choose_engine",
    "forecast_search",
    "integer_costs",
    "leaf_accuracy_result_of",
    "leaf_value",
    "progress_bar",
    "ranked_splits",
    "regression_frontier",
    "regression_loss",
    "result_of",
    "roc_frontier",
    "search_with_same_guesses",
    "simple_line_importances",
    "solve",
    "solve_binary",
    "solve_f1",
    "solve_frontier",
    "solve_guided",
    "solve_leaf_accuracy",
    "solve_policy",
    "solve_probability",
    "solve_ranked",
    "solve_regression",
    "solve_regression_frontier",
    "solve_roc",
    "solve_row_costs",
    "solve_simple_lines",
    "solve_survival",
    "solve_with_leaf_accuracy",
    "stop_reason",
    "threads_of",
    "thresholds_from_reference",
    "whole_weights",
]
