"""Looking at a table: each suspicion where it belongs, silence on ordinary columns, and settings that round-trip."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright import OptimalTreeClassifier
from treewright.errors import InputError
from treewright.table import (
    Settings,
    load_csv,
    look,
    look_at,
    read_settings,
    settings_of,
    settings_text,
    table_from,
)


def frame(**columns):
    rng = np.random.default_rng(0)
    own = {"age": rng.integers(18, 80, 200), "weight": rng.normal(70, 9, 200), "y": ["good", "bad"] * 100}
    return pd.DataFrame(own | columns)


def found(seen):
    return {(finding.column, finding.action) for finding in seen.findings}


def test_silence_on_ordinary_columns():
    seen = look(frame(kind=["a", "b", "c", "d"] * 50, flag=[0, 0, 1, 1] * 50), target="y")
    assert seen.findings == ()
    assert seen.kinds == {
        "numbers": ("age", "weight"),
        "yes/no": ("flag",),
        "words": ("kind",),
        "ordered words": (),
    }
    assert seen.labels == (("good", 100), ("bad", 100))
    assert "Nothing to decide" in str(seen)
    assert repr(seen) == str(seen)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("name", "values", "action"),
    [
        ("customer", [f"c{k}" for k in range(200)], "ignore"),
        ("order", list(range(5000, 5200)), "ignore"),
        ("Kunden-Nr.", [k * k for k in range(200)], "ignore"),
        ("always", [3] * 200, "ignore"),
        ("zip", [10115 + k % 30 for k in range(200)], "categorical"),
        ("Branch code", [k % 7 for k in range(200)], "categorical"),
        ("pressure", [-999 if k % 20 == 0 else 100 + k % 30 for k in range(200)], "missing"),
        ("remark", [f"text {k % 120}" for k in range(200)], "ignore"),
        ("city", ["Ulm", "ULM", "Bonn", "Köln"] * 50, "merge-words"),
        ("Branche", [(11, 23, 44, 52, 72)[k % 5] for k in range(200)], "categorical"),
        ("Order ID", [(k * 37) % 90 for k in range(200)], "ignore"),
        ("Fallnummer", [k * k for k in range(200)], "ignore"),
    ],
)
def test_suspicions(make, name, values, action):
    seen = look(make(frame(**{name: values}).to_dict("list")), target="y")
    assert found(seen) == {(name, action)}
    value = f"{name}=-999" if action == "missing" else name
    assert seen.options() == (
        "" if not action else f"--{action} " + (f"'{value}'" if " " in value else value)
    )


@pytest.mark.parametrize(
    "values",
    [
        [k * 37 % 997 for k in range(200)],  # a quantity that happens to differ
        [99 if k == 3 else k % 90 for k in range(200)],  # near the others
    ],
)
def test_quantities_are_not_suspected(values):
    assert look(frame(income=values), target="y").findings == ()


def test_labels():
    seen = look(frame(y=["Bad", "BAD", "good", "good"] * 50), target="y")
    assert "'Bad' = 'BAD'" in str(seen) or "'BAD' = 'Bad'" in str(seen)
    seen = look(frame(y=np.arange(200) / 3), target="y")
    assert "OptimalTreeRegressor" in str(seen)
    seen = look(frame(y=["rare", *["a", "b"] * 99, "a"]), target="y")
    assert "rare in fewer than 5 rows" in str(seen)
    seen = look(frame(y=["FAIL", "FAIL", *["fail", "pass"] * 98, "Odd", "odd"]), target="y")
    assert "'fail' = 'FAIL'" in str(seen)
    assert "y has Odd in fewer than 5 rows" in str(seen)


def test_rows_that_repeat():
    base = frame()
    seen = look(pd.concat([base, base.head(3)]), target="y")
    assert [finding.text for finding in seen.findings] == [
        "3 rows repeat an earlier one in every column. Is that intended?"
    ]


def test_rows_of_other_numbers_to_predict_do_not_repeat():
    table = table_from(pd.concat([frame(), frame().head(3)]).drop(columns="y"))
    for outcome, repeats in ((np.arange(table.n_rows), False), (np.zeros(table.n_rows), True)):
        seen = look_at(table, None, name="sales", outcome=("sales", outcome))
        assert ("repeat an earlier one" in str(seen)) == repeats


def test_files_with_faults_show_everything_at_once(tmp_path):
    path = tmp_path / "d.csv"
    rows = "".join(f"{k:03d};{50 + k},000;{'refused' if k == 7 else k};{'uv'[k % 2]}\n" for k in range(40))
    path.write_text("code;pay;size;y\n" + rows)
    seen = look(path, target="y")
    assert "1 of 40 fields is text: 'refused' (line 9)" in str(seen)
    assert "can be read in two ways" in str(seen)
    assert "differs in every row" in str(seen)
    assert "two ways" not in str(look(path, target="y", decimal_comma=False))
    assert "--missing size=refused" in seen.options()  # the only word among numbers
    with pytest.raises(InputError, match="unknown; the options are"):
        look(path, colums=["a"])
    with pytest.raises(InputError, match="no column 'z'"):
        look(frame(), target="z")


def test_codes_with_leading_zeros(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{k % 12:04d},{'uv'[k % 2]}\n" for k in range(100)))
    assert found(look(path, target="y")) == {("x", "categorical")}
    assert look(path, target="y", categorical=["x"]).findings == ()


class TestSettings:
    @pytest.mark.parametrize(
        "settings",
        [
            Settings(),
            Settings(("Kunden-Nr.", "no"), ("zip: code", "007"), ("-999", "n.v."), True, False),
            Settings(labels={"BAD": "Bad", "no": "No"}),
            Settings(ignore=("é", "a'b", 'a"b', "- x", "yes"), decimal_comma=False),
        ],
    )
    def test_round_trip(self, settings, tmp_path):
        path = tmp_path / "columns.yaml"
        path.write_text(settings_text(settings), encoding="utf-8")
        assert read_settings(path) == settings

    def test_accepting_all_leaves_nothing_to_settle(self, tmp_path):
        path = tmp_path / "d.csv"
        rows = "".join(
            f"{k};{k % 40 + 10115};{-999 if k % 9 == 0 else k % 31};{'uv'[k % 2]}\n" for k in range(100)
        )
        path.write_text("nr;zip;size;y\n" + rows)
        seen = look(path, target="y")
        assert found(seen) == {("nr", "ignore"), ("zip", "categorical"), ("size", "missing")}
        settings = settings_of(seen)
        again = look(
            path,
            target="y",
            ignore=settings.ignore,
            categorical=settings.categorical,
            missing_values=settings.missing,
            missing_in=settings.missing_in,
        )
        assert again.findings == ()

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("colums: {}", "an unknown entry 'colums'; did you mean 'columns'\\? Known are about, encoding"),
            ("columns: {a: {use: maybe}}", "choose one of quantity, category, ignore"),
            ("columns: [a]", "not a mapping"),
            ("decimal: 3", "choose one of comma, point"),
            ("missing: x", "list of words"),
            ("a: [", "not YAML"),
            ("a: &b [1]\nc: *b", "alias"),
            ("!!python/object/apply:os.system [ls]", "not a mapping"),
        ],
    )
    def test_refusals(self, text, says, tmp_path):
        path = tmp_path / "columns.yaml"
        path.write_text(text)
        with pytest.raises(InputError, match=says):
            read_settings(path)


@pytest.mark.parametrize("copies", [1, 30])
def test_rows_that_repeat_are_named_however_many(copies):
    """A tenth of all rows is no accident where a column is measured finely; in a table of few values it is."""
    fine = frame()
    again = pd.concat([fine, fine.head(copies)])
    assert f"{copies} row" in look(again, target="y").findings[-1].text
    coarse = pd.DataFrame({"a": [0, 1, 1, 0] * 50, "b": [0, 0, 1, 1] * 50, "y": ["no", "yes"] * 100})
    assert look(coarse, target="y").findings == ()


def test_what_is_wrong_with_the_target_comes_first():
    spelt = frame(customer=[f"c{k}" for k in range(200)])
    spelt["y"] = ["good", "Good", "bad", "bad"] * 50
    assert [finding.column for finding in look(spelt, target="y").findings] == ["y", "customer"]


def test_labels_may_stand_apart_from_the_frame():
    table = frame(y=["Bad", "BAD", "good", "good"] * 50)
    apart = look(table.drop(columns="y"), table["y"])
    assert str(apart) == str(look(table, "y"))
    assert look(table.drop(columns="y"), table["y"].tolist()).target == "y"
    with pytest.raises(InputError, match=r"one label for each of the 200 rows"):
        look(table, table["y"].head(3))
    with pytest.raises(InputError, match="name of its column"):
        look("data.csv", table["y"])


def test_what_settles_a_finding_is_said_in_python_for_a_frame():
    seen = look(frame(id=[f"u{i:03d}" for i in range(200)], y=["Bad", "BAD", "good", "good"] * 50), "y")
    shown = str(seen)
    assert "X = X.drop(columns=['id'])" in shown
    assert "y = y.replace(" in shown
    assert "--" not in shown
    assert "--ignore id" in seen.options()


def written(path, codes, suffix=""):
    """A file of ages from 20 to 79 in which each code stands in ten of 200 rows."""
    ages = [f"{20 + 7 * k % 60}{suffix}" for k in range(200)]
    for place, code in enumerate(codes):
        ages[place::20] = [code] * 10
    rows = [f"{age},{k / 7:.3f},{k % 2}" for k, age in enumerate(ages)]
    path.write_text("\n".join(["age,b,y", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("codes", "suffix", "told"),
    [
        (["-9"], "", ["-9"]),
        (["-9", "NA"], "", ["-9"]),  # NA is read as missing
        (["-9", "?"], "", ["-9"]),
        (
            ["-99", "unknown"],
            "",
            ["unknown", "-99"],
        ),  # the column cannot be read: its numbers are still looked at
        (["-99", "-9"], "", ["-99", "-9"]),
        (["-9", "999"], "", ["-9", "999"]),
        (["99", "999"], "", ["999", "99"]),
        (["-99", "-9", "999", "unknown"], "", ["unknown", "-99", "-9", "999"]),
        (["-9.0"], ".0", ["-9.0"]),  # as the file writes it
        (["-9.0", "-9.00"], ".5", ["-9.0", "-9.00"]),
        (["99"], "", ["99"]),
        (["80", "81"], "", []),  # no such numbers
    ],
)
def test_no_code_for_missing_hides_another(tmp_path, codes, suffix, told):
    path = written(tmp_path / "ages.csv", codes, suffix)
    seen = look(path, target="y")
    assert [one.value for one in seen.findings if one.action == "missing"] == told
    after = look(path, target="y", missing_values=["NA", "?", *told])
    assert not [one for one in after.findings if one.action == "missing"]
    assert np.isnan(
        load_csv(path, target="y", missing_values=["NA", "?", *told]).table.X[:, 0]
    ).sum() == 10 * len(set(codes) - {"80", "81"})


def test_a_code_beside_many_values_is_an_ordinary_one():
    ages = [99 if k % 20 == 0 else k % 99 for k in range(200)]
    assert look(frame(age=ages), target="y").findings == ()


def test_what_settles_a_code_in_a_frame_does_settle_it():
    ages = [-9 if k % 20 == 0 else 999 if k % 20 == 1 else 20 + k % 60 for k in range(200)]
    X = frame(age=ages)
    seen = look(X, target="y")
    assert [one.in_python for one in seen.findings] == [
        "X['age'] = X['age'].mask(X['age'] == -9)",
        "X['age'] = X['age'].mask(X['age'] == 999)",
    ]
    for finding in seen.findings:
        exec(finding.in_python, {"X": X})
    assert X["age"].isna().sum() == 20
    assert look(X, target="y").findings == ()


@pytest.mark.parametrize("value", ["yes", 1.0, 7.0])
def test_a_value_or_none_is_a_question(value):
    """A column that holds one value or nothing was to be left out, though a tree may ask whether it is known."""
    marked = np.arange(200) % 3 == 0
    X = frame(
        mark=pd.Series([value if is_marked else None for is_marked in marked]),
        y=np.where(marked & (np.arange(200) % 10 > 0), "a", "b"),
    )
    assert look(X, target="y").findings == ()
    tree = OptimalTreeClassifier(max_depth=1).fit(X[["mark"]], X["y"]).tree_
    assert tree.n_leaves == 2
    X["mark"] = [value] * 200
    assert found(look(X, target="y")) == {("mark", "ignore")}


def test_an_empty_column_is_told(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,y\n" + "".join(f"{k / 7:.3f},,{k % 2}\n" for k in range(50)))
    seen = look(path, target="y")
    assert found(seen) == {("b", "ignore")}
    assert "b is empty in every row" in str(seen)


@pytest.mark.parametrize("name", ["num_steps", "number_of_views", "no_of_rooms", "income"])
def test_large_quantities_are_no_identifiers(name):
    """Counts and amounts that differ in every row, all of eight digits."""
    values = 10_000_000 + np.random.default_rng(1).choice(80_000_000, 200, replace=False)
    assert (name, "ignore") not in found(look(frame(**{name: values}), target="y"))


@pytest.mark.parametrize(
    "others",
    [("unlimited", "none"), ("12 kg", "7 kg"), ("6 PLN", "5 zł"), ("1,234.5", "1.234,5")],
    ids=["two words", "units", "one currency in two ways", "two ways to write numbers"],
)
def test_what_has_two_readings_stays_open(tmp_path, others):
    """No value is dropped or taken as missing unless its words say that they are."""
    fields = [others[k % 20] if k % 20 < 2 else str(100 + k) for k in range(200)]
    path = tmp_path / "t.csv"
    rows = [f'"{field}";{k % 7};{"ja" if k % 3 else "nein"}' for k, field in enumerate(fields)]
    path.write_text("limit;x;y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    seen = look(path, target="y")
    assert any(finding.column in ("limit", None) and "limit" in finding.text for finding in seen.findings)
    assert {action for column, action in found(seen) if column == "limit"} <= {""}


def test_long_advice_is_given_once_and_every_column_is_named():
    rows = 60
    told = pd.DataFrame({name: ["18-24", "25-34", "35+"] * (rows // 3) for name in ("age", "tenure")})
    lines = [line for line in str(look(told)).splitlines() if "in an order" in line]
    assert [line.split()[1] for line in lines] == ["age", "tenure"]
    assert ["Without the order" in line for line in lines] == [True, False]
    assert all(
        "Without the order" in finding.text for finding in look(told).findings if finding.action == "order"
    )


def test_a_yes_no_target_in_several_spellings_has_two_classes(tmp_path):
    words = ["Y", "yes", "YES", "N", "no", "No", "no"]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y", *(f"{k % 5},{words[k % 7]}" for k in range(140))]) + "\n")
    (merge,) = (finding for finding in look(path, target="y").findings if finding.action == "merge-labels")
    assert merge.words.keys() | set(merge.words.values()) == set(words)
    assert len(set(merge.words.values())) == 2
    assert not look(frame(kind=["y", "n", "x", "yes"] * 50), target="y").findings  # "x" is no answer


def test_a_number_that_means_missing_in_many_columns_is_told_once(tmp_path):
    rows = [
        ",".join(
            [
                "-9" if (k + j) % 20 == 0 else "-8" if (k + j) % 25 == 0 else str(1 + (k + j) % 5)
                for j in range(6)
            ]
            + ["ab"[k % 2]]
        )
        for k in range(200)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join([f"q{j}" for j in range(6)] + ["y"]), *rows]) + "\n")
    seen = look(path, target="y")
    assert str(seen).count("does it mean missing?") == 2
    assert "Likewise -8 in 5 more columns (q1, q2, q3, q4, q5)." in str(seen)
    assert "--missing -9 for all columns" in str(seen)
    assert len([finding for finding in seen.findings if finding.action == "missing"]) == 12


def test_dates_with_a_time_of_day_are_no_names_of_rows() -> None:
    import pandas as pd

    from treewright.table import look

    days = pd.date_range("2024-01-03", periods=60, freq="7h").strftime("%d/%m/%Y %H:%M")
    (found,) = look(pd.DataFrame({"placed": days, "a": [k % 7 for k in range(60)]})).findings
    assert (found.column, found.action) == ("placed", "dates")
    assert "pandas.to_datetime(X['placed'], dayfirst=True)" in found.in_python


def test_a_date_is_one_column(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [f"202{k % 4}-0{1 + k % 9}-1{k % 7},{k % 23 / 2},{'ab'[k % 23 > 9]}" for k in range(90)]
    path.write_text("\n".join(["seen,x,y", *rows]) + "\n")
    assert look(path, target="y").summary()[0] == "rows.csv: 90 rows; numbers: 1 (x); dates: 1 (seen)."


def test_a_rare_label_is_told_before_the_fit():
    """A fit answered with a single leaf, proven best, and a notebook said nothing of why."""
    labels = ["stay"] * 190 + ["churn"] * 6 + ["Churn"] * 4
    seen = look(pd.DataFrame({"age": np.arange(200.0) % 37, "y": labels}), target="y")
    assert "Only 10 of 200 rows are churn. A tree that always says stay makes no more mistakes" in str(seen)
    assert len(seen.findings) == 1  # only the two spellings are to be settled
    more = ["churn"] * 20 + labels[:180]
    common = look(pd.DataFrame({"age": np.arange(200.0) % 37, "y": more[:150] + more[:50]}), target="y")
    assert "Only" not in str(common)


def test_what_a_look_proposes_for_durations_can_be_run():
    X = pd.DataFrame({"held": pd.to_timedelta([1, 2, 3], unit="D"), "a": [1, 2, 3]})
    (text,) = (finding.text for finding in look(X).findings)
    exec(text.split("days: ")[1].removesuffix(" in pandas."), {"X": X})
    assert look(X).findings == ()


def test_the_blank_between_thousands_is_shown_as_a_blank(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("paid;y\n" + "9\u00a0699,93 z\u0142;a\n1\u202f200,50 z\u0142;b\n" * 12, encoding="utf-8")
    assert "thousands and the unit z\u0142: '9 699,93 z\u0142' is 9699.93." in str(look(file, target="y"))


def test_dates_that_stand_for_unknown_are_asked_about(tmp_path):
    """A 9999-12-31 made all ages millions of days, and its year alone was proposed, which fit refused to know."""
    path, fixed = tmp_path / "contracts.csv", tmp_path / "columns.yaml"
    rows = [
        f"{10 + k % 9}.0{1 + k % 9}.2{k % 5},{2000 + k % 40}-03-1{k % 9},{'ab'[k % 2]}" for k in range(90)
    ]
    rows += ["01.01.1900,9999-12-31,a"] * 5 + ["01.01.1900,2031-05-06,b"]
    path.write_text("called,until,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    seen = look(path, "y")
    assert [(one.column, one.action, one.value) for one in seen.findings if one.action] == [
        ("called", "missing", "01.01.1900"),
        ("until", "missing", "9999-12-31"),
    ]
    assert "called holds the date 01.01.1900 in 6 rows, far from all other dates" in str(seen)
    fixed.write_text(settings_text(settings_of(seen)), encoding="utf-8")
    coded = {name: list(words) for name, words in read_settings(fixed).missing_in.items()}
    read = load_csv(path, target="y", missing_in=coded)
    assert read.blanked == {"called": {"01.01.1900": 6}, "until": {"9999-12-31": 5}}
    ages = read.table.X[:, [name.startswith("until (age") for name in read.table.names].index(True)]
    assert np.nanmax(ages) < 50 * 366


def test_old_and_late_dates_near_the_others_are_dates(tmp_path):
    path = tmp_path / "births.csv"
    days = [f"{1901 + k}-01-01" for k in range(40)] + ["1900-01-01", "1900-01-01", "1940-07-01"]
    path.write_text(
        "born,y\n" + "".join(f"{day},{'ab'[k % 2]}\n" for k, day in enumerate(days)), encoding="utf-8"
    )
    assert not [one for one in look(path, "y").findings if one.action == "missing"]


@pytest.mark.parametrize(
    ("words", "said", "action"),
    [
        (
            [f"{110 + k % 60}/{60 + k % 31}" for k in range(200)],
            "two numbers in one field (110/60,",
            "ignore",
        ),
        ([f"{k % 11}/10" for k in range(200)], "numbers with '/10' behind them (0/10,", ""),
        ([f"Q{1 + k % 4} {2019 + k % 5}" for k in range(200)], "quarters (Q1 2019,", ""),
        ([f"2024-W{1 + k % 30:02d}" for k in range(200)], "weeks (2024-W01,", ""),
        ([("1.2k", "900", "3.4M", "15k")[k % 4] for k in range(200)], "'M' and 'k' behind them (1.2k,", ""),
        (
            [("$1.2K", "$900", "$3K")[k % 3] for k in range(200)],
            "numbers with 'K' behind them ($1.2K,",
            "",
        ),
        ([f"{('Jan', 'Feb', 'Mar')[k % 3]}-24" for k in range(200)], "months (Jan-24,", ""),
        (
            [f"{k * 37}.50 {('CR', 'DR')[k % 2]}" for k in range(200)],
            "amounts with 'CR' or 'DR' behind them (",
            "ignore",
        ),
        ([f"{k % 9}h {k % 59}m" for k in range(200)], "times (0h 0m,", "ignore"),
    ],
)
def test_numbers_in_a_form_that_is_not_read_are_told(words, said, action):
    """Each was a category of its own without a word: no split could ask for more than 7 of 10."""
    (finding,) = look(frame(score=words), target="y").findings
    assert said in finding.text
    assert finding.action == action


@pytest.mark.parametrize(
    "words", [["Office 2010", "Office 2013", "Office 2016"], ["5m", "10m", "9"], ["A/B", "B/C", "C/D"]]
)
def test_names_with_numbers_are_words(words):
    assert look(frame(kind=[words[k % 3] for k in range(200)]), target="y").findings == ()


def test_minus_is_a_result_beside_plus(tmp_path):
    """A "-" among "+" and "++" is negative; `--fix` made it missing."""
    assert look(frame(protein=["+", "++", "-", "+++"] * 50), target="y").findings == ()
    assert found(look(frame(protein=["a", "b", "-", "c"] * 50), target="y")) == {("protein", "missing")}


def test_typographic_minus_signs_are_read(tmp_path):
    """They were in no format in a column of whole numbers, and were proposed to be ignored."""
    path = tmp_path / "rows.csv"
    path.write_text("t,y\n\u22127,a\n3,b\n\u221212,a\n0.5,b\n", encoding="utf-8")
    assert load_csv(path, target="y").table.X[:, 0].tolist() == [-7, 3, -12, 0.5]


def test_dates_as_spreadsheets_store_them_are_told():
    """45231 is 2023-11-01; a split at 45231.5 says nothing to anybody."""
    (finding,) = look(
        frame(**{"Date of birth": [20000 + k * 7 % 1999 for k in range(200)]}), target="y"
    ).findings
    assert "as spreadsheets store dates (here 1954-10-03 to " in finding.text
    assert finding.action == ""
    assert look(frame(updates=[20000 + k * 7 % 1999 for k in range(200)]), target="y").findings == ()


def test_ages_in_days_are_no_stored_dates(tmp_path):
    path = tmp_path / "births.csv"
    days = [f"{1940 + k % 30}-0{1 + k % 9}-1{k % 7}" for k in range(200)] + ["2004-05-06"]
    path.write_text(
        "Birth date,y\n" + "".join(f"{day},{'ab'[k % 2]}\n" for k, day in enumerate(days)), encoding="utf-8"
    )
    assert not [one for one in look(path, "y").findings if "spreadsheets" in one.text]


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


def test_examples_are_different_values():
    frame = pd.DataFrame({"zip code": [10115, 10115, 10115, 20095, 80331] * 20, "x": range(100)})
    [text] = [one.text for one in look(frame).findings if one.column == "zip code"]
    assert "(10115, 20095, 80331, ...)" in text


def test_dates_without_marks_are_told():
    days = [20220100 + 100 * (k % 12) + k % 28 + 1 for k in range(60)]
    [found] = [
        one for one in look(pd.DataFrame({"due": days, "x": [1, 2] * 30})).findings if one.column == "due"
    ]
    assert "dates without marks (20221224 is 2022-12-24)" in found.text
    assert found.action == ""
    amounts = pd.DataFrame({"due": [*days[:-1], 20220231], "x": [1, 2] * 30})
    assert not any("without marks" in one.text for one in look(amounts).findings)


def test_rates_and_areas_are_numbers_in_a_form_that_is_not_read():
    frame = pd.DataFrame(
        {
            "fee": [f"${k}/mo" if k % 3 else "-" for k in range(90)],
            "lot": [f"{k}.5 acres" if k % 2 else f"{k}000 sqft" for k in range(90)],
        }
    )
    fee, lot = (next(one.text for one in look(frame).findings if one.column == name) for name in frame)
    assert "numbers with '$' before and '/mo' behind them ($1/mo, $2/mo, $4/mo, ...)" in fee
    assert "different units behind them (acres, sqft" in lot


def test_marks_of_one_label_beside_empty_fields_are_told_once(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,blocked\n" + "".join(f"{k % 9},{'X' if k % 3 else ''}\n" for k in range(60)))
    about = [one.text for one in look(path, target="blocked").findings if "blocked" in one.text]
    assert len(about) == 1
    assert "if an empty field means 'no'" in about[0]


def test_codes_of_articles_that_repeat_identify_something():
    frame = pd.DataFrame({"EAN": [4006381000000 + 7 * (k // 2) for k in range(200)], "x": range(200)})
    [found] = [one for one in look(frame).findings if one.column == "EAN"]
    assert found.action == "ignore"
    assert "its name suggests that it identifies something" in found.text
