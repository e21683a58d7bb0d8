"""Small model files of each format that `Ensemble.load` reads."""

from __future__ import annotations

from functools import cache

import pytest
from sklearn.datasets import load_iris

FOREST = """DATASET_NAME: tiny.csv
ENSEMBLE: RF
NB_TREES: 2
NB_FEATURES: 2
NB_CLASSES: 2
MAX_TREE_DEPTH: 3
Format: node / node type / left child / right child / feature / threshold / node_depth / majority class

[TREE 0]
NB_NODES: 5
0 IN 1 2 0 0.5 0 -1
1 LN -1 -1 -1 -1 1 0
2 IN 3 4 1 2.5 1 -1
3 LN -1 -1 -1 -1 2 1
4 LN -1 -1 -1 -1 2 0

[TREE 1]
NB_NODES: 1
0 LN -1 -1 -1 -1 0 1
"""


def iris(n_classes):
    X, y = load_iris(return_X_y=True)
    return (X, y) if n_classes == 3 else (X, (y > 1).astype(int))


@cache
def xgboost_text(n_classes):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    model = xgboost.XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1).fit(*iris(n_classes))
    return bytes(model.get_booster().save_raw("json")).decode()


@cache
def lightgbm_text(n_classes):
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    model = lightgbm.LGBMClassifier(n_estimators=2, num_leaves=4, verbose=-1, n_jobs=1)
    text = model.fit(*iris(n_classes)).booster_.model_to_string()
    return text[: text.index("\nfeature_importances")]


TEXTS = {
    "forest": lambda: FOREST,
    "xgboost, two classes": lambda: xgboost_text(2),
    "xgboost, three classes": lambda: xgboost_text(3),
    "lightgbm, two classes": lambda: lightgbm_text(2),
    "lightgbm, three classes": lambda: lightgbm_text(3),
}
