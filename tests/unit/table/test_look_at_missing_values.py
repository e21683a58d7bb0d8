"""Numbers and marks that may stand for a missing value: `look` asks about them, and not about usual values."""

import numpy as np
import pandas as pd
import pytest

from looks import found, frame
from treewright import OptimalTreeClassifier
from treewright.table import (
    load_csv,
    look,
)


def written(path, codes, suffix=""):
    """A file of ages from 20 to 79 in which each code stands in ten of 200 rows."""
    ages = [f"{20 + 7 * k % 60}{suffix}" for k in range(200)]
    for place, code in enumerate(codes):
        ages[place::20] = [code] * 10
    rows = [f"{age},{k / 7:.3f},{k % 2}" for k, age in enumerate(ages)]
    path.write_text("\n".join(["age,b,y", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("codes", "suffix", "told"),
    [
        (["-9"], "", ["-9"]),
        (["-9", "NA"], "", ["-9"]),  # NA is read as missing
        (["-9", "?"], "", ["-9"]),
        (
            ["-99", "unknown"],
            "",
            ["unknown", "-99"],
        ),  # the column cannot be read: its numbers are still looked at
        (["-99", "-9"], "", ["-99", "-9"]),
        (["-9", "999"], "", ["-9", "999"]),
        (["99", "999"], "", ["999", "99"]),
        (["-99", "-9", "999", "unknown"], "", ["unknown", "-99", "-9", "999"]),
        (["-9.0"], ".0", ["-9.0"]),  # as the file writes it
        (["-9.0", "-9.00"], ".5", ["-9.0", "-9.00"]),
        (["99"], "", ["99"]),
        (["80", "81"], "", []),  # no such numbers
    ],
)
def test_no_code_for_missing_hides_another(tmp_path, codes, suffix, told):
    path = written(tmp_path / "ages.csv", codes, suffix)
    seen = look(path, target="y")
    assert [one.value for one in seen.findings if one.action == "missing"] == told
    after = look(path, target="y", missing_values=["NA", "?", *told])
    assert not [one for one in after.findings if one.action == "missing"]
    assert np.isnan(
        load_csv(path, target="y", missing_values=["NA", "?", *told]).table.X[:, 0]
    ).sum() == 10 * len(set(codes) - {"80", "81"})


@pytest.mark.parametrize(
    ("others", "code", "value"),
    [
        (["9.99", "12.34", "7.5", "20.25"], "999", 999),  # 9.99 is another number
        (["12.50", "7.25", "20.00", "3.75"], "(999)", -999),
        (["1", "2", "3", "4"], "\u2212999", -999),
        (["12 %", "7 %", "20 %", "9 %"], "-999 %", -999),
        (["$12.50", "$7.25", "$20.00", "$3.75"], "$-999.00", -999),
        (["1 250,50 €", "2 300,75 €", "1 100,25 €", "2 050,00 €"], "-9 999,00 €", -9999),
    ],
)
def test_a_code_is_proposed_as_the_file_writes_it_and_only_the_code(tmp_path, others, code, value):
    path = tmp_path / "amounts.csv"
    rows = [f'"{code if k % 20 == 0 else others[k % 4]}";{k};{"yn"[k % 3 == 0]}' for k in range(200)]
    path.write_text("\n".join(["amount;b;y", *rows]) + "\n", encoding="utf-8")
    known = load_csv(path, target="y").table.X[:, 0]
    codes = [one.value for one in look(path, target="y").findings if one.action == "missing"]
    assert codes == [code]
    read = load_csv(path, target="y", missing_in={"amount": codes}).table.X[:, 0]
    assert np.array_equal(np.isnan(read), known == value)
    assert (known == value).sum() == 10


def test_a_code_beside_many_values_is_an_ordinary_one():
    ages = [99 if k % 20 == 0 else k % 99 for k in range(200)]
    assert look(frame(age=ages), target="y").findings == ()


def test_what_settles_a_code_in_a_frame_does_settle_it():
    ages = [-9 if k % 20 == 0 else 999 if k % 20 == 1 else 20 + k % 60 for k in range(200)]
    X = frame(age=ages)
    seen = look(X, target="y")
    assert [one.in_python for one in seen.findings] == [
        "X['age'] = X['age'].mask(X['age'] == -9)",
        "X['age'] = X['age'].mask(X['age'] == 999)",
    ]
    for finding in seen.findings:
        exec(finding.in_python, {"X": X})
    assert X["age"].isna().sum() == 20
    assert look(X, target="y").findings == ()


@pytest.mark.parametrize("value", ["yes", 1.0, 7.0])
def test_a_value_or_none_is_a_question(value):
    """A column that holds one value or nothing was to be left out, though a tree may ask whether it is known."""
    marked = np.arange(200) % 3 == 0
    X = frame(
        mark=pd.Series([value if is_marked else None for is_marked in marked]),
        y=np.where(marked & (np.arange(200) % 10 > 0), "a", "b"),
    )
    assert look(X, target="y").findings == ()
    tree = OptimalTreeClassifier(max_depth=1).fit(X[["mark"]], X["y"]).tree_
    assert tree.n_leaves == 2
    X["mark"] = [value] * 200
    assert found(look(X, target="y")) == {("mark", "ignore")}


def test_an_empty_column_is_told(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,y\n" + "".join(f"{k / 7:.3f},,{k % 2}\n" for k in range(50)))
    seen = look(path, target="y")
    assert found(seen) == {("b", "ignore")}
    assert "b is empty in every row" in str(seen)


def test_a_number_that_means_missing_in_many_columns_is_told_once(tmp_path):
    rows = [
        ",".join(
            [
                "-9" if (k + j) % 20 == 0 else "-8" if (k + j) % 25 == 0 else str(1 + (k + j) % 5)
                for j in range(6)
            ]
            + ["ab"[k % 2]]
        )
        for k in range(200)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join([f"q{j}" for j in range(6)] + ["y"]), *rows]) + "\n")
    seen = look(path, target="y")
    assert str(seen).count("does it mean missing?") == 2
    assert "Likewise -8 in 5 more columns (q1, q2, q3, q4, q5)." in str(seen)
    assert "--missing -9 for all columns" in str(seen)
    assert len([finding for finding in seen.findings if finding.action == "missing"]) == 12


def test_minus_is_a_result_beside_plus(tmp_path):
    """A "-" among "+" and "++" is negative; `--fix` made it missing."""
    assert look(frame(protein=["+", "++", "-", "+++"] * 50), target="y").findings == ()
    assert found(look(frame(protein=["a", "b", "-", "c"] * 50), target="y")) == {("protein", "missing")}
