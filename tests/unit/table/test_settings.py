"""Settings of columns: the options of reading that they give."""

import inspect

import numpy as np
import pytest

from treewright.table import Reading, Settings, load_csv, load_groups, look

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
