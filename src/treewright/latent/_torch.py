"""The one import of PyTorch, so that its absence is said once and plainly."""

from treewright.errors import MissingDependencyError

try:
    import torch
except ImportError as error:
    raise MissingDependencyError(
        "Latent trees need PyTorch, which is not installed. Install the extra that brings it: "
        "pip install 'treewright[latent]' (or 'torch' from pytorch.org for a build without CUDA)."
    ) from error

__all__ = ["torch"]
