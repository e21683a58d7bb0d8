"""Lists of names in sentences."""

from __future__ import annotations

import pytest

from treewright._plural import first_of, list_of, some_of


@pytest.mark.parametrize(
    ("words", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_the_last_word_of_a_list_follows_and(words: list[str], said: str) -> None:
    assert list_of(words) == said
    assert list_of(iter(words), "or") == said.replace(" and ", " or ")


def test_lists_name_the_first_and_count_the_others() -> None:
    names = ["a", "b", "c"]
    assert first_of(names, 3) == "a, b, c"
    assert first_of(names, 2) == "a, b and 1 more"
    assert first_of(names * 1000, 1, "column") == "a and 2,999 more columns"


def test_long_words_are_cut() -> None:
    assert some_of(["x" * 70, "b"], 1) == "x" * 57 + "..., ..."
