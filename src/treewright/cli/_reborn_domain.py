"""The domain of a born-again tree: as the options of `treewright reborn` ask for it, and as a model file holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Certificate, Domain, Ensemble, NumberEnsemble

__all__ = ["AskedDomain", "within_claimed"]

Model = TypeVar("Model", "Ensemble", "NumberEnsemble")


@dataclass(frozen=True)
class AskedDomain:
    """What --domain, --one-hot and --at-most-one ask for.

    Parameters
    ----------
    of_rows : bool
        Ranges and whole numbers of the rows.
    one_hot, at_most_one : sequence of str
        Names of columns with commas between, one group each.
    """

    of_rows: bool
    one_hot: Sequence[str]
    at_most_one: Sequence[str]

    def stated(self, names: Sequence[str], X: NDArray[np.float64] | None) -> Domain | None:
        """Return the domain over the columns of a model; None is all rows.

        Parameters
        ----------
        names : sequence of str
            All columns, in order.
        X : ndarray of shape (n_rows, n_columns), or None
            The rows that there are.

        Raises
        ------
        InputError
            A column does not exist or is in two groups, or there are no rows to take ranges from.
        """
        from treewright.convert import Domain

        if self.of_rows and X is None:
            raise InputError("--domain needs rows, which a model file lacks: add --rows FILE.csv.")
        stated = Domain.of_rows(X) if self.of_rows and X is not None else None
        if self.one_hot or self.at_most_one:
            one, most = (
                [[name.strip() for name in group.split(",")] for group in told]
                for told in (self.one_hot, self.at_most_one)
            )
            groups = Domain.of(names, one_hot=one, at_most_one=most)
            stated = groups if stated is None else stated.with_groups(groups.one_hot, groups.at_most_one)
        return stated


def within_claimed(model: Model, claim: Certificate | None) -> Model:
    """Return a model within the domain that a certificate names; the model itself if it names none.

    Raises
    ------
    InputError
        The certificate speaks of a domain that the file does not hold, or of columns that the model does not have.
    """
    from treewright.convert import Domain

    if claim is None:
        return model
    if "domain" in claim.options:
        return model.within(Domain.from_named(model.feature_names, claim.options["domain"]))
    if " of the domain" in claim.scope:
        raise InputError(
            "The file does not hold the domain that its certificate speaks of; make the tree again."
        )
    return model
