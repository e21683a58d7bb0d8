"""How a latent tree is trained: one frozen value, checked once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright._numbers import is_real, is_whole
from treewright.errors import InputError, MissingDependencyError
from treewright.latent._torch import torch

__all__ = ["Loss", "TrainOptions", "make_loss", "make_optimizer", "weighted_loss", "with_weights"]

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

SCHEDULES = ("plateau", "cosine", None)


@dataclass(frozen=True)
class TrainOptions:
    """Options of `train`.

    Parameters
    ----------
    epochs : int, default=100
        Largest number of passes over the training rows.
    batch_size : int, default=512
        Largest batch; batches are made equal to within one row, so that none has another lambda.
    learning_rate : float, default=0.01
    optimizer : str or class, default="adamw"
        "adamw", "adam", "sgd" (with momentum 0.9), "qhadam" (of the package pytorch_optimizer, with the
        paper's nus and betas), or a `torch.optim.Optimizer` class.
    optimizer_options : mapping, default={}
        More keyword arguments of the optimizer.
    schedule : {"plateau", "cosine"} or None, default="plateau"
        "plateau" halves the learning rate after 10 epochs without improvement (`schedule_patience`,
        `schedule_factor`); "cosine" lets it fall to 0 over `epochs`; None keeps it.
    schedule_patience : int, default=10
    schedule_factor : float, default=0.5
    patience : int, default=20
        Epochs without improvement of the validation score after which training stops.
    time_limit : float or None, default=None
        Seconds after which training stops with the best model so far.
    seed : int, default=0

    Examples
    --------
    >>> from treewright.latent import TrainOptions
    >>> TrainOptions(epochs=20, optimizer="sgd", optimizer_options={"momentum": 0.9}).batch_size
    512
    """

    epochs: int = 100
    batch_size: int = 512
    learning_rate: float = 1e-2
    optimizer: str | type = "adamw"
    optimizer_options: Mapping[str, Any] = field(default_factory=dict)
    schedule: str | None = "plateau"
    schedule_patience: int = 10
    schedule_factor: float = 0.5
    patience: int = 20
    time_limit: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "patience", "schedule_patience"):
            value = getattr(self, name)
            if not is_whole(value) or value < 1:
                raise InputError(f"{name} must be an integer >= 1; got {value!r}.")
        if not (is_real(self.learning_rate) and 0 < self.learning_rate < math.inf):
            raise InputError(f"learning_rate must be a finite number > 0; got {self.learning_rate!r}.")
        if self.schedule not in SCHEDULES:
            raise InputError(f'schedule must be "plateau", "cosine" or None; got {self.schedule!r}.')
        if not (is_real(self.schedule_factor) and 0 < self.schedule_factor < 1):
            raise InputError(f"schedule_factor must be in (0, 1); got {self.schedule_factor!r}.")
        if self.time_limit is not None and not (is_real(self.time_limit) and self.time_limit > 0):
            raise InputError(f"time_limit must be a number of seconds > 0, or None; got {self.time_limit!r}.")


def make_optimizer(options: TrainOptions, parameters: Any) -> torch.optim.Optimizer:
    """Make the optimizer of `options` for some parameters."""
    given = {"lr": options.learning_rate, **options.optimizer_options}
    kind = options.optimizer
    if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer):
        return kind(parameters, **given)
    if kind in ("adam", "adamw"):
        # One kernel for all parameters: 0.2 instead of 0.6 ms a step at depth 6 (python -m benchmarks.latent step).
        given.setdefault("fused", True)
        made = torch.optim.Adam if kind == "adam" else torch.optim.AdamW
        return made(parameters, **given)
    if kind == "sgd":
        return torch.optim.SGD(parameters, **{"momentum": 0.9, **given})
    if kind == "qhadam":
        try:
            from pytorch_optimizer import QHAdam
        except ImportError as error:
            raise MissingDependencyError(
                'optimizer="qhadam" needs the package pytorch_optimizer: pip install pytorch_optimizer; '
                'or use the default, optimizer="adamw".'
            ) from error
        made_by: torch.optim.Optimizer = QHAdam(
            parameters, **{"betas": (0.995, 0.998), "nus": (0.7, 1.0), **given}
        )
        return made_by
    raise InputError(
        f'optimizer must be "adamw", "adam", "sgd", "qhadam" or an Optimizer class; got {kind!r}.'
    )


def weighted_loss(loss: str, n_outputs: int) -> Loss:
    """Return the loss function for a name, of targets that `with_weights` made: the weighted mean over the rows."""
    functional = torch.nn.functional

    def mean(out: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        y, weight = target[:, :-1].to(out.dtype), target[:, -1].to(out.dtype)
        if loss == "squared_error":
            each = functional.mse_loss(out, y, reduction="none").mean(dim=1)
        elif n_outputs == 1:
            each = functional.binary_cross_entropy_with_logits(out[:, 0], y[:, 0], reduction="none")
        else:
            each = functional.cross_entropy(out, y[:, 0].long(), reduction="none")
        return (weight * each).mean()

    return mean


def with_weights(target: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return targets with their weights, of mean 1, as a last column: a batch takes both along.

    Class numbers become floats, which are exact below 2^24.
    """
    columns = target[:, None] if target.ndim == 1 else target
    kind = torch.float64 if target.dtype == torch.float64 else torch.float32
    return torch.column_stack([columns.to(kind), (weight / weight.mean()).to(kind)])


def make_loss(loss: str | Loss, n_outputs: int) -> Loss:
    """Return the loss function for a name: "cross_entropy" (binary with one output), "squared_error"."""
    functional = torch.nn.functional
    if loss == "squared_error":
        return lambda out, y: functional.mse_loss(out, y)
    if loss == "cross_entropy" and n_outputs == 1:
        return lambda out, y: functional.binary_cross_entropy_with_logits(out[:, 0], y.to(out.dtype))
    if loss == "cross_entropy":
        return lambda out, y: functional.cross_entropy(out, y)
    if callable(loss):
        return _checked(loss)
    raise InputError(
        f'loss must be "cross_entropy", "squared_error" or a callable(output, target); got {loss!r}.'
    )


def _checked(loss: Loss) -> Loss:
    """Return a loss that refuses, in words, what cannot be minimized."""

    def one_number(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        value = loss(out, y)
        if not isinstance(value, torch.Tensor):
            raise InputError(
                f"your loss returned {type(value).__name__}, not a tensor; return a scalar tensor."
            )
        if value.numel() != 1:
            raise InputError(
                f"your loss returned a tensor of shape {tuple(value.shape)}; return one number for all rows of "
                "a batch, such as its mean()."
            )
        if torch.is_grad_enabled() and not value.requires_grad:
            raise InputError(
                "your loss returned a tensor without a gradient; compute it from the first argument, the output, "
                "with differentiable functions of PyTorch only."
            )
        return value.reshape(())

    return one_number
