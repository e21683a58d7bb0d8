"""An independent checker: it recomputes every claim about a tree from nothing but the data and the tree."""

from treewright.verify._born_again import verify_born_again
from treewright.verify._f1 import verify_f1
from treewright.verify._faithful import FaithfulnessReport, check_faithful
from treewright.verify._furthest import Furthest, furthest_apart
from treewright.verify._near_everywhere import verify_near_everywhere
from treewright.verify._near_optimal import count_near_optimal
from treewright.verify._near_values import verify_near_values
from treewright.verify._policy import verify_policy
from treewright.verify._probability import verify_probability
from treewright.verify._regression import verify_regression
from treewright.verify._report import Check, VerificationReport
from treewright.verify._row_costs import verify_row_costs
from treewright.verify._shards import verify_shards
from treewright.verify._survival import verify_survival
from treewright.verify._verify import verify

__all__ = [
    "Check",
    "FaithfulnessReport",
    "Furthest",
    "VerificationReport",
    "check_faithful",
    "count_near_optimal",
    "furthest_apart",
    "verify",
    "verify_born_again",
    "verify_f1",
    "verify_near_everywhere",
    "verify_near_values",
    "verify_policy",
    "verify_probability",
    "verify_regression",
    "verify_row_costs",
    "verify_shards",
    "verify_survival",
]
