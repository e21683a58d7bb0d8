"""Texts that are no table: web pages and JSON, refused with how to get a table from them."""

from __future__ import annotations

import re

from treewright.errors import InputError

__all__ = ["refuse_other_formats"]

JSON_OBJECT = re.compile(
    r"\s*\{\s*[\"}]"
)  # a header may begin with a brace, but its name rarely with a quote behind it
NESTED = re.compile(r"\"\s*:\s*\{")  # an object as the value of a field
GLANCE = 100_000  # characters
JSON_ROWS = re.compile(r"\s*\[\s*\{\s*\"")  # a list of objects


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
