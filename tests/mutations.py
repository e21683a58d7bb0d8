"""Damaged copies of files: bytes, tokens and JSON values changed at random, from a seed."""

from __future__ import annotations

import copy
import json
import re

import numpy as np

NUMBERS = [
    "-1", "0", "1", "-0.0", "2", "3", "255", "256", "65536", "2147483647", "2147483648", "-2147483649",
    "9223372036854775808", "1" * 40, "1" * 5000, "1e-320", "5e-324", "1e39", "-1e39", "1e308", "1e400",
    "NaN", "Infinity", "-Infinity", "nan", "inf", "-inf", "1e-35", "-1.0000000180025095e-35", "0x10", "1_0",
    "\u00b2", "", " ", "true", "null", "1.5", "-1.5", "--1",
]  # fmt: skip
VALUES = [
    None, True, False, 0, 1, -1, 2, 2**31, 2**63, 10**40, 1.5, 1e308, -1e39, "", "0", "-1", "nan", "1e400",
    "x" * 300, [], [[]], [0], [1, [2]], {}, {"a": 1}, ["0", 1], [None], "9" * 5000,
]  # fmt: skip
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")


def mutate_bytes(text: str, rng: np.random.Generator) -> str:
    """Cut, repeat, delete or overwrite a stretch of the text."""
    data = text
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(data) + 1))
        length = int(rng.choice([1, 1, 2, 8, 60]))
        other = int(rng.integers(len(data) + 1))
        stretch = data[other : other + length]
        kind = rng.integers(5)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + data[at + length :]
        elif kind == 2:
            data = data[:at] + stretch + data[at:]
        elif kind == 3:
            data = data[:at] + stretch + data[at + length :]
        else:
            data = data[:at] + chr(int(rng.integers(0, 300))) + data[at + 1 :]
    return data


def mutate_tokens(text: str, rng: np.random.Generator) -> str:
    """Replace a few numbers by hostile ones, or by other numbers of the file."""
    for _ in range(int(rng.integers(1, 4))):
        found = list(NUMBER.finditer(text))
        if not found:
            return text
        match = found[int(rng.integers(len(found)))]
        if rng.random() < 0.4:
            new = found[int(rng.integers(len(found)))].group()
        elif rng.random() < 0.4:
            new = str(int(rng.integers(-3, 12)))
        else:
            new = NUMBERS[int(rng.integers(len(NUMBERS)))]
        text = text[: match.start()] + new + text[match.end() :]
    return text


def mutate_lines(text: str, rng: np.random.Generator) -> str:
    """Drop, repeat or move a line."""
    lines = text.split("\n")
    at, to = (int(rng.integers(len(lines))) for _ in range(2))
    kind = rng.integers(3)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(to, lines[at])
    else:
        lines[at], lines[to] = lines[to], lines[at]
    return "\n".join(lines)


def mutate_json(text: str, rng: np.random.Generator) -> str:
    """Replace, drop, repeat or exchange values anywhere in a JSON document."""
    top = json.loads(text)
    for _ in range(int(rng.integers(1, 3))):
        places: list[tuple[dict | list, str | int]] = []
        stack = [top]
        while stack:
            value = stack.pop()
            keys = list(value) if isinstance(value, dict) else list(range(len(value)))
            for key in keys:
                places.append((value, key))
                if isinstance(value[key], (dict, list)):
                    stack.append(value[key])
        if not places:
            break
        home, key = places[int(rng.integers(len(places)))]
        other, other_key = places[int(rng.integers(len(places)))]
        kind = rng.integers(5)
        if kind == 0:
            del home[key]
        elif kind == 1 and isinstance(home, list):
            home.insert(key, home[key])
        elif kind == 2:
            home[key] = json.loads(json.dumps(other[other_key]))
        elif kind == 3 and isinstance(home[key], (int, float)):
            home[key] = int(rng.integers(-2, 12))
        else:
            home[key] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    return json.dumps(top)


def mutants(text: str, n: int, seed: int, *, is_json: bool):
    """Yield `n` damaged copies of a text."""
    rng = np.random.default_rng(seed)
    kinds = [mutate_bytes, mutate_tokens, mutate_lines] + ([mutate_json] * 3 if is_json else [])
    for _ in range(n):
        yield kinds[int(rng.integers(len(kinds)))](text, rng)
