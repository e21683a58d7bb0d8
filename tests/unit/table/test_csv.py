"""CSV files: one rule per field, every refusal with its line, and nothing but a table or an InputError."""

import gzip
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from treewright.errors import InputError
from treewright.table import CsvTable, load_csv, table_from
from treewright.table._csv_text import _without_quotes
from treewright.tree import ColumnKind


@pytest.fixture
def write(tmp_path):
    def make(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return make


PLAIN = "age,colour,member,y\n31,red,true,no\n45.5,blue,False,yes\n,red,TRUE,no\n"


def check_plain(data):
    assert [c.kind for c in data.table.columns] == [
        ColumnKind.CONTINUOUS,
        ColumnKind.CATEGORICAL,
        ColumnKind.BINARY,
    ]
    np.testing.assert_array_equal(data.table.X, [[31, 1, 1], [45.5, 0, 0], [np.nan, 1, 1]])
    assert data.table.names == ("age", "colour", "member")
    assert data.table.columns[1].categories == ("blue", "red")
    assert data.target.tolist() == ["no", "yes", "no"]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_separator_is_found_or_given(write, mark):
    path = write(PLAIN.replace(",", mark))
    for separator in (None, mark):
        data = load_csv(path, target="y", separator=separator)
        check_plain(data)
        assert data.separator == mark


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip("\n"),
        "\n\n" + PLAIN + "\n\n",
        PLAIN.replace("blue", "\n blue ").replace("45.5,\n", "45.5,"),
        PLAIN.replace(",red", ' ,"red"'),
        PLAIN.replace(",", " , "),
        "\ufeff" + PLAIN,
    ],
)
def test_outer_forms(write, text):
    check_plain(load_csv(write(text), target="y"))


@pytest.mark.parametrize("first", ["sep=;\n", '"sep=;"\r\n', "SEP=;\n"])
def test_a_first_line_that_names_the_separator(write, first):
    text = "a;b,c;y\n1;2;no\n3;4;yes\n"
    csv = load_csv(write(first + text), target="y")
    assert (csv.table.names, csv.separator) == (("a", "b,c"), ";")
    assert csv.lines.tolist() == [3, 4]
    assert load_csv(write("sep=;\n1;2\n3;4\n", "none.csv"), target="2").table.names == ("1",)
    with pytest.raises(InputError, match="line 4"):
        load_csv(write(first + text.replace("3;4", "3;4;5"), "ragged.csv"), target="y")


def test_gzip_that_grows_as_no_table_does(write):
    packed = gzip.compress(b"a,b\n" + b"0" * (1 << 28))
    assert len(packed) < 300_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"unpacks to more than 128 MiB.*gunzip"):
            load_csv(write(packed, "bomb.csv.gz"))
        assert tracemalloc.get_traced_memory()[1] < 400_000_000
    finally:
        tracemalloc.stop()


def test_gzip_and_encodings(write):
    check_plain(load_csv(write(gzip.compress(PLAIN.encode()), "data.csv.gz"), target="y"))
    check_plain(load_csv(write(PLAIN.encode("utf-16")), target="y", encoding="utf-16"))
    latin = write("größe,y\n1,a\n2,b\n", encoding="latin-1")
    with pytest.raises(InputError, match=r'line 1.*encoding="cp1252"'):
        load_csv(latin, target="y")
    assert load_csv(latin, target="y", encoding="latin-1").table.names == ("größe",)
    utf = write("größe,y\n1,a\n2,b\n")
    for encoding in ("latin-1", "cp1252", "Windows-1250", "mac-roman"):  # not read as the column grÃ¶Ãe
        with pytest.raises(InputError, match=r'is UTF-8 text; read as .*encoding="utf-8"'):
            load_csv(utf, target="y", encoding=encoding)
    assert load_csv(write("size,y\n1,a\n2,b\n"), target="y", encoding="latin-1").table.names == ("size",)


