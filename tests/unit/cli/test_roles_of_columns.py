"""A column that two options name: it would be read as one of the two without a word."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from treewright.cli import app


@pytest.mark.parametrize(
    ("verb", "options", "both"),
    [
        ("fit", "-t y --weight y", "--target and --weight"),
        ("fit", "-t y --weight y --shard-rows 20", "--target and --weight"),
        ("frontier", "-t y --weight y", "--target and --weight"),
        ("near-optimal", "-t y --weight y", "--target and --weight"),
        ("fit", "--task regression -t a,y --weight y", "--target and --weight"),
        ("fit", "--task survival -t y --event y", "--target and --event"),
        ("fit", "--task survival -t a --event y --weight y", "--weight and --event"),
        ("fit", "--task policy --reward y --reward a --weight y", "--weight and --reward"),
        ("fit", "-t y --row-cost 0=a --row-cost 1=y", "--target and --row-cost"),
    ],
)
def test_a_column_has_one_role(tmp_path, verb, options, both):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "".join(f"{k % 3},{k % 5},{k % 2}\n" for k in range(40)), encoding="utf-8")
    done = CliRunner().invoke(app, [verb, str(path), *options.split(), "--max-depth", "1"])
    assert done.exit_code == 2
    assert f"{both} name the same column, 'y'; give each a column of its own" in " ".join(done.stderr.split())
