"""The stored results as Markdown tables, for the documentation: ``python -m benchmarks.published``.

Every number comes from a file in `results/`; none is typed a second time. A file whose rows hold the solvers' answers
(`_compare.compare` writes such) becomes one table; those of guessing, `latent-ensemble`, `latent-kernels`,
`leaf_accuracy` and `near_optimal` have shapes of their own; of any other file the plain values of its rows are shown.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks._guessing_tables import figure_tables, held_out_tables
from benchmarks._latent_tables import ensemble_tables, kernel_tables
from benchmarks._leaf_accuracy_tables import TABLES as LEAF_ACCURACY_TABLES
from benchmarks._set_tables import cell
from benchmarks._set_tables import summary as sets_in_short
from benchmarks._tables import finished, format_table, show_depth

__all__ = ["about", "command_of", "made_by", "results", "subject_of", "summary", "table"]

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
ABOUT_FILES = {
    "answers",
    "data",
    "environments",
    "folder",
    "fresh",
    "made",
    "out",
    "reuse",
    "run",
    "save",
    "store",
    "write",
}  # options that change no figure
NAMED_OTHERWISE = {
    "guessing-elimination": "guessing --no-searching",
    "near_optimal-continuous": "near_optimal --save near_optimal-continuous",
    "shards-agreement": "shard_agreement",
}

Row = dict[str, Any]
TABLES_OF: dict[str, Callable[[Sequence[Row]], list[str]]] = {
    "guessing_figures": figure_tables,
    "guessing_held_out": held_out_tables,
    "latent-ensemble": ensemble_tables,
    "latent-kernels": kernel_tables,
}


def results(folder: Path = RESULTS) -> list[Path]:
    """Return the stored results, by name."""
    return sorted(folder.glob("*.json"))


def command_of(name: str) -> str:
    """Return the command that makes a results file again."""
    if name in NAMED_OTHERWISE:
        return f"python -m benchmarks.{NAMED_OTHERWISE[name]}"
    parts = name.replace("_", "-").split("-")
    for n in range(len(parts), 0, -1):
        module = "_".join(parts[:n])
        if (HERE / f"{module}.py").exists():  # what follows is a command of it: sparse-grid is `sparse grid`
            return " ".join([f"python -m benchmarks.{module}", *(["-".join(parts[n:])] if parts[n:] else [])])
    raise ValueError(f"No benchmark writes {name!r}; name a results file after its module and command.")


def made_by(name: str, content: Row) -> tuple[str, str]:
    """Return the command that made a results file, and what of its options is not recorded, or an empty string.

    A file without its command gets the options that it has stored, where the command takes them by that name. What the
    command takes without a name, such as a path, is not stored; it is named in capitals.
    """
    if content.get("command"):
        return content["command"], ""
    command = command_of(name)
    taken, of_words, unnamed = _options_of(*command.split()[2:4])
    stored = {key: value for key, value in content.get("options", {}).items() if key in taken}
    words = [word for key, value in stored.items() for word in _given(key, value, of_words)]
    others = "other options" if words else "options"
    return shlex.join(
        [*command.split(), *unnamed, *words]
    ), f"{others} not recorded" if taken - stored.keys() else ""


def _given(key: str, value: object, of_words: bool) -> list[str]:
    """Return an option as it is typed; nothing for one that was left out, or that is stored in another form."""
    option = f"--{key.replace('_', '-')}"
    if isinstance(value, bool):
        return [option] if value else []
    if isinstance(value, list) and of_words:
        return [option, *map(str, value)]
    return [option, str(value)] if isinstance(value, str | int | float) else []


def _options_of(module: str, command: str = "") -> tuple[set[str], bool, list[str]]:
    """Return the options that steer a command, whether they take several words, and what it takes without a name."""
    text = (HERE / f"{module.split('.')[1]}.py").read_text(encoding="utf-8")
    by_words = set(re.findall(r'add_argument\(\s*"--([a-z-]+)"', text))
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    named = [node for node in functions if node.name == command.replace("-", "_")]
    commands = [node for node in functions if any(".command(" in ast.unparse(d) for d in node.decorator_list)]
    alone = [node for node in functions if f"typer.run({node.name})" in text] or commands[:1]
    arguments = [argument for node in named or alone for argument in node.args.args]
    unnamed = [a.arg for a in arguments if a.annotation and "typer.Argument" in ast.unparse(a.annotation)]
    parameters = {argument.arg for argument in arguments} - set(unnamed)
    taken = ({name.replace("-", "_") for name in by_words} or parameters) - ABOUT_FILES
    return taken, bool(by_words), [name.upper() for name in unnamed]


def subject_of(name: str) -> str:
    """Return what the benchmark of a results file is about: the first line of its module, without the command."""
    module = command_of(name).split()[2].removeprefix("benchmarks.")
    documented = ast.get_docstring(ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))) or ""
    return documented.splitlines()[0].split(": ``python")[0].rstrip(".")


def about(content: Row) -> str:
    """Return date, machine, versions and options in a sentence or two."""
    machine = content["machine"]
    load = machine.get("load_average")
    busy = f", load average {load[0]:g} before the run" if load else ""
    processor = ", ".join(machine[key] for key in ("processor", "instructions") if key in machine)
    text = (
        f"Made {content['made']} on a machine of {machine['cores']} cores ({processor}, "
        f"{machine['system']}, Python {machine['python']}{busy})."
    )
    if content["versions"]:
        text += " Versions: " + ", ".join(f"{k} {v}" for k, v in content["versions"].items()) + "."
    plain = {k: v for k, v in content["options"].items() if not isinstance(v, dict | list)}
    if plain:
        text += " Options: " + ", ".join(f"{k.replace('_', ' ')} {_value(v)}" for k, v in plain.items()) + "."
    return text


SETS = {f"near_optimal{kind}" for kind in ("", "-complete", "-continuous", "-continuous-complete")}


def table(content: Row) -> str:
    """Return the rows as one Markdown table, or as several with titles."""
    rows = content["rows"]
    if content["benchmark"] in LEAF_ACCURACY_TABLES:
        return "\n\n".join(LEAF_ACCURACY_TABLES[content["benchmark"]](rows))
    if content["benchmark"] in TABLES_OF:
        return "\n\n".join(TABLES_OF[content["benchmark"]](rows))
    if content["benchmark"] == "guessing":
        return _guessing(rows)
    if content["benchmark"] in SETS:
        return _sets(rows)
    answered = [row for row in rows if isinstance(row.get("answers"), list)]
    return _answers(answered) if answered else _plain(rows)


def summary(content: Row) -> str:
    """Return what all rows of near-optimal sets come to, one column a peer."""
    return sets_in_short(content["rows"])


def _answers(rows: Sequence[Row]) -> str:
    """One row a problem, one column a solver: CPU seconds of `fit`, and what is not proven."""
    solvers = list(dict.fromkeys(answer["solver"] for row in rows for answer in row["answers"]))
    header = ["table", "rows x columns", "cost", "depth", "best known", *solvers]
    cells = []
    for row in rows:
        by_solver = {answer["solver"]: answer for answer in row["answers"]}
        known = [a["objective"] for a in row["answers"] if "objective" in a]
        best = min([*known, *([row["reference"]] if row.get("reference") is not None else [])], default=None)
        cells.append(
            [
                row["data"],
                f"{row['n_rows']} x {row['n_columns']}",
                f"{row['cost_complexity']:g}" if row.get("cost_complexity") is not None else "",
                show_depth(row.get("max_depth")),
                "" if best is None else f"{best:.6f}",
                *(_answer(by_solver.get(solver), best) for solver in solvers),
            ]
        )
    return format_table(header, cells)


def _answer(answer: Row | None, best: float | None) -> str:
    if answer is None:
        return "-"
    seconds = answer.get("cpu_seconds")
    text = f"{seconds:.2g} s" if seconds is not None else str(answer["status"])
    if "objective" not in answer:
        return text if seconds is None else f"{text} ({answer['status']})"
    off = best is not None and answer["objective"] > best + 1e-6
    if not finished(answer):
        return f"{text} (no proof, {answer['objective']:.6f})"
    if not off:
        return text
    capped = any("capped" in note for note in answer.get("notes", ()))
    return f"{text} ({'depth capped' if capped else 'not optimal'}, {answer['objective']:.6f})"


def _sets(rows: Sequence[Row]) -> str:
    """One row a set of trees and a peer: trees, processor seconds and megabytes of both."""
    header = ["table", "rows x columns", "leaf penalty", "epsilon", "depth", "peer", "ours", "the peer's"]
    cells = []
    for row in rows:
        ours, theirs = (" / ".join(cell(answer)).strip(" /") for answer in row["answers"])
        size = f"{row['rows']} x {row['columns']}"
        cells.append(
            [
                row["table"],
                size,
                row["price"],
                row["epsilon"],
                row["depth"],
                row["answers"][1]["package"],
                ours,
                theirs,
            ]
        )
    return "Trees / processor seconds / megabytes.\n\n" + format_table(header, cells)


def _guessing(rows: Sequence[Row]) -> str:
    """Medians over folds and depths: one row for each table and price."""
    fits = [row for row in rows if "guessed" in row]
    keys = list(dict.fromkeys((row["data"], row["cost_complexity"]) for row in fits))
    names = {
        "gosdt": "gosdt, its guesses",
        "guessed": "all guesses",
        "exact": "guessed thresholds, exact search",
    }
    header = [
        "table",
        "cost",
        "fits",
        *(f"{name}: {what}" for name in names.values() for what in ("s", "test")),
    ]
    cells = []
    for data, cost in keys:
        mine = [row for row in fits if (row["data"], row["cost_complexity"]) == (data, cost)]
        cell = [data, f"{cost:g}", str(len(mine))]
        for who in names:
            answers = [row[who] for row in mine if "seconds" in row.get(who, {})]
            tests = [a["test"] for a in answers if "test" in a]
            cell.append(f"{statistics.median(a['seconds'] for a in answers):.2g}" if answers else "-")
            cell.append(f"{statistics.median(tests):.3f}" if tests else "-")
        cells.append(cell)
    return format_table(header, cells)


def _plain(rows: Sequence[Row]) -> str:
    """The values of the rows that fit into a cell; long texts, long lists and nested parts stay in the file."""
    flat = [_flat(row) for row in rows]
    header = list(dict.fromkeys(key for row in flat for key in row))
    if not header:
        return ""
    return format_table(
        [key.replace("_", " ") for key in header], [[row.get(key, "") for key in header] for row in flat]
    )


def _flat(row: Row, before: str = "") -> dict[str, str]:
    cells: dict[str, str] = {}
    for key, value in row.items():
        if isinstance(value, dict) and not before:
            cells |= _flat(value, f"{key}: ")
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(part, float) for part in value):
            cells[before + key] = " ± ".join(map(_value, value))  # a mean, and its error or deviation
        elif not isinstance(value, dict | list) and key != "sha256" and len(str(value)) <= 40:
            cells[before + key] = _value(value)
    return cells


def _value(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def main() -> None:
    """Print all tables."""
    for path in results():
        content = json.loads(path.read_text(encoding="utf-8"))
        command, unknown = made_by(path.stem, content)
        print(f"## {path.stem}\n\n    {command}\n\n{unknown}\n\n{about(content)}\n\n{table(content)}\n")


if __name__ == "__main__":
    main()
