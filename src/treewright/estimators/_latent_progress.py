"""A progress bar over epochs, in terminals and notebooks alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from treewright.search import SECONDS_BEFORE_BAR, quiet_bar, watched

__all__ = ["EpochCallback", "epoch_bar"]

EpochCallback = Callable[[Any], Any]


@contextmanager
def epoch_bar(
    progress: Literal["auto"] | bool | EpochCallback, epochs: int
) -> Iterator[EpochCallback | None]:
    """Yield the callback for a training run: the user's own, a bar, or None.

    Parameters
    ----------
    progress : "auto", bool or callable
        "auto" shows a bar after half a second where a person may be watching: standard error is a terminal,
        or a notebook runs. A callable gets each `treewright.latent.Epoch` and stops the training by
        returning True.
    epochs : int
        Epochs at which the bar is full.
    """
    with watched(progress, lambda: _Bar(epochs)) as report:
        yield report


class _Bar:
    """Shows epochs, losses and the share of active nodes."""

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs
        self.bar: Any = None

    def __call__(self, epoch: Any) -> None:
        if self.bar is None:
            if epoch.seconds < SECONDS_BEFORE_BAR:
                return
            self.bar = quiet_bar(total=self.epochs, unit="epoch", leave=False, desc="training")
        self.bar.n = epoch.number
        self.bar.set_postfix_str(
            f"loss {epoch.train_loss:.4f}, validation {epoch.validation_error:.4f}, "
            f"active nodes {100 * epoch.active_nodes:.0f}%"
        )

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
