"""Numbers and dates as people write them: read by evidence, refused where two readings stand, read again alike."""

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import InputError
from treewright.table import DateFormat, NumberFormat, Reading, load_csv
from treewright.tree import ColumnKind


@pytest.fixture
def write(tmp_path):
    def make(text, name="data.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return make


def column(write, fields, separator=";", **options):
    """Read one column, beside labels that cannot help."""
    rows = "".join(f"{field}{separator}{'uv'[j % 2]}\n" for j, field in enumerate(fields))
    return load_csv(write(f"a{separator}y\n{rows}"), target="y", separator=separator, **options)


@pytest.mark.parametrize(
    ("fields", "values", "written"),
    [
        (["1,5", "2", "-,25"], [1.5, 2, -0.25], NumberFormat(",")),
        (["0,125", "3,250"], [0.125, 3.25], NumberFormat(",")),  # no thousands begin with 0
        (["1234,567", "1,200"], [1234.567, 1.2], NumberFormat(",")),
        (["1,234,567", "1,200", "950"], [1234567, 1200, 950], NumberFormat(".", ",")),
        (["1,234.5", "1,200"], [1234.5, 1200], NumberFormat(".", ",")),
        (["12.5", "1,200"], [12.5, 1200], NumberFormat(".", ",")),
        (["1.234,5", "1.200"], [1234.5, 1200], NumberFormat(",", ".")),
        (["1.234.567", "1.200", "950"], [1234567, 1200, 950], NumberFormat(",", ".")),
        (["12,5", "1.200"], [12.5, 1200], NumberFormat(",", ".")),
        (["12,34,567", "5,000"], [1234567, 5000], NumberFormat(".", ",")),  # as in India
        (["1 234 567", "950"], [1234567, 950], NumberFormat(".", " ")),
        (["1 234,5", "950"], [1234.5, 950], NumberFormat(",", " ")),
        (["1'234.50", "950"], [1234.5, 950], NumberFormat(".", "'")),
        (["12,5 %", "3 %"], [12.5, 3], NumberFormat(",", "", "%")),
        (["12.5%", "-3%"], [12.5, -3], NumberFormat(".", "", "%")),
        (["$62,745", "$1,000,000", "-$950"], [62745, 1000000, -950], NumberFormat(".", ",", "$")),
        (["62.745,50 €", "€950"], [62745.5, 950], NumberFormat(",", ".", "€")),
        (["EUR 12.50", "EUR 3"], [12.5, 3], NumberFormat(".", "", "EUR")),
        (["−1,5", "2,5"], [-1.5, 2.5], NumberFormat(",")),
        (["950", "1,200", "52,000"], [950, 1200, 52000], NumberFormat(".", ",")),  # habit: who keeps zeros
        (["950", "1.200", "52.000"], [950, 1200, 52000], NumberFormat(",", ".")),
        (["1500", "1,234"], [1500, 1.234], NumberFormat(",")),  # habit: 1,500 would have its comma
        (
            ["1,5", "1e-05", "2E+3"],
            [1.5, 1e-5, 2000],
            NumberFormat(","),
        ),  # as R writes them: no mark, so no point
        (["1,234", "1e-05"], [1.234, 1e-5], NumberFormat(",")),
    ],
)
def test_what_leaves_no_doubt_is_read_and_said(write, fields, values, written):
    data = column(write, fields)
    np.testing.assert_array_equal(data.table.X[:, 0], values)
    assert data.reading.columns == {"a": written}
    assert any("'a' is read as numbers" in note for note in data.table.notes)


@pytest.mark.parametrize(
    ("fields", "separator"),
    [
        *((fields, ";") for fields in (["1.5", "2"], ["1.250", "0.5"], ["1e3", "7"], ["1", "2000"])),
        (["1.200", "2.345"], ","),
    ],
)
def test_plain_numbers_stay_plain(write, fields, separator):
    data = column(write, fields, separator)
    np.testing.assert_array_equal(data.table.X[:, 0], [float(field) for field in fields])
    assert data.reading.columns == {}
    assert data.table.notes == ()


@pytest.mark.parametrize(
    ("fields", "readings"),
    [
        (["52,000", "48,500"], ("52000", "52.000")),
        (["1,200", "1500", "950"], ("1200", "1.200")),
        (["1.200", "1500", "950"], ("1.200", "1200")),
        (["1.200", "1,200"], ("1200", "1.200")),
        (["1.234", "52.345", "950"], ("1.234", "1234")),  # semicolons stand in files of decimal commas
    ],
)
def test_two_readings_are_refused_with_both_and_settled_by_a_word(write, fields, readings):
    with pytest.raises(InputError, match="two ways") as caught:
        column(write, fields)
    for words in (*readings, "decimal_comma=False", "decimal_comma=True"):
        assert words in str(caught.value)
    for decimal_comma in (False, True):
        X = column(write, fields, decimal_comma=decimal_comma).table.X
        comma, point = (".", "") if decimal_comma else ("", ".")
        expected = [float(field.translate(str.maketrans({",": comma, ".": point}))) for field in fields]
        np.testing.assert_array_equal(X[:, 0], expected)


def test_thousands_of_an_american_file_are_thousands(write):
    rows = "".join(f'"{n:,}",{"uv"[n > 50_000]}\n' for n in (52_000, 48_500, 1_200, 950, 61_000))
    data = load_csv(write("income,y\n" + rows), target="y")
    assert data.table.X[:, 0].tolist() == [52_000, 48_500, 1_200, 950, 61_000]


@pytest.mark.parametrize(("other", "value"), [("2.5", 52_000), ("2,5", 52)])
def test_another_column_decides(write, other, value):
    text = f"income;rate;y\n52,000;{other};u\n48,500;3;v\n"
    data = load_csv(write(text), target="y")
    assert data.table.X[0, 0] == value
    assert data.reading.decimal == ("." if value == 52_000 else ",")


def test_a_column_that_contradicts_the_others_is_refused(write):
    """American thousands beside German numbers: neither reading of the file fits both."""
    text = "pay;rate;y\n9,480;2,5;u\n900;3;v\n"
    with pytest.raises(InputError, match="contradict each other"):
        load_csv(write(text), target="y")
    assert load_csv(write(text), target="y", decimal_comma=False).table.X.tolist() == [[9480, 2.5], [900, 3]]


def test_money_of_another_country_is_read_by_its_own_habit(write):
    """It was refused, with the advice to say --decimal-point, by which other columns would have been misread."""
    text = "pay;rate;sales;y\n$9,480;2,5;8.120;u\n$900;3;120;v\n"
    assert load_csv(write(text), target="y").table.X.tolist() == [[9480, 2.5, 8120], [900, 3, 120]]
    text = "limit;rate;y\n¥92,486;2,5;u\n￥112,300;3;v\n"  # yen have no decimals
    assert load_csv(write(text), target="y").table.X.tolist() == [[92486, 2.5], [112300, 3]]


@pytest.mark.parametrize(
    ("amounts", "other", "point", "comma"),
    [
        (("$92,486", "$102,118"), "2,5", 92486, 92.486),  # it was read as 92.486
        (("€1,459", "€1,489"), "2,5", 1459, 1.459),  # fuel
        (("1.459 €", "12.489 €"), "2.5", 1.459, 1459),
    ],
)
def test_money_with_three_decimals_is_asked_about(write, amounts, other, point, comma):
    text = f"limit;rate;y\n{amounts[0]};{other};u\n{amounts[1]};3;v\n"
    with pytest.raises(InputError, match=r"rarely have three decimals.*decimal_in=\{'limit': '\.'\}, or ','"):
        load_csv(write(text), target="y")
    for mark, value in ((".", point), (",", comma)):
        data = load_csv(write(text), target="y", decimal_in={"limit": mark})
        assert data.table.X[0].tolist() == [value, 2.5]
        again = load_csv(write(text), columns=data.table.columns, reading=data.reading)
        assert again.table.X[0].tolist() == [value, 2.5]


def test_money_of_an_american_file_needs_no_answer(write):
    rows = "".join(f'"${n:,}",{n / 7000:.2f},{"uv"[n > 50_000]}\n' for n in (52_000, 48_500, 61_217))
    assert load_csv(write("limit,rate,y\n" + rows), target="y").table.X[:, 0].tolist() == [
        52000,
        48500,
        61217,
    ]


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["(1,535.87)", "200.00", "(35)"], [-1535.87, 200, -35]),
        (["($1,200.50)", "$35.10"], [-1200.5, 35.1]),
        (["(11\u202f945,87) €", "2\u202f000,50 €"], [-11945.87, 2000.5]),
        (["５９", "１２", "7"], [59, 12, 7]),
        (["¥12,300", "￥9,500", "１２，５００円"], None),  # two ways to name one currency are not guessed
        (["Rs. 45,009/-", "Rs. 1,22,059/-"], [45009, 122059]),
        (["7 yrs", "12 yrs"], [7, 12]),
        (["41歳", "7歳"], [41, 7]),
        (["561万円", "1290万円"], [561, 1290]),
    ],
)
def test_forms_that_mean_the_same_as_the_usual_one(write, fields, values):
    if values is None:
        with pytest.raises(InputError, match="mixes the units"):
            column(write, fields)
        return
    data = column(write, fields)
    assert data.table.X[:, 0].tolist() == values
    again = load_csv(write("a;z\n" + fields[0] + ";1\n"), columns=data.table.columns, reading=data.reading)
    assert again.table.X[:, 0].tolist() == values[:1]


