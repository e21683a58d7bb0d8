"""The certificate for people who do not prove theorems: questions, and plain answers.

Every answer is derived from the fields of the result; nothing is said that they do not hold. `SolveResult.sentence()`
stays the exact statement and opens the section.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright.convert import Terms
from treewright.result import (
    AdditiveResult,
    BornAgainResult,
    F1Result,
    PolicyResult,
    ProbabilityResult,
    RegressionResult,
    RowCostsResult,
    SolveResult,
    SolveStatus,
    SurvivalResult,
    constraints_in_words,
)
from treewright.tree import at_least, at_most, leaves_in_words, percent_at_most, power_at_most

__all__ = ["Certificate", "explain"]

OF_CLASSES = "the accuracy on test rows, with its interval, is the evidence for that"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the page says is proven.

    Parameters
    ----------
    badge : str
        Two or three words for the top of the page.
    mark : str
        "proven", "conditional", "open" or "none"; chooses the sign beside the badge.
    sentence : str
        The exact statement.
    answers : tuple of (question, answer)
    notes : tuple of str
    """

    badge: str
    mark: str
    sentence: str
    answers: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def explain(
    result: SolveResult | None,
    terms: Terms | None,
    n_rows: int,
    better: SolveResult | None = None,
    evidence: str = OF_CLASSES,
) -> Certificate:
    """Return the certificate in plain language.

    Parameters
    ----------
    result : SolveResult or None
    terms : Terms or None
    n_rows : int
        Training rows.
    better : SolveResult, default=None
        A tree of the report's frontier that is better than the report's tree, because it may use other splits.
    evidence : str
        What there is to say of new rows; completes "How the tree performs on new rows: ...".
    """
    if result is None:
        return Certificate(
            "Nothing claimed", "none", "The model holds no certificate: nothing is claimed about this tree."
        )
    if isinstance(result, BornAgainResult) and result.options.get("objective") != "values":
        return _born_again(result)
    if not (type(result) is SolveResult or isinstance(result, (AdditiveResult, F1Result))):
        # Of another question: only its own words are safe.
        proven = result.status is SolveStatus.OPTIMAL
        badge = result.status.value.capitalize()
        answered = (("Did the search run to its end?", _end(result)),)
        return Certificate(
            badge, "proven" if proven else "open", result.sentence(), answered, tuple(result.notes)
        )
    answers = [
        _how_much_better(result, terms, n_rows, better),
        ("Better in which sense?", _objective(result, terms)),
        ("Among which trees?", f"All trees over {result.scope}{_limits(result, terms)}{_leaves_of(result)}."),
        ("Does the proof rest on guesses?", _guesses(result)),
        ("Did the search run to its end?", _end(result)),
        (
            "What is not proven?",
            f"How the tree performs on new rows: {evidence}. Nor does the proof say that its questions are causes. "
            f"Other trees may be {'better' if result.is_chosen else 'exactly as good'}.",
        ),
    ]
    badges = {
        SolveStatus.OPTIMAL: ("Proven optimal", "proven"),
        SolveStatus.OPTIMAL_UNDER_GUESSES: ("Optimal if the guesses hold", "conditional"),
        SolveStatus.FEASIBLE: (f"{_not_proven(result)}; gap {percent_at_most(result.gap)}", "open"),
    }
    return Certificate(*badges[result.status], result.sentence(), tuple(answers), tuple(result.notes))


def _not_proven(result: SolveResult) -> str:
    return "Chosen among near-optimal trees" if result.is_chosen else "Not proven"


