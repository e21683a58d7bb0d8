"""Latent trees (Zantedeschi, Kusner and Niculae 2021): trees learned by argmin differentiation. Needs
PyTorch.
"""

from treewright.latent._layer import tree_layer
from treewright.latent._projection import prune_traversals

__all__ = ["prune_traversals", "tree_layer"]
