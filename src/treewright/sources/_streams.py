"""Sources that stream by themselves: polars LazyFrames, Dask DataFrames, DuckDB relations, Arrow datasets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treewright.errors import InputError
from treewright.sources._source import PIECE_ROWS, Piece, Roles, piece_of_frame

__all__ = ["ArrowSource", "DaskSource", "DuckSource", "LazySource"]


@dataclass(frozen=True, eq=False)
class _Stream:
    """What these sources share.

    Parameters
    ----------
    source : object
        As it was given.
    """

    source: Any
    counts_exactly = True

    def stamp(self) -> object:
        """Return None: what lies behind is not known here; the number of rows is checked."""
        return None


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

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows."""
        if not hasattr(self.source, "collect_batches"):
            raise InputError(
                "This polars cannot hand out a LazyFrame in batches; install polars>=1.34, write the rows to Parquet "
                "files (sink_parquet), or collect() them if they fit into memory."
            )
        for frame in self.source.collect_batches(chunk_size=PIECE_ROWS, maintain_order=True):
            if len(frame):
                yield piece_of_frame(frame, roles, self.name)


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

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows."""
        for k in range(self.source.npartitions):
            frame = self.source.partitions[k].compute()
            for start in range(0, len(frame), PIECE_ROWS):
                yield piece_of_frame(
                    frame.iloc[start : start + PIECE_ROWS], roles, f"partition {k} of {self.name}"
                )


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

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows."""
        if hasattr(self.source, "fetch_df_chunk"):  # DuckDB 1
            relation = self.source.execute()
            while len(frame := relation.fetch_df_chunk(max(1, PIECE_ROWS // 2048))):
                yield piece_of_frame(frame, roles, self.name)
            return
        import polars as pl

        rows = iter(self.source.iter_rows())
        while some := list(itertools.islice(rows, PIECE_ROWS)):
            frame = pl.DataFrame(
                some, schema=list(self.source.columns), orient="row", infer_schema_length=None
            )
            yield piece_of_frame(frame, roles, self.name)


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

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows."""
        import polars as pl

        for batch in self.source.to_batches(batch_size=PIECE_ROWS):
            if batch.num_rows:
                yield piece_of_frame(pl.from_arrow(batch), roles, self.name)
