"""Draw commands: questions of the attack with what a file can hold, under names of columns of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack.case import WORDS, Case
from attack.command_line.command import UNKNOWN, Command, Form, Unit
from attack.command_line.draw_after import random_after, random_choose
from attack.command_line.draw_reborn import random_file
from attack.generate import random_case

__all__ = ["METHODS", "drawn", "random_command"]

# Methods that the verbs `fit`, `frontier` and `near-optimal` have, and how often each is drawn.
METHODS = {
    "optimal": 0.16,
    "f1": 0.05,
    "leaf": 0.08,
    "frontier": 0.1,
    "regression": 0.07,
    "simple lines": 0.03,
    "deviance": 0.04,
    "policy": 0.06,
    "survival": 0.05,
    "probability": 0.05,
    "near": 0.12,
    "shards": 0.16,
    "regression front": 0.06,
    "row costs": 0.06,
    "several outputs": 0.05,
    "near values": 0.05,
    "reborn": 0.04,
    "reborn rows": 0.03,
    "latent": 0.03,
}
# Labels and words that files, databases and pages read in ways of their own.
ODD_LABELS = ("=1+1", "it's", 'say "no"', "</script>", "a,b", "-1 to 1", "{y}", "x;y", "\\n", "日本")
ODD_WORDS = ("=SUM(A1)", "o'clock", "<b>", "a|b", "x and y", "b or missing", "n 50 %", "a-b", "\\t", "日本")
# As words, where a column holds several.
MEASURES = ("12 kg", "7 kg", "2.5 kg", "3 m", "500 g", "-4 m")
CURRENCIES = (
    ("$", ""),
    ("", " €"),
    ("EUR ", ""),
)  # which any of the numbers may carry, other units most or all
UNITS = (*CURRENCIES, ("", " kg"), ("", "%"), ("", " %"), ("", "kg"))
UNITS_SHARE = 0.25
OF_ENSEMBLES = ("near values", "reborn", "reborn rows")
# What only Python can say.
OF_PYTHON = ("search_options", "min_leaf_accuracy", "shuffle", "actions")
NOT_OF_SETS = ("max_leaf_nodes",)  # near-optimal has --max-leaves, a rule
FILE_WORDS = {"": "a", "1": "b", "nan": "c d", "None": "Ä"}  # what a file cannot tell from a gap or a number
NAMES = (
    "c",
    "c d",
    "c,1",
    'c"q',
    "c=2",
    "cä",
    "-c",
    "=c",
    "100",
    "C",
    "c'",
    "c;",
    "no",
    "age in years",
    "{c}",
)
ORDERED = ("o", "o,1", "o=2", "o d", "oä")
ROLES = ("y", "w", "t=1", "-r", "p q", "é", "r2", "Y", "cost_of", "t:2")


def drawn(seed: int, worker: int, number: int) -> Command:
    """The command of these three numbers, the same on every machine."""
    return random_command(np.random.default_rng([seed, worker, number]))


def random_command(rng: np.random.Generator, mix: dict[str, float] = METHODS) -> Command:
    """Draw one command."""
    while True:
        case = as_in_a_file(rng, random_case(rng, mix))
        if case is not None:
            break
    form, case = random_form(rng, case)
    asked = random_questions(rng, case) | random_file(rng, case)
    if case.method == "optimal" and rng.random() < 0.15:
        asked["guess"] = random_guess(rng)
        over = {"thresholds": "thresholds", "depth": "max_depth"}
        case = case.without(
            "n_jobs", "time_limit", *(over[part] for part in asked["guess"]["parts"] if part in over)
        )
    asked |= random_after(rng, case, form)
    if case.method == "near" and rng.random() < 0.4:
        asked["choose"] = random_choose(rng, case)
    return Command(case, form, asked)


def as_in_a_file(rng: np.random.Generator, case: Case) -> Case | None:
    """The case with what a file and the options of the command line can say; None if they cannot."""
    options = {name: value for name, value in case.options.items() if name not in OF_PYTHON}
    if case.method == "near":
        options = {name: value for name, value in options.items() if name not in NOT_OF_SETS}
        if rng.random() < 0.3:
            options["thresholds"] = [2, 3, "all"][rng.integers(3)]
        if rng.random() < 0.2:
            options["memory_limit"] = 2**20
    if case.method == "frontier" and rng.random() < 0.2:
        options.pop("class_weight", None)
        options["objective"] = "balanced_accuracy"
    if case.method in ("frontier", "regression front") and rng.random() < 0.1:
        options["time_limit"] = 1e-4
    if isinstance(options.get("thresholds"), dict):
        del options["thresholds"]
    if case.method in OF_ENSEMBLES:
        of_ensembles(rng, case, options)
    if "memory_limit" in options:
        options["memory_limit"] = 2**20 * int(rng.integers(1, 4))
    if "time_limit" in options:
        options["time_limit"] = 1e-4
    if case.method == "latent":
        if any(map(case.is_text, case.columns)):
            return None  # it adds up numbers
        options = {name: options[name] for name in ("depth", "pruning", "epochs", "random_state")}
        options["hardening"] = str(rng.choice(["linear", "axis", "signs"]))
        case = case.but(weight=None)
    if case.method == "leaf":
        options.pop("n_jobs", None)
        if options.get("criterion") == "accuracy":
            options.pop("confidence", None)
    if options.get("criterion") != "quantile":
        options.pop("quantile", None)
    # Where the verbs have other defaults than Python.
    if case.method == "shards" and "thresholds" not in options:
        options["thresholds"] = 16
    if case.method == "row costs":
        options.setdefault("max_depth", 3)
    y = case.y
    if case.method in ("reborn", "reborn rows") and (len(set(y)) < 2 or "neighbours" in options):
        return None  # nothing to decide, which the program refuses; a model that it cannot train
    if case.method in OF_ENSEMBLES and any(map(case.is_ordered, case.columns)):
        return None  # `reborn` reads no settings
    if isinstance(y[0], bool):
        y = ["yes" if label else "no" for label in y]
        options.pop("class_weight", None)
    if case.method == "row costs" and isinstance(y[0][0], bool):
        y = [("yes" if label else "no", costs) for label, costs in y]
    columns = {
        name: [
            FILE_WORDS.get(v, v) if isinstance(v, str) else int(v) if isinstance(v, bool) else v
            for v in values
        ]
        for name, values in case.columns.items()
    }
    if (
        case.method == "reborn" and len(columns) > 1 and rng.random() < 0.2
    ):  # a pair of which exactly one is 1
        kind, (first, second, *_) = str(rng.choice(["one_hot", "at_most_one"])), columns
        columns[first] = rng.integers(0, 2, case.n_rows).tolist()
        columns[second] = [1 - bit for bit in columns[first]]
        options = {k: v for k, v in options.items() if k != "prune"} | {"domain": {kind: [[first, second]]}}
    y, columns = odd_labels(rng, case.method, y, options), odd_words(rng, case, columns)
    words = [word for word in WORDS if word not in FILE_WORDS]
    return case.but(columns=columns, y=y, options=options, as_array=False, as_large=False, words=words)


def odd_labels(rng: np.random.Generator, method: str, y: list[Any], options: dict[str, Any]) -> list[Any]:
    """Labels of other words, now and then; options that name labels keep them."""
    if (
        not isinstance(y[0], str)
        or {"class_weight", "costs", "reference"} & set(options)
        or rng.random() < 0.5
    ):
        return y
    names = dict(zip(sorted(set(y)), rng.permutation(ODD_LABELS).tolist(), strict=False))
    return [names.get(label, label) for label in y]


def odd_words(rng: np.random.Generator, case: Case, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Other words in columns without an order, now and then."""
    changed = dict(columns)
    for name, values in columns.items():
        if case.is_text(name) and not case.is_ordered(name) and rng.random() < 0.3:
            own = sorted({value for value in values if value is not None})
            pool = MEASURES if rng.random() < 0.2 and len(own) > 1 else ODD_WORDS
            others = rng.permutation(pool).tolist()
            if pool is MEASURES:
                others = [others[0], *sorted(others[1:], key=lambda word: word[-1] == others[0][-1])]
            names = dict(zip(own, others, strict=False))
            changed[name] = [names.get(value, value) for value in values]
    return changed


