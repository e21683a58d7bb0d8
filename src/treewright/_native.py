"""The only file that imports the compiled core."""

import treewright._core as core

__all__ = ["core"]
