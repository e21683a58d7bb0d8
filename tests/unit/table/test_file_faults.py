"""Faults of a file as a whole: all of them are told in one call, and the rest of the file is looked at as well."""

import zipfile

import pytest

from treewright.errors import InputError
from treewright.table import load_csv, look

ROWS = "".join(f"{k};{k % 7},5;{'ja' if k % 3 else 'nein'}\n" for k in range(40))


@pytest.fixture
def write(tmp_path):
    def make(text, encoding="utf-8"):
        path = tmp_path / "export.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return make


def test_all_faults_of_a_file_are_told_at_once(write):
    """Each was found after the one before was mended: four calls for one file."""
    again = "Größe;Größe;Status\n"
    path = write(f"Auswertung;;\n\n{again}{ROWS}{again}{ROWS}Summe;;\n", "cp1252")
    with pytest.raises(InputError, match=r"export\.csv cannot be read as it is, for 5 reasons") as caught:
        load_csv(path, target="Status")
    for words in (
        'encoding="cp1252"',
        "line 85 holds 'Summe'",
        "line 3 fills 3",
        "duplicate column names: 'Größe'",
        "line 44 repeats the header. Delete it",
    ):
        assert words in str(caught.value)
    seen = look(path, "Status")
    assert [finding.is_fault for finding in seen.findings[:6]] == [True] * 5 + [False]
    assert seen.n_rows == 80
    assert seen.kinds["numbers"] == ("Größe", "Größe (2)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Report;;;;\na;b;c;;\n1;2;x;;\n3;4;y;;\n", "line 2 fills 3"),  # empty columns at the right
        (f"a;b;y\n{ROWS}a;b;y\n{ROWS}a;b;y\n{ROWS}", "lines 42, 83 repeat the header. Delete them"),
        ('a;b;y\n1;"2";x\n2;"3;x\n4;"5";y\n', r"line 4 \(in the row that begins in line 3\)"),
        ("a;b;y\n[kg];[cm];\n1;2;u\n3;4;v\n5;6;u\n", "line 2 holds '\\[kg\\]'"),
    ],
)
def test_a_single_fault_is_told_alone(write, text, words):
    with pytest.raises(InputError, match=words) as caught:
        load_csv(write(text), target="y" if "y\n" in text else None)
    assert "reasons" not in str(caught.value)


def test_a_header_of_one_word_may_be_a_value(write):
    assert load_csv(write("y\nx\ny\n")).table.n_rows == 2


def test_the_mark_of_a_second_file_put_behind_the_first_is_no_letter(write):
    text = f"\ufeffa;b;y\n{ROWS}\ufeff1;2,5;ja\n"
    assert load_csv(write(text), target="y").table.X[-1].tolist() == [1, 2.5]


def test_what_is_left_is_told_with_the_columns(write):
    """Units below the header, and a word among numbers, in one call."""
    path = write(f"kg;b;y\n[kg];[%];\n{ROWS}5;oops;ja\n")
    seen = look(path, "y")
    assert [finding.column for finding in seen.findings if not finding.action or finding.action == "missing"][
        :2
    ] == [
        None,
        "b",
    ]
    assert "[kg]" in seen.findings[0].text


def test_a_second_header_line_below_merged_cells(write):
    """Its words were said to be missing values of four columns."""
    rows = "".join(f"r{k % 3},{k},{k * 7 % 90},{'yes' if k % 3 else 'no'}\n" for k in range(40))
    with pytest.raises(InputError, match=r"line 2 holds 'Q1', 'Q2' .* seems to be a second header line"):
        load_csv(write(f"region,sales,,ok\n,Q1,Q2,\n{rows}"), target="ok")


@pytest.mark.parametrize("row", ["Subtotal North,435,", "North Total,435,no", "Nord Ergebnis,435,no"])
def test_subtotals_between_the_rows_are_refused(write, row):
    """They were rows like all others."""
    half = "".join(f"{'North' if k % 2 else 'Nord'},{k},{'yes' if k % 3 else 'no'}\n" for k in range(30))
    path = write(f"region,sales,ok\n{half}{row}\n{half}")
    words = f"line 32 holds '{row.split(',')[0]}': it seems to be a line of subtotals, not a row. Delete it"
    with pytest.raises(InputError, match=words):
        load_csv(path, target="ok")
    assert look(path, "ok").n_rows == 60