def test_quotes_hold_separators_and_line_ends(write):
    data = load_csv(write('a,"b, c",y\n"x\ny","say ""hi""",1\n"z",w,2\n'), target="y")
    assert data.table.names == ("a", "b, c")
    assert data.table.columns[0].categories == ("x\ny", "z")
    assert data.table.columns[1].categories == ('say "hi"', "w")
    assert data.target.dtype == np.int64
    assert data.lines.tolist() == [2, 4]


@pytest.mark.parametrize("field", ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", " ", '""'])
def test_missing_fields(write, field):
    data = load_csv(write(f"a,b,y\n1,u,0\n{field},{field},1\n2.5,v,0\n"), target="y")
    np.testing.assert_array_equal(data.table.X, [[1, 0], [np.nan, np.nan], [2.5, 1]])


@pytest.mark.parametrize("word", ["abc", "True"])
def test_a_column_may_be_empty_below_its_first_row(write, word):
    """Nothing is left of it when the first row is held against those below as a line of units."""
    data = load_csv(write(f"a,y\n{word},0\n" + ",0\n,1\n" * 2), target="y")
    assert np.isnan(data.table.X[1:]).all()
    assert not np.isnan(data.table.X[0]).any()


def test_own_missing_values_replace_the_list(write):
    path = write("a,b,y\n-9,NA,0\n1,u,1\n2,v,0\n")
    data = load_csv(path, target="y", missing_values=["-9"])
    np.testing.assert_array_equal(data.table.X, [[np.nan, 0], [1, 1], [2, 2]])
    assert data.table.columns[1].categories == ("NA", "u", "v")


def test_zero_one_text_is_binary_and_none_is_a_word(write):
    data = load_csv(write("a,b,y\n0,None,0\n1,Some,1\n"), target="y")
    assert data.table.columns[0].kind is ColumnKind.BINARY
    assert data.table.columns[1].categories == ("None", "Some")


@pytest.mark.parametrize(
    ("labels", "expected", "kind"),
    [
        (["1", "0", "2"], [1, 0, 2], "i"),
        (["-1", "+1", "1"], [-1, 1, 1], "i"),
        (["0.0", "1.0", "1"], [0.0, 1.0, 1.0], "f"),
        (["yes", "no", "1"], ["yes", "no", "1"], "U"),
        (["123456789012345678901", "123456789012345678902", "5"], None, "U"),
    ],
)
def test_labels_keep_their_natural_type(write, labels, expected, kind):
    rows = "".join(f"{j},{label}\n" for j, label in enumerate(labels))
    target = load_csv(write("a,y\n" + rows), target="y").target
    assert target.dtype.kind == kind
    assert target.tolist() == (labels if expected is None else expected)


def test_weight_ignore_and_categorical(write):
    data = load_csv(
        write("id,w,a,b,y\n10,1,7,1.5,0\n11,2.5,9,2.5,1\n"),
        target="y",
        weight="w",
        ignore=["id"],
        categorical=["a"],
    )
    assert data.table.names == ("a", "b")
    assert data.table.columns[0].categories == ("7", "9")
    assert data.table.notes == ()
    assert data.sample_weight.tolist() == [1, 2.5]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", {}, "empty"),
        ("\n \n", {}, "empty"),
        ("a,b\n", {}, "no rows"),
        ("a,b\n\n\n", {}, "no rows"),
        ("a,b,c\n1,2,3\n4,5\n", {}, "line 3: 2 fields, but the header has 3"),
        ("a,b,c\n1,2,3\n\n4,5,6,7\n", {}, "line 4: 4 fields"),
        ('a,b,c\n"1",2,3\n"4\n4",5\n', {}, "line 3: 2 fields"),
        ("a,b,a\n1,2,3\n", {}, "duplicate column names: 'a'"),
        ('a,b\n"1,2\n', {}, "Close every field in quotes"),
        ("a,b\n1,\0\n", {}, "NUL"),
        ("a,b,y\n1,2,0\n", {"target": "Y "}, r"no column 'Y '. Did you mean 'y'\?"),
        ("age,income,y\n1,2,0\n", {"target": "incme"}, r"Did you mean 'income'\?"),
        ("a;b;y\n1;2;0\n", {"target": "y", "separator": ","}, "Try separator=';'"),
        ("a b y\n1 2 0\n", {"target": "y"}, "single column; is it another separator"),
        ("y\n1\n2\n", {"target": "y"}, "no feature columns"),
        ("a,y\n1,0\n2,\n3,1\n", {"target": "y"}, r"missing in 1 row of .* \(line 3\)"),
        ("a,w,y\n1,1,0\n2,,1\n", {"weight": "w"}, "weight 'w' is missing"),
        ("a,w,y\n1,1,0\n2,x,1\n", {"weight": "w"}, "text: 'x'.*line 3"),
        (
            "a,y\n1,0\n2,0\nlow,1\n3,1\n",
            {},
            r"'a'.* 1 of 4 fields is text: 'low' \(line 4\).*missing values.*categorical",
        ),
        ("a,y\n1,0\ninf,0\n", {}, "'inf' in line 3"),
        ("a,y\n1,0\n1e999,0\n", {}, "'1e999' in line 3"),
        ("a,y\n9007199254740993,0\n1,0\n", {}, "9007199254740993 in line 2"),
        ("a,y\n1,0\n", {"separator": ",,"}, "one ASCII character"),
        ("a,y\n1,0\n", {"encoding": "klingon"}, "unknown"),
        ("a,y\n1,0\n", {"ignore": "a"}, "list of names"),
        (b"\x1f\x8b\x08 broken", {}, "damaged gzip"),
    ],
)
def test_refused_with_a_reason(write, text, options, words):
    with pytest.raises(InputError, match=words):
        load_csv(write(text), **options)


