"""The fields of a file of a near-optimal set: each read with its type and its range, arrays compressed in base64."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError

__all__ = ["Fields", "are_integers", "packed"]

MOST_ARRAY_BYTES = 1 << 33


def packed(array: Any, kind: str) -> str:
    """Return an array as text."""
    content = np.ascontiguousarray(array).astype(kind).tobytes()
    return base64.b64encode(zlib.compress(content, 6)).decode("ascii")


def are_integers(values: list[Any], low: int, high: int) -> bool:
    """Whether all are integers from `low` to `high`."""
    return all(isinstance(v, int) and not isinstance(v, bool) and low <= v <= high for v in values)


class Fields:
    """An object of the file, and where it stands."""

    def __init__(self, value: Any, path: str) -> None:
        self.value: Mapping[str, Any] = value
        self.path = path

    def fail(self, name: str, accepted: str) -> NoReturn:
        raise ModelFileError(f"File of the set, at {self.path}{name}: it must be {accepted}.")

    def field(self, name: str) -> Any:
        if name not in self.value:
            raise ModelFileError(
                f"File of the set, at {self.path or 'the top'}: the field {name!r} is absent."
            )
        return self.value[name]

    def object(self, name: str) -> Fields:
        value = self.field(name)
        if not isinstance(value, dict):
            self.fail(name, "an object")
        return Fields(value, f"{self.path}{name}.")

    def integer(self, name: str, low: int, high: int = 2**62) -> int:
        value = self.field(name)
        if not are_integers([value], low, high):
            self.fail(
                name, f"an integer of at least {low}" if high == 2**62 else f"an integer from {low} to {high}"
            )
        return int(value)

    def optional_integer(self, name: str, low: int) -> int | None:
        return None if self.field(name) is None else self.integer(name, low)

    def truth(self, name: str) -> bool:
        value = self.field(name)
        if not isinstance(value, bool):
            self.fail(name, "true or false")
        return value

    def text(self, name: str) -> str:
        value = self.field(name)
        if not isinstance(value, str):
            self.fail(name, "text")
        return value

    def texts(self, name: str, n: int) -> list[tuple[str, ...]]:
        value = self.field(name)
        lists = isinstance(value, list) and len(value) == n and all(isinstance(part, list) for part in value)
        if not lists or not all(isinstance(text, str) for part in value for text in part):
            self.fail(name, f"{n} lists of texts")
        return [tuple(part) for part in value]

    def optional_numbers(self, name: str, low: int, high: int) -> frozenset[int] | None:
        value = self.field(name)
        if value is None:
            return None
        if not isinstance(value, list) or not are_integers(value, low, high):
            self.fail(name, f"null or integers from {low} to {high}")
        return frozenset(value)

    def fraction(self, name: str) -> Fraction:
        value = self.text(name)
        try:
            number = Fraction(value) if len(value) < 5000 else None
        except (ValueError, ZeroDivisionError):
            number = None
        if number is None or not math.isfinite(_rounded(number)):
            self.fail(name, 'a fraction such as "7/200"')
        return number

    def array(self, name: str, kind: str, length: int | None) -> NDArray[Any]:
        text = self.text(name)
        size = np.dtype(kind).itemsize
        try:
            unpack = zlib.decompressobj()
            content = unpack.decompress(base64.b64decode(text, validate=True), MOST_ARRAY_BYTES)
            whole = unpack.eof and not unpack.unused_data and len(content) % size == 0
        except (ValueError, zlib.error):
            whole = False
        if not whole or (length is not None and len(content) != length * size):
            self.fail(
                name, "a whole array, compressed and in base64" + (f", of {length} numbers" if length else "")
            )
        native = np.frombuffer(content, dtype=kind)
        return native.astype(native.dtype.newbyteorder("="))


def _rounded(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
