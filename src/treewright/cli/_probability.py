"""`treewright fit --task probability`, `fit --row-cost`, and what `verify` asks of such trees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.cli._additive import AdditiveFit, answer, asked_again, column_of_numbers, terms_of
from treewright.cli._read_csv import labels_like
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model
    from treewright.result import SolveResult
    from treewright.table import CsvTable, Reading
    from treewright.verify import VerificationReport

__all__ = ["check_probability", "check_row_costs", "fit_probability", "fit_row_costs", "named_costs"]


def fit_probability(asked: AdditiveFit, target: str, criterion: str) -> None:
    """Find the probability tree of least Brier score or log loss, show it and save it.

    Parameters
    ----------
    asked : AdditiveFit
        Its leaf penalty is a share of the loss of a single leaf.
    target : str
        Column of the labels.
    criterion : str
        As in `make_probability_problem`.
    """
    from treewright.problem import make_probability_problem
    from treewright.search import solve_probability

    assert asked.csv.target is not None  # a column was named
    problem = make_probability_problem(
        asked.csv.table,
        asked.csv.target,
        criterion=criterion,  # type: ignore[arg-type]  # it refuses others
        **asked.question(),
    )
    name, words_of = ("log_loss", "log loss") if criterion == "log_loss" else ("brier_score", "Brier score")

    def words(result: SolveResult) -> str:
        found, single = result.stats[name], result.stats[f"single_leaf_{name}"]
        return f"Mean {words_of} on these rows: {found:.6g}; a single leaf has {single:.6g}."

    terms = terms_of(asked, problem, objective=criterion, target=target)
    answer(asked, problem, solve_probability, terms=terms, words=words)


def check_probability(content: Model, csv: CsvTable) -> tuple[VerificationReport, bool]:
    """Hold a probability tree against its table; also returns whether its certificate was part of that."""
    from treewright.problem import make_probability_problem
    from treewright.verify import verify_probability

    claim = content.certificate
    assert claim is not None and claim.terms is not None and csv.target is not None  # noqa: PT018  (the caller looked)
    problem = make_probability_problem(
        csv.table,
        labels_like(csv.target, content.tree),
        sample_weight=csv.sample_weight,
        criterion=claim.terms.objective,  # type: ignore[arg-type]  # one of the two
        **asked_again(claim.terms),
    )
    return verify_probability(problem, content.result or content.tree), True


def named_costs(row_cost: Sequence[str]) -> dict[str, str]:
    """Return the column of costs of each class.

    Raises
    ------
    InputError
        Something else than CLASS=COLUMN, or a class twice.
    """
    found: dict[str, str] = {}
    for text in row_cost:
        label, sign, column = text.partition("=")
        if not (label and sign and column):
            raise InputError(
                f"--row-cost {text!r}; give CLASS=COLUMN, for example --row-cost yes=cost_of_yes."
            )
        if label in found:
            raise InputError(f"--row-cost names the class {label} twice; give each class once.")
        found[label] = column
    return found


def fit_row_costs(asked: AdditiveFit, target: str, row_cost: Sequence[str]) -> None:
    """Find the tree of least mean cost where every row has a cost of each class, show it and save it.

    Parameters
    ----------
    asked : AdditiveFit
        Its leaf penalty is a mean cost of a row.
    target : str
        Column of the labels.
    row_cost : sequence of str
        CLASS=COLUMN, one for each class.
    """
    from treewright.problem import make_row_costs_problem
    from treewright.search import solve_row_costs

    assert asked.csv.target is not None  # a column was named
    columns = named_costs(row_cost)
    classes = [str(label) for label in np.unique(asked.csv.target).tolist()]
    if set(columns) != set(classes):
        raise InputError(
            f"--row-cost names the classes {', '.join(columns)}; the column {target} has {', '.join(classes)}. Give "
            "CLASS=COLUMN once for each."
        )
    names = tuple(columns[label] for label in classes)
    costs = _costs(asked.data, names, asked.csv_options, asked.csv.reading)
    problem = make_row_costs_problem(asked.csv.table, asked.csv.target, costs, **asked.question())

    def words(result: SolveResult) -> str:
        of = result.stats
        return (
            f"Mean cost on these rows: {result.loss:.6g}; the best single class has {of['single_class_cost']:.6g}, "
            f"the cheapest class for every row {of['least_cost']:.6g}."
        )

    terms = terms_of(asked, problem, objective="row_costs", target=target, row_costs=names)
    answer(asked, problem, solve_row_costs, terms=terms, words=words)


def _costs(
    data: Path, names: Sequence[str], csv_options: dict[str, Any], reading: Reading
) -> NDArray[np.float64]:
    complaint = "--row-cost {}: costs must be numbers."
    return np.column_stack(
        [column_of_numbers(data, name, reading, csv_options, complaint.format(name)) for name in names]
    )


def check_row_costs(
    content: Model, csv: CsvTable, data: Path, csv_options: dict[str, Any]
) -> tuple[VerificationReport, bool]:
    """Hold a tree for costs of rows against its table; also returns whether its certificate was part of that."""
    from treewright.problem import make_row_costs_problem
    from treewright.verify import verify_row_costs

    claim = content.certificate
    assert claim is not None and claim.terms is not None and csv.target is not None  # noqa: PT018  (the caller looked)
    if claim.terms.row_costs is None:
        raise InputError(
            "The model file does not name the columns of the costs, so there is nothing to verify the tree against; "
            "files written by treewright fit --row-cost do."
        )
    problem = make_row_costs_problem(
        csv.table,
        labels_like(csv.target, content.tree),
        _costs(data, claim.terms.row_costs, csv_options, csv.reading),
        sample_weight=csv.sample_weight,
        **asked_again(claim.terms),
    )
    return verify_row_costs(problem, content.result or content.tree), True
