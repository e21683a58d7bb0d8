"""Spellings of one word: capitals, blanks, accents of Latin and Greek letters; other marks make other words."""

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
        ["όχι", "ΟΧΙ", "ΌΧΙ"],  # Greek capitals are written without the accent
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


def test_yes_and_no_in_several_languages_are_two_words():
    """A column that several people filled in: `ja`, `yes` and `1` were three categories."""
    assert groups_alike(["ja", "no", "nein", "yes", "Ja", "1", "0"]) == [
        ["ja", "Ja", "yes", "1"],
        ["no", "nein", "0"],
    ]
    assert one_spelling(["0", "no", "1", "Ja"]) == {"0": "no", "1": "Ja"}
    assert groups_alike(["0", "1", "n"]) == []  # may be codes
    assert groups_alike(["yes", "no", "maybe", "1", "0"]) == []
    assert groups_alike(["true", "false"]) == []


def test_signs_that_nobody_sees_make_no_other_word():
    """A label from a web page, with a blank of no width in it, was a class of one row that looked like another one."""
    assert groups_alike(["yes", "no", "ye\u200bs", "\ufeffno"]) == [["yes", "ye\u200bs"], ["no", "\ufeffno"]]
