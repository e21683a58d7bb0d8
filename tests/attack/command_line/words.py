"""The options of a command as the verbs of the command line take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attack.command_line.command import UNKNOWN, Command, Form

__all__ = [
    "file_option_words",
    "file_words",
    "fit_words",
    "frontier_words",
    "latent_words",
    "near_words",
    "reborn_words",
    "rule_words",
]

# Options of one value that have Python's name, whatever the verb.
PLAIN = (
    "cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf", "thresholds", "time_limit", "step_limit",
    "quantile", "confidence", "max_leaves", "epsilon", "slack", "max_objective", "gap", "shard_rows",
)  # fmt: skip
TASKS = {
    "regression": "regression",
    "several outputs": "regression",
    "policy": "policy",
    "survival": "survival",
    "probability": "probability",
}
OTHER_NAMES = {"n_jobs": "jobs", "random_state": "seed"}
SPELLED = ("criterion", "leaf_model", "objective", "leaf_labels")  # "_" of Python is "-" here
MEBIBYTE = 2**20


def option(name: str, value: Any) -> list[str]:
    """One option with its value; joined, so that a value may begin with a hyphen."""
    return [f"--{name.replace('_', '-')}={value}"]


def fit_words(command: Command) -> list[str]:
    """The options of `fit` but for the files."""
    case, form = command.case, command.form
    words = roles(command)
    if case.method in TASKS:
        words += option("task", TASKS[case.method])
    if case.method == "policy":
        words += [word for name in form.others for word in option("reward", name)]
        costs = case.options.get("action_costs")
        words += [
            word
            for name, cost in zip(form.others, costs or (), strict=False)
            for word in option("action_cost", f"{name}={cost!r}")
        ]
    if case.method == "survival":
        words += option("event", form.others[0])
    if case.method == "row costs":
        labels = sorted({label for label, _ in case.y})
        words += [
            word
            for label, name in zip(labels, form.others, strict=True)
            for word in option("row_cost", f"{label}={name}")
        ]
    if case.method == "leaf":
        words += option("objective", "leaf-accuracy")
    for name, value in command.asked.get("guess", {}).items():
        words += option("guess" if name == "parts" else name, ",".join(value) if name == "parts" else value)
    return words + shared(command)


def frontier_words(command: Command) -> list[str]:
    """The options of `frontier` but for the files."""
    task = option("task", "regression") if command.method == "regression front" else []
    return roles(command) + task + shared(command)


def latent_words(command: Command) -> list[str]:
    """The options of `fit --method latent` but for the files."""
    names = {"depth": "max_depth", "random_state": "seed"}
    given = command.case.options
    words = [word for name, value in given.items() for word in option(names.get(name, name), value)]
    return [*roles(command), *option("method", "latent"), *words]


def near_words(command: Command) -> list[str]:
    """The options of `near-optimal` but for the files and the rules."""
    more = ["--redundant-splits"] if command.case.options.get("redundant_splits") else []
    if "step_limit" in command.asked:
        more += option("step_limit", command.asked["step_limit"])
    return roles(command) + more + shared(command)


def reborn_words(command: Command) -> list[str]:
    """The options of `reborn` of a table but for the files."""
    options, form = command.case.options, command.form
    target = "predictions" if command.method == "near values" else "target"
    words = option(target, form.target) + ([] if form.ignored is None else option("ignore", form.ignored))
    if command.method == "reborn rows":
        words += option("faithful", "rows")
    given = dict(options.get("forest", {}))
    names = {"n_estimators": "trees", "max_depth": "depth", "random_state": "seed"}
    words += [word for name, value in given.items() for word in option(names[name], value)]
    words += ["--no-check"] if command.asked.get("no_check") else []
    # The tolerance of numbers is how far they may be, and their share is a tolerance here.
    of_numbers = {"tolerance": "within", "share": "tolerance"} if command.method == "near values" else {}
    for name in ("tolerance", "share", "max_depth", "max_leaves", "objective", "prune"):
        if name in options:
            words += option(of_numbers.get(name, name), options[name])
    if "n_jobs" in options:
        words += option("jobs", options["n_jobs"])
    if "memory_limit" in options:
        words += option("memory_limit", options["memory_limit"] // MEBIBYTE)
    domain = options.get("domain", {})
    if domain == "rows":
        return words + option("domain", "rows")
    return words + [
        word for kind, groups in domain.items() for group in groups for word in option(kind, ",".join(group))
    ]


def file_option_words(command: Command) -> list[str]:
    """The options of `reborn` of a model file but for the files."""
    words = ["--task=regression"] if command.method == "near values" else []
    words += ["--no-check"] if command.asked.get("no_check") else []
    for name, value in command.asked["file"].items():
        if name not in ("kind", "rows", "new_rows"):
            words += option(name, value)
    return words


def rule_words(rules: dict[str, Any]) -> list[str]:
    """Rules that the trees of a set keep; columns are named one by one."""
    words = []
    for name, value in rules.items():
        for one in value if isinstance(value, list) else [value]:
            words += option(name, one)
    return words


def roles(command: Command) -> list[str]:
    """Which columns are no features, and why."""
    case, form = command.case, command.form
    target = {"several outputs": ",".join(form.others), "policy": None}.get(case.method, form.target)
    words = [] if target is None else option("target", target)
    if case.weight is not None:
        words += option("weight", form.weight)
    return words + ([] if form.ignored is None else option("ignore", form.ignored))


def shared(command: Command) -> list[str]:
    """What several verbs take alike."""
    case, words = (
        command.case,
        [word for name in command.asked.get("merge_words", ()) for word in option("merge_words", name)],
    )
    words += ["--merge-labels"] if command.asked.get("merge_labels") else []
    for name, value in case.options.items():
        if name in PLAIN:
            words += option(name, value if isinstance(value, str) else repr(value))
        elif name in OTHER_NAMES:
            words += option(OTHER_NAMES[name], value)
        elif name in SPELLED:
            words += option(name, value.replace("_", "-"))
        elif name == "memory_limit":
            words += option(name, value // MEBIBYTE)
        elif name == "categorical_features":
            words += [word for column in value for word in option("categorical", column)]
        elif name == "class_weight" and command.asked.get("balanced"):
            words += option("objective", "balanced-accuracy")
        elif name == "class_weight":
            factors = [value] if isinstance(value, str) else [f"{k}={v!r}" for k, v in value.items()]
            words += [word for factor in factors for word in option("class_weight", factor)]
        elif name == "costs":
            labels = sorted(set(case.y))
            words += [
                word
                for label, row in zip(labels, value, strict=True)
                for other, cost in zip(labels, row, strict=True)
                for word in option("cost", f"{label}:{other}={cost!r}")
            ]
    return words


def file_words(form: Form, settings: Path | None) -> list[str]:
    """How the file is to be read."""
    words = [] if settings is None else option("columns", settings)
    if form.kind in ("parquet", "parquet folder"):
        return words
    grouped = any(unit.grouped for unit in form.units.values())
    if form.decimal_comma or form.separator != "," or grouped:  # else a lone 4.976 may be 4976
        words.append("--decimal-comma" if form.decimal_comma else "--decimal-point")
    if form.decimal_comma:  # commas of numbers may divide every line into equally many fields
        words += option("separator", form.separator)
    return words + (option("missing", form.gap) if form.gap == UNKNOWN else [])
