"""Checks at the border of the tensor functions; behind it everything is trusted."""

from __future__ import annotations

import math
from typing import Any

from treewright.errors import InputError
from treewright.latent._torch import torch

__all__ = ["check_pruning", "check_scores", "first_derivative_only", "not_finite", "working_dtype"]


def check_pruning(pruning: Any) -> float:
    """Return lambda as a float >= 0, else raise InputError."""
    if type(pruning) is float and 0 <= pruning < math.inf:
        return pruning
    try:
        value = float(pruning)
    except (TypeError, ValueError):
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise InputError(
            "pruning (lambda of eq. 3) must be a finite number > 0, or 0 for no pruning at all; "
            f"got {pruning!r}."
        )
    return value


def check_scores(scores: Any, name: str, shape: str) -> torch.Tensor:
    """Return `scores` if it is a non-empty floating matrix, else raise InputError."""
    if (
        isinstance(scores, torch.Tensor)
        and scores.ndim == 2
        and scores.numel()
        and scores.is_floating_point()
    ):
        return scores
    if not isinstance(scores, torch.Tensor):
        raise InputError(f"{name} must be a torch tensor of shape {shape}; got {type(scores).__name__}.")
    if scores.ndim != 2 or 0 in scores.shape:
        raise InputError(f"{name} must have shape {shape} with at least one row; got {tuple(scores.shape)}.")
    raise InputError(
        f"{name} must be floating point (float32, float64, float16, bfloat16); got {scores.dtype}."
    )


def not_finite(name: str) -> InputError:
    """Return the error for NaN or infinite scores."""
    return InputError(
        f"{name} contains NaN or infinity. Check the input rows (impute missing values first); if this "
        "happens during training, lower the learning rate."
    )


NO_SECOND = (
    "latent trees do not support second derivatives: call backward() or grad() without create_graph=True."
)


def first_derivative_only() -> None:
    """Refuse to be differentiated twice; to be called in a backward pass.

    What torch.autograd.function.once_differentiable does, at a fraction of its 10 microseconds a call.
    """
    if torch.is_grad_enabled():
        raise NotImplementedError(NO_SECOND)


def working_dtype(dtype: torch.dtype) -> torch.dtype:
    """Return the precision that the projection is computed in: half precisions are computed in float32."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
