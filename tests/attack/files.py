"""Model files: true certificates pass `verify`, tampered ones fail, damaged ones are refused and never crash."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from attack.case import Case
from attack.checks import Found, Mismatch
from attack.simple_lines import has_simple_lines

__all__ = ["mutated_files", "tampered", "verified"]

ADDITIVE = ("regression", "policy", "survival", "probability")
NEAR = 1e-8  # of an objective
SHOWN = 1e-3  # a change of a claimed number that no rounding explains


def problem_of(case: Case) -> Any:
    """The question of a case as `verify` gets it: made from the data again."""
    import treewright.problem
    from treewright.problem import make_problem
    from treewright.table import table_from

    options = case.options
    if case.method in ADDITIVE:
        names = (
            *("actions", "action_costs", "cost_complexity", "max_leaf_nodes", "min_samples_leaf"),
            *("criterion", "quantile"),
        )
        given = {"max_depth": options.get("max_depth", 3)} | {k: options[k] for k in names if k in options}
        table = table_from(case.frame(), categorical_features=options.get("categorical_features"))
        make = getattr(treewright.problem, f"make_{case.method}_problem")
        return make(table, list(case.y), sample_weight=case.weight, **given)
    names = ("class_weight", "costs", "objective", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    given = {name: options[name] for name in names if name in options}
    if case.method == "leaf":
        given = {"max_depth": 4, "min_samples_leaf": 50, "cost_complexity": 0.0} | given
    elif case.method == "frontier":
        given |= {"cost_complexity": 0.0}
    else:
        given |= {"cost_complexity": options.get("cost_complexity", 0.01)}
    table = table_from(case.frame(), categorical_features=options.get("categorical_features"))
    return make_problem(table, list(case.y), sample_weight=case.weight, **given)


def checked(case: Case, claim: Any) -> Any:
    """The report of `verify` on a claim about the case."""
    import treewright.verify
    from treewright.verify import verify

    if case.method in ADDITIVE:
        return getattr(treewright.verify, f"verify_{case.method}")(problem_of(case), claim)
    return verify(problem_of(case), claim, min_leaf_accuracy=case.options.get("min_leaf_accuracy"))


def verified(found: Found) -> Iterator[Mismatch]:
    """A result, and the same after a way through a file, pass `verify` on the data they came from."""
    from treewright.convert import from_json

    for where, result in (
        ("", found.result),
        (" after a way through a file", from_json(found.walker.text).result),
    ):
        report = checked(found.case, result)
        if not report.ok:
            yield Mismatch(f"verify refuses a true certificate{where}", str(report))


def tampered(found: Found, seed: int) -> Iterator[Mismatch]:
    """One change that makes the file claim what is false: reading it or `verify` must notice, and never raise."""
    from treewright.convert import from_json
    from treewright.errors import ModelFileError

    rng = random.Random(seed)
    changes = list(_changes(found))
    name, change = changes[rng.randrange(len(changes))]
    content = copy.deepcopy(found.walker.content)
    change(content)
    try:
        model = from_json(json.dumps(content))
    except ModelFileError:
        return
    report = checked(found.case, model.result or model.tree)
    if report.ok:
        yield Mismatch(
            f"verify does not notice: {name}", f"{model.result.sentence() if model.result else ''}"
        )


def _changes(found: Found) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Changes by name; each one makes something false."""
    content = found.walker.content
    claim, nodes = content["certificate"], content["nodes"]
    less = -1 if found.case.method == "leaf" else 1  # in which direction a claim grows stronger

    def add(name: str, by: float) -> Callable[[Any], None]:
        return lambda c: c["certificate"].update({name: c["certificate"][name] + by})

    yield "objective", add("objective", -SHOWN * less)
    yield "loss", add("loss", -SHOWN)
    yield (
        "lower_bound beyond the objective",
        lambda c: c["certificate"].update(lower_bound=claim["objective"] + SHOWN),
    )
    # Of a gap that verify takes for rounding the sentence says how large it is, and is true with either status.
    told = claim["objective"] - claim["lower_bound"] < NEAR
    if claim["status"] == "FEASIBLE" and found.result.gap > 0.05 and not told:
        yield "status", lambda c: c["certificate"].update(status="OPTIMAL", stop_reason=None)
    limits = {
        name: claim["options"].get(name) for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")
    }
    limits = {
        name: had
        for name, had in limits.items()
        if had is not None and (name, had) != ("min_samples_leaf", 1)
    }
    if limits:
        yield "no options at all", lambda c: c["certificate"].update(options={})
        for name, had in limits.items():
            yield f"options without {name}", lambda c, name=name: c["certificate"]["options"].pop(name)
            yield (
                f"options with another {name}",
                lambda c, name=name, had=had: c["certificate"]["options"].update(
                    {name: None if name != "min_samples_leaf" else 1}
                ),
            )
    if found.case.options.get("min_leaf_accuracy", 0) > 0:
        yield (
            "options without min_leaf_accuracy",
            lambda c: c["certificate"]["options"].pop("min_leaf_accuracy"),
        )
    if found.case.method == "leaf":
        yield (
            "leaf_accuracy in stats",
            lambda c: c["certificate"]["stats"].update(leaf_accuracy=claim["stats"]["leaf_accuracy"] - SHOWN),
        )
        yield (
            "stats without upper_bound",
            lambda c: c["certificate"]["stats"].update(upper_bound=claim["objective"] - SHOWN),
        )
    node = max(range(len(nodes)), key=lambda k: nodes[k]["n_node_samples"])
    yield (
        "n_node_samples",
        lambda c: c["nodes"][node].update(n_node_samples=nodes[node]["n_node_samples"] + 1),
    )
    if found.case.method in ADDITIVE:
        if found.proven:
            yield "tolerance", lambda c: c["certificate"]["stats"].update(tolerance=SHOWN)
        yield "criterion", lambda c: c["certificate"]["options"].update(criterion="gini")
        if has_simple_lines(found.case):
            yield from _line_changes(found)
        elif claim["stats"].get("lines"):
            held = claim["stats"]["loss_with_lines"]
            yield "loss_with_lines", lambda c: c["certificate"]["stats"].update(loss_with_lines=held - SHOWN)
            yield "lines", lambda c: c["certificate"]["stats"].update(lines=claim["stats"]["lines"] + 1)
            yield "leaf_model", lambda c: c["certificate"]["options"].pop("leaf_model")
        many_medians = found.case.options.get("criterion") in ("absolute_error", "quantile")
        largest = max(abs(node["value"][0]) for node in nodes)  # beside which the value may be nothing
        if found.case.method != "policy" and not many_medians and abs(nodes[0]["value"][0]) > 1e-6 * largest:
            yield "value", lambda c: c["nodes"][0]["value"].__setitem__(0, nodes[0]["value"][0] * 1.5)
        return
    heaviest = max(range(len(nodes[0]["value"])), key=lambda k: nodes[0]["value"][k])
    yield "value", lambda c: c["nodes"][0]["value"].__setitem__(heaviest, nodes[0]["value"][heaviest] * 1.5)
    for leaf, rows in found.groups.items():
        stated = found.stated
        costs = [sum(stated.row_costs[i][k] for i in rows) for k in range(len(stated.classes))]
        dearest = max(range(len(costs)), key=lambda k: costs[k])
        if float(costs[dearest]) > float(min(costs)) + SHOWN:
            yield "prediction", lambda c, leaf=leaf, k=dearest: c["nodes"][leaf].update(prediction=k)
            break


