"""Draw what else is asked of a model file: forms, pictures, pages, groups, and names that people read."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack.case import Case
from attack.command_line.command import Form
from attack.command_line.export_checks import ENDINGS
from attack.command_line.titles import random_titles

__all__ = ["random_after", "random_choose"]

SHARES = {
    "export": 0.5,
    "show": 0.25,
    "report": 0.12,
    "audit": 0.2,
    "extend": 0.06,
    "look": 0.2,
    "titles": 0.4,
}
MODELS = 0.05  # of the pages, which then take a second or more


def random_after(rng: np.random.Generator, case: Case, form: Form) -> dict[str, Any]:
    """Draw which verbs follow, by name, with their options."""
    draws = {
        "export": random_export,
        "show": random_show,
        "report": random_report,
        "audit": random_audit,
        "extend": random_extend,
        "look": lambda rng, case, form: {},
        "titles": lambda rng, case, form: random_titles(rng, case),
    }
    return {verb: draw(rng, case, form) for verb, draw in draws.items() if rng.random() < SHARES[verb]}


def random_export(rng: np.random.Generator, case: Case, form: Form) -> dict[str, Any]:
    """A form, quick ones more often, and what it takes."""
    to = str(rng.choice(list(ENDINGS), p=[0.1, 0.15, 0.2, 0.1, 0.2, 0.15, 0.1]))
    more = {"sql": "--table=rows_of_probes", "c": "--name=decide", "onnx": "--float32"}.get(to)
    return {"to": to} | ({"more": [more]} if more is not None and rng.random() < 0.5 else {})


def random_choose(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """A heading, and two groups between which gaps are shown: those of a column, where it has two values."""
    asked: dict[str, Any] = {"title": "<b> & a title"} if rng.random() < 0.2 else {}
    two = [name for name, values in case.columns.items() if len({*values}) == 2 and None not in values]
    if rng.random() < 0.6:
        asked["group"] = str(rng.choice(two if two and rng.random() < 0.9 else list(case.columns)))
        if rng.random() < 0.5:
            asked["label"] = str(case.y[int(rng.integers(len(case.y)))])
    return asked


def random_extend(rng: np.random.Generator, case: Case, form: Form) -> dict[str, Any]:
    """How leaf models are made, and which rows they answer."""
    asked: dict[str, Any] = {"tune": str(rng.choice(["none", "rounds"])), "target": bool(rng.random() < 0.6)}
    if rng.random() < 0.7:
        asked["rows"] = True
    else:
        asked["folds"] = int(rng.integers(2, 4))
    if rng.random() < 0.5:
        asked["seed"] = int(rng.integers(100))
    if rng.random() < 0.4:
        asked["leaf_model"] = "xgboost"
    return asked


def random_show(rng: np.random.Generator, case: Case, form: Form) -> dict[str, Any]:
    """A format, seldom a picture."""
    asked: dict[str, Any] = {
        "format": str(rng.choice(["text", "dot", "svg", "png", "pdf"], p=[0.6, 0.34, 0.02, 0.02, 0.02]))
    }
    if rng.random() < 0.3:
        asked["digits"] = int(rng.choice([0, 1, 3, 17]))
    if asked["format"] == "text":
        asked |= {name: True for name in ("counts", "ascii", "to_file") if rng.random() < 0.3}
    return asked


def random_report(rng: np.random.Generator, case: Case, form: Form) -> dict[str, Any]:
    """What the page shows besides the tree."""
    asked: dict[str, Any] = {name: True for name in ("test", "compare") if rng.random() < 0.3}
    if rng.random() < MODELS:
        asked["models"] = True
    if rng.random() < 0.15:
        asked["frontier"] = int(rng.integers(1, 5))
    if rng.random() < 0.3:
        asked["groups"] = [str(rng.choice([*case.columns, form.target]))]
    if rng.random() < 0.2:
        asked["digits"] = int(rng.choice([0, 1, 3, 17]))
    if rng.random() < 0.1:
        asked["title"] = "<b> & a title"
    return asked


def random_audit(rng: np.random.Generator, case: Case, form: Form) -> dict[str, Any]:
    """Columns of groups, numbers at which they are cut, and the rest."""
    names = [*case.columns, form.target, *([form.weight] if case.weight is not None else [])]
    names += [] if form.ignored is None else [form.ignored]
    groups = [str(name) for name in rng.permutation(names)[: rng.integers(1, 3)]]
    asked: dict[str, Any] = {"groups": groups}
    cuts = {}
    for name in groups:
        if rng.random() < 0.3:
            cuts[name] = sorted(
                {float(cut) for cut in rng.choice([0.5, 1.0, 2.0, 2.5, -1.0], rng.integers(1, 3))}
            )
    if cuts:
        asked["cuts"] = cuts
    more: dict[str, Any] = {}
    if rng.random() < 0.3:
        more["fewest_rows"] = int(rng.integers(0, 6))
    if rng.random() < 0.2:
        more["confidence"] = float(rng.choice([0.5, 0.9, 0.999]))
    if rng.random() < 0.3 and case.method not in ("policy", "survival", "regression", "several outputs"):
        label = case.y[0][0] if case.method == "row costs" else case.y[0]
        more["positive"] = str(label)
    return asked | ({"more": more} if more else {})
