"""A web page as its readers see it: visible words, and the data that its own program reads."""

from __future__ import annotations

import json
import re
from functools import cached_property
from html.parser import HTMLParser
from typing import Any

__all__ = ["Page"]

HIDDEN = ("script", "style")
INLINE = ("b", "bdi", "span", "i", "em", "code", "a", "sub", "sup", "strong", "tspan", "wbr")
# What a program shows of a value that is not there.
ODD = re.compile(r"(?<![\w=.])(?:NaN|nan|undefined|None|-?inf|-?Infinity|null|\[object)(?![\w=]| is )")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[str] = []
        self.pieces: list[str] = []
        self.data: dict[str, str] = {}
        self.own = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HIDDEN:
            self.stack.append(tag)
            self.own = dict(attrs).get("id") or ""
        elif tag not in INLINE:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in HIDDEN:
            self.stack.pop()
        elif tag not in INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self.stack:
            self.data[self.own] = self.data.get(self.own, "") + data
        else:
            self.pieces.append(data)


class Page:
    """One page of HTML."""

    def __init__(self, text: str) -> None:
        self.text = text
        reader = _Reader()
        reader.feed(text)
        reader.close()
        self.open_tags = reader.stack
        self._pieces, self._data = reader.pieces, reader.data

    @cached_property
    def lines(self) -> list[str]:
        """Visible text, a line for each paragraph, cell or item."""
        return [" ".join(line.split()) for line in "".join(self._pieces).split("\n") if line.strip()]

    @property
    def words(self) -> str:
        return " ".join(self.lines)

    @property
    def is_whole(self) -> bool:
        return (
            self.text.startswith("<!DOCTYPE html>")
            and self.text.rstrip().endswith("</html>")
            and self.text.count("</html>") == 1
        )

    def odd_lines(self) -> list[str]:
        """Lines that show a value that is not there."""
        return [line for line in self.lines if ODD.search(line)]

    def data(self, name: str) -> Any:
        """The JSON that the page's program reads under this id."""
        return json.loads(self._data[name], parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
