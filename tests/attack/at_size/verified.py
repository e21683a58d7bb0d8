"""Every answer passes the verifier, which makes the question anew from the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attack.at_size.question import Answer, Question
from attack.checks import Mismatch

__all__ = ["verified"]

MAKERS = {
    "classes": "make_problem",
    "leaf": "make_problem",
    "f1": "make_f1_problem",
    "regression": "make_regression_problem",
    "probability": "make_probability_problem",
    "policy": "make_policy_problem",
    "survival": "make_survival_problem",
    "row costs": "make_row_costs_problem",
}
NOT_OF_THE_PROBLEM = ("thresholds", "search_options", "n_jobs", "objective")


def verified(question: Question, answer: Answer) -> Iterator[Mismatch]:
    """Say what the verifier refuses of a result; of sets and fronts it looks at the trees they are made of."""
    import treewright.verify

    maker = MAKERS.get(question.kind)
    if maker is None:
        return
    check = {"classes": "verify", "leaf": "verify"}.get(question.kind, maker.replace("make", "verify"))
    report = getattr(treewright.verify, check.removesuffix("_problem"))(
        _problem(question, maker), answer.result
    )
    if not report.ok:
        refused = "; ".join(f"{c.name}: {c.expected}, not {c.found}" for c in report.checks if not c.ok)
        yield Mismatch("verify refuses a true certificate", f"{refused}. {answer.sentence}")


def _problem(question: Question, maker: str) -> Any:
    import treewright.problem
    from treewright.table import table_from

    given = {k: v for k, v in question.options.items() if k not in NOT_OF_THE_PROBLEM}
    if question.kind == "leaf":
        given = {k: v for k, v in given.items() if k != "criterion"} | {"cost_complexity": 0.0}
    y, more = question.fitted_with
    make = getattr(treewright.problem, maker)
    if question.kind == "row costs":
        return make(table_from(question.X), y, more.pop("row_costs"), **given, **more)
    return make(table_from(question.X), y, **given, **more)
