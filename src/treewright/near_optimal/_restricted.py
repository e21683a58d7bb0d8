"""Smaller sets: the trees that keep rules, again as a set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from treewright.convert import TreeLike
from treewright.errors import InputError
from treewright.near_optimal._bounds import check_bound, check_count, up_to
from treewright.near_optimal._counts import Counts
from treewright.near_optimal._derived import trees_like, trees_that_ask
from treewright.near_optimal._graph import Membership, SetGraph
from treewright.near_optimal._ordered import OrderedSet
from treewright.near_optimal._watch import TimeOver, Watch, not_counted
from treewright.tree import Tree

__all__ = ["RestrictedSet"]


@dataclass(frozen=True, eq=False, repr=False)
class RestrictedSet(OrderedSet):
    """A set that gives smaller ones."""

    def where(
        self,
        *,
        without: str | Sequence[str] | None = None,
        only: str | Sequence[str] | None = None,
        root: str | Sequence[str] | None = None,
        uses: str | Sequence[str] | None = None,
        like: TreeLike = None,
        max_leaves: int | None = None,
        max_objective: float | None = None,
        time_limit: float | None = None,
    ) -> Self:
        """Return the trees that keep rules; rules add up.

        Parameters
        ----------
        without : str or sequence of str, default=None
            Columns that no split may use.
        only : str or sequence of str, default=None
            The only columns that splits may use.
        root : str or sequence of str, default=None
            The first split is on one of these columns; a tree of one leaf has none, and is left out.
        uses : str or sequence of str, default=None
            Columns that the tree has to use, each in at least one split.
        like : Tree, SolveResult or fitted estimator, default=None
            A tree whose splits have to be there, at the same places; its leaves may be split further, and their labels
            do not matter.
        max_leaves : int, default=None
            Largest number of leaves.
        max_objective : float, default=None
            Largest objective; a tree exactly on it stays.
        time_limit : float or None, default=None
            Seconds in which the trees are counted, now; None is no limit, and they are counted when first asked for.

        Returns
        -------
        NearOptimalTrees
            Perhaps empty: then no tree up to `bound_` keeps the rules, which is a proof.

        Raises
        ------
        InputError
            A column that the table does not have, no column, a limit that is not a number, or a tree over other columns
            or labels.
        SolverError
            `time_limit` ended before the trees were counted, or the graph of `uses` or `like` does not fit the memory
            limit of the set.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import near_optimal_trees
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.2)
        >>> bool(trees.where(without=["petal length (cm)", "petal width (cm)"]))
        False
        """
        watch = Watch.started(time_limit)
        without, only, root, uses = (  # once: the names may come from an iterator
            None if names is None else _listed(names) or names for names in (without, only, root, uses)
        )
        member = self.membership
        every = range(len(self.graph.split_matrix.splits))
        open_splits, root_splits = member.open_splits, member.root_splits
        if without is not None:
            closed = self._columns("without", without)
            open_splits = _both(open_splits, (s for s in every if self._column(s) not in closed))
        if only is not None:
            kept = self._columns("only", only)
            open_splits = _both(open_splits, (s for s in every if self._column(s) in kept))
        if root is not None:
            first = self._columns("root", root)
            root_splits = _both(root_splits, (s for s in every if self._column(s) in first))
        rules = [
            *self.rules,
            *_in_words("without", without, " or "),
            *_in_words("with no columns but", only, ", "),
            *_in_words("with the first split on", root, " or "),
            *_in_words("with a split on", uses, " and "),
        ]
        fewer: dict[str, Any] = {}
        if max_leaves is not None:
            check_count("max_leaves", max_leaves, 1)
            rules.append(f"of at most {max_leaves} {'leaf' if max_leaves == 1 else 'leaves'}")
            max_leaves = min(int(max_leaves), member.max_leaves or int(max_leaves))
        else:
            max_leaves = member.max_leaves
        budget = member.budget
        if max_objective is not None:
            check_bound(max_objective=max_objective)
            wanted = up_to(max_objective) / self.graph.unit + self.graph.rounding
            fewer["asked"] = min(wanted, self.asked)
            if wanted <= budget:  # all that is asked for now is there
                budget, fewer["stop_reason"] = wanted, None
        asked = sorted(self._columns("uses", uses)) if uses is not None else []
        if like is not None:
            like = self._own_tree(like)
            rules.append("beginning like the given tree")
        graph = self._graph_of(asked, like, watch)
        smaller = Membership(budget, max_leaves, open_splits, root_splits)
        counts = Counts(graph, smaller)
        smaller_set = replace(self, counts=counts, rules=tuple(rules), **fewer)
        if time_limit is not None:
            smaller_set._count_within(watch)
        return smaller_set

    def _graph_of(self, asked: Iterable[int], like: Tree | None, watch: Watch) -> SetGraph:
        """Return the graph of the trees that use some columns, and begin like a tree."""
        try:
            graph = self._graph_that_asks(asked, watch)
            return graph if like is None else trees_like(graph, like, watch)
        except TimeOver:
            raise not_counted() from None

    def _graph_that_asks(self, columns: Iterable[int], watch: Watch) -> SetGraph:
        graph, every = self.graph, range(len(self.graph.split_matrix.splits))
        for column in columns:
            graph = trees_that_ask(graph, {s for s in every if self._column(s) == column}, watch)
        return graph

    def _without(self, columns: set[int]) -> Membership:
        """Return the rule of the trees of this set that do not ask some columns."""
        every = range(len(self.graph.split_matrix.splits))
        kept = (s for s in every if self._column(s) not in columns)
        return replace(self.membership, open_splits=_both(self.membership.open_splits, kept))

    def _column(self, split: int) -> int:
        return self.graph.split_matrix.splits[split].column

    def _columns(self, rule: str, names: str | Sequence[str]) -> set[int]:
        table = self.graph.problem.table
        wanted = _listed(names)
        if not wanted:
            raise InputError(f"{rule}={names!r}; name at least one column, or leave it out.")
        for name in wanted:
            if name not in table.names:
                raise InputError(f"{rule}={name!r}: the table has the columns {', '.join(table.names)}.")
        return {table.names.index(name) for name in wanted}


def _listed(names: str | Iterable[str]) -> list[Any]:
    """Return names as a list, those of numpy as plain text: they are also written in sentences."""
    alone = isinstance(names, str) or not isinstance(names, Iterable)
    return [str(name) if isinstance(name, str) else name for name in ([names] if alone else names)]


def _in_words(rule: str, names: Iterable[str] | None, between: str) -> list[str]:
    """Return a rule of `where` as it stands in a sentence, if it was given."""
    return [] if names is None else [f"{rule} {between.join(map(repr, names))}"]


def _both(known: frozenset[int] | None, others: Iterator[int]) -> frozenset[int]:
    new = frozenset(others)
    return new if known is None else known & new
