"""Reference models by name, for the command line: one family of ensembles, a number of trees, a depth."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from treewright._numbers import is_whole
from treewright.errors import InputError

__all__ = ["REFERENCES", "named_reference"]

REFERENCES = {
    "gbdt": "sklearn.ensemble.GradientBoostingClassifier",
    "hist": "sklearn.ensemble.HistGradientBoostingClassifier",
    "forest": "sklearn.ensemble.RandomForestClassifier",
    "extra-trees": "sklearn.ensemble.ExtraTreesClassifier",
    "xgboost": "xgboost.XGBClassifier",
    "lightgbm": "lightgbm.LGBMClassifier",
}

FIXED: dict[str, dict[str, Any]] = {
    "hist": {"early_stopping": False},  # as many rounds as asked for
    "xgboost": {"n_jobs": 1},
    "lightgbm": {"n_jobs": 1, "verbosity": -1},
}


def named_reference(
    name: str = "gbdt", n_estimators: int = 40, max_depth: int = 1, random_state: int = 0
) -> Any:
    """Return an unfitted reference model.

    Parameters
    ----------
    name : {"gbdt", "hist", "forest", "extra-trees", "xgboost", "lightgbm"}, default="gbdt"
    n_estimators : int, default=40
        Number of trees, or of rounds of boosting.
    max_depth : int, default=1
        Splits on a path of each.
    random_state : int, default=0

    Returns
    -------
    estimator

    Raises
    ------
    InputError
        An unknown name, a package that is not installed, or a size below 1.

    Examples
    --------
    >>> from treewright.guess import named_reference
    >>> type(named_reference("forest", n_estimators=10)).__name__
    'RandomForestClassifier'
    """
    if not isinstance(name, str) or name not in REFERENCES:
        raise InputError(f"reference {name!r}; give one of {', '.join(REFERENCES)}.")
    for what, value in (("n_estimators", n_estimators), ("max_depth", max_depth)):
        if not is_whole(value) or value < 1:
            raise InputError(f"{what}={value!r} of the reference; give an integer of at least 1.")
    module, _, classifier = REFERENCES[name].rpartition(".")
    if find_spec(module) is None:
        raise InputError(
            f"reference {name!r} needs the package {module}, which is not installed: pip install {module}, "
            "or use 'gbdt'."
        )
    trees = "max_iter" if name == "hist" else "n_estimators"
    size = {trees: int(n_estimators), "max_depth": int(max_depth), "random_state": random_state}
    return getattr(import_module(module), classifier)(**size, **FIXED.get(name, {}))
