"""`treewright fit --task policy`, and the functions that other commands use for policy trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.cli._additive import AdditiveFit, answer, asked_again, column_of_numbers, say_notes, terms_of
from treewright.cli._options import pairs
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model, Terms
    from treewright.result import SolveResult
    from treewright.table import CsvTable, Reading
    from treewright.verify import VerificationReport

__all__ = ["check_policy", "fit_policy", "named_rewards", "rewards_of"]


def fit_policy(asked: AdditiveFit, rewards: Sequence[str], action_cost: Sequence[str]) -> None:
    """Find the policy tree of most reward, show it and save it.

    Parameters
    ----------
    asked : AdditiveFit
        Its leaf penalty is a share of the regret of the best single action.
    rewards : sequence of str
        Columns of the rewards, one per action, which has the column's name.
    action_cost : sequence of str
        ACTION=COST.

    Raises
    ------
    InputError
        A reward is not a column of finite numbers, or a parameter is out of range.
    typer.Exit
        As `treewright.cli._additive.answer`.
    """
    from treewright.problem import make_policy_problem
    from treewright.search import solve_policy

    _check_names(asked.titles, rewards)
    costs = dict(pairs(action_cost, "--action-cost"))
    notes: list[str] = []
    of_actions = rewards_of(asked.data, rewards, asked.csv_options, asked.csv.reading, notes)
    say_notes(notes)
    problem = make_policy_problem(
        asked.csv.table,
        of_actions,
        actions=list(rewards),
        action_costs=costs or None,
        **asked.question(),
    )
    terms = terms_of(
        asked,
        problem,
        objective="policy",
        rewards=tuple(rewards),
        action_costs=tuple(problem.action_costs.tolist()) if problem.action_costs.any() else None,
    )
    answer(asked, problem, solve_policy, terms=terms, words=_in_words)


def _check_names(settings: Path | None, actions: Sequence[str]) -> None:
    """Refuse names of actions in the entry that merges spellings of labels, where they have no effect."""
    from treewright.table import read_settings

    merged = {} if settings is None else read_settings(settings).labels
    if named := [action for action in actions if action in merged]:
        raise InputError(
            f"{settings}, labels: merges spellings of labels, and {named[0]!r} is an action. Its name for people goes "
            f"under label-names: {{{named[0]}: {merged[named[0]]}}}."
        )


def _in_words(result: SolveResult) -> str:
    """Say the rewards of the tree beside the best that any policy could have."""
    of: Mapping[str, Any] = result.stats
    return (
        f"Mean reward on these rows: {of['mean_reward']:.6g}; the best single action has "
        f"{of['best_single_reward']:.6g}, "
        f"the best action for every row {of['best_each_reward']:.6g}."
    )


def rewards_of(
    data: Path,
    names: Sequence[str],
    csv_options: dict[str, Any],
    reading: Reading,
    notes: list[str] | None = None,
) -> NDArray[np.float64]:
    """Read the columns of rewards as numbers.

    Raises
    ------
    InputError
        Fewer than two, one named twice, or a column that holds something else.
    """
    if len(names) < 2:
        raise InputError(
            "--task policy needs a column of rewards for each action, two at least: --reward NAME --reward NAME. Where "
            "each row has one action and its outcome, treewright.policy.doubly_robust_scores(X, action, outcome) in "
            "Python estimates the reward of each action."
        )
    if len(set(names)) < len(names):
        raise InputError("--reward names a column twice; give each action once.")
    return np.column_stack(
        [
            column_of_numbers(
                data, name, reading, csv_options, f"--reward {name}: rewards must be numbers.", notes
            )
            for name in names
        ]
    )


def named_rewards(content: Model) -> tuple[tuple[str, ...], Terms]:
    """Return the columns that held the rewards of a policy tree, in the order of its actions, and its question.

    Raises
    ------
    InputError
        The file does not name them.
    """
    claim = content.certificate
    terms = claim.terms if claim is not None else None
    if terms is None or terms.rewards is None:
        raise InputError(
            "The model file does not name the columns of the rewards, so there is nothing to check the tree against; "
            "files written by treewright fit --task policy do."
        )
    return terms.rewards, terms


def check_policy(
    content: Model, csv: CsvTable, data: Path, csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    """Hold a policy tree against its table; also returns whether its certificate was part of that."""
    from treewright.problem import make_policy_problem
    from treewright.verify import verify_policy

    names, terms = named_rewards(content)
    assert content.tree.classes is not None  # a policy tree has actions; the reader checked it
    problem = make_policy_problem(
        csv.table,
        rewards_of(data, names, csv_options, csv.reading),
        actions=content.tree.classes.tolist(),
        action_costs=terms.action_costs,
        sample_weight=csv.sample_weight,
        **asked_again(terms),
    )
    report = verify_policy(problem, content.result or content.tree)
    return _with_names(report, [str(action) for action in content.tree.classes.tolist()], list(names)), True


def _with_names(report: VerificationReport, actions: list[str], columns: list[str]) -> VerificationReport:
    """Add whether actions are called like the columns of their rewards; a tree made in Python may have other names."""
    from treewright.verify import Check

    said, held = ", ".join(actions), ", ".join(columns)
    if actions != columns and not set(actions) & set(columns):
        unknown = f"Not checked: that the actions {said} have the rewards {held}, in this order."
        return replace(report, unchecked=(*report.unchecked, unknown))
    fault = "" if actions == columns else f"{held:.60}"
    hint = "The actions have the names of other columns of rewards." if fault else ""
    named = Check("names of actions", not fault, f"{said:.60}", fault or "as claimed", hint)
    return replace(report, checks=(*report.checks, named))
