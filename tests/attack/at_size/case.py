"""A drawn question with what is cut off to make a mismatch small, and the script that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from attack.at_size.draw import random_question
from attack.at_size.laws import ANSWER, RELATIONS, attack, breaks, the_others, within_reach
from attack.at_size.question import Question, ask
from attack.at_size.script import script
from attack.checks import Mismatch
from attack.laws import Outcome
from attack.shrink import shown_small

__all__ = ["Sized", "drawn", "shown"]

MOST_CELLS = 2_000  # of a table that is written out
Cut = tuple[Any, ...]


@dataclass(frozen=True)
class Sized:
    """The question of three numbers, less what was cut off."""

    seed: int
    worker: int
    number: int
    cuts: tuple[Cut, ...] = ()

    @cached_property
    def drawn(self) -> tuple[Question, int]:
        rng = np.random.default_rng([self.seed, self.worker, self.number])
        return random_question(rng), int(rng.integers(2**31))

    @cached_property
    def question(self) -> Question:
        question, _ = self.drawn
        for cut in self.cuts:
            question = _without(question, cut)
        return question

    @property
    def method(self) -> str:
        return self.question.kind

    def cut(self, *cut: Any) -> Sized:
        """Leave something out: ("rows", part, parts), ("column", name), ("option", name) or ("weight",)."""
        return replace(self, cuts=(*self.cuts, cut))

    def attacked(self) -> Outcome:
        return attack(*self.drawn)

    def breaks(self, law: str) -> list[Mismatch]:
        """Return the mismatches of one law, by its name before the colon."""
        name = law.split(":")[0]
        if name == ANSWER:
            try:
                ask(self.question)
            except Exception as error:
                return [Mismatch(f"{ANSWER}: {type(error).__name__}", str(error))]
            return []
        question, answer = within_reach(self.question)
        return breaks(name, question, answer, self.drawn[1]) or []

    def script(self, says: str) -> str:
        """Write out a small table with both questions, or how a large one is drawn."""
        law = says.split(":")[0]
        if self.question.X.size <= MOST_CELLS:
            others = the_others(law, self.question, self.drawn[1]) if law in RELATIONS else []
            level = others[0].level if others else None
            return script(says, [self.question, *(other.question for other in others)], level)
        cuts = "".join(f".cut{cut!r}" for cut in self.cuts)
        lines = [
            f"# {says}",
            f"# {self.method}, {self.question.X.shape}, {dict(self.question.options)}"[:400],
        ]
        lines += ["# with PYTHONPATH=tests", "from attack.at_size.case import Sized"]
        lines += [f"print(Sized({self.seed}, {self.worker}, {self.number}){cuts}.breaks({law!r}))"]
        return "\n".join(lines)


def drawn(seed: int, worker: int, number: int) -> Sized:
    return Sized(seed, worker, number)


def shown(case: Sized, law: str, seconds: float = 30.0) -> str:
    """A mismatch as a script, made small first."""
    return shown_small(case, law, seconds, lambda case: case.breaks(law), _smaller)


def _smaller(case: Sized) -> Iterator[Sized]:
    question = case.question
    for name in question.X.columns:
        if question.X.shape[1] > 1:
            yield case.cut("column", name)
    for parts in (2, 4, 8, 32):
        if question.n_rows > 2 * parts:
            yield from (case.cut("rows", part, parts) for part in range(parts))
    if question.weight is not None:
        yield case.cut("weight")
    for option in question.options:
        if option not in ("max_depth", "thresholds", "objective", "criterion"):
            yield case.cut("option", option)


def _without(question: Question, cut: Cut) -> Question:
    if cut[0] == "rows":
        n, (part, parts) = question.n_rows, cut[1:]
        kept = question.rows(np.delete(np.arange(n), np.s_[part * n // parts : (part + 1) * n // parts]))
        if "costs" in question.options:
            before, now = np.unique(question.y), np.unique(kept.y)
            of = np.searchsorted(before, now)
            kept = kept.having(costs=np.array(question.options["costs"])[np.ix_(of, of)].tolist())
        return kept
    if cut[0] == "column":
        return question.but(X=question.X.drop(columns=cut[1]))
    return question.but(weight=None) if cut[0] == "weight" else question.having(**{cut[1]: None})
