"""Columns of dates in several files, or in a file that is read in blocks, are those of one file with all rows."""

from __future__ import annotations

import datetime
import gzip
import itertools
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from treewright import fit_shards
from treewright.cli import app
from treewright.errors import InputError
from treewright.sources import Roles, SchemaBuilder, _blocks, open_source
from treewright.table import Settings, load_csv
from treewright.verify import verify_shards

DAYS = [datetime.date(2021, 1, 5) + datetime.timedelta(days=7 * k) for k in range(120)]  # to April 2023


def write(path: Path, days: Sequence[str], first: int = 0, header: str = "day,x,y") -> None:
    """Write a file whose label tells early days from late ones."""
    rows = [f"{day},{(first + k) % 5},{int(first + k > 70)}" for k, day in enumerate(days)]
    path.write_text("\n".join([header, *rows]) + "\n")


def parts(folder: Path, form: str = "%Y-%m-%d", cuts: Sequence[int] = (0, 50, 51, 120)) -> Path:
    """Write the days to several files; one holds a single day."""
    folder.mkdir()
    for k, (start, end) in enumerate(itertools.pairwise(cuts)):
        write(folder / f"{k}.csv", [day.strftime(form) for day in DAYS[start:end]], start)
    return folder


def names_of(source: Any, **settings: Any) -> list[str]:
    builder = SchemaBuilder()
    for piece in open_source(source, settings=Settings(**settings)).pieces(Roles("y")):
        builder.encode(piece)
    return [column.name for column in builder.finish().columns]


def read(source: Any, **settings: Any) -> tuple[list[str], list[list[float]]]:
    """Return the columns of a source, and its rows, sorted."""
    builder = SchemaBuilder()
    pieces = open_source(source, settings=Settings(**settings)).pieces(Roles("y"))
    X = np.concatenate([np.stack(builder.encode(piece), axis=1) for piece in pieces])
    schema = builder.finish()
    schema.recode(X)
    return [column.name for column in schema.columns], sorted(np.nan_to_num(X, nan=-1.0).tolist())


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%b-%Y", "%Y-%m-%d %H:00"])
def test_several_files_are_read_as_one(tmp_path: Path, form: str) -> None:
    folder = parts(tmp_path / "rows", form)
    write(tmp_path / "all.csv", [day.strftime(form) for day in DAYS])
    names, X = read(folder)
    assert names == ["day (year)", "day (month)", "day (age in days on 2023-04-18)", "x"]  # all are Tuesdays
    whole = load_csv(tmp_path / "all.csv", target="y").table
    assert (names, X) == (list(whole.names), sorted(whole.X.tolist()))
    ask: dict[str, Any] = {"max_depth": 2, "cost_complexity": 0.0, "thresholds": "all", "progress": False}
    of_parts, of_one = fit_shards(folder, "y", **ask), fit_shards(tmp_path / "all.csv", "y", **ask)
    assert of_parts.tree_.columns == of_one.tree_.columns
    assert of_parts.tree_.splits == of_one.tree_.splits
    assert of_parts.reading is not None
    assert of_one.reading is not None
    assert of_parts.reading.columns == of_one.reading.columns
    assert verify_shards(of_parts, folder).ok
    assert verify_shards(of_parts, tmp_path / "all.csv").ok
    np.testing.assert_array_equal(of_parts.predict(folder), of_one.predict(tmp_path / "all.csv"))


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    """Also where the first or the last file has a single day, or no date at all."""
    folder = parts(tmp_path / "rows")
    write(folder / "3.csv", ["", "NA"], 120)
    (folder / "4.csv").write_text("day,x,y\n")
    files = sorted(folder.iterdir())
    found = [read([*files[k:], *files[:k]][::step]) for k in range(len(files)) for step in (1, -1)]
    assert len(found[0][1]) == len(DAYS) + 2
    assert all(own == found[0] for own in found)


def test_new_files_keep_the_day_of_the_model(tmp_path: Path) -> None:
    folder = parts(tmp_path / "rows")
    model = fit_shards(folder, "y", max_depth=1, cost_complexity=0.0, thresholds="all", progress=False)
    assert model.tree_.columns[model.tree_.splits[0].column].name == "day (age in days on 2023-04-18)"
    new = parts(tmp_path / "new", cuts=(60, 80, 90))
    assert model.predict(new).tolist() == [int(k > 70) for k in range(60, 90)]
    again = open_source(new, reading=model.reading)
    assert [raw.name for raw in next(iter(again.pieces(Roles("y")))).columns][
        2
    ] == "day (age in days on 2023-04-18)"


