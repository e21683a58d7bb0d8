"""What a data scientist's frame holds: ordered categories, dates, intervals, an index; each said, none silent."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright import OptimalTreeClassifier
from treewright.errors import InputError, InputTypeError, RowOrderWarning
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
def test_ordered_categories_are_told_and_become_numbers_by_the_line_shown(make):
    words = ["low", "high", "middle", None] * (N // 4)
    order = ["low", "middle", "high"]
    if make is pd.DataFrame:
        X = pd.DataFrame(
            {"risk": pd.Categorical(words, categories=order, ordered=True), "k": np.arange(N) % 9}
        )
    else:
        X = pl.DataFrame({"risk": pl.Series(words, dtype=pl.Enum(order)), "k": np.arange(N) % 9})
    (finding,) = look(X, ["a", "b"] * (N // 2)).findings
    assert "ordered categories (low < middle < high)" in finding.text
    line = finding.text.rpartition("= ")[2].rstrip(".")
    numbers = eval(line, {"X": X})  # the line that it shows
    assert [None if v != v or v is None else int(v) for v in list(numbers)] == [
        {"low": 0, "middle": 1, "high": 2, None: None}[word] for word in words
    ]


def test_an_index_in_another_order_is_told():
    X = frame()[["seats"]]
    y = labels(X)
    with pytest.warns(RowOrderWarning, match=r"y\.loc\[X\.index\]") as told:
        OptimalTreeClassifier(max_depth=1).fit(X.iloc[::-1], y)
    assert told[0].filename == __file__
    OptimalTreeClassifier(max_depth=1).fit(X.iloc[::-1], y.iloc[::-1])  # warnings are errors in tests
    OptimalTreeClassifier(max_depth=1).fit(X.iloc[::-1].reset_index(drop=True), y.to_list())
    OptimalTreeClassifier(max_depth=1).fit(X.set_index(X.index + 1000), y)  # another index altogether
