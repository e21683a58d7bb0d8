"""What `look` says of labels: spellings of one, rare ones, and a target that is no class."""

import numpy as np
import pandas as pd
import pytest

from looks import frame
from treewright.errors import InputError
from treewright.table import (
    look,
)


def test_labels():
    seen = look(frame(y=["Bad", "BAD", "good", "good"] * 50), target="y")
    assert "'Bad' = 'BAD'" in str(seen) or "'BAD' = 'Bad'" in str(seen)
    seen = look(frame(y=np.arange(200) / 3), target="y")
    assert "OptimalTreeRegressor" in str(seen)
    seen = look(frame(y=["rare", *["a", "b"] * 99, "a"]), target="y")
    assert "rare in fewer than 5 rows" in str(seen)
    seen = look(frame(y=["FAIL", "FAIL", *["fail", "pass"] * 98, "Odd", "odd"]), target="y")
    assert "'fail' = 'FAIL'" in str(seen)
    assert "y has Odd in fewer than 5 rows" in str(seen)


def test_what_is_wrong_with_the_target_comes_first():
    spelt = frame(customer=[f"c{k}" for k in range(200)])
    spelt["y"] = ["good", "Good", "bad", "bad"] * 50
    assert [finding.column for finding in look(spelt, target="y").findings] == ["y", "customer"]


def test_labels_may_stand_apart_from_the_frame():
    table = frame(y=["Bad", "BAD", "good", "good"] * 50)
    apart = look(table.drop(columns="y"), table["y"])
    assert str(apart) == str(look(table, "y"))
    assert look(table.drop(columns="y"), table["y"].tolist()).target == "y"
    with pytest.raises(InputError, match=r"one label for each of the 200 rows"):
        look(table, table["y"].head(3))
    with pytest.raises(InputError, match="name of its column"):
        look("data.csv", table["y"])


def test_a_yes_no_target_in_several_spellings_has_two_classes(tmp_path):
    words = ["Y", "yes", "YES", "N", "no", "No", "no"]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y", *(f"{k % 5},{words[k % 7]}" for k in range(140))]) + "\n")
    (merge,) = (finding for finding in look(path, target="y").findings if finding.action == "merge-labels")
    assert merge.words.keys() | set(merge.words.values()) == set(words)
    assert len(set(merge.words.values())) == 2
    assert not look(frame(kind=["y", "n", "x", "yes"] * 50), target="y").findings  # "x" is no answer


def test_a_rare_label_is_told_before_the_fit():
    """A fit answered with a single leaf, proven best, and a notebook said nothing of why."""
    labels = ["stay"] * 190 + ["churn"] * 6 + ["Churn"] * 4
    seen = look(pd.DataFrame({"age": np.arange(200.0) % 37, "y": labels}), target="y")
    assert "Only 10 of 200 rows are churn. A tree that always says stay makes no more mistakes" in str(seen)
    assert len(seen.findings) == 1  # only the two spellings are to be settled
    more = ["churn"] * 20 + labels[:180]
    common = look(pd.DataFrame({"age": np.arange(200.0) % 37, "y": more[:150] + more[:50]}), target="y")
    assert "Only" not in str(common)


def test_marks_of_one_label_beside_empty_fields_are_told_once(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,blocked\n" + "".join(f"{k % 9},{'X' if k % 3 else ''}\n" for k in range(60)))
    about = [one.text for one in look(path, target="blocked").findings if "blocked" in one.text]
    assert len(about) == 1
    assert "if an empty field means 'no'" in about[0]