def of_ensembles(rng: np.random.Generator, case: Case, options: dict[str, Any]) -> None:
    """Leave the options that `reborn` has; it trains the forest itself, or is told numbers as they are."""
    for name in ("time_limit", "step_limit", "regressor", "units", "max_rows", "categorical_features"):
        options.pop(name, None)
    seed = options.pop("random_state", 0)
    if "forest" in options:
        options["forest"] = dict(options["forest"]) | {"random_state": seed}
    if options.get("max_depth", 0) is None:
        del options["max_depth"]
    if case.method == "near values":
        options["tolerance"] = options["tolerance"] * float(np.std(case.y)) if rng.random() < 0.7 else 0.0


def random_form(rng: np.random.Generator, case: Case) -> tuple[Form, Case]:
    """The form of the file, and the case with the names that its columns have there."""
    plain = rng.random() < 0.5 or isinstance(case.options.get("domain"), dict)
    pools = {kind: list(rng.permutation(names)) for kind, names in (("o", ORDERED), ("c", NAMES))}
    names = {
        name: name if plain else str(pools["o" if case.is_ordered(name) else "c"].pop())
        for name in case.columns
    }
    for name in case.columns:  # text whose name begins with "o" has an order, other text has none
        if case.is_text(name) and case.is_ordered(name) is not names[name].startswith("o"):
            names[name] = name
    columns = {names[name]: values for name, values in case.columns.items()}
    options = dict(case.options)
    if "categorical_features" in options:
        options["categorical_features"] = [names[name] for name in options["categorical_features"]]
    roles = [str(name) for name in rng.permutation(ROLES)]
    target, weight = ("y", "w") if plain else (roles.pop(), roles.pop())
    roles = [name for name in roles if name not in (target, weight)]
    n_others = {"policy": lambda: len(case.y[0]), "several outputs": lambda: len(case.y[0]), "survival": lambda: 1,
                "row costs": lambda: len(case.y[0][1])}.get(case.method, lambda: 0)()  # fmt: skip
    others = tuple(roles.pop() if k < 5 else f"r{k + 5}" for k in range(n_others))
    if case.method == "policy":
        options["actions"] = list(others)
    of_files = case.method == "shards" and rng.random() < 0.8
    if of_files:
        kind = str(rng.choice(["folder", "folder", "parquet folder"]))
    else:
        kind = str(rng.choice(["csv", "csv", "csv", "gz", "parquet"]))
    decimal_comma = bool(rng.random() < 0.2)
    columns, units = random_units(rng, case.but(columns=columns, options=options), decimal_comma)
    n = case.n_rows
    parts = sorted({int(row) for row in rng.integers(1, n, rng.integers(0, 3))}) if of_files and n > 1 else ()
    form = Form(
        kind=kind,
        separator=str(rng.choice([";", "\t"])) if decimal_comma else str(rng.choice([",", ",", ";", "\t", "|"])),
        decimal_comma=decimal_comma,
        gap=str(rng.choice(["", "", "NA", "?", UNKNOWN])),
        parts=tuple(parts),
        target=target,
        weight=weight,
        others=others,
        ignored=None if rng.random() < 0.7 else "id" if plain else "-i,d",
        units={} if kind.startswith("parquet") else units,
    )  # fmt: skip
    return form, case.but(columns=columns, options=options)


