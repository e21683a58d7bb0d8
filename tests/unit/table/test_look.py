"""Looking at a table as a whole: silence on ordinary columns, each suspicion where it belongs, rows that repeat."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from looks import found, frame
from treewright.errors import InputError
from treewright.table import (
    look,
    look_at,
    table_from,
)


def test_silence_on_ordinary_columns():
    seen = look(frame(kind=["a", "b", "c", "d"] * 50, flag=[0, 0, 1, 1] * 50), target="y")
    assert seen.findings == ()
    assert seen.kinds == {
        "numbers": ("age", "weight"),
        "yes/no": ("flag",),
        "words": ("kind",),
        "ordered words": (),
    }
    assert seen.labels == (("good", 100), ("bad", 100))
    assert "Nothing to decide" in str(seen)
    assert repr(seen) == str(seen)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("name", "values", "action"),
    [
        ("customer", [f"c{k}" for k in range(200)], "ignore"),
        ("order", list(range(5000, 5200)), "ignore"),
        ("Kunden-Nr.", [k * k for k in range(200)], "ignore"),
        ("Schadennr", [k * k for k in range(200)], "ignore"),
        ("always", [3] * 200, "ignore"),
        ("zip", [10115 + k % 30 for k in range(200)], "categorical"),
        ("Branch code", [k % 7 for k in range(200)], "categorical"),
        ("pressure", [-999 if k % 20 == 0 else 100 + k % 30 for k in range(200)], "missing"),
        ("remark", [f"text {k % 120}" for k in range(200)], "ignore"),
        ("city", ["Ulm", "ULM", "Bonn", "Köln"] * 50, "merge-words"),
        ("Branche", [(11, 23, 44, 52, 72)[k % 5] for k in range(200)], "categorical"),
        ("Order ID", [(k * 37) % 90 for k in range(200)], "ignore"),
        ("Fallnummer", [k * k for k in range(200)], "ignore"),
    ],
)
def test_suspicions(make, name, values, action):
    seen = look(make(frame(**{name: values}).to_dict("list")), target="y")
    assert found(seen) == {(name, action)}
    value = f"{name}=-999" if action == "missing" else name
    assert seen.options() == (
        "" if not action else f"--{action} " + (f"'{value}'" if " " in value else value)
    )


@pytest.mark.parametrize(
    "values",
    [
        [k * 37 % 997 for k in range(200)],  # a quantity that happens to differ
        [99 if k == 3 else k % 90 for k in range(200)],  # near the others
    ],
)
def test_quantities_are_not_suspected(values):
    assert look(frame(income=values), target="y").findings == ()


def test_rows_that_repeat():
    base = frame()
    seen = look(pd.concat([base, base.head(3)]), target="y")
    assert [finding.text for finding in seen.findings] == [
        "3 rows repeat an earlier one in every column. Is that intended?"
    ]


def test_rows_of_other_numbers_to_predict_do_not_repeat():
    table = table_from(pd.concat([frame(), frame().head(3)]).drop(columns="y"))
    for outcome, repeats in ((np.arange(table.n_rows), False), (np.zeros(table.n_rows), True)):
        seen = look_at(table, None, name="sales", outcome=("sales", outcome))
        assert ("repeat an earlier one" in str(seen)) == repeats


def test_files_with_faults_show_everything_at_once(tmp_path):
    path = tmp_path / "d.csv"
    rows = "".join(f"{k:03d};{50 + k},000;{'refused' if k == 7 else k};{'uv'[k % 2]}\n" for k in range(40))
    path.write_text("code;pay;size;y\n" + rows)
    seen = look(path, target="y")
    assert "1 of 40 fields is text: 'refused' (line 9)" in str(seen)
    assert "can be read in two ways" in str(seen)
    assert "differs in every row" in str(seen)
    assert "two ways" not in str(look(path, target="y", decimal_comma=False))
    assert "--missing size=refused" in seen.options()  # the only word among numbers
    with pytest.raises(InputError, match="unknown; the options are"):
        look(path, colums=["a"])
    with pytest.raises(InputError, match="no column 'z'"):
        look(frame(), target="z")


@pytest.mark.parametrize("copies", [1, 30])
def test_rows_that_repeat_are_named_however_many(copies):
    """A tenth of all rows is no accident where a column is measured finely; in a table of few values it is."""
    fine = frame()
    again = pd.concat([fine, fine.head(copies)])
    assert f"{copies} row" in look(again, target="y").findings[-1].text
    coarse = pd.DataFrame({"a": [0, 1, 1, 0] * 50, "b": [0, 0, 1, 1] * 50, "y": ["no", "yes"] * 100})
    assert look(coarse, target="y").findings == ()


def test_what_settles_a_finding_is_said_in_python_for_a_frame():
    seen = look(frame(id=[f"u{i:03d}" for i in range(200)], y=["Bad", "BAD", "good", "good"] * 50), "y")
    shown = str(seen)
    assert "X = X.drop(columns=['id'])" in shown
    assert "y = y.replace(" in shown
    assert "--" not in shown
    assert "--ignore id" in seen.options()


def test_long_advice_is_given_once_and_every_column_is_named():
    rows = 60
    told = pd.DataFrame({name: ["18-24", "25-34", "35+"] * (rows // 3) for name in ("age", "tenure")})
    lines = [line for line in str(look(told)).splitlines() if "in an order" in line]
    assert [line.split()[1] for line in lines] == ["age", "tenure"]
    assert ["Without the order" in line for line in lines] == [True, False]
    assert all(
        "Without the order" in finding.text for finding in look(told).findings if finding.action == "order"
    )


def test_examples_are_different_values():
    frame = pd.DataFrame({"zip code": [10115, 10115, 10115, 20095, 80331] * 20, "x": range(100)})
    [text] = [one.text for one in look(frame).findings if one.column == "zip code"]
    assert "(10115, 20095, 80331, ...)" in text