def test_absent_file_and_folder(tmp_path):
    for path in (tmp_path / "absent.csv", tmp_path):
        with pytest.raises(InputError, match="Cannot read"):
            load_csv(path)


def test_mixed_column_can_be_settled_both_ways(write):
    path = write("a,y\n1,0\n2,0\nlow,1\n3,1\n")
    assert load_csv(path, target="y", categorical=["a"]).table.columns[0].categories == ("1", "2", "3", "low")
    np.testing.assert_array_equal(
        load_csv(path, target="y", missing_values=["low"]).table.X[:, 0], [1, 2, np.nan, 3]
    )


def test_decimal_commas_are_never_taken_for_words(write):
    path = write("a;b;y\n1,5;x;0\n2;y;1\n-,25;?;1\n")
    for decimal_comma in (None, True):
        data = load_csv(path, target="y", decimal_comma=decimal_comma)
        np.testing.assert_array_equal(data.table.X, [[1.5, 0], [2, 1], [-0.25, np.nan]])


@pytest.mark.parametrize("field", ["1_000", "0x10", "1e", "--1", "1 2", "１", "1f", "e5", ".", "+"])
def test_what_is_no_decimal_number_is_text(write, field):
    table = load_csv(write(f"a,y\n{field},0\nb,1\n"), target="y").table
    assert set(table.columns[0].categories) == {field, "b"}


@pytest.mark.parametrize(
    "field",
    ["1", "-1", "+1", "1.", ".5", "1.5e3", "1E-3", "00012", "-0.0", "0.1", "1e-400", "0.3000000000004"],
)
def test_decimal_numbers_are_read_as_python_reads_them(write, field):
    table = load_csv(write(f"a,y\n{field},0\n77,1\n"), target="y").table
    assert table.X[:, 0].tolist() == [float(field), 77]


def test_unnamed_index_column_is_noted(write):
    table = load_csv(write(",a,y\n0,5,0\n1,6,1\n"), target="y").table
    assert table.names == ("unnamed_1", "a")
    assert "no name in the header" in table.notes[0]


def test_large_numbers_that_are_no_integers_pass(write):
    table = load_csv(write("a,y\n1e300,0\n9007199254740992,0\n-2.5E+20,1\n"), target="y").table
    assert table.X[:, 0].tolist() == [1e300, 2.0**53, -2.5e20]


