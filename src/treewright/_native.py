"""The only file that imports the compiled core."""

from treewright import _core as core

__all__ = ["core"]
