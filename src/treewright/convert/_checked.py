"""A JSON value that knows where in the file it stands; every step down checks what it finds."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError

__all__ = ["LARGEST_INTEGER", "Checked", "parse"]

LARGEST_INTEGER = 2**53
LARGEST_FREE = 10**300  # so that sentences can tell it


def parse(text: str | bytes) -> Checked:
    """Parse strict JSON: no NaN, no duplicate keys, no nesting beyond what Python's stack takes.

    Raises
    ------
    ModelFileError
    """
    try:
        return Checked(json.loads(text, object_pairs_hook=_object, parse_constant=_constant), "")
    except ModelFileError:
        raise
    except RecursionError:
        raise ModelFileError("The model file is nested too deeply to be one of ours.") from None
    except MemoryError:
        raise ModelFileError("The model file does not fit into memory.") from None
    except ValueError as error:  # JSONDecodeError, or an integer of thousands of digits
        start = text.lstrip()[:1]
        if start in ("<", b"<"):
            raise ModelFileError(
                "This is a web page, not a model file. Give the JSON file that the fit wrote (--out); a report cannot "
                "be checked by itself."
            ) from None
        if start not in ("{", b"{", "", b""):
            first = text[:200] if isinstance(text, str) else text[:200].decode("utf-8", errors="replace")
            line = first.lstrip().partition("\n")[0]
            raise ModelFileError(
                f"This is no model file, for it is not JSON: it begins with {line[:40]!r}. If it is the table, give it "
                "after the model file."
            ) from None
        raise ModelFileError(
            f"The model file is not JSON ({error}). It may be cut off or not a model file at all."
        ) from None


class Checked:
    """One JSON value and its path, for example ``nodes[3].split.threshold``."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str) -> None:
        self.value = value
        self.path = path

    def fail(self, accepted: str) -> NoReturn:
        """Raise the error that says where, what came and what is accepted."""
        if isinstance(self.value, dict):
            came = "an object"
        elif isinstance(self.value, list):
            came = f"a list of {len(self.value)}"
        else:
            came = json.dumps(self.value)
        raise ModelFileError(
            f"Model file, at {self.path or 'the top'}: {came[:60]} is not accepted; it must be {accepted}."
        )

    def fields(self, *names: str, optional: tuple[str, ...] = ()) -> dict[str, Checked]:
        """Return the fields of an object that must have these; an optional one may be absent (null)."""
        if not isinstance(self.value, dict):
            self.fail(f"an object with {', '.join(names)}")
        for name in names:
            if name not in self.value:
                raise ModelFileError(
                    f"Model file, at {self.path or 'the top'}: the field {name!r} is absent."
                )
        names = (*names, *optional)
        for name in self.value:
            if name not in names:
                raise ModelFileError(
                    f"Model file, at {self.path or 'the top'}: unknown field {name[:60]!r}; version 1 has "
                    f"{', '.join(names)}."
                )
        prefix = f"{self.path}." if self.path else ""
        return {name: Checked(self.value.get(name), prefix + name) for name in names}

    def field(self, name: str) -> Checked:
        """Return one field of an object that may have others."""
        if not isinstance(self.value, dict) or name not in self.value:
            self.fail(f"an object with {name!r}")
        return Checked(self.value[name], f"{self.path}.{name}" if self.path else name)

    def __contains__(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def integers(self, length: int, low: int, high: int) -> NDArray[np.int64]:
        """Return a list of `length` integers (or truth values) from `low` to `high` as an array."""
        array = self._array(length, "biu")
        if len(array) and not low <= array.min() <= array.max() <= high:
            self.fail(f"a list of integers from {low} to {high}")
        return array.astype(np.int64)

    def numbers(self, length: int) -> NDArray[np.float64]:
        """Return a list of `length` finite numbers as an array."""
        array = self._array(length, "iuf").astype(np.float64)
        if not np.isfinite(array).all():
            self.fail("a list of finite numbers")
        return array

    def _array(self, length: int, kinds: str) -> NDArray[Any]:
        wanted = f"a list of {length} {'numbers' if 'f' in kinds else 'integers'}"
        if not isinstance(self.value, list) or len(self.value) != length:
            self.fail(wanted)
        try:
            array = np.array(self.value) if length else np.empty(0, dtype=np.int64)
        except (ValueError, OverflowError, RecursionError):  # lists of different lengths
            self.fail(wanted)
        if array.ndim != 1 or array.dtype.kind not in kinds:
            self.fail(wanted)
        return array

    def entries(self, least: int = 0, most: int = 2**31 - 1) -> Iterator[Checked]:
        """Return the entries of a list of `least` to `most` entries."""
        if not isinstance(self.value, list) or not least <= len(self.value) <= most:
            bounds = f"exactly {least}" if least == most else f"{least} to {most}"
            self.fail(f"a list of {bounds} entries")
        return (Checked(entry, f"{self.path}[{k}]") for k, entry in enumerate(self.value))

    def text(self) -> str:
        """Return a string that can be printed as UTF-8."""
        if not isinstance(self.value, str):
            self.fail("text")
        try:
            self.value.encode("utf-8")
        except UnicodeEncodeError:
            self.fail("valid Unicode text")
        return self.value

    def choice(self, *accepted: str) -> str:
        """Return one of the accepted words."""
        if not isinstance(self.value, str) or self.value not in accepted:
            self.fail("one of " + ", ".join(map(repr, accepted)))
        return self.value

    def boolean(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.fail("true or false")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            self.fail(f"an integer from {low} to {high}")
        return self.value

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        """Return a finite number from `low` to `high`."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail("a number")
        if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            self.fail("a number that float64 holds exactly")
        if not math.isfinite(value):
            self.fail("finite")
        if not low <= value <= high:
            self.fail(f"a number from {low:g} to {high:g}")
        return float(value)

    def threshold(self) -> float:
        """Return a number, or infinity written as "inf" or "-inf"."""
        if self.value in ("inf", "-inf") and isinstance(self.value, str):
            return float(self.value)
        if isinstance(self.value, str):
            self.fail('a number, "inf" or "-inf"')
        return self.number()

    def optional_integer(self, low: int, high: int) -> int | None:
        """Return an integer from `low` to `high`, or None for null."""
        return None if self.value is None else self.integer(low, high)

    def optional_text(self) -> str | None:
        """Return text, or None for null."""
        return None if self.value is None else self.text()

    def free(self, depth: int = 8) -> Any:
        """Return any JSON value of at most `depth` levels; infinite numbers are the strings "inf", "-inf"."""
        if depth == 0:
            self.fail("nested less deeply")
        if isinstance(self.value, dict):
            for name in self.value:
                Checked(name, f"{self.path}: field name").text()
            return {
                name: Checked(entry, f"{self.path}.{name}").free(depth - 1)
                for name, entry in self.value.items()
            }
        if isinstance(self.value, list):
            return [entry.free(depth - 1) for entry in self.entries()]
        if isinstance(self.value, str):
            return float(self.value) if self.value in ("inf", "-inf", "nan") else self.text()
        if isinstance(self.value, float):
            return self.number()
        if isinstance(self.value, int) and abs(self.value) > LARGEST_FREE:
            self.fail("a number that float64 can hold")
        return self.value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name, count in times.items() if count > 1)
        raise ModelFileError(f"The model file names the field {twice[:60]!r} twice in one object.")
    return result


def _constant(word: str) -> NoReturn:
    raise ModelFileError(
        f'The model file holds {word}, which is not a JSON number; a tree of ours writes infinite thresholds as "inf".'
    )
