"""`treewright look`: what a file seems to hold, and the options that settle it, before anything is fitted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._kept_settings import check_kept, with_kept, without_repeats, without_settled
from treewright.cli._options import Csv, Ignore, SettingsFile
from treewright.cli._output import say
from treewright.cli._probability import named_costs
from treewright.cli._question import Categorical, RowCost, Weight
from treewright.cli._read_csv import check_roles, column_names, reading_file, settings_with
from treewright.cli._regression import outputs_named
from treewright.cli._wording import as_options
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.table import Look

__all__ = ["look"]

SETTINGS = "columns.yaml"
KEPT_OPTIONS = ("missing", "missing_in", "decimal_comma", "day_first", "encoding", "separator", "decimal_in")


@reads_csv
@exits_by_code
def look(
    data: Csv,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Column of labels, numbers or times; several outputs as a,b.",
            metavar="COLUMN",
        ),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Accept all proposals and write them to the file that --out names.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="--fix: file to write.", show_default=f"{SETTINGS} beside the data"),
    ] = None,
    columns: SettingsFile = None,
    weight: Weight = None,
    reward: Annotated[
        list[str] | None,
        typer.Option(
            help="For fit --task policy: column of the rewards of one action. Repeatable, once per action.",
            metavar="COLUMN",
        ),
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(
            help="For fit --task survival: column that says whether the event was seen (1) or not (0); --target has "
            "the times.",
            metavar="COLUMN",
        ),
    ] = None,
    row_cost: RowCost = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    *,
    how: CsvOptions,
) -> None:
    """Show what a CSV file contains: columns by kind, labels, and what you have to decide before a fit.

    It points to columns that number the rows, codes that are read as quantities, a number that stands for "unknown",
    words written in several ways, columns that cannot help, and rows that repeat. It does not change the file.
    Columns that the fit takes for something else than features (--weight, --reward, --event, --row-cost) are left out.

    \b
    Examples:
      treewright look data.csv --target y
      treewright look data.csv --target y --fix
      treewright fit data.csv --target y --columns columns.yaml
      treewright look data.csv --target y --columns columns.yaml      # what is still open
      treewright look patients.csv --target months --event died --weight copies

    Exit codes: 0 done, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import check_writable, write_bytes
    from treewright.table import look as look_at_file
    from treewright.table import settings_of, settings_text

    if out is not None and not fix:
        raise InputError("--out is the file that --fix writes; add --fix, or leave it out.")
    if reward and target is not None:
        raise InputError("--reward is for fit --task policy, which has no --target; leave one of them out.")
    path = data.parent / SETTINGS if out is None else out
    if fix:
        check_writable(path)
        check_kept(path, columns)
    kept = settings_with(columns, **how)
    outputs = (
        ()
        if target is None
        else outputs_named(target, lambda: column_names(data, kept.separator, kept.encoding))
    )
    roles = _Roles(target, outputs, weight, tuple(reward or ()), event, tuple(row_cost or ()))
    settled: dict[str, Any] = {
        "ignore": (*(ignore or ()), *kept.ignore),
        "categorical": (*(categorical or ()), *kept.categorical),
    }
    with reading_file(data):
        seen = look_at_file(
            data,
            roles.labels,
            ignore=(*settled["ignore"], *roles.left_out()),
            outcome=roles.times,
            categorical=settled["categorical"],
            order=kept.order,
            **kept.reading_options(),
        )
    seen = without_settled(seen, kept)
    if reward or row_cost:
        seen = without_repeats(seen)
    say(as_options(str(seen)))
    options = seen.options()
    quantity = _is_no_class(seen)
    if fix:
        settled |= {name: getattr(kept, name) for name in KEPT_OPTIONS}
        settings = settings_of(seen, **settled)
        write_bytes(path, settings_text(with_kept(settings, kept)).encode("utf-8"))
        say()
        say(
            f"Wrote {path}. Use it: treewright fit {_word(data)}{roles.words(quantity)} --columns {_word(path)}"
        )
    elif options or any(finding.order for finding in seen.findings):
        repeated = {
            "ignore": ignore,
            "categorical": categorical,
            "missing": how["missing"],
            "decimal": how["decimal"],
        }
        given = _given(columns, how, repeated)
        say()
        if any(finding.order for finding in seen.findings):
            say("Accept all: add --fix, which writes a file that fit reads with --columns.")
        else:
            say(f"Accept all: treewright fit {_word(data)}{roles.words(quantity)} {given}{options}")
            say("Or add --fix: it writes them to a file that fit reads with --columns.")
    first = sum(finding.is_fault and not finding.action for finding in seen.findings)
    if first:
        say(f"But first, in the file itself: {'point 1' if first == 1 else f'points 1 to {first}'} above.")
    if seen.open_columns():
        say(f"Still to decide: {', '.join(seen.open_columns())} (see above).")


