"""Settings of columns, and `columns.yaml`: written and read again, refused, and the options of reading they give."""

import inspect

import numpy as np
import pytest

from looks import found
from treewright.errors import InputError
from treewright.table import (
    Reading,
    Settings,
    load_csv,
    load_groups,
    look,
    read_settings,
    settings_of,
    settings_text,
)

NOT_OF_A_FILE = {"path", "name", "reading"}


def test_the_options_of_reading_are_all_that_a_column_is_read_with(tmp_path):
    """An option that is missing here would be given in columns.yaml and not be kept."""
    options = Settings().reading_options()
    assert options.keys() == inspect.signature(load_groups).parameters.keys() - NOT_OF_A_FILE
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1.5,a\n-9,b\n2.5,a\n")
    settings = Settings(missing=("-9",), words={"y": {"b": "a"}}, separator=",", missing_in={"x": ("2.5",)})
    options = settings.reading_options()
    np.testing.assert_array_equal(load_csv(path, **options).table.X[:, 0], [1.5, np.nan, np.nan])
    assert load_groups(path, "y", **options).tolist() == ["a", "a", "a"]
    assert look(path, **options).kinds["numbers"] == ("x",)


@pytest.mark.parametrize(
    ("reading", "missing"),
    [(None, Reading().missing_values), (Reading(missing_values=("k. A.",)), ("k. A.",))],
)
def test_more_missing_values_do_not_replace_those_of_an_earlier_file(reading, missing):
    assert Settings(missing=("-9",)).reading_options(reading)["missing_values"] == (*missing, "-9")
    assert Settings().reading_options(reading)["missing_values"] is None  # as the reading says


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(("Kunden-Nr.", "no"), ("zip: code", "007"), ("-999", "n.v."), True, False),
        Settings(labels={"BAD": "Bad", "no": "No"}),
        Settings(ignore=("é", "a'b", 'a"b', "- x", "yes"), decimal_comma=False),
    ],
)
def test_settings_are_read_as_they_were_written(settings, tmp_path):
    path = tmp_path / "columns.yaml"
    path.write_text(settings_text(settings), encoding="utf-8")
    assert read_settings(path) == settings


def test_accepting_all_leaves_nothing_to_settle(tmp_path):
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
def test_wrong_entries_are_refused(text, says, tmp_path):
    path = tmp_path / "columns.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_settings(path)
