"""The Python dataclasses of the engines' switches, from the tables that the C++ structs come from.

    python tools/write_options.py          # after a change of a table, cpp/include/treewright/*/*options.def

A test compares, so a table and its class cannot drift apart.
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "cpp" / "include" / "treewright"
CLASSES = ROOT / "src" / "treewright" / "search"
CHOICES = {"Engine": ("automatic", "binary", "ranked"), "PairKernel": ("automatic", "rows", "columns")}
NUMBERS = {
    "bool": "bool",
    "double": "float",
    "std::int64_t": "int",
    "std::uint32_t": "int",
    "std::uint64_t": "int",
}
WIDTH = 108


@dataclass(frozen=True)
class Made:
    """A class that is written from a table.

    Parameters
    ----------
    table, module : str
        Files: below ``cpp/include/treewright``, and in ``src/treewright/search``.
    name : str
        Of the class, and of its counterpart in the compiled core.
    summary : str
        First line of its documentation.
    """

    table: str
    module: str
    name: str
    summary: str


MADE = (
    Made(
        "search/binary_options.def",
        "_binary_options.py",
        "BinaryOptions",
        "Which bounds and techniques the search over binary columns uses.",
    ),
    Made(
        "search/ranked_options.def",
        "_ranked_options.py",
        "RankedOptions",
        "Switches of the search over ranked columns; none changes the optimum, only the work.",
    ),
    Made(
        "leaf_accuracy/options.def",
        "_leaf_accuracy_options.py",
        "LeafAccuracyOptions",
        "Switches of the search for the best worst leaf; none changes an optimum, only the work.",
    ),
)


@dataclass(frozen=True)
class Option:
    """A line of a table.

    Parameters
    ----------
    kind : str
        OPTION or SETTING.
    type, name, default, text : str
        As they stand there.
    """

    kind: str
    type: str
    name: str
    default: str
    text: str

    @property
    def hint(self) -> str:
        """Its type in Python."""
        return "str" if self.type in CHOICES else NUMBERS[self.type]

    @property
    def value(self) -> str:
        """Its default in Python."""
        if self.type in CHOICES:
            return f'"{self.default.split("::")[1]}"'
        return {"true": "True", "false": "False"}.get(self.default, self.default.replace("'", "_"))

    @property
    def accepted(self) -> str:
        """What the documentation says of its type."""
        return (
            "{" + ", ".join(f'"{c}"' for c in CHOICES[self.type]) + "}" if self.type in CHOICES else self.hint
        )


def options_of(table: Path) -> list[Option]:
    """Return the lines of a table."""
    text = "\n".join(line for line in table.read_text().splitlines() if not line.startswith("//"))
    found = re.findall(
        r'(OPTION|SETTING)\(([\w:]+), (\w+), ([\w:.\']+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', text
    )
    if len(found) != text.count("OPTION(") + text.count("SETTING("):
        raise ValueError(f"{table.name}: a line that is no OPTION(type, name, default, text)")
    strings = re.compile(r'"(?:[^"\\]|\\.)*"')
    return [
        Option(kind, type_, name, default, "".join(ast.literal_eval(s) for s in strings.findall(text_)))
        for kind, type_, name, default, text_ in found
    ]


def written(made: Made) -> str:
    """Return the Python file of a table."""
    options = options_of(TABLES / made.table)
    lines = [
        f'"""Written by tools/write_options.py from {Path(made.table).name}; change that file instead."""',
        "",
    ]
    lines += [
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass",
    ]
    choices = {option.name: CHOICES[option.type] for option in options if option.type in CHOICES}
    settings = tuple(option.name for option in options if option.kind == "SETTING")
    if settings or choices:
        lines += ["from typing import ClassVar"]
    lines += [""]
    lines += ["from treewright.search._switches import Switches", "", f'__all__ = ["{made.name}"]', "", ""]
    lines += ["@dataclass(frozen=True)", f"class {made.name}(Switches):", f'    """{made.summary}', ""]
    lines += ["    Parameters", "    ----------"]
    for option in options:
        lines.append(f"    {option.name} : {option.accepted}, default={option.value}")
        lines += textwrap.wrap(option.text, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    lines += ["", "    Examples", "    --------"]
    lines += [
        f"    >>> from treewright.search import {made.name}",
        f"    >>> {made.name}(cache=False).cache",
        "    False",
    ]
    lines += ['    """', ""]
    if settings:
        lines += [f"    SETTINGS: ClassVar[tuple[str, ...]] = {settings!r}".replace("'", '"')]
    if choices:
        lines += ["    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {"]
        lines += [f"        {name!r}: {of!r},".replace("'", '"') for name, of in choices.items()]
        lines += ["    }"]
    if settings or choices:
        lines += [""]
    lines += [f"    {option.name}: {option.hint} = {option.value}" for option in options]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for made in MADE:
        (CLASSES / made.module).write_text(written(made))
