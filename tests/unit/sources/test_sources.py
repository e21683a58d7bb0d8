"""Every source gives the same rows, schema and labels as the table in memory; what does not fit together is told."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from partitions import Partitions
from treewright import fit_shards
from treewright.errors import InputError
from treewright.sources import Roles, SchemaBuilder, open_source
from treewright.sources import _blocks as blocks_module
from treewright.sources import _csv as csv_module
from treewright.sources import _source as source_module
from treewright.sources import _streams as streams_module
from treewright.table import load_csv, table_from
from treewright.verify import verify_shards

N = 500
ROLES = Roles("y", "w", ("id",))


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "id": np.arange(N),
            "number": [None if k % 17 == 0 else float(v) for k, v in enumerate(rng.normal(size=N).round(3))],
            "late": [
                float(k > N - 20) if k < N - 3 else 7.0 for k in range(N)
            ],  # 0 and 1 until the last rows
            "flag": [bool(v) for v in rng.integers(0, 2, N)],
            "word": [None if k % 11 == 0 else f"w{(N - k) // 60}" for k in range(N)],  # the last ones first
            "w": rng.integers(1, 4, N).astype(float),
            "y": [f"class {v}" for v in rng.integers(0, 3, N)],
        }
    )


def read(source: Any, roles: Roles = ROLES) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    builder, parts, labels, weights = SchemaBuilder(), [], [], []
    for piece in source.pieces(roles):
        parts.append(np.stack(builder.encode(piece), axis=1))
        labels.append(piece.labels)
        weights.append(piece.weight)
    X = np.concatenate(parts)
    schema = builder.finish()
    schema.recode(X)
    return schema.columns, X, np.concatenate(labels), np.concatenate(weights)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (source_module, csv_module, streams_module):
        monkeypatch.setattr(module, "PIECE_ROWS", 64)


def parquet_files(frame: pl.DataFrame, folder: Path) -> Path:
    for k in range(0, N, 200):
        frame[k : k + 200].write_parquet(folder / f"part-{k:04d}.parquet")
    return folder


def csv_files(frame: pl.DataFrame, folder: Path) -> Path:
    for k in range(0, N, 200):
        frame[k : k + 200].write_csv(folder / f"part-{k:04d}.csv")
    return folder


def duck(frame: pl.DataFrame, folder: Path) -> Any:
    duckdb = pytest.importorskip("duckdb")
    frame.write_csv(folder / "all.csv")
    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = true")
    return connection.sql(f"SELECT * FROM read_csv('{folder}/all.csv')")


def dask(frame: pl.DataFrame, folder: Path) -> Any:
    """Partitions as Dask has them (`dask.dataframe` itself needs pyarrow)."""
    return Partitions(in_pandas(frame, folder), 3)


def in_pandas(frame: pl.DataFrame, folder: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(frame.to_dict(as_series=False))


SOURCES = {
    "polars": lambda frame, folder: frame,
    "pandas": in_pandas,
    "lazy": lambda frame, folder: frame.lazy().filter(pl.col("id") >= 0),
    "parquet": parquet_files,
    "csv": csv_files,
    "duckdb": duck,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_table(frame: pl.DataFrame, tmp_path: Path, kind: str) -> None:
    source = open_source(SOURCES[kind](frame, tmp_path))
    columns, X, labels, weights = read(source)
    expected = table_from(frame.drop("id", "w", "y"))
    assert columns == expected.columns
    np.testing.assert_array_equal(X, expected.X)
    assert labels.tolist() == frame["y"].to_list()
    assert weights.tolist() == frame["w"].to_list()
    assert abs(source.count - N) <= (0 if source.counts_exactly else 50)


def test_dask_partitions_are_read(frame: pl.DataFrame, tmp_path: Path) -> None:
    source = open_source(dask(frame, tmp_path))
    assert source.count == N
    columns, X, _, _ = read(source)
    assert [column.name for column in columns] == ["number", "late", "flag", "word"]
    np.testing.assert_array_equal(X, table_from(frame.drop("id", "w", "y")).X)


def test_large_csv_is_read_in_blocks_that_respect_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks_module, "BLOCK", 64)
    path = tmp_path / "quoted.csv"
    words = [f"a{k % 3}\nb" for k in range(200)]
    path.write_text("x;word;y\n" + "".join(f'{k},5;"{w}";{k % 2}\n' for k, w in enumerate(words)))
    pieces = list(open_source(path).pieces(Roles("y")))
    assert len(pieces) > 10
    columns, X, labels, _ = read_without_weights(open_source(path), Roles("y"))
    assert X[:, 0].tolist() == [k + 0.5 for k in range(200)]
    assert columns[1].categories == ("a0\nb", "a1\nb", "a2\nb")
    assert labels.tolist() == [k % 2 for k in range(200)]


def read_without_weights(source: Any, roles: Roles) -> Any:
    builder = SchemaBuilder()
    pieces = list(source.pieces(roles))
    X = np.concatenate([np.stack(builder.encode(piece), axis=1) for piece in pieces])
    schema = builder.finish()
    schema.recode(X)
    return schema.columns, X, np.concatenate([piece.labels for piece in pieces]), None


def test_other_columns_are_told_by_file_and_name(frame: pl.DataFrame, tmp_path: Path) -> None:
    frame.write_parquet(tmp_path / "a.parquet")
    frame.rename({"number": "Number"}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet lacks the column 'number' and has the column 'Number'"):
        read(open_source(tmp_path))


def test_another_order_is_told(frame: pl.DataFrame, tmp_path: Path) -> None:
    frame.write_parquet(tmp_path / "a.parquet")
    frame.select(reversed(frame.columns)).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet has its columns in another order than a\.parquet"):
        read(open_source(tmp_path))


def test_other_types_are_told_by_file_and_name(frame: pl.DataFrame, tmp_path: Path) -> None:
    frame.write_parquet(tmp_path / "a.parquet")
    frame.with_columns(number=pl.lit("much")).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"'number' holds numbers in a\.parquet and text in b\.parquet"):
        read(open_source(tmp_path))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder / "nothing", "no file or folder"),
        (lambda folder: folder, "no Parquet or CSV files"),
        (lambda folder: 7, "cannot be read; give"),
        (lambda folder: [], "source is an empty list; give an array or frame"),
        (lambda folder: np.empty((0, 3)), "no rows"),
    ],
)
def test_bad_sources_are_told(tmp_path: Path, make: Any, message: str) -> None:
    with pytest.raises((InputError, TypeError), match=message):
        open_source(make(tmp_path))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_without_rows_are_left_out_and_named(frame: pl.DataFrame, tmp_path: Path, kind: str) -> None:
    """A folder of one file per day has days on which nothing happened."""

    def write(rows: pl.DataFrame, name: str) -> None:
        path = tmp_path / f"{name}.{kind}"
        rows.write_csv(path) if kind == "csv" else rows.write_parquet(path)

    write(frame[:0], "a")
    write(frame, "b")
    write(frame[:0], "c")
    assert sum(piece.n_rows for piece in open_source(tmp_path).pieces(ROLES)) == N
    fitted = fit_shards(tmp_path, "y", sample_weight="w", ignore=["id"], max_depth=1, shard_rows=250)
    assert f"a.{kind}, c.{kind} have no rows." in fitted.result_.notes
    assert verify_shards(fitted, tmp_path).ok
    write(frame[:0], "b")
    with pytest.raises(InputError, match="no rows"):
        fit_shards(tmp_path, "y", max_depth=1)


def test_a_damaged_parquet_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match=r"x\.parquet cannot be read as Parquet"):
        _ = open_source(tmp_path).count


def test_a_column_that_is_not_there_is_told(frame: pl.DataFrame) -> None:
    with pytest.raises(InputError, match="no column 'z'"):
        list(open_source(frame).pieces(Roles("z")))


def test_labels_beside_files_are_refused(tmp_path: Path, frame: pl.DataFrame) -> None:
    frame.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="name the columns that hold them"):
        open_source(tmp_path, np.zeros(N))


@pytest.mark.parametrize("settled", [False, True])
def test_text_of_parquet_pieces_is_read_as_that_of_a_whole_file(tmp_path: Path, settled: bool) -> None:
    """NA, an empty field and blanks around a word mean the same in a small file and in a large one."""
    from treewright.table import Settings, load_csv

    words = ["red", " red", "NA", "", None, "blue ", "n/a", "blue"] * 20
    levels = pl.Series(
        [("NA", "low", "high")[k % 3] for k in range(160)], dtype=pl.Enum(["NA", "low", "high"])
    )
    frame = pl.DataFrame({"word": words, "level": levels, "y": [("yes ", "no")[k % 2] for k in range(160)]})
    frame.write_parquet(tmp_path / "rows.parquet")
    whole = load_csv(tmp_path / "rows.parquet", target="y")
    source = open_source(tmp_path / "rows.parquet", settings=Settings() if settled else None)
    for read_by in (source.pieces, lambda roles: source.sample(roles, 1000, np.random.default_rng(0))):
        builder, parts, labels = SchemaBuilder(), [], []
        for piece in read_by(Roles("y")):
            parts.append(np.stack(builder.encode(piece), axis=1))
            labels.append(piece.labels)
        X, schema = np.concatenate(parts), builder.finish()
        schema.recode(X)
        assert [c.categories for c in schema.columns] == [("blue", "red"), ("NA", "low", "high")]
        assert schema.columns == whole.table.columns
        np.testing.assert_array_equal(X, whole.table.X)
        np.testing.assert_array_equal(np.concatenate(labels), whole.target)


def test_a_label_that_says_missing_is_refused_in_pieces_of_parquet(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1, 2, 3], "y": ["yes", "NA", " "]}).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match=r"rows.parquet: the target 'y' is missing in 2 of the rows read"):
        list(open_source(tmp_path / "rows.parquet").pieces(Roles("y")))


def test_names_that_are_there_twice_are_told() -> None:
    frame = pd.DataFrame([[1, 2, 0], [3, 4, 1]], columns=["a", "a", "y"])
    with pytest.raises(InputError, match="Duplicate column names: 'a'"):
        open_source(frame)


@pytest.mark.parametrize(
    ("above", "end"),
    [("sep=;\n", "\n"), ("\ufeffsep=;\r\n", "\r\n"), ("\n\n", "\n"), ("", "\r"), ("", "\n")],
    ids=["separator", "mark", "blank", "carriage", "plain"],
)
def test_large_csv_is_read_as_a_small_one_whatever_its_lines_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, above: str, end: str
) -> None:
    """What may stand above the header is part of it in every block, and blocks of blank lines hold no rows."""
    rows = [f"{k};{k % 5};{k % 2}" for k in range(300)]
    blank = "" if end == "\r" else end * 500
    path = tmp_path / "rows.csv"
    path.write_bytes((above + end.join(["x;z;y", *rows[:100], blank, *rows[100:]]) + end + blank).encode())
    monkeypatch.setattr(blocks_module, "BLOCK", 128)
    columns, X, labels, _ = read_without_weights(open_source(path), Roles("y"))
    assert [column.name for column in columns] == ["x", "z"]
    assert X[:, 0].tolist() == list(range(300))
    assert labels.tolist() == [k % 2 for k in range(300)]


def test_what_other_programs_keep_in_a_folder_is_no_part_of_the_table(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    """Notebooks and tables of logs keep copies of rows in folders of their own."""
    frame.write_csv(tmp_path / "a.csv")
    for name in (".ipynb_checkpoints", "_log"):
        (tmp_path / "part" / name).mkdir(parents=True)
        frame.write_csv(tmp_path / "part" / name / "a-checkpoint.csv")
    frame.write_csv(tmp_path / "part" / "b.csv")
    assert sum(piece.n_rows for piece in open_source(tmp_path).pieces(ROLES)) == 2 * N


@pytest.mark.parametrize("name", ["b.csv.zip", "part/B.CSV.BZ2", "c.parquet.gz"])
def test_packed_files_that_are_not_read_are_refused(frame: pl.DataFrame, tmp_path: Path, name: str) -> None:
    frame.write_csv(tmp_path / "a.csv")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(InputError, match=f"holds {name}, whose rows would be left out"):
        open_source(tmp_path)
    assert sum(piece.n_rows for piece in open_source([tmp_path / "a.csv"]).pieces(ROLES)) == N


def test_packed_files_with_tabs_are_read(frame: pl.DataFrame, tmp_path: Path) -> None:
    frame.write_csv(tmp_path / "a.tsv", separator="\t")
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress((tmp_path / "a.tsv").read_bytes()))
    assert sum(piece.n_rows for piece in open_source(tmp_path).pieces(ROLES)) == 2 * N


def test_columns_in_the_names_of_folders_are_told(frame: pl.DataFrame, tmp_path: Path) -> None:
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        frame.write_parquet(tmp_path / f"year={year}" / "rows.parquet")
    asked: dict[str, Any] = {"sample_weight": "w", "ignore": ["id"], "max_depth": 1, "progress": False}
    notes = fit_shards(tmp_path, "y", **asked).result_.notes
    assert any("hold a column 'year' (year=2023, year=2024), which is in no file" in note for note in notes)
    one = fit_shards(tmp_path / "year=2023", "y", **asked).result_.notes
    assert not any("names of folders" in note for note in one)
    frame.with_columns(year=pl.lit(2023)).write_parquet(tmp_path / "year=2023" / "rows.parquet")
    frame.with_columns(year=pl.lit(2024)).write_parquet(tmp_path / "year=2024" / "rows.parquet")
    both = fit_shards(tmp_path, "y", **asked).result_.notes
    assert not any("names of folders" in note for note in both)


def test_a_column_that_one_file_does_not_know_is_not_called_unused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,z,y\n" + "1,,no\n2,,no\n" * 20)
    (tmp_path / "b.csv").write_text("x,z,y\n" + "1,red,yes\n2,blue,no\n" * 20)
    fitted = fit_shards(tmp_path, "y", max_depth=1, cost_complexity=0.0, shard_rows=100, progress=False)
    assert fitted.tree_.columns[fitted.tree_.splits[0].column].name == "z"
    assert fitted.result_.notes == ()


def test_files_that_are_given_twice_are_told(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("x,y\n" + "1,no\n2,yes\n" * 5)
    result = fit_shards([tmp_path, tmp_path / "b.csv"], "y", max_depth=1, progress=False).result_
    assert result.stats["rows"] == 30
    assert result.notes == ("Given more than once, so that their rows count as often: b.csv.",)
    assert fit_shards(tmp_path, "y", max_depth=1, progress=False).result_.notes == ()


@pytest.mark.parametrize("kind", ["polars", "lazy", "parquet"])
def test_decimals_are_numbers_as_in_a_file_that_is_read_whole(tmp_path: Path, kind: str) -> None:
    decimals = {name: pl.Decimal(9, 2) for name in ("x", "w", "y")}
    frame = pl.DataFrame({"x": [1, 2, 3], "w": [0.5, 1.0, 2.0], "y": [0, 1, 1]}).cast(decimals)
    frame.write_parquet(tmp_path / "rows.parquet")
    source = {"polars": frame, "lazy": frame.lazy(), "parquet": tmp_path / "rows.parquet"}[kind]
    _, X, labels, weights = read(open_source(source), Roles("y", "w"))
    assert X[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert weights.tolist() == [0.5, 1.0, 2.0]
    assert labels.dtype == np.int64
    assert labels.tolist() == load_csv(tmp_path / "rows.parquet", target="y").target.tolist() == [0, 1, 1]
    halves = frame.with_columns(y=pl.col("y").cast(pl.Float64) / 2).cast({"y": pl.Decimal(9, 2)})
    assert read(open_source(halves), Roles("y", "w"))[2].tolist() == [0.0, 0.5, 0.5]
