"""What spreadsheets leave in a CSV file: titles as wide as the table, merged cells, numbers with their unit."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pandas as pd
import pytest

from treewright.errors import InputError
from treewright.table import load_csv, look


def write(folder: Path, *lines: str) -> Path:
    path = folder / "sheet.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


ROWS = [f"{j},{j * j % 7},{j % 2}" for j in range(40)]


def test_a_title_that_is_filled_up_with_separators_is_refused_with_the_lines_to_delete(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "Loans of the Lyon branch,,", "Printed 12 March,,", ",,", "age,score,late", *ROWS)
    with pytest.raises(
        InputError, match=r"the first line fills 1 of its 3 fields, as a title .* line 4 fills 3"
    ):
        look(path)
    path = write(tmp_path, '"Loans, all",,', "age,score,late", *ROWS)
    with pytest.raises(InputError, match="line 2 fills 3"):
        load_csv(path, target="late")


@pytest.mark.parametrize("header", [",score,late", "age,score,late"])
def test_a_header_with_names_is_none(tmp_path: Path, header: str) -> None:
    assert len(look(write(tmp_path, header, *ROWS)).kinds["numbers"]) >= 2


def test_a_header_without_names_is_read_if_no_line_below_is_full(tmp_path: Path) -> None:
    rows = [f"{j},,,{j % 2}" for j in range(40)]
    assert look(write(tmp_path, "age,,,late", *rows)).n_rows == 40


def found(folder: Path, column: list[str]) -> list[str]:
    rows = [f"{word},{j % 13},{j % 2}" for j, word in enumerate(column)]
    seen = look(write(folder, "one,two,y", *rows), target="y")
    return [finding.text for finding in seen.findings if finding.column == "one"]


def test_merged_cells_are_told(tmp_path: Path) -> None:
    column = list(itertools.chain(*([name] + [""] * 24 for name in ("North", "South", "West", "East"))))
    (text,) = found(tmp_path, column)
    assert "a value in 4 of 100 rows" in text
    assert "fill the values down" in text
    years = list(itertools.chain(*([str(year)] + [""] * 24 for year in (2019, 2020, 2021))))
    assert "merged cells" in found(tmp_path, years)[0]


def test_a_column_that_may_be_merged_cells_is_not_proposed_to_be_dropped(tmp_path: Path) -> None:
    column = [str(j // 5 % 7) if j % 5 == 0 else "" for j in range(200)]  # a count that is rarely known
    rows = [f"{word},{j % 13},{j % 2}" for j, word in enumerate(column)]
    seen = look(write(tmp_path, "one,two,y", *rows), target="y")
    (finding,) = (finding for finding in seen.findings if finding.column == "one")
    assert finding.text.endswith("If not, keep it as it is.")
    assert finding.option == ""


@pytest.mark.parametrize(
    "column",
    [
        ["", *(["a"] + [""] * 9 + ["b"] + [""] * 9) * 4],  # the first row is empty
        [*(["a"] + [""] * 5) * 10],  # the same again: a mark, not a block
        [*(["a", "b"] * 40), *[""] * 20],  # mostly filled
        [*(["1.5"] + [""] * 9 + ["2.5"] + [""] * 9) * 4],  # measured now and then
    ],
)
def test_other_gaps_are_not(tmp_path: Path, column: list[str]) -> None:
    assert not any("merged" in text for text in found(tmp_path, column))


@pytest.mark.parametrize("unit", [" mois", "kg", " m²", " Mon."])
def test_numbers_with_a_unit_are_told(tmp_path: Path, unit: str) -> None:
    (text,) = found(tmp_path, [f"{j % 30}{unit}" for j in range(60)])
    assert f"numbers with the unit {unit.strip()!r}" in text


@pytest.mark.parametrize("words", [["12 a", "7 b", "9 c"], ["3 kg", "4 kg", "much"], ["K9", "K10", "K11"]])
def test_words_that_hold_numbers_are_not(tmp_path: Path, words: list[str]) -> None:
    assert not any("the unit" in text for text in found(tmp_path, words * 20))


def of_frame(words: list[str]) -> list[str]:
    seen = look(pd.DataFrame({"one": words * 30, "two": range(30 * len(words))}))
    return [finding.text for finding in seen.findings if finding.column == "one"]


@pytest.mark.parametrize(
    "words", [["10", "20", "35"], ["$62,745.50", "$1,200.75", "$99.25"], ["5 CHF", "7 CHF", "9 CHF"]]
)
def test_a_frame_whose_numbers_are_text_is_told_with_the_call(words: list[str]) -> None:
    (text,) = of_frame(words)
    assert "numbers as text" in text
    call = text[text.index("pandas.to_numeric") : -1].replace("X['one']", "column")
    made = eval(call, {"pandas": pd, "column": pd.Series(words)})
    assert made.tolist() == [float(re.sub(r"[^0-9.]", "", word)) for word in words]


@pytest.mark.parametrize("words", [["10%", "20", "15%"], ["1,5", "2,25", "3,125"], ["€5", "$7", "9"]])
def test_numbers_that_no_call_can_read_are_left_to_the_reader(words: list[str]) -> None:
    (text,) = of_frame(words)
    assert "make X['one'] numbers of one unit first" in text


@pytest.mark.parametrize(
    "words",
    [["08001", "3011", "4051"], ["1.2.3", "1.2.4", "2.0.0"], ["10-20", "20-30", "30-40"], ["a", "1", "2"]],
)
def test_codes_and_ranges_are_no_numbers(words: list[str]) -> None:
    assert not any("numbers as text" in text for text in of_frame(words))
