"""Check the wording of a certificate: types of its fields, limits of the question, and claims in its notes.

The sentence of a result is made from its fields, from `options` (the limits that the trees had to keep) and from
`stats` (what was proven about the worst leaf). Every statement of the sentence is recomputed, or compared with the
question, or known only to the search (how far its proofs go). A missing limit is as wrong as a false statement: without
"of depth at most 3" the sentence claims something about all trees.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, TypeGuard

from treewright.problem import Problem
from treewright.result import (
    AdditiveResult,
    BornAgainResult,
    F1Result,
    LeafAccuracyResult,
    ShardsResult,
    SolveResult,
    SolveStatus,
    StopReason,
    chosen_options,
    is_shallow_note,
)
from treewright.verify._chosen_note import fault_of_chosen_note, is_chosen_note
from treewright.verify._report import Check

__all__ = [
    "MOST_LOST",
    "fault_of_fields",
    "fault_of_kind",
    "has_any_label",
    "is_number",
    "question_checks",
]

OTHER_KINDS: dict[type[SolveResult], str] = {  # results that have other sentences
    BornAgainResult: "it is about an ensemble, not about a table: use verify_born_again",
    AdditiveResult: "it is about another loss: use the checker of that loss, such as verify_regression",
    F1Result: "it is about F1: use verify_f1",
    ShardsResult: "it is about shards of the rows: use verify_shards",
}
CRITERIA = ("accuracy", "lower_bound")
LEAF_ACCURACY = "leaf-accuracy"  # the engine that limits or maximizes the accuracy of the worst leaf
NEUTRAL = {"max_depth": None, "max_leaf_nodes": None, "min_samples_leaf": 1}  # need not be stated
MOST_LOST = "most_lost_by_guesses"  # computed in addition to the bound of a conditional proof

CLAIM = re.compile(
    r"\b(proven|proved|proof|optimal|optimum)\b|\bno (\w+ ){0,2}trees?\b.*\b(best|better|smaller|below|less|fewer)\b",
    flags=re.IGNORECASE | re.DOTALL,
)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")  # names of columns and labels
NUMBER = r"\d+(\.\d+)?(e[-+]?\d+)?"
NOTES_OF_PROOFS = tuple(
    re.compile(pattern, flags=re.DOTALL)
    for pattern in (
        r"A tree of the same loss with fewer leaves may exist; the smallest number of leaves is not proven\.",
        r"Proven of shallower trees: no tree .*",  # checked in _shallow.py
        r"The search claimed that there is .* That proof is wrong, so nothing is claimed about this tree; .*",
        rf"Proven by \w[\w. ]* in floating point, to its tolerance of {NUMBER}\.",
        r"\w[\w. ]* claims an objective of .* is recomputed from the .*",
        rf"The search without the guess did not end first; no tree is below (?P<bound>{NUMBER})\.",
        rf"Theorem 4\.1: the objective of the optimum is at most (?P<most>{NUMBER}) = .*",
        r"Chosen by hand among near-optimal trees\.",
        r"A search claimed that no tree costs less than .* That proof is wrong and was not used; .*",
        r"Nothing is proven of [\d,]+ shards? .*",
    )
)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value is a finite real number; booleans are not."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of more than 300 digits
        return False


def fault_of_kind(result: SolveResult) -> str:
    """Return why a result is not about the errors of a tree on a table, or an empty string."""
    return next((hint for kind, hint in OTHER_KINDS.items() if isinstance(result, kind)), "")


def fault_of_fields(result: SolveResult) -> str:
    """Return the first field of a result that has a wrong type or value, or an empty string."""
    if not isinstance(result.status, SolveStatus):
        return f"status is {result.status!r:.60}"
    if result.stop_reason is not None and not isinstance(result.stop_reason, StopReason):
        return f"stop_reason is {result.stop_reason!r:.60}"
    for name in ("objective", "lower_bound", "loss"):
        if not is_number(getattr(result, name)):
            return f"{name} is {getattr(result, name)!r:.60}"
    if not isinstance(result.scope, str):
        return f"scope is {result.scope!r:.60}"
    for name in ("stats", "options"):
        if not isinstance(getattr(result, name), Mapping):
            return f"{name} is {getattr(result, name)!r:.60}"
    for name in ("method", "criterion"):
        if not isinstance(result.options.get(name, ""), str):
            return f"options: {name} is {result.options[name]!r:.60}"
    if not isinstance(result.notes, tuple) or not all(isinstance(note, str) for note in result.notes):
        return f"notes is {result.notes!r:.60}"
    if fault := _fault_of_choice(result):
        return fault
    claim = next((note for note in result.notes if _is_unknown_claim(note, result)), None)
    if claim is not None:
        return f"notes claim {claim!r:.80}"
    if isinstance(result, LeafAccuracyResult):
        return _fault_of_leaf_accuracy(result)
    if result.engine == LEAF_ACCURACY and not is_number(result.options.get("min_leaf_accuracy")):
        return f"options: min_leaf_accuracy is {result.options.get('min_leaf_accuracy')!r:.60}"
    if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES and not is_number(result.stats.get(MOST_LOST)):
        return f"stats: {MOST_LOST} is {result.stats.get(MOST_LOST)!r:.60}"
    return ""


def _fault_of_choice(result: SolveResult) -> str:
    """Return a fault if a tree chosen from a near-optimal set has another kind of result, or is called optimal."""
    said = {name: result.options[name] for name in chosen_options(any_label=False) if name in result.options}
    if not said:
        return ""
    if said not in (chosen_options(any_label=False), chosen_options(any_label=True)):
        return f"options: {', '.join(f'{name} is {value!r:.60}' for name, value in said.items())}"
    if type(result) is not SolveResult or not result.is_chosen:
        return f"options: a tree that is {result.status.value} is said to be chosen among near-optimal ones"
    return ""


def has_any_label(result: SolveResult) -> bool:
    """Whether the leaves of a chosen tree may have any label, not only the one of least cost."""
    return dict(result.options) | chosen_options(any_label=True) == dict(result.options) and result.is_chosen


def _is_unknown_claim(note: str, result: SolveResult) -> bool:
    """Whether a note claims a proof, or something about all trees, in a wording that the result's method never uses."""
    if is_chosen_note(note):
        return bool(fault_of_chosen_note(note, result))
    if is_shallow_note(note) and isinstance(result, (BornAgainResult, ShardsResult)):
        return True  # these methods do not search one depth after the other
    said = QUOTED.sub("", note)
    for column in result.tree.columns:  # a column named "proof of income" claims nothing
        said = re.sub(rf"(?<=[:,] ){re.escape(column.name)}(?=[ ,.]|$)", "", said)
    if not CLAIM.search(said):
        return False
    found = next((form for pattern in NOTES_OF_PROOFS if (form := pattern.fullmatch(note))), None)
    if found is None:
        return True
    bound, most = (found.groupdict().get(name) for name in ("bound", "most"))
    above = bound is not None and float(bound) > result.objective + 1e-6  # rounding of its last digit
    return above or (most is not None and float(most) < result.lower_bound - 1e-6)