def _line_changes(found: Found) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Changes of the line that gains most on the mean of its leaf; each is found in what it then loses or says."""
    stated = found.stated
    gain, leaf = max(
        ((stated.lost_by_constant(rows) - stated.lost(rows)) / (stated.whole or 1), leaf)
        for leaf, rows in found.groups.items()
    )
    line = found.walker.content["nodes"][leaf]["line"]
    yield "lines", lambda c: c["certificate"]["stats"].update(lines=found.result.stats["lines"] + 1)
    if gain < SHOWN or line is None:
        return

    def of_line(**fields: Any) -> Callable[[Any], None]:
        return lambda c: c["nodes"][leaf]["line"].update(fields)

    spread = line["high"][0] - line["low"][0]
    yield "slope", of_line(slopes=[[1.5 * line["slopes"][0][0]]])
    yield "low", of_line(low=[line["low"][0] - spread])
    yield "high", of_line(high=[line["high"][0] + spread])
    yield "center", of_line(centers=[line["centers"][0] + 1.5 * spread / line["slopes"][0][0]])
    yield "no line", lambda c: c["nodes"][leaf].update(line=None)
    yield "leaf_model", lambda c: c["certificate"]["options"].pop("leaf_model")
    yield "leaf_model of ridges", lambda c: c["certificate"]["options"].update(leaf_model="linear")


HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    0.5,
    "",
    "x",
    [],
    {},
    [[]],
    {"a": None},
    "inf",
    "NaN",
)


def mutated_files(found: Found, seed: int, n_files: int = 4) -> Iterator[Mismatch]:
    """Files with something hostile inside are refused with a ModelFileError, or are models that predict and verify."""
    from treewright.convert import from_json
    from treewright.errors import ModelFileError
    from treewright.table import encode_like

    rng = random.Random(seed)
    for _ in range(n_files):
        text = _mutated(found.walker.content, found.walker.text, rng)
        try:
            model = from_json(text)
        except ModelFileError:
            continue
        except Exception as error:
            yield Mismatch(f"a damaged file gives {type(error).__name__}", f"{error}\n{text}")
            continue
        try:
            if model.tree.columns == found.result.tree.columns:
                model.tree.predict(encode_like(found.case.frame(), model.tree.columns))
            str(checked(found.case, model.result or model.tree))
            if model.result is not None:
                model.result.sentence()
        except Exception as error:
            yield Mismatch(
                f"a damaged file is read and then gives {type(error).__name__}", f"{error}\n{text}"
            )


def _mutated(content: Any, text: str, rng: random.Random) -> str:
    if rng.random() < 0.2:  # bytes, not meaning
        at = rng.randrange(len(text))
        return [text[:at], text[:at] + rng.choice('{}[]",:0e-') + text[at + 1 :], text[:at] + text[at + 3 :]][
            rng.randrange(3)
        ]
    changed = copy.deepcopy(content)
    for _ in range(rng.randrange(1, 3)):
        places = list(_places(changed))
        holder, key = places[rng.randrange(len(places))]
        kind = rng.random()
        if kind < 0.6:
            holder[key] = copy.deepcopy(rng.choice(HOSTILE))
        elif kind < 0.8:
            del holder[key]
        else:
            other, place = places[rng.randrange(len(places))]
            holder[key] = copy.deepcopy(other[place])
    return json.dumps(changed)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every entry of a JSON value, as its holder and key."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in list(entries):
        yield value, key
        yield from _places(entry)