@pytest.mark.parametrize(
    "row", ["Total Energies,435,no", "Total Wheaties,435,no", "subtotal,435,no", "Subtotal North,435,no"]
)
def test_words_like_total_alone_are_no_subtotals(write, row):
    """Cereals have "Total Corn Flakes" beside "Corn Flakes", and a surgery can be subtotal."""
    half = "".join(f"{'North' if k % 2 else 'Nord'},{k},{'yes' if k % 3 else 'no'}\n" for k in range(30))
    path = write(f"region,sales,ok\n{half}Wheaties,3,yes\n{row}\n{half}")
    assert load_csv(path, target="ok").table.n_rows == 62


@pytest.mark.parametrize(
    ("text", "lines"), [('{"a": 1}\n{"a": 2}\n', "lines=True"), ('[{"a": 1, "b": 2},\n {"a": 2}]', "csv.\\)")]
)
def test_rows_in_json(write, text, lines):
    with pytest.raises(InputError, match=rf"is JSON, not CSV.*{lines}"):
        load_csv(write(text))


def test_titles_do_not_hide_the_separator(write):
    """With commas in amounts, the message was to delete the header: line 5 was said to be the first one of 2 fields."""
    rows = "".join(f"A{k}|{k},117.34|{'late' if k % 3 else 'in time'}\n" for k in range(40))
    path = write(f"# exported by a system\n# confidential\n\norder|amount|out\n{rows}")
    words = "Most lines have 3 fields, from line 4 on: if that is the header, delete the lines above"
    with pytest.raises(InputError, match=words):
        load_csv(path, target="out")
    assert look(path, "out").n_rows == 40


def test_columns_aligned_with_blanks(write):
    path = write("id  age  y\n" + "".join(f"{k:<4}{20 + k:<5}{'ab'[k % 2]}\n" for k in range(30)))
    with pytest.raises(InputError, match="aligned with blanks: write them with commas"):
        load_csv(path, target="y")


def test_rows_of_json_are_written_with_a_column_for_each_inner_field(write, monkeypatch, tmp_path):
    """The proposed call is run: a column of Python dictionaries was taken for identifiers."""
    rows = "".join(f'{{"ms": {k}, "req": {{"path": "/{k % 3}", "bytes": {k * 7}}}}}\n' for k in range(30))
    path = write(rows)
    with pytest.raises(InputError, match="is JSON, not CSV") as caught:
        load_csv(path)
    call = str(caught.value).partition("(pandas: ")[2].removesuffix(").")
    monkeypatch.chdir(tmp_path)
    eval(call, {"pandas": pytest.importorskip("pandas")})
    assert load_csv(tmp_path / "rows.csv").table.names == ("ms", "req.path", "req.bytes")
    with pytest.raises(InputError, match=r"\(pandas: pandas\.read_json\('export\.csv', lines=True\)\.to_csv"):
        load_csv(write('{"ms": 1}\n{"ms": 2}\n'))


@pytest.mark.parametrize("quote", ["", '"'])
def test_rows_that_end_with_a_separator_which_the_header_lacks(tmp_path, quote):
    """The first row was taken for the header, and `look` said that there is no column of labels."""
    file = tmp_path / "t.csv"
    file.write_text(
        f"{quote}a{quote},b,y\n" + "".join(f"{k % 5},{k % 7},{'uv'[k % 2]},\n" for k in range(40))
    )
    with pytest.raises(InputError, match=r"all lines below the first end with ','.*put ',' at its end"):
        load_csv(file, target="y")
    seen = look(file, target="y")
    assert seen.n_rows == 40
    assert seen.labels == (("u", 20), ("v", 20))
    file.write_text(file.read_text().replace("y\n", "y,\n", 1))
    assert load_csv(file, target="y").table.names[:2] == ("a", "b")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ["rows.csv"],
            r"export\.csv is a zip archive that holds 'rows\.csv'\. Unpack it and give this file\.",
        ),
        (
            ["2020/a.csv", "2020/b.parquet", "read.me"],
            r"'2020/a\.csv', '2020/b\.parquet'\. .* give one of these files",
        ),
        (["xl/workbook.xml", "[Content_Types].xml"], "is a spreadsheet or another packed file, not text"),
    ],
)
def test_a_zip_archive_is_told_with_its_tables(tmp_path, names, message):
    """The message was to open it in a spreadsheet program."""
    path = tmp_path / "export.csv"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "x,y\n1,a\n2,b\n")
    with pytest.raises(InputError, match=message):
        load_csv(path, target="y")
