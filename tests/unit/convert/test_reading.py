"""The reading of a file in its model file: an exact round trip, and nothing that a hostile file could put there."""

import json

import pytest

from made_trees import make_tree
from treewright.convert import Model, from_json, to_json
from treewright.errors import ModelFileError
from treewright.table import DateFormat, NumberFormat, Reading

READING = Reading(
    ";",
    "utf-16",
    ("?", "é"),
    ",",
    {
        "income": NumberFormat(".", ",", "€"),
        "rate": NumberFormat(",", "", "%"),
        "since": DateFormat("dmy", ".", ("year", "age"), "2021-02-28"),
    },
    {"BAD": "Bad"},
)


def document():
    return json.loads(to_json(Model(make_tree(1, 4).tree, reading=READING)))


def test_round_trip_and_absence():
    assert from_json(json.dumps(document())).reading == READING
    assert "reading" not in json.loads(to_json(make_tree(1, 4).tree))
    assert from_json(to_json(make_tree(1, 4).tree)).reading is None


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("separator",), ",,", "reading.separator"),
        (("encoding",), 3, "reading.encoding"),
        (("missing_values",), "?", "reading.missing_values"),
        (("decimal",), ";", "reading.decimal"),
        (("columns",), [], "reading.columns"),
        (("labels",), ["Bad"], "reading.labels"),
        (("labels", "BAD"), 1, "reading.labels.BAD"),
        (("columns", "income"), {}, "reading.columns.income"),
        (("columns", "income", "kind"), "money", "income.kind"),
        (("columns", "income", "thousands"), ".", "income.thousands"),
        (("columns", "income", "thousands"), "e", "income.thousands"),
        (("columns", "income", "unit"), "(.*)", "income.unit"),
        (("columns", "income", "unit"), "&", "income.unit"),
        (("columns", "since", "order"), "myd", "since.order"),
        (("columns", "since", "mark"), "x", "since.mark"),
        (("columns", "since", "offered"), ["century"], "since.offered"),
        (("columns", "since", "reference"), "2021-02-30", "since.reference"),
    ],
)
def test_what_is_no_reading_is_refused_at_its_place(path, value, place):
    model = document()
    entry = model["reading"]
    for name in path[:-1]:
        entry = entry[name]
    entry[path[-1]] = value
    with pytest.raises(ModelFileError, match=place):
        from_json(json.dumps(model))
