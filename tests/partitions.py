"""A frame in partitions as Dask has them: `dask.dataframe` itself needs pyarrow."""

from __future__ import annotations

from typing import Any

__all__ = ["Partitions"]


class _Part:
    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def compute(self) -> Any:
        return self._rows


class Partitions:
    """What a source asks of a Dask DataFrame.

    Parameters
    ----------
    frame : pandas.DataFrame
    npartitions : int
    """

    def __init__(self, frame: Any, npartitions: int) -> None:
        self._frame = frame
        self.npartitions = npartitions

    @property
    def dtypes(self) -> Any:
        return self._frame.dtypes

    @property
    def partitions(self) -> list[_Part]:
        size = -(-len(self._frame) // self.npartitions)
        return [_Part(self._frame[k * size : (k + 1) * size]) for k in range(self.npartitions)]

    def __getitem__(self, names: list[str]) -> Partitions:
        return Partitions(self._frame[names], self.npartitions)

    def __len__(self) -> int:
        return len(self._frame)

    def compute(self) -> Any:
        raise AssertionError("it need not fit into memory")