def test_a_whole_number_in_brackets_alone_is_a_remark(write):
    with pytest.raises(InputError, match=r"2 of 4 fields are text|1 of 4 fields is text: '\(2\)'"):
        column(write, ["5", "7", "(2)", "9"])


def test_the_yen_sign_of_shift_jis(tmp_path):
    path = tmp_path / "jp.csv"
    path.write_bytes('限度額,y\n"\\92,486",u\n"￥112,300",v\n'.encode("cp932"))
    assert load_csv(path, target="y", encoding="cp932").table.X[:, 0].tolist() == [92486, 112300]


@pytest.mark.parametrize(
    "fields",
    [
        ["05-Mar-2021", "31-Dec-2020", "7-May-21"],
        ["March 5, 2021", "Dec. 31, 2020", "May 7, 2021"],
        ["5. März 2021", "31. Dez. 2020", "7. Mai 2021"],
        ["5 mars 2021", "31 déc. 2020", "7 mai 2021"],
        ["5 de marzo de 2021", "31 de diciembre de 2020", "7 de mayo de 2021"],
        ["2021年3月5日", "2020年12月31日", "2021年5月7日"],
        ["05MAR2021", "31DEC2020", "07MAY2021"],
        ["05-Mar-2021", "2020-12-31", "07.05.2021"],
    ],
)
def test_days_with_the_name_of_their_month(write, fields):
    data = column(write, fields)
    parts = {name: data.table.names.index(f"a ({name})") for name in ("year", "month")}
    assert data.table.X[:, parts["year"]].tolist() == [2021, 2020, 2021]
    assert data.table.X[:, parts["month"]].tolist() == [3, 12, 5]
    again = load_csv(write(f"a;z\n{fields[0]};1\n"), columns=data.table.columns, reading=data.reading)
    np.testing.assert_array_equal(again.table.X, data.table.X[:1])


