"""Which laws the answer to a question breaks: beside the same question asked otherwise, the oracle, the verifier."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np

import treewright
from attack.at_size.changes import CHANGES, Other
from attack.at_size.engines import ENGINES
from attack.at_size.oracle import best_objective, is_in_reach
from attack.at_size.question import Answer, Question, ask, limited_to
from attack.at_size.verified import verified
from attack.checks import Mismatch
from attack.laws import Outcome

__all__ = ["ANSWER", "RELATIONS", "attack", "breaks", "the_others", "within_reach"]

RELATIONS = CHANGES | ENGINES
ANSWER, ORACLE, VERIFIER = "answer", "oracle", "verifier"
HERE = str(Path(__file__).parent)
LIBRARY = str(Path(treewright.__file__).parent)
HONEST = 1e-10  # of the oracle's own sums, as shares of a loss


def attack(question: Question, seed: int, most: int = 4) -> Outcome:
    """Compare a question's answer with those of two to `most` relations, the oracle and the verifier."""
    from treewright.errors import InputError

    rng = np.random.default_rng(seed)
    wanted, asked = int(rng.integers(2, most + 1)), 0
    found: list[Mismatch] = []
    try:
        question, answer = within_reach(question)
    except InputError as error:
        return Outcome(refused=str(error))
    except Exception as error:
        return Outcome([_crash(ANSWER, error)])
    for law in (ORACLE, VERIFIER, *_in_turn(rng, question)):
        broken = breaks(str(law), question, answer, seed)
        found += broken or []
        asked += broken is not None and law in RELATIONS
        if asked == wanted:
            break
    return Outcome(found)


def _in_turn(rng: np.random.Generator, question: Question) -> list[str]:
    """The relations in an order of luck; those that found most come first more often."""
    names = list(RELATIONS)
    often = {"rows in another order": 6.0, "stopped": 8.0 if question.options["max_depth"] > 2 else 1.0}
    share = np.array([often.get(name, 1.0) for name in names])
    return [str(name) for name in rng.choice(names, len(names), replace=False, p=share / share.sum())]


def within_reach(question: Question) -> tuple[Question, Answer]:
    """Return the question and its proven answer, smaller until a proof takes no longer than it may."""
    answer = ask(question)
    while answer.stopped and not answer.proven and not _is_rounded(answer):
        question = _smaller(question)
        answer = ask(question)
    return question, answer


def _is_rounded(answer: Answer) -> bool:
    return bool(getattr(answer.result, "is_only_rounded", False))


def _smaller(question: Question) -> Question:
    if question.X.shape[1] > 4:
        return question.but(X=question.X[list(question.X.columns[::2])])
    if question.options["max_depth"] > 1:
        return question.having(max_depth=question.options["max_depth"] - 1)
    half = question.rows(np.arange(0, question.n_rows, 2))
    return half.having(min_samples_leaf=max(1, question.options.get("min_samples_leaf", 1) // 2), costs=None)


def breaks(law: str, question: Question, answer: Answer, seed: int) -> list[Mismatch] | None:
    """Return what breaks a law, None where it does not apply; the same for the same seed."""
    try:
        if law in (ORACLE, VERIFIER):
            check = verified if law == VERIFIER else _against_the_oracle
            return [Mismatch(f"{law}: {m.law}", m.words) for m in check(question, answer)]
        others = the_others(law, question, seed)
        found = [difference for other in others for difference in _differ(answer, answered(other))]
        return [Mismatch(f"{law}: {what}", words) for what, words in found] if others else None
    except Exception as error:
        return [_crash(law, error)]


def the_others(law: str, question: Question, seed: int) -> list[Other]:
    """Return what a relation asks beside the question, nothing where it does not apply."""
    others = RELATIONS[law](np.random.default_rng([seed, list(RELATIONS).index(law)]), question)
    return others if isinstance(others, list) else [others] if others else []


def answered(other: Other) -> Answer:
    with limited_to(other.level) if other.level else nullcontext():
        return other.read(ask(other.question))


def _differ(one: Answer, other: Answer) -> Iterator[tuple[str, str]]:
    """Two answers to one question: equal if both are proven, else no bound is above what was found."""
    words = f"{one.values[:6]} {one.sentence} | {other.values[:6]} {other.sentence}"
    open_to = max(one.open_to, 0) + max(other.open_to, 0)
    for answer in (one, other):
        if not answer.proven and not answer.stopped:
            yield "no proof, and nothing stopped it", words
    for answer, beside in ((one, other), (other, one)):
        if any(bound > value + open_to for bound, value in zip(answer.bounds, beside.values, strict=False)):
            yield "a bound above what was found", words
    if one.proven and other.proven:
        pairs = list(zip(one.values, other.values, strict=False))  # of fronts of different length the shorter
        if any(abs(a - b) > open_to * max(1.0, abs(a)) for a, b in pairs):
            yield "another optimum", words
        elif one.leaves is not None and other.leaves is not None and one.leaves != other.leaves:
            yield "another number of leaves", words
    elif one.proven and any(
        value < best - open_to for value, best, _ in zip(other.values, one.values, one.bounds, strict=False)
    ):
        yield "better than the optimum", words


def _against_the_oracle(question: Question, answer: Answer) -> Iterator[Mismatch]:
    if not answer.proven or not is_in_reach(question, question.options["max_depth"]):
        return
    best = best_objective(question)
    if best is None:
        return
    open_to = answer.open_to + HONEST
    words = f"{answer.value!r}, not {best!r}: {answer.sentence}"
    if answer.value > best + open_to:
        yield Mismatch("worse than the best tree", words)
    if answer.value < best - open_to:
        yield Mismatch("better than any tree", words)


def _crash(law: str, error: Exception) -> Mismatch:
    """An error that no user should see; raised again if no code of the library was running."""
    frames = traceback.extract_tb(error.__traceback__)
    if frames[-1].filename.startswith(HERE) or not any(f.filename.startswith(LIBRARY) for f in frames):
        raise error
    last = next(f for f in reversed(frames) if not f.filename.startswith(HERE))
    return Mismatch(f"{law}: {type(error).__name__}", f"{error} ({Path(last.filename).name}:{last.lineno})")