def random_units(
    rng: np.random.Generator, case: Case, decimal_comma: bool
) -> tuple[dict[str, list[Any]], dict[str, Unit]]:
    """Units of columns of plain numbers, and the columns; whole numbers with thousands set apart become large."""
    columns, units = dict(case.columns), {}
    kept = {*case.options.get("categorical_features", ())}
    if case.method in OF_ENSEMBLES or rng.random() > UNITS_SHARE:
        return columns, units
    for name, values in case.columns.items():
        known = [value for value in values if value is not None]
        is_plain = all(isinstance(v, (int, float)) and (v == 0 or 1e-3 < abs(v) < 1e6) for v in known)
        if case.is_text(name) or name in kept or not known or not is_plain or rng.random() > 0.6:
            continue
        before, behind = UNITS[rng.integers(len(UNITS))]
        whole = all(isinstance(value, int) for value in known) and not decimal_comma
        grouped = bool(whole and rng.random() < 0.4)
        if grouped:
            columns[name] = [None if value is None else 1000 * value for value in values]
        units[name] = Unit(
            before, behind, grouped, (before, behind) in CURRENCIES and bool(rng.random() < 0.5)
        )
    return columns, units


def random_questions(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """What else is asked: a proof, one tree of a frontier or of a set, rules that its trees keep."""
    asked: dict[str, Any] = {}
    if case.method in OF_ENSEMBLES:
        return {"no_check": True} if case.method == "reborn" and rng.random() < 0.3 else {}
    if case.method not in ("shards", "latent") and rng.random() < 0.1:
        asked |= random_merges(rng, case)
    if case.method in ("frontier", "regression front"):
        if rng.random() < 0.6:
            asked["leaves"] = int(rng.integers(1, case.options["max_leaves"] + 1))
    elif case.method == "near":
        if case.options.get("class_weight") == "balanced" and rng.random() < 0.5:
            asked["balanced"] = True
        if rng.random() < 0.15:
            asked["step_limit"] = int(rng.choice([1, 3, 10**9]))
        asked["rules"] = random_rules(rng, case)
        asked["later"] = random_rules(rng, case) | (
            {"uses": [str(rng.choice(list(case.columns)))]} if rng.random() < 0.3 else {}
        )
        if rng.random() < 0.3:
            asked["later"]["max_objective"] = float(rng.choice([0.1, 0.3, 0.5, 1.0]))
        if rng.random() < 0.6:
            asked["tree"] = int(rng.integers(1, 5))
    elif rng.random() < 0.3:
        asked["require_proof"] = True
    return asked


def random_merges(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """Columns whose words, or labels, are to be one where they are alike: of those that are not, each stays."""
    from treewright.table import spellings

    def all_differ(words: list[Any]) -> bool:
        return not spellings(np.array([str(word) for word in words if word is not None]))

    names = [name for name in case.columns if case.is_text(name) and not case.is_ordered(name)]
    merges: dict[str, Any] = {"merge_words": [name for name in names if all_differ(list(case.columns[name]))]}
    if isinstance(case.y[0], str) and all_differ(list(case.y)):
        merges["merge_labels"] = True
    return {name: value for name, value in merges.items() if value}


def random_guess(rng: np.random.Generator) -> dict[str, Any]:
    """What is guessed, and from which small model."""
    parts = [part for part in ("thresholds", "depth", "bounds") if rng.random() < 0.6] or ["bounds"]
    guess: dict[str, Any] = {"parts": parts, "reference": str(rng.choice(["gbdt", "forest", "extra-trees"]))}
    guess |= {"n_estimators": int(rng.integers(1, 5)), "reference_depth": int(rng.integers(1, 4))}
    if "thresholds" in parts and rng.random() < 0.5:
        guess["guess_tolerance"] = float(rng.choice([0.0, 0.1, 0.3]))
    return guess


def random_rules(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """Rules of a set that both `near-optimal` and `query` have."""
    names, rules = list(case.columns), {}
    for rule in ("without", "only", "root"):
        if rng.random() < 0.25:
            rules[rule] = [str(name) for name in rng.permutation(names)[: rng.integers(1, len(names) + 1)]]
    if rng.random() < 0.3:
        rules["max_leaves"] = int(rng.integers(1, 6))
    return rules