def test_text_and_labels_keep_their_commas(write):
    text = "street;size;y\nWeg 0, Ulm;1,5;1,5\nWeg 1, Ulm;2,5;2,5\n"
    for decimal_comma in (None, True):
        data = load_csv(write(text), target="y", decimal_comma=decimal_comma)
        assert data.table.columns[0].categories == ("Weg 0, Ulm", "Weg 1, Ulm")
        assert data.target.tolist() == ["1,5", "2,5"]
        again = load_csv(write(text), columns=data.table.columns, reading=data.reading)
        np.testing.assert_array_equal(again.table.X, data.table.X)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (["1,5", "2.5"], "mixes two ways"),
        (["12 %", "0.3"], "percentages and also '0.3'"),
        (["$5", "€6"], "mixes the units"),
        (["1 234 567", "1'234'567"], "several marks"),
        (["1,5", "2,5", "low"], "1 of 3 fields is text: 'low' .line 4."),
    ],
)
def test_contradictions_are_refused(write, fields, words):
    with pytest.raises(InputError, match=words):
        column(write, fields)


@pytest.mark.parametrize(
    "fields", [["1,2,3", "4,5"], ["192.168.1.1", "10.0.0.1"], ["030 12", "040 13"], ["12-13", "1"]]
)
def test_what_is_no_number_is_text(write, fields):
    assert column(write, [*fields, "x", "z"]).table.columns[0].kind is ColumnKind.CATEGORICAL


