"""What must hold for latent trees side by side: traversals and outputs, computed again from the weights alone.

How a model is trained is not judged, only that its parts add up: each tree routes by its own scores and pruning, and
the predictor over all traversals is a sum over the trees.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from attack.case import Case
from attack.checks import Mismatch
from latent_oracle import algorithm_1, scores_to_q

__all__ = ["latent_answers"]

NEAR = 1e-6
EPSILON = 1e-5  # of a normalised score, as in PyTorch's batch normalisation


def latent_answers(case: Case) -> Iterator[Mismatch]:
    """Compare a trained model with its weights, and fresh trees on the same rows with the plain twin of their layer."""
    from treewright.errors import InputError

    if find_spec("torch") is None:  # an extra
        return

    model = case.run()
    inputs = model._encoder.transform(model._encode(case.frame()))
    network = model.network_
    forest = getattr(network.tree, "trees", [network.tree])
    words = f"{dict(case.options)}"
    if len(forest) != case.options["n_trees"]:
        yield Mismatch("another number of trees", f"{len(forest)}; {words}")
    traversed = [_routed(tree, inputs, _of(tree.pruning_vector)) for tree in forest]
    out = _of(network.first_bias)[:, None] + _of(network.z_weight) @ np.concatenate(traversed)
    if network.x_weight is not None:
        out = out + _of(network.x_weight) @ inputs.T
    shares = _shares(out.T, len(model.classes_))
    told = model.predict_proba(case.frame())
    if np.abs(told - shares).max() > NEAR:
        yield Mismatch(
            "the answer is not the sum of the trees", f"{told.tolist()} not {shares.tolist()}; {words}"
        )
    said = model.predict(case.frame())
    at_best = told.max(axis=1) - told[np.arange(len(said)), np.searchsorted(model.classes_, said)]
    if at_best.max() > NEAR:
        yield Mismatch("predict is not the most probable class", words)
    again = pickle.loads(pickle.dumps(model))
    if not np.array_equal(again.predict_proba(case.frame()), told):
        yield Mismatch("other answers after a way through a file", words)
    if len(forest) > 1:
        try:
            model.harden()
            yield Mismatch("a sum of trees that is one hard tree", words)
        except InputError:
            pass
    yield from _pruned_alike(case, inputs, words)


def _pruned_alike(case: Case, inputs: np.ndarray, words: str) -> Iterator[Mismatch]:
    """Fresh trees, pruned on these rows: each pruning vector solves its own problem, wherever the tree stands."""
    import torch

    from treewright.latent import LatentForest

    options = {k: case.options[k] for k in ("pruning", "splits", "batch_norm")}
    torch.manual_seed(case.options["random_state"])
    forest = LatentForest(
        inputs.shape[1], case.options["depth"], case.options["n_trees"], dtype=torch.float64, **options
    )
    rows = torch.as_tensor(inputs)
    forest.initialize(rows)
    told = _of(forest.fix_pruning(rows))
    found = []
    for tree in forest.trees:
        q = scores_to_q(_scores(tree, inputs))
        pruned = algorithm_1(q, options["pruning"])[0] if options["pruning"] > 0 else np.ones(q.shape[1])
        found.append(pruned)
    if np.abs(told - np.concatenate(found)).max() > NEAR:
        yield Mismatch("another pruning", f"{told.tolist()} not {[a.tolist() for a in found]}; {words}")
    names = [k * len(a) + int(node) for k, a in enumerate(found) for node in np.flatnonzero(a > NEAR)]
    if not set(names) <= set(forest.active_nodes.tolist()):
        yield Mismatch(
            "a node is pruned that is there", f"{names} not {forest.active_nodes.tolist()}; {words}"
        )
    z = np.concatenate([_routed(tree, inputs, a) for tree, a in zip(forest.trees, found, strict=True)])
    if np.abs(_of(forest.eval()(rows)).T - z).max() > NEAR:
        yield Mismatch("other traversals", words)


def _routed(tree: Any, inputs: np.ndarray, pruning: np.ndarray) -> np.ndarray:
    """Traversals of one tree, (n_nodes, n_rows): the score of the worst ancestor, clipped to what pruning leaves."""
    q = scores_to_q(_scores(tree, inputs))[:, tree.shape.nodes]
    if tree.routing == "published":
        return np.minimum(np.clip(q, 0, 1), pruning).T
    return np.clip(q + 0.5, 0, pruning).T


def _scores(tree: Any, inputs: np.ndarray) -> np.ndarray:
    raw = _of(tree.weight) @ inputs.T
    if tree.batch_norm:
        width = np.sqrt(_of(tree.running_var) + EPSILON)
        raw = (raw - _of(tree.running_mean)[:, None]) / width[:, None] * _of(tree.scale)[:, None]
    if tree.elu:
        raw = np.where(raw > 0, raw, np.expm1(np.minimum(raw, 0)))
    # Of the complete tree: the nodes that are present have all their ancestors.
    scores = np.zeros((2**tree.depth - 1, len(inputs)))
    scores[tree.shape.nodes[tree.shape.inner]] = raw + _of(tree.bias)[:, None]
    return scores


def _shares(out: np.ndarray, n_classes: int) -> np.ndarray:
    if n_classes == 1:
        return np.ones((len(out), 1))
    if out.shape[1] == 1:
        out = np.concatenate([np.zeros_like(out), out], axis=1)
    powers = np.exp(out - out.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _of(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().double().numpy())
