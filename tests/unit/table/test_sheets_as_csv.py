"""What spreadsheets leave in a CSV file: titles as wide as the table, merged cells, numbers with their unit."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

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
    assert re.search(
        r"the first line fills 1 of its 3 fields, as a title .* line 4 fills 3", look(path).findings[0].text
    )
    path = write(tmp_path, '"Loans, all",,', "age,score,late", *ROWS)
    with pytest.raises(InputError, match="line 2 fills 3"):
        load_csv(path, target="late")


@pytest.mark.parametrize("header", [",score,late", "age,score,late"])
def test_a_header_with_names_is_none(tmp_path: Path, header: str) -> None:
    assert len(look(write(tmp_path, header, *ROWS)).kinds["numbers"]) >= 2


def test_a_header_without_names_is_read_if_no_line_below_is_full(tmp_path: Path) -> None:
    rows = [f"{j},,,{j % 2}" for j in range(40)]
    assert look(write(tmp_path, "age,,,late", *rows)).n_rows == 40


@pytest.mark.parametrize(
    "word", ["Total", "SUMME", "Grand total:", "Gesamtsumme", "suma", "Subtotal", "Razem", "Итого:", "合計"]
)
@pytest.mark.parametrize("column", [0, 1])
def test_a_line_of_totals_at_the_end_is_refused_with_its_line(tmp_path: Path, word: str, column: int) -> None:
    last = ["780", "", "", "20"]
    last[column] = word
    rows = (f"{j},{'ab'[j % 2]},{j},{j % 2}" for j in range(40))
    path = write(tmp_path, "age,kind,score,late", *rows, ",".join(last))
    said = f"line 42 holds '{word}' and empty fields: it seems to be a line of"
    with pytest.raises(InputError, match=said):
        load_csv(path, target="late")
    assert said in look(path, target="late").findings[0].text


@pytest.mark.parametrize(
    ("last", "names"),
    [
        ("780,X,820,9", "age, score"),  # no word, and no empty field
        ("World,X,820,1", "score"),
        ("781,X,820 EUR,3", "score"),
    ],
)
def test_a_last_row_of_sums_is_refused_in_any_language(tmp_path: Path, last: str, names: str) -> None:
    rows = [f"{j},{'ab'[j % 2]},{j + 0.5},{j % 2}" for j in range(40)]
    path = write(tmp_path, "age,kind,score,late", *rows, last.replace("820", "800"))
    with pytest.raises(InputError, match=f"line 42 holds the sum of all rows above it, in {names}: it seems"):
        load_csv(path, target="late")


def test_totals_with_marks_between_thousands_are_sums(tmp_path: Path) -> None:
    rows = [f"{j};{100 + j},25;{j % 2}" for j in range(40)]
    path = write(tmp_path, "age;price;late", *rows, "Sve;4.790,00 €;x")
    assert "the sum of all rows above it, in price" in look(path).findings[0].text


@pytest.mark.parametrize("last", ["3,0,1", "0,5,1", "-1,9,0", "10,40,2"])
def test_a_last_row_that_adds_up_by_chance_is_a_row(tmp_path: Path, last: str) -> None:
    """Rare counts, numbers of both signs, and the next one of a series are not totals."""
    rows = [f"{int(j in (3, 7, 9))},{(-1) ** j * (j % 6) + 4 * (j == 7)},{j % 2}" for j in range(40)]
    assert look(write(tmp_path, "falls,change,late", *rows, last)).n_rows == 41


def test_remarks_below_a_total_hide_it_not(tmp_path: Path) -> None:
    rows = [f"{j},{'ab'[j % 2]},{j},{j % 2}" for j in range(40)]
    for below, said in (
        (["Source: ERP,,,"], "1 line below it"),
        ([",,,", "Source: ERP,,,"], "2 lines below it"),
    ):
        path = write(tmp_path, "age,kind,score,late", *rows, "Sum,,780,", *below)
        told = look(path, target="late").findings[0].text
        assert re.search(f"line 42 holds 'Sum' .* Delete it and the {said}", told)


def test_a_remark_without_a_total_and_a_total_above_rows_are_left_to_the_reader(tmp_path: Path) -> None:
    rows = [f"{j},{'ab'[j % 2]},{j},{j % 2}" for j in range(40)]
    assert look(write(tmp_path, "age,kind,score,late", *rows, ",,,1")).n_rows == 41
    assert look(write(tmp_path, "age,kind,score,late", *rows, ",Sum,,1", *rows)).n_rows == 81


@pytest.mark.parametrize("last", [",total loss,1", ",Total,1", "39,Sum,1"])
def test_other_words_at_the_end_are_rows(tmp_path: Path, last: str) -> None:
    rows = [f"{j},{('Total', 'part')[j % 2]},{j % 2}" for j in range(39)]  # a damage, say
    assert look(write(tmp_path, "age,damage,late", *rows, last), target="late").n_rows == 40


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
    assert finding.text.endswith("Otherwise keep it as it is.")
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


@pytest.mark.parametrize("unit", [" trips", "x", " Mon."])
def test_numbers_with_a_word_behind_them_are_told(tmp_path: Path, unit: str) -> None:
    (text,) = found(tmp_path, [f"{j % 30}{unit}" for j in range(60)])
    assert f"numbers with {unit.strip()!r} behind them" in text
    assert f"replace {unit.strip()!r} by nothing" in text


@pytest.mark.parametrize(
    "words", [["12 a", "7 b", "9 c"], ["3 trips", "4 trips", "much"], ["K9", "K10", "K11"]]
)
def test_words_that_hold_numbers_are_not(tmp_path: Path, words: list[str]) -> None:
    assert not any("behind them" in text for text in found(tmp_path, words * 20))


def test_numbers_of_several_units_are_told(tmp_path: Path) -> None:
    sizes = ["500 g", "2 kg", "1 kg", "250 g"] * 20
    (text,) = [text for text in found(tmp_path, sizes) if "different units" in text]
    assert "(g, kg: " in text
    assert text.endswith("or keep the words as they are.")
    heights = [f"{100 + k} cm" for k in range(60)] + [f"{1 + k / 100:.2f} m" for k in range(60)]
    (text,) = [text for text in found(tmp_path, heights) if "different units" in text]
    assert text.endswith("or leave the column out.")
    for words in (["1 st", "2 nd", "3 rd", "4 th"] * 20, ["1 kg", "two kg", "3 g", "4 g"] * 20):
        assert not any("different units" in text for text in found(tmp_path, words))


def of_frame(words: list[str]) -> list[str]:
    seen = look(pd.DataFrame({"one": words * 30, "two": range(30 * len(words))}))
    return [finding.text for finding in seen.findings if finding.column == "one"]


@pytest.mark.parametrize(
    "words",
    [
        ["10", "20", "35"],
        ["$62,745.50", "$1,200.75", "$99.25"],
        ["5 CHF", "7 CHF", "9 CHF"],
        ["10%", "20", "15%"],
    ],
)
def test_a_frame_whose_numbers_are_text_is_told_with_the_call(words: list[str]) -> None:
    (text,) = of_frame(words)
    assert "numbers as text" in text
    call = text[text.index("pandas.to_numeric") : -1].replace("X['one']", "column")
    made = eval(call, {"pandas": pd, "column": pd.Series(words)})
    assert made.tolist() == [float(re.sub(r"[^0-9.]", "", word)) for word in words]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["$20,009", "$48,123", "$1,200", "unknown"], [20009, 48123, 1200]),
        (["€ 1.200,50", "€ 99,25", "€ 7,10"], [1200.5, 99.25, 7.1]),
        (["92.8 psi", "101.5 psi", "88 psi"], [92.8, 101.5, 88]),
        (["1'200.50", "99.25", "7.10", "?", "none"], [1200.5, 99.25, 7.1]),
        (["3.5", "4.25", "1.125", "n/a yet"], [3.5, 4.25, 1.125]),
    ],
)
def test_numbers_beside_words_in_a_frame_are_told_with_the_call(
    words: list[str], numbers: list[float]
) -> None:
    """Amounts and one word seemed to identify the rows; with a comma in each, to be several answers."""
    (text,) = of_frame(words)
    call = re.search(r"pandas\.to_numeric\(.*\)", text)
    assert call is not None
    made = eval(call[0], {"pandas": pd, "X": {"one": pd.Series(words)}})
    assert made.tolist()[: len(numbers)] == numbers
    assert made.isna().sum() == len(words) - len(numbers)


def test_what_differs_in_nearly_every_row_may_be_a_number() -> None:
    amounts = [f"${20009 + 37 * k:,}" for k in range(300)]
    for others in (["unknown"], [f"word {chr(97 + k)}" for k in range(12)]):
        words = [*amounts, *others]
        (found,) = [own for own in look(pd.DataFrame({"one": words})).findings if own.column == "one"]
        assert "numbers as text" in found.text
        assert found.action == ""


@pytest.mark.parametrize("words", [["10%", ".2", "15%"], ["1,200", "2,300", "3,100"], ["€5", "$7", "9"]])
def test_numbers_that_no_call_can_read_are_left_to_the_reader(words: list[str]) -> None:
    (text,) = of_frame(words)
    assert "make X['one'] numbers of one unit first" in text


@pytest.mark.parametrize(
    "words",
    [
        ["08001", "3011", "4051"],
        ["1.2.3", "1.2.4", "2.0.0"],
        ["10-20", "20-30", "30-40"],
        ["a", "1", "2"],
        ["V27", "250", "401", "780"],
    ],
)
def test_codes_and_ranges_are_no_numbers(words: list[str]) -> None:
    assert not any("numbers as text" in text for text in of_frame(words))


def test_a_second_header_line_is_refused_with_its_number(tmp_path: Path) -> None:
    path = write(tmp_path, "age,score,late", "[years],[points],", *ROWS)
    told = look(path, target="late").findings[0]
    assert told.is_fault
    assert "line 2 holds '[years]', '[points]' in columns that hold numbers" in told.text
    path = write(
        tmp_path,
        "name,born,late",
        "[text],[day],[0/1]",
        *(f"n{j},1{j % 9}.03.2020,{j % 2}" for j in range(30)),
    )
    with pytest.raises(
        InputError, match=r"holds '\[day\]' .* If it is a line of units, delete it; if it is a row, "
    ):
        load_csv(path, target="late")


@pytest.mark.parametrize(
    "units",
    [
        "kg;mg/dl;",
        "EUR;%;",
        "int;float;text",
        "Jahre;Punkte;",
        "(cm);(kg/m²);x",
        "µg/l;mmHg;0",
        "one;two;",
        "[1];[-];",
    ],
)
def test_units_types_or_words_without_a_label_are_a_second_header_line(tmp_path: Path, units: str) -> None:
    rows = [row.replace(",", ";") for row in ROWS]
    with pytest.raises(InputError, match="line 2 holds"):
        load_csv(write(tmp_path, "age;score;late", units, *rows), target="late")


@pytest.mark.parametrize(
    ("first", "options"),
    [
        ("V27,E909,0", {"categorical": ["age", "score"]}),
        ("kg,cm,0", {"categorical": ["age", "score"]}),
        ("absent,refused,0", {"missing_values": ["absent", "refused"]}),
        ("kg,cm,0", {"missing_in": {"age": ["kg"], "score": ["cm"]}}),
        ("kg,3,0", {"ignore": ["age"]}),
    ],
)
def test_a_first_row_of_words_that_the_options_settle_is_a_row(
    tmp_path: Path, first: str, options: dict[str, Any]
) -> None:
    assert (
        load_csv(write(tmp_path, "age,score,late", first, *ROWS), target="late", **options).table.n_rows == 41
    )


@pytest.mark.parametrize(
    "first", ["12b,3a,0", "0a1f,7e-b,0", "V27,V58,0", "ICU,hall,0", "12 m,3 km,0", "m,h,0", "[kg],5,0"]
)
def test_a_first_row_of_words_that_are_no_units_is_not_called_a_line_of_units(
    tmp_path: Path, first: str
) -> None:
    path = write(tmp_path, "age,score,late", first, *ROWS)
    with pytest.raises(InputError, match=r"are? text|is text|1 of 41 with the unit 'm'"):
        load_csv(path, target="late")
    assert look(path, target="late").n_rows == 41


def test_a_word_that_occurs_again_below_is_no_unit(tmp_path: Path) -> None:
    path = write(tmp_path, "age,score,late", "(refused),(refused),0", "(refused),(refused),1", *ROWS)
    assert look(path, target="late").n_rows == 42


def test_only_columns_that_the_tree_asks_are_judged(tmp_path: Path) -> None:
    rows = [f"{20 + j},{100 + j},{j},{j % 2}" for j in range(40)]
    made = load_csv(write(tmp_path, "age,room,bed,y", *rows), target="y")
    new = write(tmp_path, "age,room,bed", "20,kg,cm", "30,102,4", "40,103,5", "50,104,6")
    assert load_csv(new, columns=made.table.columns, needed=[0], reading=made.reading).table.n_rows == 4
    with pytest.raises(InputError, match="line 2 holds 'kg', 'cm'"):
        load_csv(new, columns=made.table.columns, needed=[0, 1, 2], reading=made.reading)


@pytest.mark.parametrize("first", ["?,NA,0", "k.A.,unknown,0", "low,3,0", ",,0", "none,none,1"])
def test_a_first_row_with_gaps_is_none(tmp_path: Path, first: str) -> None:
    rows = [f"{row},{j % 5}" for j, row in enumerate(ROWS)]
    assert look(write(tmp_path, "age,score,late,size", f"{first},1", *rows), target="late").n_rows == 41


def test_a_minus_sign_behind_an_amount_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path, "saldo;rate;late", "1.234,50-;7.25-;0", "12,00;1.50;1", "3,10 -;2.00;0", "5,00- €;2.00;0"
    )
    csv = load_csv(path, target="late", separator=";")
    assert csv.table.X.tolist() == [[-1234.5, -7.25], [12.0, 1.5], [-3.1, 2.0], [-5.0, 2.0]]
    assert sum("minus signs behind" in text for text in csv.table.notes) == 2
    later = write(tmp_path, "saldo;rate", "7,25-;1.75-")
    again = load_csv(later, columns=csv.table.columns, reading=csv.reading)
    assert again.table.X.tolist() == [[-7.25, -1.75]]


@pytest.mark.parametrize("grade", ["2-", "-2.50-", "+1.50-", "1.5-"])
def test_a_minus_sign_that_may_be_something_else_is_not_read(tmp_path: Path, grade: str) -> None:
    path = write(
        tmp_path, "mark;y", *(f"{word};{j % 2}" for j, word in enumerate([grade, "1.25", "2.25", "3.25"]))
    )
    with pytest.raises(InputError):
        load_csv(path, target="y", separator=";")


def test_errors_of_spreadsheets_are_proposed_as_missing(tmp_path: Path) -> None:
    texts = found(tmp_path, ["#DIV/0!", "#VALUE!", *map(str, range(50))])
    assert any("'#VALUE!'" in text for text in texts)
    rows = [f"{word},{j % 13},{j % 2}" for j, word in enumerate(["#WERT!", "#NV", *map(str, range(50))])]
    options = look(write(tmp_path, "one,two,y", *rows), target="y").options()
    assert "--missing 'one=#WERT!'" in options
    assert "--missing 'one=#NV'" in options


def test_errors_in_every_column_are_proposed_as_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b;y", "#NV;#BEZUG!;nein", "1,5;1;ja", "2,5;2;ja", "3,5;3;nein")
    seen = look(path, target="y", separator=";")
    assert seen.options() == "--missing 'a=#NV' --missing 'b=#BEZUG!'"
    assert "4 rows; numbers: 2 (a, b)." in str(seen)
    frame = pd.DataFrame({"a": [1, "x"] * 4, "b": [2, "y"] * 4})
    assert [finding.text[:10] for finding in look(frame).findings] == ["Column 'a'", "Column 'b'"]


@pytest.mark.parametrize("column", [["<0.6"], ["<0.6", "n.b."], ["<0.6", "≥9"]])
def test_a_value_beyond_a_limit_is_never_proposed_as_missing(tmp_path: Path, column: list[str]) -> None:
    rows = [f"{word},{j % 13},{j % 2}" for j, word in enumerate([*column, *map(str, range(50))])]
    options = look(write(tmp_path, "one,two,y", *rows), target="y").options()
    assert options == ("--missing one=n.b." if "n.b." in column else "")


def test_a_value_beyond_a_limit_is_told(tmp_path: Path) -> None:
    (text,) = (text for text in found(tmp_path, ["<0.6", "n.b.", *map(str, range(50))]) if "are text" in text)
    assert "'<0.6' says that the value is beyond a limit" in text


def test_missing_labels_do_not_hide_what_else_is_wrong(tmp_path: Path) -> None:
    rows = [f"{j},{j % 13},{['yes', 'no', 'YES', ''][j % 4]}" for j in range(40)]
    seen = look(write(tmp_path, "id,two,y", *rows), target="y")
    assert seen.labels == (("yes", 10), ("no", 10), ("YES", 10))
    assert "missing in 10 rows" in str(seen)
    assert "--merge-labels" in seen.options()
    assert "--ignore id" in seen.options()
