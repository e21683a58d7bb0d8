"""What a hybrid tree warns of after its fit: no gain, too little time, few trials."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from sklearn.exceptions import ConvergenceWarning

from treewright.errors import NoGainWarning
from treewright.leaf_accuracy import Treatment, where_the_model_is_better

if TYPE_CHECKING:
    from treewright.estimators._hybrid import HybridTreeClassifier

__all__ = ["warn_of_few_trials", "warn_of_no_gain", "warn_of_time"]


def warn_of_no_gain(model: HybridTreeClassifier, n_rows: int) -> None:
    """Warn if the tree or the leaf model alone is as good."""
    assert model.cv_accuracy_ is not None  # checked by the caller
    tree, hybrid, alone = (model.cv_accuracy_[part] for part in ("tree", "hybrid", "model"))
    if tree < 1 and all(own.treatment is Treatment.KEPT for own in model.extensions_.values()):
        warnings.warn(
            f"No leaf model does better than the tree on held-out rows, so the tree ({100 * tree:.1f}% of the rows "
            f"right; the model alone {100 * alone:.1f}% of held-out rows) answers everywhere. Use "
            "the tree itself, or another top.",
            NoGainWarning,
            stacklevel=3,
        )
    elif better := where_the_model_is_better(hybrid, alone, n_rows, "held-out rows"):
        warnings.warn(better, NoGainWarning, stacklevel=3)


def warn_of_time(model: HybridTreeClassifier) -> None:
    """Warn that the time limit ended the fit."""
    leaves = model.extensions_.values()
    early = sum(extension.cut_short for extension in leaves)
    what = (
        f"in {early} of {len(leaves)} leaves" if early else "while tree and leaf model were cross-validated"
    )
    warnings.warn(
        f"time_limit={model.time_limit} ended the fit {what}; leaf models have fewer rounds of boosting than they "
        "might have, or the tree answers. Raise time_limit, or use a faster leaf model."
        if early
        else f"time_limit={model.time_limit} ended the fit {what}: the leaves are done, cv_accuracy_ is not known.",
        ConvergenceWarning,
        stacklevel=3,
    )


def warn_of_few_trials(model: HybridTreeClassifier) -> None:
    """Warn if the time limit ended the tuning of some leaves."""
    tuned = [own for own in model.extensions_.values() if own.n_trials > 0]
    early = [own for own in tuned if own.n_trials < model.n_trials]
    if early:
        warnings.warn(
            f"time_limit={model.time_limit} ended tuning early in {len(early)} of {len(tuned)} leaves (fewest "
            f"trials: {min(own.n_trials for own in early)} of {model.n_trials}); the best parameters so far "
            "were taken. Raise time_limit, or lower n_trials.",
            ConvergenceWarning,
            stacklevel=3,
        )
