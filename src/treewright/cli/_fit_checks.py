"""What `fit` refuses: options that do not go together, and a target that is no class."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from treewright.cli._leaf_accuracy import LEAF_ACCURACY
from treewright.cli._question import F1
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.table import CsvTable

__all__ = [
    "CLASSIFICATION", "CONFIDENCE", "POLICY", "PROBABILITY", "REGRESSION", "SURVIVAL", "check_quantile", "check_shards",
    "check_task", "criterion_of", "is_by_leaf", "refuse_all", "refuse_quantity", "suits_shards",
]  # fmt: skip

CONFIDENCE = 0.95
CLASSIFICATION, REGRESSION, POLICY, SURVIVAL, PROBABILITY = TASKS = (
    "classification",
    "regression",
    "policy",
    "survival",
    "probability",
)  # --task
BY_LEAF = ("accuracy", "lower-bound")
CRITERIA = {  # of each task, the default first
    REGRESSION: ("squared-error", "poisson", "gamma", "absolute-error", "quantile"),
    PROBABILITY: ("brier", "log-loss"),
}
LEAF_MODELS = ("constant", "linear", "simple-linear")  # the default first
LINEAR_CRITERIA = (None, "squared-error", "squared_error")  # that lines are fitted for


def check_task(given: SimpleNamespace) -> None:
    """Refuse options that do not go with the task, the method or the objective; `given` has the options of `fit`."""
    by_leaf = is_by_leaf(given.objective)
    if given.method not in ("exact", "latent"):
        raise InputError(f"--method {given.method!r}; give 'exact' or 'latent'.")
    if given.task not in TASKS:
        raise InputError(f"--task {given.task!r}; give one of {', '.join(map(repr, TASKS))}.")
    if given.task != POLICY:
        refuse_all(
            "{option} is for --task policy; add that, or leave it out.",
            {"--reward": bool(given.reward), "--action-cost": bool(given.action_cost)},
        )
    if (given.event is not None) is not (given.task == SURVIVAL):
        raise InputError(
            "--task survival needs --event: the column that says whether the event was seen (1) or not (0)."
            if given.event is None
            else "--event is for --task survival; add that, or leave it out."
        )
    if given.task != CLASSIFICATION:
        refuse_all(
            f"--task {given.task} takes no {{option}}; leave it out.",
            {
                "--target (it has --reward)": given.task == POLICY and given.target is not None,
                "--method": given.method != "exact",
                "--objective": given.objective != "accuracy",  # before thresholds, whose default it changes
                "--thresholds (it searches all)": given.thresholds not in ("auto", "all"),
                "--criterion": given.criterion is not None and given.task not in CRITERIA,
                "--row-cost": bool(given.row_cost),
                "--confidence": given.confidence != CONFIDENCE,
                "--class-weight": bool(given.class_weight),
                "--cost": bool(given.cost),
                "--guess": bool(given.guess),
                "--merge-labels": given.merge_labels and given.task != PROBABILITY,
            },
        )
    if given.leaf_model not in LEAF_MODELS:
        raise InputError(
            f"--leaf-model {given.leaf_model!r}; give one of {', '.join(map(repr, LEAF_MODELS))}."
        )
    if given.leaf_model != LEAF_MODELS[0] and (
        given.task != REGRESSION or given.criterion not in LINEAR_CRITERIA
    ):
        raise InputError(
            f"--leaf-model {given.leaf_model} is for --task regression --criterion squared-error; add that, or "
            "leave it out."
        )
    criterion_of(given.task, given.criterion)
    check_quantile(given.criterion, given.quantile)
    if given.row_cost:
        refuse_all(
            "--row-cost goes without {option}; leave it out.",
            {
                "--method": given.method != "exact",
                "--objective": given.objective != "accuracy",
                "--thresholds (it searches all)": given.thresholds not in ("auto", "all"),
                "--class-weight": bool(given.class_weight),
                "--cost": bool(given.cost),
                "--guess": bool(given.guess),
            },
        )
    if given.method == "latent":
        refuse_all(
            "--method latent takes no {option}; leave it out, or use --method exact.",
            {
                "--max-leaf-nodes": given.max_leaf_nodes is not None,
                "--min-samples-leaf": given.min_samples_leaf is not None,
                "--objective": given.objective != "accuracy",
                "--thresholds": given.thresholds != "auto",
                "--class-weight": bool(given.class_weight),
                "--cost": bool(given.cost),
                "--step-limit": given.step_limit is not None,
                "--memory-limit": given.memory_limit is not None,
                "--guess": bool(given.guess),
                "--require-proof": given.require_proof,
            },
        )
    else:
        refuse_all(
            "{option} is for --method latent; add that, or leave it out.",
            {
                "--pruning": given.pruning is not None,
                "--epochs": given.epochs is not None,
                "--hardening": given.hardening is not None,
            },
        )
    if not by_leaf:
        refuse_all(
            "{option} is for --objective leaf-accuracy; add that, or leave it out.",
            {
                "--criterion": given.criterion is not None and given.task == CLASSIFICATION,
                "--confidence": given.confidence != CONFIDENCE,
            },
        )
    if given.target is None and given.task != POLICY:
        raise InputError("Missing option '--target': name the column to predict.")


def criterion_of(task: str, criterion: str | None) -> str:
    """Return the criterion of a task as the library names it.

    Raises
    ------
    InputError
        The task has no such criterion.
    """
    if task not in CRITERIA:
        return (criterion or BY_LEAF[1]).replace("_", "-")
    name = (criterion or CRITERIA[task][0]).replace("_", "-")
    if name not in CRITERIA[task]:
        raise InputError(
            f"--criterion {criterion!r}; --task {task} has {', '.join(map(repr, CRITERIA[task]))}."
        )
    return name.replace("-", "_")


def check_quantile(criterion: str | None, quantile: float | None) -> None:
    """Refuse a level without the criterion that takes it, and the other way round."""
    if (quantile is not None) is not (criterion == "quantile"):
        raise InputError(
            "--criterion quantile needs --quantile, the level, for example 0.9."
            if quantile is None
            else "--quantile is for --task regression --criterion quantile; add that, or leave it out."
        )


def check_shards(given: SimpleNamespace, *, in_shards: bool) -> None:
    """Refuse options that do not go with shards, or that go with shards alone."""
    if not in_shards:
        refuse_all(
            "{option} is for shards only; add --shard-rows, or leave it out.",
            {
                "--gap": given.gap is not None,
                "--backend": given.backend is not None,
                "--spill-folder": given.spill_folder is not None,
            },
        )
        if given.method != "latent" and given.seed is not None:
            raise InputError(
                "--seed is for --method latent and for shards; leave it out: nothing else is random."
            )
        if given.method == "latent" or is_by_leaf(given.objective) or given.guess:
            refuse_all(
                "{option} is for the exact search, without guesses, and for shards; leave it out.",
                {"--jobs": given.jobs is not None},
            )
        return
    refuse_all(
        "{option} does not go with shards (--shard-rows, a folder, a large Parquet file); leave it out.",
        _not_with_shards(given),
    )


def suits_shards(given: SimpleNamespace) -> bool:
    """Whether a large file may be searched in shards though nobody asked for them: nothing says otherwise."""
    return (
        given.target is not None
        and given.max_depth is None
        and given.thresholds == "auto"
        and given.step_limit is None
        and not any(_not_with_shards(given).values())
    )


def _not_with_shards(given: SimpleNamespace) -> dict[str, bool]:
    return {
        f"--task {given.task}": given.task != CLASSIFICATION,
        "--method latent": given.method == "latent",
        "--objective leaf-accuracy": is_by_leaf(given.objective),
        "--objective f1": given.objective == F1,
        "--row-cost": bool(given.row_cost),
        "--guess": bool(given.guess),
        "--merge-words": bool(given.merge_words),
        "--merge-labels": given.merge_labels,
    }


def is_by_leaf(objective: str) -> bool:
    """Whether the worst leaf is to be as accurate as can be."""
    return objective.replace("_", "-") == LEAF_ACCURACY


def refuse_quantity(csv: CsvTable, target: str | None, regression: str = "add --task regression") -> None:
    """Refuse a target of many different numbers: each would be a class of its own, which is proven in no time.

    Parameters
    ----------
    csv : CsvTable
    target : str or None
    regression : str, default="add --task regression"
        How to predict the number instead.
    """
    from treewright.table import is_no_class

    if csv.target is not None and is_no_class(csv.target):
        count = len(set(csv.target.tolist()))
        raise InputError(
            f"The target {target} has {count:,} different numbers: it is a quantity, and each number would be a class "
            f"of its own. To predict the number, {regression}; to predict a class, make it two or a few classes in the "
            "file, such as above and below a limit."
        )


def refuse_all(message: str, given: dict[str, bool]) -> None:
    """Refuse the first option that was given and that nothing would use."""
    for option, is_given in given.items():
        if is_given:
            raise InputError(message.format(option=option))