def _how_much_better(
    result: SolveResult, terms: Terms | None, n_rows: int, better: SolveResult | None
) -> tuple[str, str]:
    question = "Could another tree be better?"
    room = max(0.0, result.objective - result.lower_bound)
    among = f"all trees over {result.scope}{_limits(result, terms)}{_leaves_of(result)}"
    if result.status is SolveStatus.OPTIMAL:
        why = (
            "which the search left open"
            if isinstance(result, F1Result)
            else "for weights or costs were rounded"
        )
        least = f" (up to {power_at_most(room, 2)}, {why})" if room > 1e-9 else ""
        if isinstance(result, AdditiveResult):
            tolerance = result.stats.get("tolerance")
            is_exact = not isinstance(tolerance, float) or tolerance <= 0
            least = "" if is_exact else f" (by more than {power_at_most(float(tolerance or 0))})"
        proven = f"not among {among}{least}: every other one was counted, or ruled out by a proven bound"
        if better is not None:
            return question, (
                f"Yes, with other splits: the frontier below, over {better.scope}, has a better tree of "
                f"{leaves_in_words(better.tree)}. But {proven}."
            )
        return question, f"No, {proven}. Trees beyond these were not searched."
    rows = ""
    if (
        terms is not None
        and not isinstance(result, (AdditiveResult, F1Result))
        and terms.costs is None
        and terms.objective == "accuracy"
        and not (terms.weight or terms.class_weight)
    ):
        rows = f", worth {float(at_most(room * n_rows, 1)):,.1f} of {n_rows:,} rows"
    certain = (
        "Whether the guesses hold or not, among"
        if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
        else "Among"
    )
    known = ""
    if better is not None:
        known = f"Yes: the frontier below, over {better.scope}, has one of {leaves_in_words(better.tree)}. "
    return question, (
        f"{known}{certain} {among}, by at most {at_most(room)}{rows}: the objective is {result.objective:.6f}, and "
        f"none of them can be below {at_least(result.lower_bound)} (a gap of {percent_at_most(result.gap)}). Trees "
        "beyond these were not searched."
    )


def _leaves_of(result: SolveResult) -> str:
    """What the leaves may hold, where that is not one constant without a word."""
    model = result.options.get("leaf_model")
    if model == "linear":
        return (
            ", with a constant in every leaf (the lines were fitted afterwards and are no part of the proof)"
        )
    return ", with a line in one column in every leaf" if model == "simple_linear" else ""


def _additive_loss(result: AdditiveResult) -> str:
    """What a tree of an additive loss minimises, without the penalty of its leaves."""
    if isinstance(result, RegressionResult):
        return f"the share of the {result.loss_in_words} of a single leaf that it leaves on the training rows"
    if isinstance(result, RowCostsResult):
        return "the mean cost of a training row"
    score = "log loss" if result.options.get("criterion") == "log_loss" else "Brier score"
    of = {PolicyResult: "regret of the best single action", SurvivalResult: "deviance of a single leaf"}
    of[ProbabilityResult] = f"{score} of a single leaf"
    return f"the share of the {of[type(result)]} that it leaves on the training rows"


def _objective(result: SolveResult, terms: Terms | None) -> str:
    if isinstance(result, AdditiveResult):
        each = result.options.get("cost_complexity")
        penalty = f"{each:g}" if isinstance(each, (int, float)) else "a penalty"
        return (
            f"The tree minimises {_additive_loss(result)} ({result.loss:.4f}) plus {penalty} for every leaf."
        )
    if isinstance(result, F1Result):
        return _f1_objective(result, terms)
    minimises = "The best trees minimise" if result.is_chosen else "The tree minimises"
    if terms is None:
        leaf_penalty = result.options.get("cost_complexity")
        each = f"{leaf_penalty:g} for" if isinstance(leaf_penalty, (int, float)) else "a penalty for"
        return f"{minimises} its loss on the training rows ({result.loss:.4f}) plus {each} every leaf."
    if terms.costs is not None:
        loss = "the mean cost of its decisions on the training rows"
    elif terms.objective == "balanced_accuracy":
        loss = "the mean of the error rates of the classes on the training rows"
    else:
        loss = "the share of training rows that it gets wrong"
        if terms.weight or terms.class_weight:
            loss = "the share of the training weight that it gets wrong"
    if terms.cost_complexity == 0:
        return f"{minimises} {loss} ({result.loss:.4f}); leaves cost nothing."
    return (
        f"{minimises} {loss} ({result.loss:.4f}) plus {terms.cost_complexity:g} for every leaf: one more leaf "
        f"must lower the loss by more than that."
    )


