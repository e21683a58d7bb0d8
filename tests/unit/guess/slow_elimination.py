"""Column elimination as the paper says it, with scikit-learn alone: one fit after another, nothing reused."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier


def slow_elimination(
    X: np.ndarray, y: np.ndarray, n_estimators: int, max_depth: int, tolerance: float = 0.0
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """Return kept thresholds, and removed ones in order."""

    def model() -> GradientBoostingClassifier:
        return GradientBoostingClassifier(n_estimators=n_estimators, max_depth=max_depth, random_state=0)

    ensemble = model().fit(X, y)
    used = set()
    for tree in ensemble.estimators_.ravel():
        for feature, threshold in zip(tree.tree_.feature, tree.tree_.threshold, strict=True):
            if feature >= 0:
                used.add((int(feature), float(threshold)))
    columns: list[tuple[int, float]] = []
    seen = set()
    for feature, threshold in sorted(used):
        division = (feature, int((X[:, feature] <= threshold).sum()))
        if division not in seen:
            seen.add(division)
            columns.append((feature, threshold))
    removed: list[tuple[int, float]] = []

    def fit(chosen: list[tuple[int, float]]) -> tuple[float, np.ndarray]:
        Z = np.column_stack([X[:, j] <= t for j, t in chosen]).astype(float)
        fitted = model().fit(Z, y)
        return fitted.score(Z, y), fitted.feature_importances_

    base, importance = fit(columns)
    while len(columns) > 1:
        candidate = columns[int(np.argmin(importance))]
        rest = [c for c in columns if c != candidate]
        score, next_importance = fit(rest)
        if score < base - tolerance - 1e-12:
            break
        columns, importance = rest, next_importance
        removed.append(candidate)
    return columns, removed
