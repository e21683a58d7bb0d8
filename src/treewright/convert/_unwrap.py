"""Fitted wrappers around a tree ensemble: opened where they decide like it, refused with advice where they do not.

A search that was refitted decides like its best model, and a frozen estimator like the one inside. A pipeline does if
every step before the ensemble passes rows through; one that changes them has thresholds in other units. Calibration,
thresholds and votes of several models make other decisions than any one ensemble inside.
"""

from __future__ import annotations

from typing import Any

from treewright._plural import kind_of
from treewright.errors import InputError

__all__ = ["unwrapped"]

INSTEAD = (
    "Fit one ensemble instead; or ask for a small tree that agrees with it on rows, "
    'BornAgainTreeClassifier.from_fitted(model, X, faithful="rows")'
)
ALL_CLASSES = "Fit the ensemble with all classes instead: tree ensembles take them"
THRESHOLD = "moves the threshold of a probability. Read model.estimator_, which decides at one half"
OTHER_DECISIONS = {
    "CalibratedClassifierCV": "calibrates, which decides otherwise than the ensembles inside. Read one of these, "
    "model.calibrated_classifiers_[0].estimator, and say that its decisions are uncalibrated",
    "FixedThresholdClassifier": THRESHOLD,
    "TunedThresholdClassifierCV": THRESHOLD,
    "VotingClassifier": f"lets several models vote. {INSTEAD}",
    "StackingClassifier": f"puts a model on top of several. {INSTEAD}",
    "OneVsRestClassifier": f"trains one model per class. {ALL_CLASSES}",
    "OneVsOneClassifier": f"trains one model per pair of classes. {ALL_CLASSES}",
}
SEARCHES = (
    "GridSearchCV",
    "RandomizedSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "BaseSearchCV",
)


def unwrapped(model: Any) -> Any:
    """Return the model inside a wrapper that decides like it; any other model as it is.

    Raises
    ------
    InputError
        If the wrapper is not fitted, or its decisions are not those of what it holds; the message says what to
        read instead.
    """
    names = [kind.__name__ for kind in type(model).__mro__]
    name = names[0]
    for wrapper, why in OTHER_DECISIONS.items():
        if wrapper in names:
            raise InputError(f"A {name} {why}.")
    if any(search in names for search in SEARCHES):
        if not hasattr(model, "best_estimator_"):
            raise InputError(
                f"This {name} has no best_estimator_: it is not fitted, or refit=False. Fit it with refit=True."
            )
        return unwrapped(model.best_estimator_)
    if "FrozenEstimator" in names:
        return unwrapped(model.estimator)
    if "Pipeline" in names:
        for step, transformer in model.steps[:-1]:
            if transformer is not None and not isinstance(transformer, str):
                raise InputError(
                    f"The step {step!r} of this Pipeline, {kind_of(transformer)}, changes rows before the "
                    "ensemble sees them, so that its thresholds are not in units of the table. Read the ensemble, "
                    "pipeline[-1], with rows that went through the steps before, pipeline[:-1].transform(X); or leave "
                    "scaling out, which trees do not need."
                )
        return unwrapped(model.steps[-1][1])
    return model
