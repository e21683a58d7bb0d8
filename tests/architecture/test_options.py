"""One table of switches for each engine: the class, the struct and the binding that come from it agree."""

import importlib.util
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from treewright._native import core
from treewright.errors import InputError
from treewright.search import BinaryOptions, LeafAccuracyOptions, RankedOptions
from treewright.search._switches import Switches

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("write_options", ROOT / "tools" / "write_options.py")
assert SPEC is not None
assert SPEC.loader is not None
write_options = importlib.util.module_from_spec(SPEC)
sys.modules["write_options"] = write_options  # its dataclasses ask for it
SPEC.loader.exec_module(write_options)


def test_the_classes_are_those_of_the_tables() -> None:
    for made in write_options.MADE:
        here = (write_options.CLASSES / made.module).read_text()
        assert here == write_options.written(made), "python tools/write_options.py"


@pytest.mark.parametrize(
    ("kind", "no_switches"),
    [(BinaryOptions, set()), (RankedOptions, {"threads"}), (LeafAccuracyOptions, {"threads"})],
)
def test_the_core_has_the_same_switches_with_the_same_defaults(
    kind: type[Switches], no_switches: set[str]
) -> None:
    native, given = getattr(core, kind.__name__)(), kind()
    names = [field.name for field in fields(kind) if field.name not in kind.SETTINGS]
    assert {*names, *no_switches} == {name for name in dir(native) if not name.startswith("_")}
    made = given.native()
    for name in names:
        assert getattr(native, name) == getattr(made, name), name


@pytest.mark.parametrize("line", ["OPTION(bool, odd, true)", 'OPTION(bool odd, true, "text")'])
def test_a_line_that_is_none_is_refused(line: str, tmp_path: Path) -> None:
    table = tmp_path / "some.def"
    table.write_text(f'OPTION(bool, good, true, "text")\n{line}\n')
    with pytest.raises(ValueError, match=r"some\.def"):
        write_options.options_of(table)


def test_a_choice_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="kernel='fast'; choose one of automatic, rows, columns"):
        BinaryOptions(kernel="fast")
