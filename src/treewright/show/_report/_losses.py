"""What rows lose by numbers that a regression tree says, for each of its criteria."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._estimates import Estimate, mean_of_rows, root

__all__ = ["OF_MEANS", "Loss"]

OF_MEANS = ("squared_error", "poisson", "gamma")  # criteria whose best constant is the mean


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss of a criterion.

    Parameters
    ----------
    criterion : str
    quantile : float
        For criterion "quantile".
    """

    criterion: str = "squared_error"
    quantile: float = 0.5

    @property
    def name(self) -> str:
        """What adds up over the rows."""
        named = {"poisson": "Poisson deviance", "gamma": "gamma deviance"}
        if self.criterion == "quantile":
            return f"loss of the {self.quantile:g} quantile"
        return named.get(self.criterion, self.criterion.replace("_", " "))

    @property
    def error_name(self) -> str:
        """What `error` is called."""
        if self.criterion in OF_MEANS:
            return "root mean squared error"
        return "mean absolute error" if self.criterion == "absolute_error" else "mean quantile loss"

    @property
    def card_title(self) -> str:
        """What `error` is called where it stands alone: a quantile's loss is no distance from the truth."""
        return "Mean quantile loss" if self.criterion == "quantile" else "Typical error"

    @property
    def error_words(self) -> str:
        """What stands below the card: the name of `error`, or how a quantile's loss counts."""
        if self.criterion != "quantile":
            return self.error_name
        below, above = f"{self.quantile:g}", f"{1 - self.quantile:.6g}"
        return f"each unit that is too low counts {below}, each that is too high {above}"

    def rows(self, y: NDArray[np.float64], said: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the loss of each row; a mean of 0 beside a target above 0 loses infinitely much."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if self.criterion == "poisson":
                logs = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / said), 0.0)
                return np.asarray(said - y + logs)
            if self.criterion == "gamma":
                return np.asarray(y / said - 1.0 - np.log(y / said))
            apart = y - said
            if self.criterion == "absolute_error":
                return np.abs(apart)
            if self.criterion == "quantile":
                return np.asarray(np.where(apart > 0, self.quantile * apart, (self.quantile - 1) * apart))
            return np.asarray(apart**2)

    def error(self, y: NDArray[np.float64], said: NDArray[np.float64]) -> Estimate:
        """Return how far off numbers are in the units of the target: what `error_name` says."""
        if self.criterion in OF_MEANS:
            return root(mean_of_rows(Loss().rows(y, said)))
        return mean_of_rows(self.rows(y, said))