def _is_no_class(seen: Look) -> bool:
    """Whether a fit refuses the labels, because they are a quantity or numbers that are not whole."""
    import numpy as np

    from treewright.table import is_no_class

    labels, rows = [label for label, _ in seen.labels], [count for _, count in seen.labels]
    try:
        values = np.array(labels, dtype=np.float64)
    except ValueError:
        return is_no_class(np.array(labels, dtype=np.str_))
    if len(values) == 0:
        return False
    is_broken = bool((np.isfinite(values) & (values != np.floor(values))).any())
    return is_broken or is_no_class(np.repeat(values, rows))


def _given(columns: Path | None, how: CsvOptions, repeated: dict[str, list[str] | None]) -> str:
    """The options of this call that a fit needs as well, each with a blank behind it."""
    pairs = [("columns", columns), ("encoding", how["encoding"]), ("separator", how["separator"])]
    pairs += [(name, value) for name, values in repeated.items() for value in values or ()]
    words = [f"--{name} {shlex.quote(str(value))}" for name, value in pairs if value is not None]
    if how["decimal_comma"] is not None:
        words.append("--decimal-comma" if how["decimal_comma"] else "--decimal-point")
    if how["day_first"] is not None:
        words.append("--day-first" if how["day_first"] else "--month-first")
    return "".join(f"{word} " for word in words)


@dataclass(frozen=True)
class _Roles:
    """Columns that a fit takes for something else than features, by option."""

    target: str | None
    outputs: tuple[str, ...]  # the target, or several
    weight: str | None
    reward: tuple[str, ...]
    event: str | None
    row_cost: tuple[str, ...]

    @property
    def labels(self) -> str | None:
        """The column of labels, if there is one; times and several outputs are none."""
        return self.target if self.event is None and len(self.outputs) == 1 else None

    @property
    def times(self) -> str | None:
        """The column of times, if there is one."""
        return self.target if self.event is not None else None

    def left_out(self) -> list[str]:
        """What is not looked at, as it is neither a feature nor the labels."""
        roles: dict[str, Iterable[str | None]] = {
            "--target": self.outputs,
            "--weight": (self.weight,),
            "--reward": self.reward,
            "--event": (self.event,),
            "--row-cost": named_costs(self.row_cost).values(),
        }
        check_roles(roles)
        return [
            name
            for names in roles.values()
            for name in names
            if name is not None and name not in (self.labels, self.times)
        ]

    def words(self, quantity: bool) -> str:
        """The options of a fit that say what is asked, each with a blank before it.

        Parameters
        ----------
        quantity : bool
            Whether the target holds so many numbers that a fit refuses them as labels.
        """
        if self.reward:
            task: str | None = "policy"
        elif self.event is not None:
            task = "survival"
        else:
            task = "regression" if quantity or len(self.outputs) > 1 else None
        target = "COLUMN" if self.target is None and not self.reward else self.target
        pairs = [("task", task), ("target", target), ("event", self.event), ("weight", self.weight)]
        pairs += [("reward", name) for name in self.reward] + [("row-cost", entry) for entry in self.row_cost]
        return "".join(f" --{name} {shlex.quote(value)}" for name, value in pairs if value is not None)


def _word(path: Path) -> str:
    return shlex.quote(str(path))