class TestForASchema:
    columns = table_from([[1.0, "a", True], [2.5, "b", False]], feature_names=["n", "c", "f"]).columns

    def test_columns_are_found_by_name_and_others_left_aside(self, write):
        data = load_csv(write("c,extra,f,n\nb,9,false,4\n,9,,?\n"), columns=self.columns)
        np.testing.assert_array_equal(data.table.X, [[4, 1, 0], [np.nan, np.nan, np.nan]])
        assert data.table.columns == self.columns

    def test_kind_of_the_schema_wins(self, write):
        columns = table_from([["1"], ["2"]], feature_names=["c"]).columns
        assert load_csv(write("c,z\n2,0\n1,0\n"), columns=columns).table.X[:, 0].tolist() == [1, 0]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("c,f\na,true\n", "lacks columns that the tree needs: 'n'"),
            ("n,c,f\n1,z,true\n", "never seen: 'z'"),
            ("n,c,f\nmany,a,true\n", "'n' .* text such as 'many'"),
        ],
    )
    def test_refusals(self, write, text, words):
        with pytest.raises(InputError, match=words):
            load_csv(write(text), columns=self.columns)


FRAGMENTS = st.sampled_from(
    [",", ";", "\n", "\r\n", "\r", '"', '""', "1", "0.5", "a", " ", "NA", "true", "-", "e9", "\t"]
)


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=120), st.lists(FRAGMENTS, max_size=60).map(lambda parts: "".join(parts).encode())
    )
)
@example(b"a,b\n1,2\n" * 3)
@example(b'a,b\n"\n",1\n')
@example(b"\x1f\x8b")
@example(b'\t\n""\t\t')
def test_any_bytes_give_a_table_or_an_input_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "fuzz.csv"
    path.write_bytes(data)
    try:
        result = load_csv(path)
    except InputError:
        return
    assert isinstance(result, CsvTable)
    assert result.table.X.shape == (len(result.lines), len(result.table.columns))
    assert not np.isinf(result.table.X).any()


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(['"', '""', ",", "\n", "\r\n", "a", "1", " ", '"b"', ',"c"', '"d",']), max_size=30
    )
)
def test_dropping_quotes_is_done_only_where_it_changes_no_field(parts):
    import csv
    import io

    text = "".join(parts)
    plain = _without_quotes(text, ",")
    if plain is not None:
        rows = [list(csv.reader(io.StringIO(t, newline=""))) for t in (text, plain)]
        assert [row for row in rows[0] if row] == [row for row in rows[1] if row]


def test_quotes_around_whole_fields_are_dropped():
    assert _without_quotes('"a","b"\r\n"1",""\n', ",") == "a,b\n1,\n"
    assert _without_quotes('a,b\n"1,5",2\n', ",") is None
    assert _without_quotes('a,b\n"say ""hi""",2\n', ",") is None


CELL = st.text(alphabet='ab,;"\n\r |é1.', min_size=1, max_size=4).filter(lambda cell: cell.strip())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
def test_quoted_text_comes_back_as_it_went(tmp_path_factory, rows):
    import csv

    path = tmp_path_factory.getbasetemp() / "words.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([("first", "second"), *rows])
    table = load_csv(path, separator=",", categorical=["first", "second"], missing_values=[]).table
    for j, column in enumerate(table.columns):
        assert [column.categories[int(code)] for code in table.X[:, j]] == [row[j].strip() for row in rows]


def test_a_target_of_marks_and_empty_fields_is_told_what_to_write(write):
    path = write("a,y\n" + "".join(f"{k},{'x' if k % 3 else ''}\n" for k in range(30)))
    with pytest.raises(InputError, match=r"All others hold 'x': if an empty field means 'no', write a word"):
        load_csv(path, target="y")
    path = write("a,y\n" + "".join(f"{k},{'' if k == 3 else 'ab'[k % 2]}\n" for k in range(30)))
    with pytest.raises(InputError, match=r"Leave this row out, or fill it in\."):
        load_csv(path, target="y")


def test_a_column_named_in_braces_is_no_json(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("{c},y\n0,{a}\n1,{b}\n")
    assert load_csv(path, target="y").table.names == ("{c}",)
    for text in ('{"format": "x"}', " {\n}\n", "{}"):
        path.write_text(text)
        with pytest.raises(InputError, match="is JSON"):
            load_csv(path)