def _fault_of_leaf_accuracy(result: LeafAccuracyResult) -> str:
    criterion, confidence = result.options.get("criterion"), result.options.get("confidence")
    if criterion not in CRITERIA:
        return f"options: criterion is {criterion!r:.60}"
    if criterion == "lower_bound" and not (is_number(confidence) and 0.5 <= confidence < 1):
        return f"options: confidence is {confidence!r:.60}"
    for name in ("value_proven", "loss_proven"):
        if not isinstance(result.stats.get(name), bool):
            return f"stats: {name} is {result.stats.get(name)!r:.60}"
    value, loss = result.stats["value_proven"], result.stats["loss_proven"]
    if not value if result.status is SolveStatus.OPTIMAL else value and loss:
        return f"status is {result.status.name}, though value_proven is {value} and loss_proven is {loss}"
    for name in ("upper_bound", "leaf_accuracy"):
        if not is_number(result.stats.get(name)):
            return f"stats: {name} is {result.stats.get(name)!r:.60}"
    if not is_number(result.stats.get("tolerance", 0.0)):
        return f"stats: tolerance is {result.stats['tolerance']!r:.60}"
    return ""


def question_checks(
    problem: Problem, result: SolveResult, min_leaf_accuracy: float | None
) -> Iterator[Check]:
    """Yield the checks of the limits in the sentence against the limits of the question."""
    here: dict[str, Any] = {name: getattr(problem, name) for name in NEUTRAL}
    here["min_leaf_accuracy"] = min_leaf_accuracy
    if not isinstance(result, LeafAccuracyResult):
        here["cost_complexity"] = problem.cost_complexity
    said = {name: _said(result.options, name) for name in here}
    if "cost_complexity" in here and "cost_complexity" not in result.options:
        said["cost_complexity"] = (
            problem.cost_complexity
        )  # not in the sentence, but the objective depends on it
    differ = [name for name in here if not _equal(said[name], here[name])]
    shown = differ or list(here)[:1]
    yield Check(
        "question",
        not differ,
        ", ".join(f"{name} {said[name]!s:.60}" for name in shown),
        ", ".join(f"{name} {here[name]}" for name in shown),
        "The result answers another question than the one given here, or does not say which."
        if differ
        else "",
    )


def _said(options: Mapping[str, Any], name: str) -> Any:
    return options.get(name, NEUTRAL.get(name))


def _equal(said: Any, here: Any) -> bool:
    if said is None or here is None:
        return said is None and here is None
    return is_number(said) and bool(said == here)