def _f1_objective(result: F1Result, terms: Terms | None) -> str:
    classes = result.tree.classes
    label = "the second class" if classes is None or len(classes) != 2 else repr(classes.tolist()[1])
    penalty = result.options.get("cost_complexity", terms.cost_complexity if terms is not None else None)
    leaves = "each leaf counts as a share of the training weight predicted wrong"
    if penalty is not None:
        leaves = f"each leaf counts as {penalty:g} of the training weight predicted wrong"
    if penalty == 0:
        leaves = "leaves cost nothing"
    return (
        f"The tree minimises 1 \u2212 F1 of {label} on the training rows ({result.loss:.4f}, so F1 is "
        f"{1 - result.loss:.4f}); {leaves}. F1 is the harmonic mean of precision (how many of the rows predicted "
        f"{label} are) and recall (how many of these rows are found)."
    )


def _limits(result: SolveResult, terms: Terms | None) -> str:
    kept = {
        name: getattr(terms, name) for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf") if terms
    }
    words = constraints_in_words({**kept, **result.options})
    return f",{words}" if words else ", of any depth and size"


def _guesses(result: SolveResult) -> str:
    if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        return (
            "Yes: that no tree does better on a set of rows than a reference model does, see the notes. The bound in "
            "the first answer does not rest on that."
        )
    if "guess" in result.scope or any("guess" in note.lower() for note in result.notes):
        return "What was searched was chosen with the help of a reference model, see the notes. The bound holds for it."
    return "No."


def _end(result: SolveResult) -> str:
    seconds = result.stats.get("seconds")
    after = f" after {seconds:.3g} seconds" if isinstance(seconds, (int, float)) else ""
    if result.stop_reason is not None:
        return f"No: {result.stop_reason.value}{after}. More time can close the gap or find a better tree."
    return f"Yes,{after}." if after else "Yes."


def _born_again(result: BornAgainResult) -> Certificate:
    if result.options.get("objective") == "values-everywhere":
        return _near_everywhere(result)
    proven = result.status is SolveStatus.OPTIMAL
    of_rows = result.options.get("objective") in ("rows", "active") or not result.scope.startswith("all rows")
    claim = "To decide like an ensemble of trees" + (
        " on the rows named below, not on others" if of_rows else ""
    )
    answers = (
        ("What does this tree claim?", f"{claim}. It does not claim to be the best tree for the labels."),
        ("On which rows?", f"On {result.scope}."),
        ("Did the search run to its end?", _end(result)),
        (
            "What is not proven?",
            "That the ensemble is right. The accuracies in this report are those of its decisions.",
        ),
    )
    badge = "Agrees with an ensemble on rows" if of_rows else "Decides like its ensemble"
    badge += "; proven smallest" if proven else ""
    mark = "proven" if proven else "open"
    return Certificate(badge, mark, result.sentence(), answers, tuple(result.notes))


def _near_everywhere(result: BornAgainResult) -> Certificate:
    tolerance = result.options.get("tolerance")
    within = isinstance(tolerance, (int, float)) and result.loss <= tolerance
    answers = (
        (
            "What does this tree claim?",
            "To say nearly the number of a regression model. It does not claim to be the best tree for the target.",
        ),
        ("On which rows?", f"On {result.scope}, seen or not."),
        (
            "Did the search run to its end?",
            "Yes: the tree is within the tolerance." if within else _end(result),
        ),
        (
            "What is not proven?",
            "That the model is right; the errors below are those of its numbers. Nor that no smaller tree is as near, "
            "unless the sentence above says that its leaves are needed.",
        ),
    )
    where = "every row of the domain" if " of the domain" in result.scope else "every row"
    badge = f"Near its model on {where}" if within else "Not as near its model as was asked"
    return Certificate(badge, "proven" if within else "open", result.sentence(), answers, tuple(result.notes))
