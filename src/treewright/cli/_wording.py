"""How the command line says things: options instead of arguments, trees as text, sizes and effort."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright._plural import count_of

if TYPE_CHECKING:
    from treewright.result import SolveResult
    from treewright.table import Settings, Table
    from treewright.tree import Tree

__all__ = ["as_options", "effort", "saved_to", "size_of", "tree_text"]


def as_options(message: str) -> str:
    """Name the options where a message of the library names its arguments."""
    for argument, option in IN_OTHER_WORDS:
        message = message.replace(argument, option)
    message = re.sub(
        r"""^(?:'(.*?)'|"(.*?)")( has .* Say where to cut it) \(cuts\), such as at (\S+) and (\S+)(?=\.$)""",
        _with_cuts,
        message,
    )
    message = re.sub(r"""\b(encoding|separator)=(["'])(.*?)\2""", r"--\1 \2\3\2", message)
    message = re.sub(
        r"""\bdecimal_in=\{(?:'(.*?)'|"(.*?)"): '\.'\}, or ','""",
        lambda found: f"--decimal {shlex.quote(f'{found[1] or found[2]}=point')}, or =comma",
        message,
    )
    message = re.sub(r"""\bothers\[(["'])(.*?)\1\]""", r"--compare \2", message)
    message = re.sub(
        rf"\b({'|'.join(ARGUMENTS)})=", lambda found: f"--{found.group(1).replace('_', '-')} ", message
    )
    message = re.sub(r"\bto_(python|c|sql|onnx)\b", r"--to \1", message)
    return re.sub(ADVICE, lambda found: re.sub(SAID_ALONE, _option, found.group()), message)


def _with_cuts(found: re.Match[str]) -> str:
    title = found[1] or found[2]
    cuts = shlex.quote(f"{title}={found[4]},{found[5]}")
    return f"{title!r}{found[3]}, such as --cut {cuts}"


def _option(name: re.Match[str]) -> str:
    return f"--{name.group().replace('_', '-')}"


IN_OTHER_WORDS = (
    ("n_jobs=", "--jobs "),
    ("(spill_folder=...)", "(--spill-folder FOLDER)"),
    ("decimal_comma=True", "--decimal-comma"),
    ("decimal_comma=False", "--decimal-point"),
    ("day_first=True", "--day-first"),
    ("day_first=False", "--month-first"),
    ("the missing values", "the missing values (--missing COLUMN=TEXT)"),
    ("declare the column categorical", "declare the column categorical (--categorical NAME)"),
    ("declare these columns categorical", "declare these columns categorical (--categorical NAME)"),
    ("declare it categorical", "declare it categorical (--categorical NAME)"),
    ("ignore the column", "leave the column out (--ignore NAME)"),
    (
        "X = treewright.table.expand_dates(X) replaces the dates of a data frame by numbers: year, month, weekday, "
        "hour and age in days. For new rows: treewright.table.expand_dates(X_new, like=X).",
        "Save the column as text, as in the files that the tree was made from.",
    ),
    ("ignore it.", "leave it out (--ignore NAME)."),
    ("leave its cuts out", "leave its --cut out"),
    ("(prune='active')", "(--prune active)"),
    ('(faithful="rows")', "(--faithful rows)"),
    ("Raise tolerance,", "Raise --tolerance,"),
    ("action_costs names", "--action-cost names"),
    (" (None builds whatever it takes)", ""),
    ("use precision='float64'", "leave --float32 out"),
    ('(class_weight="balanced")', "(--class-weight balanced)"),
    ("(OptimalProbabilityTree)", "(--task probability)"),
    ('leaf_model="constant"', "--leaf-model constant"),
    ("use OptimalTreeRegressor", "fit a regression tree (treewright fit --task regression)"),
    ("Unknown label type: continuous. y holds", "The target holds"),
    (
        "a smaller max_depth or a larger cost_complexity make",
        "a smaller --max-depth or a larger --cost-complexity make",
    ),
    ("Cut y into classes first", "Make it two or a few classes in the file"),
    ('leaf_estimator="xgboost"', "--leaf-model xgboost"),
    ("leave leaf_estimator out", "leave --leaf-model out"),
    ('tune="optuna" needs', "--tune with a number needs"),
    ("leave tune out", "leave --tune out"),
    ("`treewright.show.to_text` and `to_graphviz` work", "--format text and --format dot work"),
)
# Names of arguments stand alone in advice, as in "raise memory_limit"; elsewhere they may be names of columns.
ADVICE = r"\b[Rr]aise [^.:;]*|\b(?:lower|larger|smaller) \w+|\bthan memory_limit allows|\btime_limit ended"
SAID_ALONE = r"""(?<!["'-])\b(?:max_depth|max_leaves|memory_limit|time_limit)\b(?!["'=])"""
ARGUMENTS = (
    "backend", "class_weight", "confidence", "cost_complexity", "criterion", "digits", "epsilon", "fewest_rows", "gap",
    "guess_tolerance",
    "max_depth", "max_leaf_nodes", "max_leaves", "max_objective", "memory_limit", "min_samples_leaf", "n_estimators",
    "objective", "only", "positive", "root", "sample_weight", "shard_rows", "slack", "spill_folder", "step_limit",
    "thresholds", "time_limit", "tolerance", "uses", "without",
)  # fmt: skip


def tree_text(
    tree: Tree | SolveResult, ascii_only: bool = False, titles: Settings | Path | None = None, **options: Any
) -> str:
    """Return the tree as text, with the names that `titles` gives, in ASCII if the terminal cannot do better.

    A result instead of its tree has the mean rewards of a policy after the costs of the actions.
    """
    from treewright.show import to_text, with_titles

    return to_text(with_titles(tree, titles), ascii_only=ascii_only or not _can_print("├─│└→"), **options)


def effort(stats: Mapping[str, Any], reading: float | None = None, time_limit: float | None = None) -> str:
    """Say how long reading, guessing and the search took, and how many subproblems it solved."""
    count = stats["subproblems"]
    search = f"Search: {stats['seconds']:.3f} s, {count_of(count, 'subproblem')}."
    if reading is None:
        return search
    parts = "both"
    if "seconds_of_guessing" in stats:
        search, parts = f"Guessing: {stats['seconds_of_guessing']:.3f} s. {search}", "all of it"
    counted = "" if time_limit is None else f" --time-limit {time_limit:g} counts {parts}."
    return f"Reading: {reading:.3f} s. {search}{counted}"


def size_of(table: Table) -> str:
    """Return "200 rows, 1 column" for a table of that size."""
    rows, columns = table.n_rows, len(table.columns)
    return f"{count_of(rows, 'row')}, {count_of(columns, 'column')}"


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def saved_to(out: object, data: object) -> str:
    """Say where a model was saved, and the command that checks it."""
    said = f"treewright verify {shlex.quote(str(out))} {shlex.quote(str(data))}"
    return f"Saved to {out}. Check it any time: {said}"
