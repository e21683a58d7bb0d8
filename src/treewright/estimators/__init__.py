"""scikit-learn estimators, one file per method."""

from treewright.estimators._answers_of_models import deviations as deviations
from treewright.estimators._born_again import BornAgainTreeClassifier
from treewright.estimators._born_again import make_forest as make_forest
from treewright.estimators._born_again_regressor import BornAgainTreeRegressor
from treewright.estimators._born_again_regressor import make_regression_forest as make_regression_forest
from treewright.estimators._compare_with_cart import CartComparison, compare_with_cart
from treewright.estimators._front_cv import CVProgress
from treewright.estimators._hybrid import HybridTreeClassifier
from treewright.estimators._importances import Importance, importances_without
from treewright.estimators._interrupt import raise_on_interrupt
from treewright.estimators._latent_classifier import LatentTreeClassifier
from treewright.estimators._latent_clusterer import LatentTreeClusterer
from treewright.estimators._latent_regressor import LatentTreeRegressor
from treewright.estimators._leaf_accuracy import LeafAccuracyTreeClassifier
from treewright.estimators._leaf_accuracy_cv import LeafAccuracyTreeClassifierCV
from treewright.estimators._leaf_probabilities import leaf_probabilities
from treewright.estimators._leaf_targets import LeafTargets
from treewright.estimators._mip import MIPTreeClassifier
from treewright.estimators._near_optimal_tree import NearOptimalTreeClassifier
from treewright.estimators._optimal_policy import OptimalPolicyTree
from treewright.estimators._optimal_probability import OptimalProbabilityTree
from treewright.estimators._optimal_regressor import OptimalTreeRegressor
from treewright.estimators._optimal_regressor_cv import OptimalTreeRegressorCV
from treewright.estimators._optimal_survival import OptimalSurvivalTree
from treewright.estimators._optimal_tree import OptimalTreeClassifier
from treewright.estimators._optimal_tree_cv import OptimalTreeClassifierCV
from treewright.estimators._threshold_guesser import ThresholdGuesser

__all__ = [
    "BornAgainTreeClassifier",
    "BornAgainTreeRegressor",
    "CVProgress",
    "CartComparison",
    "HybridTreeClassifier",
    "Importance",
    "LatentTreeClassifier",
    "LatentTreeClusterer",
    "LatentTreeRegressor",
    "LeafAccuracyTreeClassifier",
    "LeafAccuracyTreeClassifierCV",
    "LeafTargets",
    "MIPTreeClassifier",
    "NearOptimalTreeClassifier",
    "OptimalPolicyTree",
    "OptimalProbabilityTree",
    "OptimalSurvivalTree",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "ThresholdGuesser",
    "compare_with_cart",
    "importances_without",
    "leaf_probabilities",
    "raise_on_interrupt",
]
