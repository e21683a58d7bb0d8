"""Sources that stream by themselves: polars LazyFrames, Dask DataFrames, DuckDB relations, Arrow datasets.

Columns of dates become numbers as those of Parquet files do. Their types say which they are; they are read once more,
before all rows, for the parts of their dates that vary and the latest day.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treewright.errors import InputError
from treewright.sources._source import PIECE_ROWS, Piece, Roles
from treewright.sources._typed_dates import formats_of_dates, piece_with_dates, without_missing_dates
from treewright.table import DateFormat, Reading, dates_of

__all__ = ["ArrowSource", "DaskSource", "DuckSource", "LazySource"]

DATES = (
    "date",
    "timestamp",
    "period",
)  # how the names of types of dates begin, in small letters, in all libraries


@dataclass(eq=False)
class _Stream(ABC):
    """What these sources share.

    Parameters
    ----------
    source : object
        As it was given.
    known : Reading or None
        How the rows were read that a tree was made from. Its formats of dates are used, and its dates that mean
        missing.

    Attributes
    ----------
    dates : dict of str to DateFormat
        Formats of the columns of dates, those that were found when rows were read included.
    """

    source: Any
    known: Reading | None = None
    counts_exactly = True

    def __post_init__(self) -> None:
        kept = {} if self.known is None else self.known.columns
        self._kept = {name: own for name, own in kept.items() if isinstance(own, DateFormat)}
        self.dates = dict(self._kept)

    @property
    @abstractmethod
    def name(self) -> str:
        """What the source is."""

    @property
    def reading(self) -> Reading | None:
        """What a model file keeps, so that later rows are read alike; None where there are no dates."""
        return Reading(columns=dict(self.dates)) if self.dates else None

    def stamp(self) -> object:
        """Return None: what lies behind is not known here; the number of rows is checked."""
        return None

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows."""
        self._settle_dates(roles)
        for frame, origin in self._frames(None):
            if len(frame):
                yield piece_with_dates(frame, roles, origin, self.dates, self._missing_in)

    def _missing_in(self, name: str) -> tuple[str, ...]:
        known = self.known or Reading()
        return (*known.missing_values, *known.missing_in.get(name, ()))

    def _settle_dates(self, roles: Roles) -> None:
        """Find the formats of the columns of dates over all rows; for a tree, those that it knows are all it needs."""
        self.dates = dict(self._kept)
        if roles.only is not None:
            return
        import polars as pl

        dated = {name: pl.Date for name, dtype in self._types().items() if _is_date(dtype)}
        self.dates |= formats_of_dates(
            [self.name],
            [dated],
            lambda _, names: (
                without_missing_dates(frame, self._missing_in)
                for frame, _ in self._frames(names)
                if len(frame)
            ),
            {*roles.apart, *self._kept},
            roles.categorical,
        )

    @abstractmethod
    def _types(self) -> Mapping[str, Any]:
        """Return the type of each column."""

    @abstractmethod
    def _frames(self, names: Sequence[str] | None) -> Iterator[tuple[Any, str]]:
        """Yield all rows of all columns or some, in frames, each with where its rows come from."""


class LazySource(_Stream):
    """A polars LazyFrame, run by its streaming engine once for each pass."""

    @property
    def name(self) -> str:
        """What the source is."""
        return "the LazyFrame"

    @cached_property
    def count(self) -> int:
        """Number of rows."""
        import polars as pl

        return int(self.source.select(pl.len()).collect(engine="streaming").item())

    def _types(self) -> Mapping[str, Any]:
        return dict(self.source.collect_schema())

    def _frames(self, names: Sequence[str] | None) -> Iterator[tuple[Any, str]]:
        if not hasattr(self.source, "collect_batches"):
            raise InputError(
                "This polars cannot hand out a LazyFrame in batches; install polars>=1.34, write the rows to Parquet "
                "files (sink_parquet), or collect() them if they fit into memory."
            )
        rows = self.source if names is None else self.source.select(names)
        for frame in rows.collect_batches(chunk_size=PIECE_ROWS, maintain_order=True):
            yield frame, self.name


class DaskSource(_Stream):
    """A Dask DataFrame, one partition after the other."""

    @property
    def name(self) -> str:
        """What the source is."""
        return "the Dask DataFrame"

    @cached_property
    def count(self) -> int:
        """Number of rows."""
        return len(self.source)

    def _types(self) -> Mapping[str, Any]:
        import narwhals as nw

        types = dict(self.source.dtypes.items())
        objects = [name for name, dtype in types.items() if str(dtype) == "object"]
        if objects:  # Python's dates perhaps
            first = nw.from_native(self.source[objects].partitions[0].compute(), eager_only=True)
            types |= {name: "date" for name in objects if dates_of(first[name]) is not None}
        return types

    def _frames(self, names: Sequence[str] | None) -> Iterator[tuple[Any, str]]:
        rows = self.source if names is None else self.source[list(names)]
        for k in range(rows.npartitions):
            frame = rows.partitions[k].compute()
            for start in range(0, len(frame), PIECE_ROWS):
                yield frame.iloc[start : start + PIECE_ROWS], f"partition {k} of {self.name}"


class DuckSource(_Stream):
    """A DuckDB relation, run once for each pass."""

    @property
    def name(self) -> str:
        """What the source is."""
        return "the DuckDB relation"

    @cached_property
    def count(self) -> int:
        """Number of rows."""
        return int(self.source.count("*").fetchall()[0][0])

    def _types(self) -> Mapping[str, Any]:
        return dict(zip(self.source.columns, self.source.types, strict=True))

    def _frames(self, names: Sequence[str] | None) -> Iterator[tuple[Any, str]]:
        rows = self.source
        if names is not None:
            rows = rows.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
        if hasattr(rows, "fetch_df_chunk"):  # DuckDB 1
            relation = rows.execute()
            while len(frame := relation.fetch_df_chunk(max(1, PIECE_ROWS // 2048))):
                yield frame, self.name
            return
        import polars as pl

        cells = iter(rows.iter_rows())
        while some := list(itertools.islice(cells, PIECE_ROWS)):
            frame = pl.DataFrame(some, schema=list(rows.columns), orient="row", infer_schema_length=None)
            yield frame, self.name


class ArrowSource(_Stream):
    """A pyarrow dataset, batch by batch."""

    @property
    def name(self) -> str:
        """What the source is."""
        return "the Arrow dataset"

    @cached_property
    def count(self) -> int:
        """Number of rows."""
        return int(self.source.count_rows())

    def _types(self) -> Mapping[str, Any]:
        return {field.name: field.type for field in self.source.schema}

    def _frames(self, names: Sequence[str] | None) -> Iterator[tuple[Any, str]]:
        import polars as pl

        for batch in self.source.to_batches(columns=names, batch_size=PIECE_ROWS):
            yield pl.from_arrow(batch), self.name


def _is_date(dtype: Any) -> bool:
    return str(dtype).lower().startswith(DATES)
