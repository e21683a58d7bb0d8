"""Save a training run and take it up again: the resumed run equals the uninterrupted one, bit for bit.

A file holds tensors and plain containers only and is read with ``weights_only=True``: opening one runs no
code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treewright.errors import ModelFileError
from treewright.latent._torch import torch

__all__ = ["FORMAT", "load_checkpoint", "save_checkpoint"]

FORMAT = "treewright latent checkpoint 1"


def save_checkpoint(path: str | os.PathLike[str], content: Mapping[str, Any]) -> None:
    """Write `content` atomically: a crash leaves the previous file whole."""
    target = Path(path)
    part = target.with_name(target.name + ".part")
    torch.save({"format": FORMAT, **content}, part)
    os.replace(part, target)


def load_checkpoint(path: str | os.PathLike[str], model: torch.nn.Module) -> dict[str, Any]:
    """Read a checkpoint for `model`.

    Raises
    ------
    ModelFileError
        The file cannot be read, is not a checkpoint, or is of a model of another shape; the message names the
        difference.
    """
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ModelFileError(
            f"{os.fspath(path)} cannot be read as a checkpoint of a latent tree ({error}). Give another "
            "path, or remove the file to start anew."
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError(
            f"{os.fspath(path)} is not a checkpoint of a latent tree of this version ({FORMAT!r}). Give "
            "another path, or remove the file to start anew."
        )
    theirs = {name: tuple(value.shape) for name, value in content["model"].items()}
    ours = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    differing = sorted(name for name in theirs.keys() | ours.keys() if theirs.get(name) != ours.get(name))
    if differing:
        name = differing[0]
        raise ModelFileError(
            f"the checkpoint {os.fspath(path)} is of a model of another shape: {name} is "
            f"{theirs.get(name, 'absent')} there and {ours.get(name, 'absent')} here. Use the depth, "
            "columns, classes and layers it was saved with, or remove the file to start anew."
        )
    return content
