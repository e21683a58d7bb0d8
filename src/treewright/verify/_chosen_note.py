"""Check the note on a tree that was chosen from a near-optimal set: does it agree with the result that it is part of?

The number of trees and the completeness of the set are known only to the search. What is checked: the note has the
wording of such notes; it describes the same question as the result; the tree can be an element of the set; and the
bound that the note states for the least objective is not above the bound of the result.
"""

from __future__ import annotations

import re

from treewright.result import SolveResult, SolveStatus, StopReason, constraints_in_words

__all__ = ["fault_of_chosen_note", "is_chosen_note", "is_of_set"]

BEGINS = "Chosen among near-optimal trees: number "
BY_HAND = "Chosen by hand among near-optimal trees."  # written by the page for choosing
NEAR = 2e-5  # relative: notes state objectives with six digits
NUMBER = r"\d+(?:\.\d+)?(?:e[-+]?\d+)?"
COUNT = r"\d{1,3}(?:,\d{3})*"
NAME = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"  # a string as Python's repr writes it
RULE = (
    rf"(?:(?:without|with the first split on) {NAME}(?: or {NAME})*|with no columns but {NAME}(?:, {NAME})*"
    rf"|with a split on {NAME}(?: and {NAME})*|of at most \d+ (?:leaf|leaves)|beginning like the given tree)"
)
ALSO = (
    r"(?: \(with (?:any label in each leaf|redundant splits|any label in each leaf and redundant splits)\))?"
)
WHY = "|".join(re.escape(stop.value) for stop in StopReason)
SET = (  # the part between the limits and the splits
    rf", (?P<trees>1 tree|{COUNT} trees)(?: {RULE}(?: and {RULE})*)? (?:has|have) an objective of at most "
    rf"(?P<most>{NUMBER})(?:, the best of them (?P<own>{NUMBER}))?; "
    rf"(?:the least of all is (?P<least>{NUMBER}), proven|the least that was found is {NUMBER}, not proven)\. "
    rf"The set is complete(?: up to an objective of {NUMBER} instead of {NUMBER} \((?:{WHY})\))?\."
    rf"(?: Weights were rounded: trees up to (?P<left>{NUMBER}) above the bound may be among them\.)?"
)


def is_chosen_note(note: str) -> bool:
    """Whether a note describes the near-optimal set from which the tree was chosen."""
    return note.startswith(BEGINS)


def is_of_set(note: str) -> bool:
    """Whether a note says that the tree is one of a near-optimal set, by its number or chosen on the page."""
    return is_chosen_note(note) or note == BY_HAND


def fault_of_chosen_note(note: str, result: SolveResult) -> str:
    """Return the fault of a note on a near-optimal set, or an empty string."""
    limits, scope = re.escape(constraints_in_words(result.options)), re.escape(result.scope)
    begins = re.escape(BEGINS) + rf"(?P<number>{COUNT}) in order of the objective\. Among all trees"
    said = re.fullmatch(begins + limits + ALSO + " over " + scope + SET, note, flags=re.DOTALL)
    if said is None:
        return "other words than those of a set of this question"
    number, trees = (_whole(said[name]) for name in ("number", "trees"))
    if not 1 <= number <= trees:
        return f"number {said['number']} of {said['trees']}"
    left = float(said["left"] or 0.0)
    if result.objective > float(said["most"]) * (1 + NEAR) + left:
        return f"a set up to {said['most']}"
    if said["own"] is not None and result.objective < float(said["own"]) * (1 - NEAR) - left:
        return f"a set whose best tree has {said['own']}"
    first = said["own"] or said["least"]
    if number == 1 and first is not None and result.objective > float(first) * (1 + NEAR) + left:
        return f"the first tree of a set whose best has {first}"
    if said["least"] is not None and float(said["least"]) > result.lower_bound * (1 + NEAR) + left:
        return f"a least objective of {said['least']}"
    if said["least"] is None and result.status is SolveStatus.OPTIMAL:
        return "a least objective that is not proven"
    return ""


def _whole(words: str) -> int:
    return int(words.split(" ")[0].replace(",", ""))
