"""The results of `guessing_held_out` and `guessing_figures` as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks._tables import format_table, show_depth

__all__ = ["figure_tables", "held_out_tables"]

Row = dict[str, Any]

TITLES = {
    "front": "Figure 2: sparsity against accuracy, depth 5 at most; CART with as many leaves on the same folds",
    "switches": "Figures 3 and 4: each guess on and off, depth 5, leaf penalty .005",
    "depths": "Figure 5: compas, leaf penalty .001, guessed thresholds, exact search over them",
    "trees": "Figures 6 and 7: trees of the first fold",
    "poor": "Appendix D: references of few stumps, depth 5, leaf penalty .005",
}


def held_out_tables(rows: Sequence[Row]) -> list[str]:
    """Return test accuracy with standard errors, a row a table; and what else there is of each method."""
    by = {(row["data"], row["method"]): row for row in rows}
    methods = list(dict.fromkeys(row["method"] for row in rows))
    names = list(dict.fromkeys(row["data"] for row in rows))
    accuracy = [[name, *(_accuracy(by.get((name, method))) for method in methods)] for name in names]
    sized = [m for m in methods if any("leaves" in row for row in rows if row["method"] == m)]
    header = ["table", *(f"{m}: {what}" for m in sized for what in ("leaves", "s")), "not proven"]
    rest = []
    for name in names:
        mine = [by[name, method] for method in sized if (name, method) in by]
        if any("seconds" in row for row in mine):
            cells = [str(row.get(key, "-")) for row in mine for key in ("leaves", "seconds")]
            rest.append([name, *cells, ", ".join(_open(row) for row in mine if _open(row)) or "-"])
    return [format_table(["table", *methods], accuracy), format_table(header, rest)]


def _accuracy(row: Row | None) -> str:
    if row is None:
        return "-"
    error = row["standard error"]
    return f"{row['test accuracy, %']:.1f}" + ("" if error is None else f" ± {error:.1f}")


def _open(row: Row) -> str:
    """Say where a search did not end with a proof, or the reference learned nothing."""
    if "failed" in row:
        return f"{row['method']}: {row['failed']}"
    done, _, of = str(row.get("proven", "0 of 0")).partition(" of ")
    return "" if done == of else f"{row['method']}: {int(of) - int(done)} of {of}"


def figure_tables(rows: Sequence[Row]) -> list[str]:
    """Return a title and a table for each part that was run, and the trees as text."""
    found = []
    for part in dict.fromkeys(row["part"] for row in rows):
        mine = [_flat(row) for row in rows if row["part"] == part]
        names = list(dict.fromkeys(key for row in mine for key in row))
        cells = [[_cell(key, row.get(key, "")) for key in names] for row in mine]
        found += [TITLES[part] + ":", format_table(names, cells)]
        for row in rows:
            if row["part"] == part == "trees" and row["data"] == "compas":
                found.append(f"compas, depth {row['depth']}:\n\n```text\n{row['tree']}\n```")
    return found


def _flat(row: Row) -> Row:
    """A row without its part and its tree; of CART leaves and accuracy alone."""
    kept = {key: value for key, value in row.items() if key not in ("part", "tree", "CART")}
    return kept | {f"CART: {key}": row["CART"][key] for key in ("leaves", "train", "test") if "CART" in row}


def _cell(key: str, value: Any) -> str:
    if key == "depth":
        return show_depth(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
