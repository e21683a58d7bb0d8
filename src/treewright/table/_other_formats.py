"""Files that are no table of text: spreadsheets, zip archives, web pages and JSON, refused with how to get one."""

from __future__ import annotations

import io
import re
import zipfile

from treewright._plural import some_of
from treewright.errors import InputError

__all__ = ["refuse_other_formats", "refuse_packed"]

SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # xlsx, ods and zip archives; xls
TABLES = (".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather")
JSON_OBJECT = re.compile(
    r"\s*\{\s*[\"}]"
)  # a header may begin with a brace, but its name rarely with a quote behind it
NESTED = re.compile(r"\"\s*:\s*\{")  # an object as the value of a field
GLANCE = 100_000  # characters
JSON_ROWS = re.compile(r"\s*\[\s*\{\s*\"")  # a list of objects


def refuse_packed(data: bytes, where: str) -> None:
    """Raise an error for spreadsheets, and for zip archives, with the tables in them.

    Parameters
    ----------
    data : bytes
        The file.
    where : str
        Name of the file.

    Raises
    ------
    InputError
        The file is packed; the message says what to do.
    """
    if data[:4] not in SPREADSHEETS:
        return
    tables: list[str] = []
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            tables = [name for name in archive.namelist() if name.lower().endswith(TABLES)]
    if tables:
        raise InputError(
            f"{where} is a zip archive that holds {some_of(list(map(repr, tables)), 3)}. Unpack it and give "
            f"{'this file' if len(tables) == 1 else 'one of these files'}."
        )
    raise InputError(
        f"{where} is a spreadsheet or another packed file, not text. Open it and save the sheet as CSV (UTF-8), or "
        "read it in Python with pandas.read_excel and pass the frame."
    )


def refuse_other_formats(text: str, where: str) -> None:
    """Raise an error for a web page, and for JSON.

    Parameters
    ----------
    text : str
        Text of the file.
    where : str
        Name of the file.

    Raises
    ------
    InputError
        The text is no table; the message says what to do.
    """
    if text[:100].lstrip().lower().startswith(("<!doctype", "<html")):
        raise InputError(f"{where} is a web page, not a table; give the CSV file with the rows.")
    if JSON_ROWS.match(text) or (JSON_OBJECT.match(text) and "}\n{" in text.replace("\r", "")):
        read = f"pandas.read_json({where!r}{', lines=True' if text.lstrip().startswith('{') else ''})"
        if NESTED.search(text, 0, GLANCE):  # each field of an inner object becomes a column
            read = f"pandas.json_normalize({read}.to_dict('records'))"
        raise InputError(
            f"{where} is JSON, not CSV. If it holds rows, write them as CSV first (pandas: {read}.to_csv('rows.csv', "
            "index=False))."
        )
    if JSON_OBJECT.match(text) and text.rstrip().endswith("}"):
        raise InputError(
            f"{where} is JSON, such as a model file, not a table; give the CSV file with the rows."
        )
