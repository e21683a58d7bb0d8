"""What a data scientist's frame holds: ordered categories, dates, intervals, an index; each said, none silent."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from treewright import (
    HybridTreeClassifier,
    LeafAccuracyTreeClassifier,
    NearOptimalTreeClassifier,
    OptimalPolicyTree,
    OptimalProbabilityTree,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
from treewright.errors import InputError, InputTypeError, NumbersAsTextWarning, RowOrderWarning
from treewright.show import to_text
from treewright.table import expand_dates, look

N = 80
SIGNED = pd.date_range("2021-01-01", periods=N, freq="9D", tz="Europe/Warsaw")


def frame():
    return pd.DataFrame(
        {"seats": pd.Series(range(N), dtype="Int64") % 7, "signed": SIGNED, "seen": SIGNED[::-1]}
    )


def labels(X):
    return pd.Series(np.where(X["seats"] < 3, "churned", "stays"), index=X.index)


def test_new_rows_whose_dates_were_not_made_numbers_are_told_how():
    X = frame()
    model = OptimalTreeClassifier(max_depth=1).fit(expand_dates(X), labels(X))
    with pytest.raises(InputError, match=r"X holds signed, seen .*expand_dates\(X, like=model\)"):
        model.predict(X)
    with pytest.raises(ValueError, match="yet now missing"):  # anything else is told as scikit-learn tells it
        model.predict(expand_dates(X, like=model).drop(columns=["seats"]))
    assert model.predict(expand_dates(X, like=model)).tolist() == labels(X).tolist()


def test_columns_with_the_same_fault_share_a_line():
    X = frame()
    with pytest.raises(
        InputError,
        match=r"(?s)2 columns cannot be read:\n  - Column 'signed' \(likewise 'seen'\) holds dates\.",
    ):
        OptimalTreeClassifier().fit(X, labels(X))


def test_intervals_are_told_with_what_makes_them_text():
    X = frame()[["seats"]].assign(band=pd.cut(np.arange(N), 4).astype(object))
    with pytest.raises(InputTypeError, match=r"'Interval'.*X\['band'\]\.astype\(str\)"):
        OptimalTreeClassifier().fit(X, labels(X))
    OptimalTreeClassifier(max_depth=1).fit(X.assign(band=X["band"].astype(str)), labels(X))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_ordered_categories_are_split_by_their_order(make):
    words = ["low", "high", "middle", None] * (N // 4)
    order = ["low", "middle", "high", "extreme"]
    if make is pd.DataFrame:
        X = pd.DataFrame({"risk": pd.Categorical(words, categories=order, ordered=True)})
    else:
        X = pl.DataFrame({"risk": pl.Series(words, dtype=pl.Enum(order))})
    y = ["no" if word in ("low", "middle") else "yes" for word in words]
    assert look(X, y).kinds["ordered words"] == ("risk",)
    model = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert [line.split("→")[0].strip(" ├└─") for line in to_text(model).splitlines()] == [
        "risk at most middle",
        "risk at least high or missing",
    ]
    assert model.predict(X).tolist() == y


def test_an_index_in_another_order_is_told():
    X = frame()[["seats"]]
    y = labels(X)
    with pytest.warns(RowOrderWarning, match=r"y\.loc\[X\.index\]") as told:
        OptimalTreeClassifier(max_depth=1).fit(X.iloc[::-1], y)
    assert told[0].filename == __file__
    OptimalTreeClassifier(max_depth=1).fit(X.iloc[::-1], y.iloc[::-1])  # warnings are errors in tests
    OptimalTreeClassifier(max_depth=1).fit(X.iloc[::-1].reset_index(drop=True), y.to_list())
    OptimalTreeClassifier(max_depth=1).fit(X.set_index(X.index + 1000), y)  # another index altogether


@pytest.mark.parametrize(
    "model",
    [
        OptimalTreeClassifier(max_depth=1),
        OptimalTreeRegressor(max_depth=1),
        OptimalProbabilityTree(max_depth=1),
        LeafAccuracyTreeClassifier(max_depth=1),
        NearOptimalTreeClassifier(max_depth=1),
        HybridTreeClassifier(leaf_estimator=LogisticRegression(), tune=None),
    ],
)
def test_weights_with_an_index_in_another_order_are_told(model):
    """They were matched by position without a word, though labels in another order were told."""
    X = pd.DataFrame({"seats": np.arange(60) % 7, "doors": np.arange(60) % 5})
    y, weight = pd.Series(np.arange(60) % 7 > 3), pd.Series(np.arange(60) + 1.0)
    with pytest.warns(RowOrderWarning, match=r"pass sample_weight\.loc\[X\.index\]") as told:
        model.fit(X, y, sample_weight=weight[::-1])
    assert told[0].filename == __file__


def test_times_rewards_and_costs_in_another_order_are_told():
    X = pd.DataFrame({"seats": np.arange(60) % 7})
    late, days = pd.Series(np.arange(60) % 3 > 0), pd.Series(np.arange(60) + 1.0)
    rewards = pd.DataFrame({"wait": days, "act": days[::-1].to_numpy()})
    with pytest.warns(RowOrderWarning, match=r"pass y\[1\]\.loc") as told:
        OptimalSurvivalTree(max_depth=1).fit(X, (late, days[::-1]))
    with pytest.warns(RowOrderWarning, match=r"pass rewards\.loc") as told_too:
        OptimalPolicyTree(max_depth=1).fit(X, rewards[::-1])
    costs = pd.DataFrame({False: days, True: days})
    with pytest.warns(RowOrderWarning, match=r"pass row_costs\.loc"):
        OptimalTreeClassifier(max_depth=1).fit(X, late, row_costs=costs[::-1])
    assert {warning.filename for warning in [*told, *told_too]} == {__file__}


@pytest.mark.parametrize("words", ["{}", "{}.5", "${},000", "{} %"])
def test_numbers_as_text_are_warned_of(words):
    """The tree asked `age = 53`, and was proven best over all single ages."""
    frame = pd.DataFrame({"age": [words.format(20 + k % 40) for k in range(120)], "size": range(120)})
    y = np.arange(120) % 40 > 20
    with pytest.warns(NumbersAsTextWarning, match="Column 'age' holds numbers as text"):
        OptimalTreeClassifier(max_depth=1).fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier(max_depth=1, categorical_features=["age"]).fit(frame, y)
        OptimalTreeClassifier(max_depth=1).fit(frame.assign(age=frame["age"].astype("category")), y)
        OptimalTreeClassifier(max_depth=1).fit(frame.assign(age=frame["age"].str[:1]), y)  # a few codes
        OptimalTreeClassifier(max_depth=1).fit(
            frame.assign(age="0" + frame["age"].str.replace(r"\D", "", regex=True)), y
        )
