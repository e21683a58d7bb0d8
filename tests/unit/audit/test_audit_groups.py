"""The figures of an audit equal plain counts, and are marked where there are few rows."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from treewright import OptimalTreeClassifier, OptimalTreeRegressor, audit_groups
from treewright.errors import InputError
from treewright.table import ColumnNote, Settings, table_from
from treewright.tree import wilson_interval


def made(seed: int, n_classes: int = 2, n: int = 300):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 9, n), "age": rng.integers(18, 80, n), "sex": rng.choice(["m", "w"], n)}
    )
    y = (X["a"] + rng.integers(0, 6, n)) * n_classes // 15
    return X, y.to_numpy()


@pytest.mark.parametrize("seed", range(5))
def test_rates_are_plain_counts(seed):
    X, y = made(seed)
    model = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    audit = audit_groups(model, X, y, ["sex", "age"], cuts={"age": [25, 45]}, confidence=0.9)
    said = model.predict(X)
    parts = {
        "sex": {"m": X["sex"] == "m", "w": X["sex"] == "w"},
        "age": {
            "up to 25": X["age"] <= 25,
            "above 25 to 45": (X["age"] > 25) & (X["age"] <= 45),
            "above 45": X["age"] > 45,
        },
    }
    assert [(title, [part.name for part in found]) for title, found in audit.groups.items()] == [
        (title, list(part)) for title, part in parts.items()
    ]
    everyone = np.ones(len(y), dtype=bool)
    for found, rows in [
        (audit.everyone, everyone),
        *((g, parts[title][g.name].to_numpy()) for title, gs in audit.groups.items() for g in gs),
    ]:
        truth, own = y[rows], said[rows]
        assert found.rows == rows.sum()
        for rate, count, of in (
            (found.error, (truth != own).sum(), rows.sum()),
            (found.positive, (own == 1).sum(), rows.sum()),
            (found.false_positive, ((own == 1) & (truth == 0)).sum(), (truth == 0).sum()),
            (found.false_negative, ((own == 0) & (truth == 1)).sum(), (truth == 1).sum()),
        ):
            assert (rate.count, rate.rows) == (count, of)
            assert rate.interval == wilson_interval(int(count), int(of), 0.9)


def test_every_kind_of_model_gives_the_same():
    X, y = made(7)
    model = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    first = audit_groups(model, X, y, {"sex": X["sex"]})
    table = table_from(X)
    for other, rows in (
        (model.tree_, X),
        (model.result_, X),
        (model.tree_, table),
        (model, table),
        (model, X),
    ):
        assert audit_groups(other, rows, y, {"sex": X["sex"].to_numpy()}).to_dict() == first.to_dict()
    plain = DecisionTreeClassifier(max_depth=2).fit(X[["a"]], y)
    assert audit_groups(plain, X[["a"]], y, {"sex": X["sex"]}).everyone.rows == 300
    text = audit_groups(model, X, [str(label) for label in y], "sex")  # "1" in a file is 1 in the model
    assert text.to_dict() == first.to_dict()


def test_the_other_class_swaps_the_errors():
    X, y = made(3)
    model = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    one, zero = (audit_groups(model, X, y, "sex", positive=label) for label in ("1", 0))
    for a, b in zip(one.groups["sex"], zero.groups["sex"], strict=True):
        assert a.false_positive == b.false_negative
        assert a.positive.count + b.positive.count == a.rows
        assert a.error == b.error


def test_many_classes_have_errors_and_a_positive_one_if_named():
    X, y = made(1, n_classes=3)
    model = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    plain = audit_groups(model, X, y, "sex")
    assert plain.everyone.positive is None
    assert "false positive" not in plain.to_text()
    named = audit_groups(model, X, y, "sex", positive=2)
    assert named.everyone.false_negative.rows == (y == 2).sum()
    assert named.everyone.error == plain.everyone.error


def test_small_groups_are_marked_and_nothing_is_claimed_beyond_the_rows():
    X, y = made(2)
    X.loc[:3, "sex"] = "x"
    audit = audit_groups(OptimalTreeClassifier(0.01, max_depth=2).fit(X, y), X, y, "sex")
    content = json.loads(json.dumps(audit.to_dict()))
    small = {part["group"]: part["small"] for part in content["groups"]["sex"]}
    assert small == {"m": False, "w": False, "x": True}
    line = next(line for line in str(audit).splitlines() if line.startswith("  x "))
    assert line.count("*") == line.count("%")
    assert "* fewer than 30 rows" in str(audit)
    assert "say nothing about other rows" in str(audit)
    assert (
        "*" not in audit_groups(OptimalTreeClassifier(0.01).fit(X, y), X, y, "sex", fewest_rows=0).to_text()
    )


def test_rates_without_rows_have_no_share():
    X, y = made(2)
    model = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    positives = X[y == 1]
    audit = audit_groups(model, positives, y[y == 1], "sex")
    assert audit.everyone.false_positive.share is None
    assert audit.to_dict()["all"]["false_positive"]["share"] is None
    assert "no rows" in audit.to_text()


def test_titles_of_columns_codes_and_labels_are_what_people_read():
    X, y = made(4)
    X["g"] = X["age"] % 3
    model = OptimalTreeClassifier(0.01, max_depth=2).fit(X, y)
    settings = Settings(
        notes={"g": ColumnNote("district", codes={"0": "north", "2": "south"})}, label_names={"1": "bail"}
    )
    audit = audit_groups(model, X, y, "g", settings=settings)
    assert [part.name for part in audit.groups["district"]] == ["1", "north", "south"]
    assert audit.positive == "bail"
    assert "decisions 'bail'" in str(audit)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"groups": "race"}, "give columns of the frame X"),
        ({"groups": {"race": [1, 2]}}, "2 values for 300 rows; give one each"),
        ({"cuts": {"age": [3]}}, "cuts has 'age'"),
        ({"positive": "yes"}, "positive='yes'; the model decides among '0', '1'"),
        ({"confidence": 1}, "strictly between 0 and 1"),
        ({"fewest_rows": -1}, "fewest_rows=-1"),
        ({"y": np.zeros(3)}, "one label for each"),
        ({"y": ["no"] * 300}, "no label of the model"),
        ({"y": [None] * 300}, "missing in 300 rows"),
        ({"model": LogisticRegression()}, "has no classes"),
        ({"model": None}, "A NoneType has no classes"),
    ],
)
def test_what_cannot_be_audited(change, says):
    X, y = made(0)
    given = {"model": OptimalTreeClassifier(0.01, max_depth=1).fit(X, y), "X": X, "y": y, "groups": "sex"}
    with pytest.raises(InputError, match=says):
        audit_groups(**(given | change))


def test_numbers_are_no_decisions():
    X, y = made(0)
    model = OptimalTreeRegressor(max_depth=1).fit(X, y * 1.5)
    for held in (model, model.tree_):
        with pytest.raises(InputError, match=r"regression tree|has no classes"):
            audit_groups(held, X, y, "sex")