def test_all_faults_are_told_at_once(write):
    text = "a;b;c;y\n52,000;1;1,5;u\n48,500;2;2.5;v\n49,500;low;2.5;v\n41,500;3;2.5;v\n"
    with pytest.raises(InputError, match="3 columns cannot be read") as caught:
        load_csv(write(text), target="y")
    assert all(f"Column '{name}'" in str(caught.value) for name in "abc")


class TestReadAgain:
    """A file for a tree is read as the one that the tree was made from."""

    def fitted(self, write):
        text = 'income;rate;y\n"52,000";12,5 %;u\n"1,048,500";3 %;v\n950;NN;v\n'
        return load_csv(write(text), target="y", missing_values=["NN"])

    def test_few_rows_that_decide_nothing(self, write):
        data = self.fitted(write)
        new = write("rate;income\n1,5 %;1,200\nNN;800\n", "new.csv")
        again = load_csv(new, columns=data.table.columns, reading=data.reading)
        np.testing.assert_array_equal(again.table.X, [[1200, 1.5], [800, np.nan]])
        assert again.reading.columns == data.reading.columns

    def test_another_separator_is_found(self, write):
        data = self.fitted(write)
        new = write('rate,income\n"1,5 %","1,200"\n', "new.csv")
        again = load_csv(new, columns=data.table.columns, reading=data.reading)
        np.testing.assert_array_equal(again.table.X, [[1200, 1.5]])

    def test_what_is_written_otherwise_is_refused_until_said(self, write):
        data = self.fitted(write)
        new = write("rate;income\n1,5 %;1.200,5\n", "new.csv")
        with pytest.raises(InputError, match=r"as when the tree was made.*decimal_comma=True"):
            load_csv(new, columns=data.table.columns, reading=data.reading)
        again = load_csv(new, columns=data.table.columns, reading=data.reading, decimal_comma=True)
        np.testing.assert_array_equal(again.table.X, [[1200.5, 1.5]])

    def test_the_decimal_mark_of_the_first_file_decides_for_columns_without_marks(self, write):
        first = load_csv(write("n;x;y\n950;2.5;u\n10;3;v\n"), target="y")
        assert first.reading == Reading(";", "utf-8", first.reading.missing_values, ".")
        again = load_csv(
            write("n;x\n1,200;2\n", "new.csv"), columns=first.table.columns, reading=first.reading
        )
        np.testing.assert_array_equal(again.table.X, [[1200, 2]])


