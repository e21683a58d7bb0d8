"""Which task a tree has."""

from __future__ import annotations

from treewright.convert import Terms
from treewright.result import ProbabilityResult, SolveResult
from treewright.show._report._actions import ActionTask
from treewright.show._report._classes import ClassTask
from treewright.show._report._numbers import NumberTask
from treewright.show._report._probabilities import ProbabilityTask
from treewright.show._report._task import Task
from treewright.show._report._times import TimeTask
from treewright.tree import Tree, TreeKind

__all__ = ["task_of"]

TASKS: dict[TreeKind, type[Task]] = {
    TreeKind.CLASSIFICATION: ClassTask,
    TreeKind.REGRESSION: NumberTask,
    TreeKind.POLICY: ActionTask,
    TreeKind.SURVIVAL: TimeTask,
}


def task_of(tree: Tree, result: SolveResult | None, terms: Terms | None) -> type[Task]:
    """Return what the report says of such a tree."""
    asked = terms.objective if terms is not None else ""
    if tree.predicts_classes and (isinstance(result, ProbabilityResult) or asked in ("brier", "log_loss")):
        return ProbabilityTask
    return TASKS[tree.kind]
