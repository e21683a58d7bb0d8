"""Spellings of one word: capitals, blanks, accents of Latin letters; other marks make other words."""

from __future__ import annotations

import pytest

from treewright.table._alike import groups_alike, one_spelling


@pytest.mark.parametrize(
    "alike",
    [
        ["Sí", "SI", " sí"],
        ["New York", "new  york"],
        ["Straße", "STRASSE"],
        ["são", "sa\u0303o", "SAO"],
        ["Müller", "MÃ¼ller"],
        ["Full-time", "full time", "FULL\u2011TIME"],
    ],
)
def test_one_word_in_several_spellings(alike):
    assert groups_alike(["another", *alike]) == [alike]
    assert one_spelling(alike) == dict.fromkeys(alike[1:], alike[0])


@pytest.mark.parametrize("words", [["MÃ¼ller", "Müller"], ["MÃ¼ller", "MÃ¼LLER", "Müller"]])
def test_a_word_read_with_a_wrong_encoding_stands_for_none(words):
    assert one_spelling(words) == dict.fromkeys(words[:-1], "Müller")


@pytest.mark.parametrize(
    "different", [["か", "が"], ["мои", "мой"], ["a b", "ab"], ["1", "¹"], ["1-2", "1 2"], ["B-", "B"]]
)
def test_different_words_stay_apart(different):
    assert groups_alike(different) == []
