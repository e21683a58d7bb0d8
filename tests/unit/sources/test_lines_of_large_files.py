"""An error in a file that is read in blocks names the line of the file, not that of the block."""

from __future__ import annotations

from pathlib import Path

import pytest

from treewright.errors import InputError
from treewright.sources import Roles, _blocks, open_source

N = 300
ODD = 250  # the row, counted from 0, that is wrong; it is on line ODD + 2
LINE = ODD + 2

ROWS = [f"{k},w{k % 3},{k % 2}" for k in range(N)]


def read(path: Path) -> None:
    for _ in open_source(path).pieces(Roles("y")):
        pass


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "BLOCK", 256)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,w1,0,7", rf"line {LINE}: 4 fields, but the header has 3"),
        ("1,w1", rf"line {LINE}: 2 fields, but the header has 3"),
        ('1,"w"1,0', rf"line {LINE}: "),
        ("1,w1,", rf"target 'y' is missing in 1 row of .* \(line {LINE}\)"),
        ("one,w1,0", rf"'one' \(line {LINE}\)"),
        ('"1\n",w1,0\none,w1,0', rf"'one' \(line {LINE + 2}\)"),
    ],
    ids=["more fields", "fewer fields", "quote", "no label", "text", "below a line end in quotes"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_of_the_file_is_named(tmp_path: Path, row: str, message: str, end: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(end.join(["x,word,y", *ROWS[:ODD], row, *ROWS[ODD:]]).encode())
    with pytest.raises(InputError, match=message) as whole:
        read(path)
    assert "rows.csv from line " in str(whole.value)


@pytest.mark.parametrize("above", ["\n\n", "sep=,\n"], ids=["blank", "separator"])
def test_lines_above_the_header_are_counted(tmp_path: Path, above: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(above + "\n".join(["x,word,y", *ROWS[:ODD], "1,w1,0,7", *ROWS[ODD:]]))
    with pytest.raises(InputError, match=rf"rows\.csv .*line {LINE + above.count(chr(10))}: 4 fields"):
        read(path)


def test_the_line_of_a_byte_that_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    lines = [line.encode() for line in ["x,word,y", *ROWS]]
    lines[ODD + 1] = b"1,w\xe9,0"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(InputError, match=rf"rows\.csv .* not valid utf-8: line {LINE}, byte 4 of it"):
        read(path)


def test_the_file_of_a_folder_is_named(tmp_path: Path) -> None:
    for name in "abc":
        odd = ["1,w1,0,7"] * (name == "b")
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,word,y", *ROWS[:ODD], *odd, *ROWS[ODD:]]))
    with pytest.raises(InputError, match=rf"b\.csv .*line {LINE}: 4 fields"):
        read(tmp_path)
