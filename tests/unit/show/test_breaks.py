"""Long names break where a reader would break them, and nothing of a short one is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treewright.show._breaks import breakable, lines_of, longest_piece


@given(st.text(max_size=60))
def test_the_pieces_are_the_text(text):
    assert "".join(breakable(text)) == text


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=80), st.integers(2, 30))
def test_no_line_is_longer_than_asked_and_no_character_is_lost(text, width):
    lines = lines_of(text, width, 200).split("\n")
    assert max(map(len, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_places_to_break():
    assert breakable("NumTrades60Ever2DerogPubRec") == ["Num", "Trades60", "Ever2", "Derog", "Pub", "Rec"]
    assert breakable("mean_area_of_cells") == ["mean_", "area_", "of_", "cells"]
    assert breakable("worst texture") == ["worst texture"]
    assert breakable("cost_complexity=0.25") == ["cost_", "complexity=0.25"]  # a number is one word
    assert breakable("balance_2024-01-15") == ["balance_", "2024-01-15"]
    assert breakable("seen 15/01/2024-20/01/2024") == ["seen 15/01/2024-20/01/2024"]
    assert longest_piece("worst_perimeter_of_all") == len("perimeter_")
    assert lines_of("one two three four", 9, 2) == "one two\nthree\u2026"
    assert lines_of("one two three four", 9, 3) == "one two\nthree\nfour"