class TestDates:
    def test_a_date_offers_what_a_tree_can_ask(self, write):
        text = "when,y\n2021-12-31,u\n2022-01-01,v\n,v\n2022-01-03,u\n"
        data = load_csv(write(text), target="y")
        assert data.table.names == (
            "when (year)",
            "when (month)",
            "when (weekday, Monday = 1)",
            "when (age in days on 2022-01-03)",
        )
        np.testing.assert_array_equal(
            data.table.X,
            [[2021, 12, 5, 3], [2022, 1, 6, 2], [np.nan] * 4, [2022, 1, 1, 0]],
        )
        assert "holds dates (year-month-day)" in data.table.notes[0]
        assert data.reading.columns["when"] == DateFormat(
            "ymd", "-", ("year", "month", "weekday", "age"), "2022-01-03"
        )

    @pytest.mark.parametrize(
        ("fields", "order"),
        [
            (["31.12.2020", "01.02.2021"], "dmy"),
            (["31/12/2020", "01/02/2021"], "dmy"),
            (["12/31/2020", "01/02/2021"], "mdy"),
            (["2020/12/31", "2021/1/2"], "ymd"),
            (["31.12.99", "01.02.00"], "dmy"),
            (["2020-12-31 23:59:01", "2021-01-02T00:00:00Z"], "ymd"),
        ],
    )
    def test_orders(self, write, fields, order):
        data = column(write, fields, separator=",")
        assert data.reading.columns["a"].order == order
        years = data.table.X[:, data.table.names.index("a (year)")]
        assert years.tolist() == ([1999, 2000] if "99" in fields[0] else [2020, 2021])

    def test_day_and_month_need_evidence(self, write):
        with pytest.raises(InputError, match="day_first=True or day_first=False"):
            column(write, ["03/04/2020", "05/06/2020"])
        for day_first, month in ((True, 4), (False, 3)):
            data = column(write, ["03/04/2020", "05/06/2020"], day_first=day_first)
            assert data.table.X[0, data.table.names.index("a (month)")] == month
        both = load_csv(write("a;b;y\n03/04/2020;31/01/2020;u\n05/06/2020;30/01/2020;v\n"), target="y")
        assert both.reading.columns["a"].order == "dmy"

    def test_read_again_for_a_tree(self, write):
        first = load_csv(write("when;x;y\n31/12/2020;1;u\n01/02/2021;2;v\n"), target="y")
        new = write("when\n03/04/2020\n", "new.csv")
        month = first.table.names.index("when (month)")
        again = load_csv(new, columns=first.table.columns, reading=first.reading, needed={month})
        assert again.table.X[0, month] == 4
        assert np.isnan(np.delete(again.table.X[0], month)).all()
        with pytest.raises(InputError, match="lacks columns that the tree needs: 'when'"):
            load_csv(write("x;z\n1;2\n"), columns=first.table.columns, reading=first.reading, needed={month})

    def test_impossible_dates_are_refused_with_their_line(self, write):
        with pytest.raises(InputError, match=r"'2021-02-30' \(line 3\) is not such a date"):
            column(write, ["2021-02-28", "2021-02-30"])
        with pytest.raises(InputError, match=r"1 of 3 fields is not a date: 'soon' \(line 4\)"):
            column(write, ["2021-02-28", "2021-02-27", "soon"])

    def test_declared_categories_and_ignored_ones_stay_text(self, write):
        path = write("when,x,y\n2021-12-31,1,u\n2022-01-01,2,v\n")
        assert load_csv(path, target="y", categorical=["when"]).table.columns[0].categories[0] == "2021-12-31"
        assert load_csv(path, target="y", ignore=["when"]).table.names == ("x",)

    @settings(max_examples=40)
    @given(st.lists(st.dates(datetime.date(1000, 1, 1)), min_size=1, max_size=50))
    def test_parts_are_those_of_the_calendar(self, tmp_path_factory, days):
        path = tmp_path_factory.getbasetemp() / "dates.csv"
        path.write_text("d,x,y\n" + "".join(f"{day.isoformat()},1,u\n" for day in days))
        data = load_csv(path, target="y")
        latest = max(days)
        for name, part in (
            ("d (year)", lambda day: day.year),
            ("d (month)", lambda day: day.month),
            ("d (weekday, Monday = 1)", lambda day: day.isoweekday()),
            (f"d (age in days on {latest})", lambda day: (latest - day).days),
        ):
            if name in data.table.names:
                assert data.table.X[:, data.table.names.index(name)].tolist() == [part(day) for day in days]
            else:
                assert len({part(day) for day in days}) == 1


def test_needed_columns_only(write):
    data = load_csv(write("a,b,c,y\n1,u,3,p\n2,v,4,q\n"), target="y")
    new = write("c,b\n7,never seen\n", "new.csv")
    again = load_csv(new, columns=data.table.columns, needed=[2])
    np.testing.assert_array_equal(again.table.X, [[np.nan, np.nan, 7]])
    assert again.table.columns == data.table.columns
    with pytest.raises(InputError, match="never seen"):
        load_csv(new, columns=data.table.columns, needed=[1, 2])
    with pytest.raises(InputError, match="lacks columns that the tree needs: 'a'"):
        load_csv(new, columns=data.table.columns, needed=[0])


@pytest.mark.parametrize(
    "written",
    [
        NumberFormat(d, t, u)
        for d, t in ((".", ","), (",", "."), (".", " "), (",", "'"))
        for u in ("", "$", "%")
    ],
    ids=str,
)
@settings(max_examples=12)  # of each of the twelve ways: most of the time goes into files, so these are long
@given(values=st.lists(st.integers(-(10**9), 10**9), min_size=30, max_size=120))
def test_what_is_written_in_one_way_comes_back(tmp_path_factory, written, values):
    """Whatever is read without an error has the values that were written, if decimals show which mark they have."""
    fields = []
    for value in [*values, 1234567]:
        whole, cents = divmod(abs(value), 100)
        text = f"{whole:,}".replace(",", written.thousands) + f"{written.decimal}{cents:02d}"
        fields.append(f"{'-' if value < 0 else ''}{text}{written.unit}")
    path = tmp_path_factory.getbasetemp() / "money.csv"
    path.write_text("a;y\n" + "".join(f"{field};u\n" for field in fields), encoding="utf-8")
    X = load_csv(path, target="y").table.X
    assert X[:, 0].tolist() == [value / 100 for value in [*values, 1234567]]
