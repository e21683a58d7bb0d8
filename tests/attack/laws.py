"""All comparisons for one case: which laws its answer breaks, whatever happens on the way."""

from __future__ import annotations

import json
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from attack.case import Case
from attack.checks import Found, Mismatch, answers
from attack.conversions import COMPILED, QUICK, converted_alike, numbers_alike
from attack.cv_checks import leaf_cv_answers, regression_cv_answers
from attack.distil_checks import distil_answers, reborn_rows_answers
from attack.f1_checks import f1_answers
from attack.files import ADDITIVE, mutated_files, tampered, verified
from attack.front_checks import regression_front_answers
from attack.hybrid_checks import hybrid_answers
from attack.latent_checks import latent_answers
from attack.leaf_checks import front_answers, leaf_answers
from attack.near_checks import near_answers
from attack.near_choice_checks import near_choice_answers
from attack.near_everywhere_checks import near_everywhere_answers
from attack.near_values_checks import near_values_answers
from attack.policy_checks import FoundPolicy, policy_answers
from attack.probability_checks import FoundProbability, probability_answers
from attack.regression_checks import FoundRegression, outputs_answers, regression_answers
from attack.roc_checks import roc_answers
from attack.row_cost_checks import row_cost_answers
from attack.shard_checks import shard_answers
from attack.slow_checks import cv_answers, guided_answers, mip_answers, reborn_answers
from attack.survival_checks import FoundSurvival, survival_answers

__all__ = ["Outcome", "attack"]

SECONDS = 10.0  # of processor time that a case of so few rows may take; a time limit ends none of them
HERE = str(Path(__file__).parent)

CHECKS: dict[str, Callable[[Case], Iterator[Mismatch]]] = {
    "optimal": answers,
    "f1": f1_answers,
    "leaf": leaf_answers,
    "frontier": front_answers,
    "cv": cv_answers,
    "mip": mip_answers,
    "reborn": reborn_answers,
    "regression": regression_answers,
    "policy": policy_answers,
    "survival": survival_answers,
    "probability": probability_answers,
    "near": near_answers,
    "shards": shard_answers,
    "regression front": regression_front_answers,
    "row costs": row_cost_answers,
    "near choice": near_choice_answers,
    "leaf cv": leaf_cv_answers,
    "regression cv": regression_cv_answers,
    "hybrid": hybrid_answers,
    "near values": near_values_answers,
    "near everywhere": near_everywhere_answers,
    "distil labels": distil_answers,
    "reborn rows": reborn_rows_answers,
    "latent": latent_answers,
    "roc": roc_answers,
    "several outputs": outputs_answers,
}

FOUND: dict[str, type[Found]] = {
    "regression": FoundRegression,
    "policy": FoundPolicy,
    "survival": FoundSurvival,
    "probability": FoundProbability,
}


@dataclass(frozen=True)
class Outcome:
    """What came of a case: the laws that it breaks, or the message with which the library refused it."""

    mismatches: list[Mismatch] = field(default_factory=list)
    refused: str = ""


def attack(case: Case) -> Outcome:
    """Run one case through all comparisons. An error of the attack's own code is raised."""
    from treewright.errors import InputError

    start = time.process_time()
    is_guided = any(name in case.options for name in ("guess_lower_bounds", "reference")) or "guess" in (
        case.options.get("max_depth"),
        case.options.get("thresholds") if isinstance(case.options.get("thresholds"), str) else None,
    )
    try:
        found = list((guided_answers if is_guided else CHECKS[case.method])(case))
        if case.method in ("optimal", "leaf", *ADDITIVE) and not is_guided:
            found += _others(case)
    except InputError as error:
        return Outcome(refused=str(error))
    except Exception as error:
        found = [_crash(error)]
    seconds = time.process_time() - start
    if seconds > SECONDS:
        found.append(Mismatch("takes too long", f"{seconds:.1f} s of processor time for {case.n_rows} rows"))
    return Outcome(found)


def _others(case: Case) -> Iterator[Mismatch]:
    """The result's file, its other forms, and what becomes of it in bad hands; some of them for each case."""
    from treewright.errors import SolverError

    chosen = mark(case)
    try:
        found = FOUND.get(case.method, Found)(case, case.run().result_)
    except SolverError:
        return  # no tree: compared before
    if chosen % 4 == 0:
        yield from verified(found)
    if chosen % 4 == 1 and case.method in ADDITIVE:
        yield from _in_another_order(case, found)
    elif chosen % 4 == 1:
        yield from converted_alike(found, [QUICK[chosen // 4 % len(QUICK)]])
    if chosen % 4 == 2:
        yield from tampered(found, chosen)
    if chosen % 4 == 3:
        yield from mutated_files(found, chosen)
    if case.method == "regression" and chosen % 3 == 0:
        yield from numbers_alike(found, QUICK[chosen // 3 % len(QUICK)])
    if chosen % 401 == 0 and case.method not in ADDITIVE:
        yield from converted_alike(found, COMPILED)
    if chosen % 101 == 0 and case.method == "regression":
        yield from numbers_alike(found, COMPILED[chosen // 101 % len(COMPILED)])


def _in_another_order(case: Case, found: Found) -> Iterator[Mismatch]:
    """The rows backwards: another table, the same optimum."""
    if not found.proven:
        return
    columns = {name: list(values)[::-1] for name, values in case.columns.items()}
    weight = None if case.weight is None else list(case.weight)[::-1]
    result = case.but(columns=columns, y=list(case.y)[::-1], weight=weight).run().result_
    if result.status.name != "OPTIMAL":
        return
    open_to = found.result.stats["tolerance"] + result.stats["tolerance"] + 1e-9
    if abs(result.objective - found.result.objective) > open_to:
        yield Mismatch("another optimum in another order", f"{found.result.sentence()} {result.sentence()}")


def _crash(error: Exception) -> Mismatch:
    """An error that no user should see; raised again if no code of the library was running."""
    frames = traceback.extract_tb(error.__traceback__)
    if frames[-1].filename.startswith(HERE) or not any("treewright" in f.filename for f in frames):
        raise error
    last = next(f for f in reversed(frames) if not f.filename.startswith(HERE))
    return Mismatch(
        f"{type(error).__name__} instead of a clear error",
        f"{error} ({Path(last.filename).name}:{last.lineno})",
    )


def mark(case: Case) -> int:
    """A number that depends on the case alone, to choose what else is tried on it."""
    return zlib.crc32(
        json.dumps([case.method, list(case.y), repr(case.columns), repr(case.options)]).encode()
    )
