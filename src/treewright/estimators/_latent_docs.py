"""What the docstrings of the latent tree estimators share."""

from __future__ import annotations

import inspect
from typing import Any

__all__ = ["documented"]

PARAMETERS = """
    Parameters
    ----------
    depth : int, default=DEPTH
        Depth of the tree, >= 1.
    pruning : float, default=1.0
        lambda >= 0 of eq. (3), relative to the rows of a batch. A larger value prunes more; 0 does not prune.
    splits : "linear", "elu" or torch Module, default="linear"
        Split functions; a module maps (n_rows, n_inputs) to (n_rows, 2**depth - 1) and is copied.
    hidden_layers : sequence of int, default=()
        Widths of the predictor's hidden layers (with ELU); () is a linear predictor.
    dropout : float, default=0.0
        Of the hidden layers.
    tree_only : bool, default=False
        Whether the predictor sees only the traversals z, not the features.
    routing : {"paper", "published"}, default="paper"
        z = clip(q + 1/2, 0, a) as in eq. (3), or min(clip(q, 0, 1), a) as in the published code.
    batch_norm : bool, default=False
        Normalise split scores over the batch, as the published code does.
    categories : {"ordinal", "onehot"}, default="ordinal"
        How categories become numbers: their codes in one column (as in the paper; can be hardened), or one column for
        each category.
    loss : "auto" or callable, default="auto"
        A callable(output, target) that returns a scalar tensor replaces the usual loss.
    optimizer : str or class, default="adamw"
        "adamw", "adam", "sgd", "qhadam" (the paper's; needs pytorch_optimizer), or an Optimizer class.
    optimizer_options : mapping, default=None
        More arguments of the optimizer.
    learning_rate : float, default=0.01
    batch_size : int, default=512
        Largest batch; batches are made equal to within one row.
    epochs : int or "auto", default="auto"
        Largest number of passes over the training rows; "auto" is 100, or as many as give 1000 steps on a small table.
    schedule : {"plateau", "cosine"} or None, default="plateau"
        How the learning rate falls; see `treewright.latent.TrainOptions`.
    patience : int or "auto", default="auto"
        Epochs without improvement on the validation rows after which training stops; "auto" is 20, or as many as give
        100 steps on a small table.
    validation_fraction : float, default=0.2
        Share of rows held out to select the model; with 0 the training rows select it. If there are fewer than ten
        rows, none are held out.
    time_limit : float or None, default=None
        Seconds of training.
    device : str, default="cpu"
        Where to train: a torch device, or "auto" for a GPU if there is one.
    random_state : int, RandomState or None, default=None
        Seed of weights, split, shuffling and dropout.
    checkpoint : path or None, default=None
        File to save to after each epoch; if it exists, `fit` resumes from it.
    progress : "auto", bool or callable, default="auto"
        A progress bar; a callable gets each `treewright.latent.Epoch` and stops training by returning True.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as categories.
"""

HARDENING = """
    hardening : {"linear", "axis", "signs"}, default="linear"
        How the hard tree is made: "signs" follows the signs of the soft splits; "linear" grows trees on the rows and on
        the soft model's predictions, improves splits on the rows that reach them, and chooses method and size on
        held-out rows; "axis" does the same with splits on single columns only. If training was stopped, the model is
        hardened by its signs.
    n_trees : int, default=1
        With more than one, the model is a sum of trees that are trained together (`treewright.latent.LatentForest`).
        Such a sum is not one hard tree: `harden` raises an error, and `splits` cannot be a module. Attributes of nodes
        list one tree after another.
"""

ATTRIBUTES = """
    Attributes
    ----------
    network_ : LatentTreeNetwork
        On the CPU, in float64, in evaluation mode.
    result_ : TrainResult
        History of all epochs, best epoch, why training stopped.
    columns_ : tuple of Column
    pruning_vector_ : ndarray of shape (2**(depth+1) - 1,)
        a of the training rows, breadth first.
    active_nodes_ : ndarray
        Positions in `pruning_vector_` of the nodes with a > 0.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.
    n_iter_ : int
        Epochs made.
"""

NOTES = """
    Notes
    -----
    Numbers are centred and scaled by values near the middle of their column, so that an outlier does not determine the
    scale. Missing values are replaced by the column's mean, and a column with missing values gets an indicator column.
    Predictions use the stored pruning vector, so a row's prediction does not depend on the other rows (in the published
    code it does).

    References
    ----------
    V. Zantedeschi, M. Kusner, V. Niculae (2021). Learning Binary Decision Trees by Argmin Differentiation.
    ICML.
"""


def documented(cls: Any) -> Any:
    """Put the common parameters in the place that a class docstring leaves for them."""
    parts = {"parameters": PARAMETERS, "hardening": HARDENING, "attributes": ATTRIBUTES, "notes": NOTES}
    for place, text in parts.items():
        cls.__doc__ = cls.__doc__.replace("{" + place + "}", text.strip())
    depth = inspect.signature(cls).parameters["depth"].default  # not the same for clustering
    cls.__doc__ = cls.__doc__.replace("default=DEPTH", f"default={depth}")
    return cls
