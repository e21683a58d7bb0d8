"""Words in an order: from columns.yaml through a fit, its file and its report to new rows; words outside it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from treewright.cli import app
from treewright.errors import InputError
from treewright.sources import Roles, SchemaBuilder, open_source
from treewright.table import Settings, load_csv, read_settings, settings_text, table_from
from treewright.tree import Column, ColumnKind

ORDER = ["1", "2", "3+"]
N = 90


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file with answers that look like numbers and an answer in other words, and settings for it."""
    rows = [f"{(*ORDER, 'two', '')[k % 5]},{k % 7},{'no' if k % 5 in (0, 1, 3) else 'yes'}" for k in range(N)]
    (tmp_path / "rooms.csv").write_text("\n".join(["rooms,x,left", *rows]) + "\n")
    (tmp_path / "columns.yaml").write_text(
        'columns: {rooms: {name: number of rooms, order: ["1", "2", "3+"], words: {two: "2"}, change: only-up}}\n'
    )
    return tmp_path


def run(folder: Path, *words: str, code: int = 0) -> str:
    arguments = [str(folder / word) if re.fullmatch(r"[a-z]\w*\.\w+", word) else word for word in words]
    answer = CliRunner().invoke(app, arguments)
    assert answer.exit_code == code, answer.output
    return answer.output


def test_from_the_settings_to_new_rows(folder: Path) -> None:
    fit = ("fit", "rooms.csv", "--target", "left", "--columns", "columns.yaml", "--out", "model.json")
    told = run(folder, *fit, "--cost-complexity", "0.01", "--max-depth", "2")
    assert "number of rooms at most 2" in told
    assert "number of rooms = 3+" in told
    run(folder, "verify", "model.json", "rooms.csv", "--columns", "columns.yaml")
    run(folder, "report", "model.json", "rooms.csv", "--columns", "columns.yaml", "--out", "report.html")
    page = (folder / "report.html").read_text("utf-8")
    assert "at most 2" in page
    assert '"ordered":true' in page
    (folder / "new.csv").write_text("x,rooms\n1,3+\n1,1\n")
    run(folder, "predict", "model.json", "new.csv", "--out", "answers.csv")
    assert [line.split(",")[0] for line in (folder / "answers.csv").read_text().split()[1:]] == ["yes", "no"]
    (folder / "new.csv").write_text("x,rooms\n1,4\n")
    assert "has never seen: '4'" in run(folder, "predict", "model.json", "new.csv", code=2)


def test_shards_and_pieces_keep_the_order(folder: Path) -> None:
    told = run(
        folder, "fit", "rooms.csv", "--target", "left", "--columns", "columns.yaml", "--shard-rows", "30",
        "--max-depth", "2", "--thresholds", "4",
    )  # fmt: skip
    assert "number of rooms at most 2" in told


def test_look_asks_no_more_about_a_column_with_an_order(folder: Path) -> None:
    assert "ordered words: 1 (rooms)" in run(
        folder, "look", "rooms.csv", "--target", "left", "--columns", "columns.yaml"
    )


def test_a_proposed_order_is_written_and_used(tmp_path: Path) -> None:
    rows = [f"{('low', 'high', 'medium', 'High')[k % 4]},{k // 2 % 2}" for k in range(N)]
    (tmp_path / "risks.csv").write_text("\n".join(["risk,y", *rows]) + "\n")
    run(tmp_path, "look", "risks.csv", "--target", "y", "--fix")
    settings = read_settings(tmp_path / "columns.yaml")
    assert settings.order == {"risk": ("low", "medium", "high")}
    told = run(tmp_path, "look", "risks.csv", "--target", "y", "--columns", "columns.yaml")
    assert "Nothing to decide" in told
    run(tmp_path, "fit", "risks.csv", "--target", "y", "--columns", "columns.yaml")


def test_a_word_outside_the_order_is_named(folder: Path) -> None:
    with pytest.raises(
        InputError, match=r"'rooms' holds words that are not in its order: 'two'\. The order is '1', '2'"
    ):
        load_csv(folder / "rooms.csv", target="left", order={"rooms": ORDER})
    frame = pd.DataFrame({"risk": ["low", "huge", None]})
    with pytest.raises(InputError, match=r"'huge'"):
        table_from(frame, order={"risk": ["low", "high"]})
    with pytest.raises(InputError, match="order names the column 'rusk'"):
        table_from(frame, order={"rusk": ["low", "high"]})


def test_codes_follow_the_order_and_gaps_stay(folder: Path) -> None:
    csv = load_csv(folder / "rooms.csv", target="left", order={"rooms": ORDER}, words={"rooms": {"two": "2"}})
    assert csv.table.columns[0] == Column("rooms", ColumnKind.CATEGORICAL, tuple(ORDER), True, ordered=True)
    np.testing.assert_array_equal(csv.table.X[:5, 0], [0, 1, 2, 1, np.nan])
    table = table_from(pd.DataFrame({"n": pd.Categorical([30, 10], [30, 20, 10], ordered=True)}))
    assert table.columns[0].categories == ("30", "20", "10")
    assert table.X[:, 0].tolist() == [0, 2]


@pytest.mark.parametrize("order", ["low", ["low"], ["low", "low"], ["low", 2]])
def test_what_is_no_order_is_refused(order: object) -> None:
    with pytest.raises(InputError, match="from the lowest to the highest"):
        table_from(pd.DataFrame({"risk": ["low", "high"]}), order={"risk": order})


def test_settings_keep_the_order_and_refuse_one_of_a_quantity(tmp_path: Path) -> None:
    path = tmp_path / "columns.yaml"
    settings = Settings(order={"risk": ("low", "yes", "007")})
    path.write_text(settings_text(settings))
    assert read_settings(path) == settings
    path.write_text("columns: {risk: {use: quantity, order: [low, high]}}")
    with pytest.raises(InputError, match="leave out use or order"):
        read_settings(path)


def test_pieces_in_different_orders_are_refused() -> None:
    builder = SchemaBuilder()
    for order in (["a", "b"], ["b", "a"]):
        piece = pd.DataFrame({"w": pd.Categorical(["a"], order, ordered=True)})
        (rows,) = open_source(piece, [0]).pieces(Roles())
        if order == ["a", "b"]:
            builder.encode(rows)
        else:
            with pytest.raises(InputError, match="in another order than before"):
                builder.encode(rows)
    assert builder.finish().columns[0].categories == ("a", "b")
