"""What `look` takes for codes and numbers of rows, and what is a quantity or a word all the same."""

import numpy as np
import pandas as pd
import pytest

from looks import found, frame
from treewright.table import (
    look,
)


def test_codes_with_leading_zeros(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{k % 12:04d},{'uv'[k % 2]}\n" for k in range(100)))
    assert found(look(path, target="y")) == {("x", "categorical")}
    assert look(path, target="y", categorical=["x"]).findings == ()


@pytest.mark.parametrize("name", ["num_steps", "number_of_views", "no_of_rooms", "income"])
def test_large_quantities_are_no_identifiers(name):
    """Counts and amounts that differ in every row, all of eight digits."""
    values = 10_000_000 + np.random.default_rng(1).choice(80_000_000, 200, replace=False)
    assert (name, "ignore") not in found(look(frame(**{name: values}), target="y"))


def test_codes_of_articles_that_repeat_identify_something():
    frame = pd.DataFrame({"EAN": [4006381000000 + 7 * (k // 2) for k in range(200)], "x": range(200)})
    [found] = [one for one in look(frame).findings if one.column == "EAN"]
    assert found.action == "ignore"
    assert "its name suggests that it identifies something" in found.text


def test_work_on_many_words_is_bounded(monkeypatch):
    """Spellings are compared among the most frequent words, so that a column of identifiers takes little time."""
    from treewright.table import _alike, _suspicions

    compared = []
    monkeypatch.setattr(_alike, "_plain", lambda word, own=_alike._plain: compared.append(word) or own(word))
    monkeypatch.setattr(_suspicions, "MOST_COMPARED", 50)
    n = 400
    words = pd.DataFrame(
        {"id": [f"ID{k:04d}" for k in range(n)], "city": [f"C{k}x" for k in range(n // 2)] * 2}
    )
    words.loc[:80, "city"] = ["Ulm", "ulm", "Bonn"] * 27
    seen = look(words, target=["a", "b"] * (n // 2))
    assert {("id", "ignore"), ("city", "merge-words")} <= found(seen)
    assert len(compared) < 6 * 50  # twice for each column and once for the labels
