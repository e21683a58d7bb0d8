"""The outer form of a CSV file: from bytes to a header, rows of text fields and line numbers, without types.

A file that has no quotes, or only quotes around whole fields, consists of lines and separators alone. The number of
fields per line is checked with numpy, and polars splits the columns (10^6 x 12 in a fraction of a second). A file with
a separator, a line end or a quote inside quotes is read by Python's own `csv` module, which is slower (about 1.5 s for
the same size) but strict and exact about these. In both cases a row that is too short or too long is reported with its
line; nothing is filled in or cut off.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright._plural import list_of
from treewright.errors import InputError
from treewright.table._encodings import likely_encodings
from treewright.table._file_bytes import read_bytes
from treewright.table._file_faults import (
    FileFault,
    NoRowsError,
    all_faults_of,
    fault_of_lengths,
    lines_of,
    text_without,
    together,
    with_own_names,
)
from treewright.table._other_formats import refuse_other_formats, refuse_packed
from treewright.table._polars import need_polars
from treewright.table._raw import quoted
from treewright.table._text_columns import CsvText
from treewright.table._title_lines import refuse_headers_below, refuse_titles
from treewright.table._totals import refuse_subtotals, refuse_totals
from treewright.table._typed_text import is_typed_file, text_of_typed_file

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_text"]

NAMED_SEPARATOR = re.compile(
    r"""("?)sep=([^\w\s"]|\t)\1(?=\r?\n)""", re.IGNORECASE
)  # Excel writes and reads this line
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
SNIFFED_LINES = 50
NEARLY_ALL = 0.8  # share of these lines
LINES_OF_A_ROW = 10  # most lines that are skipped after an open quote, which extends to the end of the file
ONE_BYTE = ("cp125", "cp437", "cp85", "iso8859", "koi8", "mac-")  # encodings with one byte per character


def read_text(
    path: str | Path,
    separator: str | None = None,
    encoding: str | None = None,
    faults: list[InputError] | None = None,
    expected: Collection[str] | None = (),
) -> CsvText:
    """Read a CSV file, plain or gzip, or a Parquet or Arrow file, as columns of text.

    Parameters
    ----------
    path : str or Path
    separator : str, default=None
        One character; None detects it.
    encoding : str, default=None
        None is UTF-16 if the file starts with its byte order mark, and UTF-8 otherwise.
    faults : list of InputError, default=None
        If given, faults that can be skipped are appended to it, and the rest of the file is returned. None raises them.
    expected : collection of str, default=()
        Required columns; the name of one may contain another separator. None allows it of any name.

    Returns
    -------
    CsvText

    Raises
    ------
    InputError
        If the file cannot be read or decoded, is empty, has no rows, a row of another length or an unclosed quote, or
        the separator does not fit.
    MissingDependencyError
        If polars is not installed.
    """
    where = Path(path).name
    need_polars(where)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n' or not separator.isascii()):
        raise InputError(f"separator={separator!r}; give one ASCII character, such as ',' or ';'.")
    data = read_bytes(path)
    refuse_packed(data, where)
    if is_typed_file(data):
        return text_of_typed_file(data, where)
    if encoding is None:
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    found: list[InputError] = []
    try:
        text = _decode(data, encoding, where, expected or ())
    except FileFault as fault:
        if fault.option is None:
            raise
        found.append(fault)
        _, encoding = fault.option
        text = data.decode(encoding).removeprefix("\ufeff").replace("\0", "")
    if not text or text.isspace():
        raise InputError(f"{where} is empty; expected a header line and rows below it.")
    refuse_other_formats(text, where)
    if mark := NAMED_SEPARATOR.match(text):
        separator = separator or mark[2]
        # The line break stays: line numbers are the same, and a blank line is skipped.
        text = text[mark.end() :]
    try:
        read, more = all_faults_of(text, lambda text: _table_of(text, separator, where))
    except InputError as error:
        raise together(where, [*found, error]) from None
    found += more
    if read is None or (found and faults is None):
        raise together(where, found) from None
    if faults is not None:
        faults += found
    names, columns, lines, chosen = read
    if len(names) == 1 and separator is not None and expected is not None and names[0] not in expected:
        others = [mark for mark in SEPARATORS if mark != chosen and mark in names[0]]
        if others:
            raise InputError(
                f"With separator {chosen!r} the header of {where} is the single column {names[0][:60]!r}; "
                f"it holds {others[0]!r}. Try separator={others[0]!r}, or give none, so that it is detected."
            )
    return CsvText(names, columns, lines, chosen, encoding)


def _table_of(
    text: str, separator: str | None, where: str
) -> tuple[tuple[str, ...], tuple[pl.Series, ...], NDArray[np.int64], str]:
    chosen = separator if separator is not None else _sniff(text)
    plain = _without_quotes(text, chosen)
    names, columns, lines = (
        _parse_quoted(text, chosen, where) if plain is None else _parse_plain(plain, chosen, where)
    )
    refuse_titles(where, names, columns, lines)
    refuse_headers_below(where, names, columns, lines)
    refuse_totals(where, names, columns, lines)
    refuse_subtotals(where, columns, lines)
    return names, columns, lines, chosen


def _decode(data: bytes, encoding: str, where: str, names: Collection[str] = ()) -> str:
    """Decode a file and drop its byte order mark; nothing is guessed, so an encoding other than UTF-8 must be named."""
    try:
        text = data.decode(encoding)
    except LookupError:
        raise InputError(
            f"encoding={encoding!r} is unknown; common ones are utf-8, latin-1, utf-16."
        ) from None
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line, byte = data.count(b"\n", 0, start) + 1, start - data.rfind(b"\n", 0, start)
        likely = likely_encodings(data, names)
        raise FileFault(
            f"{where} is not valid {encoding}: line {line}, byte {byte} of it. {_other_encodings(likely)}",
            "encoding",
            option=("encoding", likely[0][0]) if likely else None,
        ) from None
    if _is_garbled(data, encoding):
        raise InputError(
            f'{where} is UTF-8 text; read as {encoding}, its letters would be garbled. Give encoding="utf-8", or save '
            f"the file as {encoding}."
        )
    text = text.replace("\ufeff", "")  # also inside the text, if files were concatenated
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(
            f'{where} holds a NUL character in line {line}; is it a CSV file? If UTF-16, encoding="utf-16".'
        )
    return text


def _is_garbled(data: bytes, encoding: str) -> bool:
    """Whether bytes are UTF-8 although `encoding` has one byte per character: text in it is not UTF-8 by chance."""
    if not codecs.lookup(encoding).name.startswith(ONE_BYTE) or data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeError:
        return False
    return True


def _other_encodings(likely: list[tuple[str, str]]) -> str:
    """Return, in words, the encodings that can decode the bytes, with the first words beyond ASCII in each of them."""
    if not likely:
        return "Save it as UTF-8."
    (first, words), *others = likely
    if first == "utf-8":
        return 'It is UTF-8: give encoding="utf-8".'
    told = f'If it was saved by a spreadsheet, try encoding="{first}", which reads {words!r}'
    more = list_of((f'encoding="{encoding}" {shown!r}' for encoding, shown in others), "or")
    return f"{told} ({more}): choose the one with the correct words." if more else f"{told}."


def _sniff(text: str) -> str:
    """Return the separator that splits the first lines into the same number of fields, and into the most fields.

    If there is none, return the one that does so with nearly all of these lines, because the others may be titles; then
    the one that occurs most often in the header, so that the message about a row of another length names a likely
    separator; a comma if none occurs at all.
    """
    head = text[: 1 << 16]
    if len(head) < len(text):
        head = head[: max(head.rfind("\n"), head.rfind("\r")) + 1] or head  # whole lines only
    best, best_fields = "", 1
    nearly, most_fields = "", 1
    for mark in SEPARATORS:
        try:
            reader = csv.reader(io.StringIO(head, newline=""), delimiter=mark)
            rows = zip(filter(None, reader), range(SNIFFED_LINES), strict=False)
            counts = Counter(len(row) for row, _ in rows)
        except csv.Error:
            continue
        fields, lines = next(iter(counts.most_common(1)), (0, 0))
        if len(counts) == 1 and fields > best_fields:
            best, best_fields = mark, fields
        if lines >= NEARLY_ALL * counts.total() and fields > most_fields:
            nearly, most_fields = mark, fields
    if best or nearly:
        return best or nearly
    header = lines_of(text.lstrip("\r\n"))[0]
    return max(SEPARATORS, key=header.count)  # the first one, comma, on ties


def _without_quotes(text: str, separator: str) -> str | None:
    """Return the text without its quotes if dropping them changes no field; otherwise None.

    This is so if quotes come in pairs that open at the start of a field and close at its end, with no separator or line
    end in between. (A doubled quote does not satisfy this, because the first of the two closes before a quote.)
    """
    if '"' not in text:
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = np.frombuffer(f"\n{text}\n".encode("utf-8", errors="surrogatepass"), dtype=np.uint8)
    quotes = np.flatnonzero(raw == ord('"'))
    if len(quotes) % 2:
        return None
    borders = (raw == ord("\n")) | (raw == ord(separator))
    opening, closing = quotes[::2], quotes[1::2]
    if not (borders[opening - 1].all() and borders[closing + 1].all()):
        return None
    before = np.searchsorted(np.flatnonzero(borders), quotes)
    if (before[::2] != before[1::2]).any():
        return None
    empty = opening[closing == opening + 1]
    if ((raw[empty - 1] == ord("\n")) & (raw[empty + 2] == ord("\n"))).any():
        return None  # a line that is only "" is a row; without quotes it would be blank
    return text.replace('"', "")


def _parse_plain(
    text: str, separator: str, where: str
) -> tuple[tuple[str, ...], tuple[pl.Series, ...], NDArray[np.int64]]:
    import polars as pl

    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    data = text.encode("utf-8", errors="surrogatepass")
    raw = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(raw == 10)
    if len(ends) == 0 or ends[-1] != len(raw) - 1:
        ends = np.append(ends, len(raw))
    starts = np.concatenate(([0], ends[:-1] + 1))
    marks = np.flatnonzero(raw == ord(separator))
    n_fields = np.diff(np.searchsorted(marks, np.append(starts, len(raw)))) + 1
    filled = np.flatnonzero(ends > starts)  # blank lines are skipped
    header = data[starts[filled[0]] : ends[filled[0]]].decode("utf-8", errors="surrogatepass")
    names = _check_header(header.split(separator), where, separator)
    rows = filled[1:]
    ragged = np.flatnonzero(n_fields[rows] != len(names))
    if len(ragged):
        raise fault_of_lengths(where, (filled + 1).tolist(), n_fields[filled].tolist(), separator, text)
    if len(rows) == 0:
        raise _no_rows(where)
    if len(names) == 1:  # nothing to split, and polars would read a blank line as a row
        lines = text.split("\n")
        return names, (pl.Series([lines[row] for row in rows], dtype=pl.String),), rows + 1
    if len(filled) < len(starts):
        data = b"\n".join(data[starts[row] : ends[row]] for row in filled)
    try:
        frame = pl.read_csv(
            io.BytesIO(data),
            has_header=False,
            skip_rows=1,
            new_columns=[f"c{j}" for j in range(len(names))],
            separator=separator,
            quote_char=None,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{where} cannot be read as CSV: {error}") from error
    if frame.shape != (len(rows), len(names)):
        raise InputError(f"{where} cannot be read as CSV: its lines and fields are inconsistent.")
    return names, tuple(frame.get_columns()), rows + 1


def _parse_quoted(
    text: str, separator: str, where: str
) -> tuple[tuple[str, ...], tuple[pl.Series, ...], NDArray[np.int64]]:
    import polars as pl

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: tuple[str, ...] | None = None
    header_line = 1
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            if row:
                if names is None:
                    names, header_line = _check_header(row, where, separator), line
                elif len(row) != len(names):
                    ahead, counts = [*lines, line], [len(names)] * len(lines) + [len(row)]
                    for other in reader:
                        ahead.append(reader.line_num)
                        counts.append(len(other))
                    raise fault_of_lengths(
                        where, [header_line, *ahead], [len(names), *counts], separator, text
                    )
                else:
                    rows.append(row)
                    lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        begins = "" if line == reader.line_num else f" (in the row that begins in line {line})"
        raise FileFault(
            f"{where}, line {reader.line_num}{begins}: {error}. Close every field in quotes, and write a quote "
            "inside it twice.",
            "quotes",
            text_without(range(line, min(reader.line_num, line + LINES_OF_A_ROW) + 1)),
        ) from None
    if names is None or not rows:
        raise _no_rows(where)
    columns = tuple(pl.Series(column, dtype=pl.String) for column in zip(*rows, strict=True))
    return names, columns, np.array(lines, dtype=np.int64)


def _check_header(fields: Sequence[str], where: str, separator: str) -> tuple[str, ...]:
    names = tuple(field.strip() or f"unnamed_{j}" for j, field in enumerate(fields, start=1))
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise FileFault(
            f"{where} has duplicate column names: {quoted(twice)}. Rename them in the header, so that a "
            "split can name its column.",
            "names",
            with_own_names(names, separator),
        )
    return names


def _no_rows(where: str) -> NoRowsError:
    return NoRowsError(f"{where} has a header but no rows below it.")
