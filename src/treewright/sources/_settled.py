"""What was settled about the columns of a file, for rows that come in pieces: missing values, words, labels.

CSV files are read by these settings (`treewright.table.load_csv`); the typed pieces of a Parquet file are changed here,
after the reading. Text is read as in any other file, whole or in pieces: stripped of blanks, and missing where it is
empty or says NA and the like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.sources._source import Piece, Roles, Source
from treewright.table import DateFormat, RawColumn, Reading, Settings, joined_missing, renamed

__all__ = ["SettledSource", "with_reading"]


def with_reading(settings: Settings | None, reading: Reading | None) -> Settings:
    """Return settings that also hold what a model file says about missing values, words and labels."""
    settings = settings or Settings()
    if reading is None:
        return settings
    missing = [word for word in reading.missing_values if word not in Reading().missing_values]
    return replace(
        settings,
        missing=tuple(dict.fromkeys((*missing, *settings.missing))),
        missing_in=joined_missing(reading.missing_in, settings.missing_in),
        words={**reading.words, **settings.words},
        labels={**reading.labels, **settings.labels},
    )


class TypedSource(Source, Protocol):
    """A source of typed columns, from whose places rows can be drawn."""

    def sample(self, roles: Roles, n_rows: int, rng: np.random.Generator) -> Iterator[Piece]:
        """Yield about so many rows."""
        ...


@dataclass(frozen=True, eq=False)
class SettledSource:
    """A source of typed columns, read by settings.

    Parameters
    ----------
    source : TypedSource
    settings : Settings
    """

    source: TypedSource
    settings: Settings

    @property
    def name(self) -> str:
        """What the source is."""
        return self.source.name

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.source.count

    @property
    def counts_exactly(self) -> bool:
        """Whether `count` is no estimate."""
        return self.source.counts_exactly

    @property
    def reading(self) -> Reading:
        """What a model file keeps of the settings, so that later files are read alike."""
        known = Reading().missing_values
        return Reading(
            missing_values=tuple(dict.fromkeys((*known, *self.settings.missing))),
            columns=dict(getattr(self.source, "dates", {})),
            labels=self.settings.labels,
            words=self.settings.words,
            missing_in=self.settings.missing_in,
        )

    @property
    def files(self) -> tuple[Path, ...]:
        """Its files, if it is made of files."""
        return tuple(getattr(self.source, "files", ()))

    @property
    def without_rows(self) -> list[str]:
        """Names of the files that have none."""
        return list(getattr(self.source, "without_rows", ()))

    def stamp(self) -> object:
        """Return what differs as soon as a file was changed."""
        return self.source.stamp()

    def pieces(self, roles: Roles) -> Iterator[Piece]:
        """Yield all rows."""
        for piece in self.source.pieces(roles):
            yield self._settled_piece(piece, roles)

    def sample(self, roles: Roles, n_rows: int, rng: np.random.Generator) -> Iterator[Piece]:
        """Yield about so many rows, from places drawn at random."""
        for piece in self.source.sample(roles, n_rows, rng):
            yield self._settled_piece(piece, roles)

    def _settled_piece(self, piece: Piece, roles: Roles) -> Piece:
        dates: Mapping[str, DateFormat] = getattr(self.source, "dates", {})
        parts = {part for name, own in dates.items() for part in own.names(name).values()}
        columns = tuple(raw if raw.name in parts else self._settled(raw) for raw in piece.columns)
        labels = None if piece.labels is None else self._labels(piece.labels, roles.target, piece.origin)
        return replace(piece, columns=columns, labels=labels)

    def _labels(self, labels: NDArray[Any], target: str | None, origin: str) -> NDArray[Any]:
        if labels.dtype.kind == "U":
            labels = np.char.strip(labels)
            missing = self._missing_in(target or "")
            lacking = int(np.isin(labels, sorted(missing)).sum())
            if lacking:
                raise InputError(
                    f"{origin}: the target {target!r} is missing in {lacking} of the rows read. Leave rows without a "
                    "label out."
                )
        return renamed(labels, self.settings.labels)

    def _missing_in(self, name: str) -> set[str]:
        """Return the words that mean "missing" in a column."""
        known = Reading().missing_values
        return {"", *known, *self.settings.missing, *self.settings.missing_in.get(name, ())}

    def _settled(self, column: RawColumn) -> RawColumn:
        names = self.settings.words.get(column.name, {})
        order = self.settings.order.get(column.name, ())
        missing = self._missing_in(column.name)
        if column.numbers is not None:
            numbers = [float(word) for word in missing if _is_number(word)]
            odd = np.isin(column.numbers, numbers)
            return replace(column, numbers=np.where(odd, np.nan, column.numbers)) if odd.any() else column
        if column.codes is None:
            return column
        named = set(
            column.order
        )  # by the type of the column: no blanks to strip, and NA is a word like others
        read = [word if word in named else word.strip() for word in column.words]
        if not (names or order or missing & {*read} - named or read != list(column.words)):
            return column
        kept = [names.get(word, None if word in missing and word not in named else word) for word in read]
        words = sorted({word for word in kept if word is not None})
        place = {word: float(k) for k, word in enumerate(words)}
        codes = np.array([*(np.nan if word is None else place[word] for word in kept), np.nan])
        known = np.where(np.isnan(column.codes), len(kept), column.codes).astype(np.int64)
        return replace(column, words=tuple(words), codes=codes[known], order=order or column.order)


def _is_number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False
