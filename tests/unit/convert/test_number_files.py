"""Files of regression ensembles: the way back is exact, and nothing of a file is trusted."""

import json
import random

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

from treewright.convert import Ensemble, NumberEnsemble, save_numbers
from treewright.errors import ModelFileError

X = np.arange(24.0).reshape(12, 2) % 7
MODEL = GradientBoostingRegressor(n_estimators=3, max_depth=2, random_state=0).fit(X, X[:, 0] * X[:, 1])


@pytest.fixture
def path(tmp_path):
    save_numbers(tmp_path / "model.json", MODEL)
    return tmp_path / "model.json"


def test_the_way_back_is_exact(path):
    read = NumberEnsemble.load(path)
    rows = np.random.default_rng(0).normal(3, 3, (200, 2))
    np.testing.assert_array_equal(read.predict(rows), NumberEnsemble.from_model(MODEL).predict(rows))
    assert np.abs(read.predict(rows) - MODEL.predict(rows)).max() <= read.rounding
    with pytest.raises(ModelFileError, match="--task regression"):
        Ensemble.load(path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 2}, "the only version"),
        ({"feature_names": ["a", "a"]}, "different names"),
        ({"feature_names": ["a"]}, "splits on column"),
        ({"bias": "nan"}, "a number"),
        ({"bias": 1e308}, "overflow"),
        ({"single": 1}, "true or false"),
        ({"trees": []}, "a list of 1"),
        ({"more": 1}, "unknown field"),
    ],
)
def test_a_damaged_file_is_refused(path, changes, said):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ModelFileError, match=said):
        NumberEnsemble.load(path)


def test_any_change_of_a_tree_is_refused_or_read(path):
    content, rng = json.loads(path.read_text()), random.Random(0)
    refused = 0
    for _ in range(300):
        changed = json.loads(json.dumps(content))
        own = rng.choice(changed["trees"])
        name = rng.choice(list(own))
        own[name][rng.randrange(len(own[name]))] = rng.choice([-1, 0, 1, 99, 0.5, None, "inf", "-inf", 1e300])
        path.write_text(json.dumps(changed))
        try:
            assert np.isfinite(NumberEnsemble.load(path).predict(X)).all()
        except ModelFileError:
            refused += 1
    assert 100 < refused < 300
    for cut in (0, 1, 40, len(json.dumps(content)) // 2):
        path.write_text(json.dumps(content)[:cut])
        with pytest.raises(ModelFileError):
            NumberEnsemble.load(path)
