"""Latent trees: trees learned by argmin differentiation, as PyTorch functions, layers and a trainer.

Needs PyTorch (the extra `latent`). Zantedeschi, Kusner and Niculae 2021, "Learning Binary Decision Trees by
Argmin Differentiation".
"""

from treewright.latent._forest import LatentForest
from treewright.latent._harden import HardenedTree
from treewright.latent._layer import tree_layer
from treewright.latent._network import LatentTreeNetwork
from treewright.latent._options import TrainOptions
from treewright.latent._projection import prune_traversals
from treewright.latent._purity import dendrogram_purity
from treewright.latent._shape import TreeShape
from treewright.latent._train import Epoch, TrainResult, train
from treewright.latent._tree import LatentTree

__all__ = [
    "Epoch",
    "HardenedTree",
    "LatentForest",
    "LatentTree",
    "LatentTreeNetwork",
    "TrainOptions",
    "TrainResult",
    "TreeShape",
    "dendrogram_purity",
    "prune_traversals",
    "train",
    "tree_layer",
]