def test_packed_files_and_blocks_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    form = "%d/%m/%Y"
    folder = parts(tmp_path / "rows", form)
    expected = read(folder)
    packed = tmp_path / "packed"
    packed.mkdir()
    for file in folder.iterdir():
        (packed / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    assert read(packed) == expected
    write(tmp_path / "all.csv", [day.strftime(form) for day in DAYS])
    monkeypatch.setattr(_blocks, "BLOCK", 200)
    pieces = list(open_source(tmp_path / "all.csv").pieces(Roles("y")))
    assert len(pieces) > 5
    assert read(tmp_path / "all.csv") == expected
    assert read([tmp_path / "all.csv"]) == expected


def test_a_glance_sees_dates_far_from_the_first_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that is filled late, in a file whose fields also have line ends."""
    monkeypatch.setattr(_blocks, "BLOCK", 2_000)
    monkeypatch.setattr(_blocks, "GLANCE", 200)
    days = [""] * 1_500 + [day.isoformat() for day in DAYS * 4]
    write(tmp_path / "late.csv", days)
    assert "day (age in days on 2023-04-18)" in names_of(tmp_path / "late.csv")
    rows = [f'{day},"a\nb","c\n",{k % 2}' for k, day in enumerate(days)]
    (tmp_path / "lines.csv").write_text("\n".join(["day,x,z,y", *rows]))
    assert "day (age in days on 2023-04-18)" in names_of(tmp_path / "lines.csv")


def test_one_file_decides_the_order_of_day_and_month_for_all(tmp_path: Path) -> None:
    tmp_path.joinpath("a.csv").write_text("day,y\n03/04/2020,0\n05/04/2020,1\n")
    tmp_path.joinpath("b.csv").write_text("day,y\n13/04/2020,0\n2020-05-01,1\n")
    names, X = read(tmp_path)
    assert names[-1] == "day (age in days on 2020-05-01)"
    assert sorted((row[-1] for row in X), reverse=True) == [28.0, 26.0, 18.0, 0.0]
    (tmp_path / "a.csv").write_text(
        "day,y\n03.04.2020,0\n"
    )  # day first by its mark, unless another file denies it
    (tmp_path / "b.csv").write_text("day,y\n04.25.2020,0\n")
    assert names_of(tmp_path)[-1] == "day (age in days on 2020-04-25)"


def test_another_column_or_the_settings_decide_it_too(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("day,end,y\n03/04/2020,05/06/2020,0\n")
    (tmp_path / "b.csv").write_text("day,end,y\n05/04/2020,05/25/2020,1\n")
    assert names_of(tmp_path)[-1] == "end (age in days on 2020-05-25)"
    assert "day (age in days on 2020-05-04)" in names_of(tmp_path)
    (tmp_path / "b.csv").write_text("day,end,y\n05/04/2020,05/07/2020,1\n")
    with pytest.raises(
        InputError, match=r"'day' of .* swapped, and nothing in any file decides\. Give day_first"
    ):
        read(tmp_path)
    assert "day (age in days on 2020-04-05)" in names_of(tmp_path, day_first=True)
    assert "day (age in days on 2020-05-04)" in names_of(tmp_path, day_first=False)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (["2020-04-03", "2020-05-03"], ["soon", "later"], r"dates in a\.csv, but text such as 'soon' in b\.csv"),
        (["soon", "later"], ["2020-04-03", "2020-05-03"], r"dates in b\.csv, but text such as 'soon' in a\.csv"),
        (["2020-04-03", "2020-05-03"], ["7", "8"], r"dates in a\.csv, but numbers such as '7' in b\.csv"),
        (["13/04/2020"], ["04/13/2020"], r"day/month/year in a\.csv, but month/day/year in b\.csv\. Write them in"),
        (["13/04/2020"], ["13.04.2020"], r"day/month/year in a\.csv, but day\.month\.year in b\.csv"),
        (["03/04/2020"], ["13.04.2020"], r"day\.month\.year in b\.csv, but numbers with '/' between them in a\.csv"),
        (["13/04/2020"], ["13/04/2020", "04/13/2020"], r"day/month/year in a\.csv, but written in several ways in b"),
        (["13/04/75"], ["13/04/45"], r"with two digits, .* some would be dates of 1975, and others of 2045\."),
        (["2020-04-03"], ["2020-05-03", "2020-05-04", "soon"], r"Column 'day' of b\.csv .*'soon' \(line 4\)"),
    ],
)  # fmt: skip
def test_files_that_contradict_each_other_are_named(
    tmp_path: Path, a: list[str], b: list[str], message: str
) -> None:
    write(tmp_path / "a.csv", a)
    write(tmp_path / "b.csv", b)
    with pytest.raises(InputError, match=message) as told:
        read(tmp_path)
    assert "'day'" in str(told.value)
    read_as_text = open_source(tmp_path).pieces(Roles("y", categorical=("day",)))
    assert sum(piece.n_rows for piece in read_as_text) == len(a) + len(b)
    assert sum(piece.n_rows for piece in open_source(tmp_path).pieces(Roles("y", ignore=("day",)))) == len(
        a
    ) + len(b)


def test_text_with_some_dates_stays_text(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / f"{name}.csv", ["2020-04-03", "soon", "late", "never"])
    assert names_of(tmp_path) == ["day", "x"]


def test_files_without_dates_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from treewright.table import DateSurvey

    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("x,z,y\n1,a-1-2,0\n2.5,20-30,1\n")
    monkeypatch.setattr(DateSurvey, "add", lambda *_, **__: pytest.fail("all rows were read for dates"))
    assert names_of(tmp_path) == ["x", "z"]


def test_a_file_that_changes_between_the_passes_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from treewright.table import DateSurvey

    folder = parts(tmp_path / "rows")
    finish = DateSurvey.finish

    def finish_and_change(survey: DateSurvey) -> Any:
        found = finish(survey)
        write(folder / "2.csv", [day.replace(year=2030).isoformat() for day in DAYS[51:]], 51)
        return found

    monkeypatch.setattr(DateSurvey, "finish", finish_and_change)
    with pytest.raises(InputError, match="changed while it was read"):
        fit_shards(folder, "y", max_depth=1, progress=False)


def test_a_source_that_is_read_again_sees_new_files(tmp_path: Path) -> None:
    folder = parts(tmp_path / "rows")
    opened = open_source(folder)
    first = fit_shards(opened, "y", max_depth=1, progress=False)
    shutil.copy(folder / "0.csv", tmp_path / "copy.csv")
    write(folder / "2.csv", ["2031-05-06"], 51)
    second = fit_shards(opened, "y", max_depth=1, progress=False)
    assert "day (age in days on 2023-04-18)" in [column.name for column in first.tree_.columns]
    assert "day (age in days on 2031-05-06)" in [column.name for column in second.tree_.columns]
    assert second.reading is not None
    assert getattr(second.reading.columns["day"], "reference", "") == "2031-05-06"


def test_the_commands_read_folders_of_dates(tmp_path: Path) -> None:
    """No date of the folder says what its first number is, but `columns.yaml` does."""
    folder, model, settings = tmp_path / "rows", tmp_path / "model.json", tmp_path / "columns.yaml"
    folder.mkdir()
    days = [datetime.date(2021 + k // 12, 1 + k % 12, 1 + k % 7) for k in range(120)]
    for k, (start, end) in enumerate(((0, 50), (50, 120))):
        write(folder / f"{k}.csv", [day.strftime("%d/%m/%Y") for day in days[start:end]], start)
    write(tmp_path / "all.csv", [day.strftime("%d/%m/%Y") for day in days])
    settings.write_text("dates: day-first\n")

    def run(*words: object, code: int = 0) -> str:
        answer = CliRunner().invoke(app, [str(word) for word in words])
        assert answer.exit_code == code, answer.output
        return answer.output

    fit = ("fit", folder, "--target", "y", "--max-depth", 1, "--thresholds", "all", "--out", model)
    assert "Give --day-first or --month-first" in run(*fit, code=2)
    told = run(*fit, "--columns", settings)
    assert f"day (age in days on {days[-1]})" in told
    assert told.count("Column 'day' holds dates (day/month/year)") == 1
    labels = [str(int(k > 70)) for k in range(120)]
    for source in (folder, tmp_path / "all.csv"):
        for more in ((), ("--columns", settings)):
            run("verify", model, source, *more)
            assert run("predict", model, source, *more).splitlines()[1:] == labels
    run("report", model, tmp_path / "all.csv", "--out", tmp_path / "report.html", "--no-models")
