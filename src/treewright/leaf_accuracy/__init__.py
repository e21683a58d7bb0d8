"""Trees as valid explanations: the accuracy of the worst leaf, and hybrid trees with a model in each leaf."""

from treewright.leaf_accuracy._baseline import tuned_cart
from treewright.leaf_accuracy._explanations import HybridReport, LeafReport
from treewright.leaf_accuracy._gain import compare as compare
from treewright.leaf_accuracy._gain import where_the_model_is_better as where_the_model_is_better
from treewright.leaf_accuracy._held_out import held_out_answers as held_out_answers
from treewright.leaf_accuracy._hybrid import Extension, Treatment
from treewright.leaf_accuracy._hybrid import Tuning as Tuning
from treewright.leaf_accuracy._hybrid import classify as classify
from treewright.leaf_accuracy._hybrid import extend_leaves as extend_leaves
from treewright.leaf_accuracy._hybrid import probabilities as probabilities
from treewright.leaf_accuracy._hybrid import treatments as treatments
from treewright.leaf_accuracy._inputs import Inputs as Inputs
from treewright.leaf_accuracy._leaf_models import family as family
from treewright.leaf_accuracy._leaf_models import make_leaf_model as make_leaf_model
from treewright.leaf_accuracy._metrics import LeafRecord, leaf_accuracy_score, leaf_table
from treewright.leaf_accuracy._shared import Shared as Shared
from treewright.leaf_accuracy._shared import cross_validate_alone as cross_validate_alone
from treewright.leaf_accuracy._shared import fit_shared as fit_shared
from treewright.leaf_accuracy._shared import shared_model as shared_model
from treewright.leaf_accuracy._timed_fits import Clock as Clock
from treewright.leaf_accuracy._top import make_top as make_top
from treewright.leaf_accuracy._tree_again import can_be_made_again as can_be_made_again
from treewright.leaf_accuracy._tree_again import right_when_held_out as right_when_held_out
from treewright.leaf_accuracy._tune import check_tunable as check_tunable

__all__ = [
    "Extension",
    "HybridReport",
    "LeafRecord",
    "LeafReport",
    "Treatment",
    "leaf_accuracy_score",
    "leaf_table",
    "tuned_cart",
]
