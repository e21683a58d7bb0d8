"""The objectives of boosted models whose sums are read: scores of classes, or numbers as they are predicted."""

from __future__ import annotations

__all__ = ["LIGHTGBM_CLASSES", "LIGHTGBM_NUMBERS", "XGBOOST_CLASSES", "XGBOOST_NUMBERS", "accepted_instead"]

XGBOOST_CLASSES = ("binary:logistic", "multi:softprob", "multi:softmax")
XGBOOST_NUMBERS = ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror")
LIGHTGBM_CLASSES = ("binary", "multiclass")
LIGHTGBM_NUMBERS = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")
NUMBERS, CLASSES = (*XGBOOST_NUMBERS, *LIGHTGBM_NUMBERS), (*XGBOOST_CLASSES, *LIGHTGBM_CLASSES)


def accepted_instead(objective: str, accepted: tuple[str, ...]) -> str:
    """Say which objectives are accepted, and who takes a model that predicts numbers, or classes."""
    said = f"accepted are {', '.join(accepted)}."
    if objective in NUMBERS:
        return f"{said} It predicts numbers: use BornAgainTreeRegressor, or --task regression on the command line."
    if objective in CLASSES:
        return f"{said} It decides classes: use BornAgainTreeClassifier, or leave --task regression out."
    return said
