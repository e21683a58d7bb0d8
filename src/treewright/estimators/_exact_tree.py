"""What the estimators of exact trees share: one question for `fit` and for the forecast of how long it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from sklearn.base import clone

from treewright.estimators._tree_estimator import TreeEstimator
from treewright.result import StopReason, told_to_stop
from treewright.search import Limits, ProgressCallback, SearchForecast, forecast_search, progress_bar

__all__ = ["ExactTree", "Question"]


@dataclass(frozen=True, eq=False)
class Question:
    """A problem and the search that answers it, with the switches of the estimator.

    Parameters
    ----------
    problem : TreeProblem
    search : callable
        ``search(problem, limits=..., progress=...)`` returns a result.
    """

    problem: Any  # a TreeProblem of the kind that the search takes
    search: Callable[..., Any]

    def answer(self, limits: Limits, progress: ProgressCallback | None) -> Any:
        """Search, and return the result."""
        return self.search(self.problem, limits=limits, progress=progress)


class ExactTree(TreeEstimator):
    """Base of the estimators whose `fit` is one exact search."""

    time_limit: float | None
    progress: Literal["auto"] | bool | ProgressCallback
    result_: Any

    def _keep_answer(self, question: Question, limits: Limits) -> Any:
        """Search with a progress bar, keep the result and its tree, and return the result."""
        with progress_bar(self.progress, self.time_limit) as report:
            self.result_ = question.answer(limits, report)
        self.tree_ = self.result_.tree
        return self.result_

    def _keep_more(self, keep: Callable[[], None]) -> Any:
        """Set what else is kept of an answer, and return the result; Ctrl-C meanwhile begins that again, once."""
        try:
            keep()
        except KeyboardInterrupt:
            told = told_to_stop(StopReason.INTERRUPT)
            self.result_ = replace(self.result_, stats={**self.result_.stats, **told})
            keep()
        return self.result_

    def _question(self, *data: Any) -> Question:
        """Read and check the arguments of `fit`."""
        raise NotImplementedError

    def forecast(self, X: Any, y: Any, *rest: Any, seconds: float = 1.0, **named: Any) -> SearchForecast:
        """Estimate how long `fit` will take, and how much memory, from searches over samples of the rows.

        Parameters
        ----------
        X, y, *rest
            The arguments of `fit`.
        seconds : float, default=1.0
            To be spent on the estimate, above 0.
        **named
            The named arguments of `fit`.

        Returns
        -------
        SearchForecast
            ``print(model.forecast(X, y))`` says it in words: the likely time with its range, the memory, and
            whether that is within `time_limit`.

        Raises
        ------
        InputError
            The table, the target or a parameter cannot be used.
        KeyboardInterrupt
            Ctrl-C; nothing is lost.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from treewright import OptimalTreeClassifier
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> OptimalTreeClassifier(max_depth=2).forecast(X, y).longest < 30
        True
        """
        question = clone(self)._question(X, y, *rest, **named)  # a clone: no forecast fits this estimator
        return forecast_search(
            question.problem,
            lambda some, limits: question.search(some, limits=limits, progress=None),
            seconds=seconds,
            time_limit=self.time_limit,
        )
