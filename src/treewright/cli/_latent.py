"""`treewright fit --method latent`: a tree with linear splits, trained by gradients, kept as a hard tree.

A model file holds a `Tree`. So what is saved is the hardened latent tree, with its own training error, and
a note that says how often the soft model agrees with it; nothing is claimed about optimality.
"""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from treewright._plural import plural
from treewright.cli._clock import Clock
from treewright.cli._output import note, say
from treewright.cli._stop import finishing, stop_code, stop_word
from treewright.cli._wording import saved_to, size_of, tree_text
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.latent import TrainResult
    from treewright.table import CsvTable

__all__ = ["fit_latent"]

DEFAULT_DEPTH = 4
STILL_IMPROVING = "The validation loss still fell when the epochs were over: raise --epochs."
BEST_IS_LAST = "The last epoch was the best one: more of them (--epochs) may give a better model."


def fit_latent(
    csv: CsvTable,
    *,
    data: Path,
    target: str,
    out: Path | None = None,
    max_depth: int | None = None,
    cost_complexity: float = 0.0,
    pruning: float = 1.0,
    epochs: int | None = None,
    hardening: str = "linear",
    seed: int = 0,
    clock: Clock | None = None,
    progress: bool = True,
    ascii_only: bool = False,
    titles: Path | None = None,
) -> None:
    """Train a latent tree classifier on a table, harden it, show it and save it.

    Parameters
    ----------
    csv : CsvTable
        Table and labels.
    data : Path
        The file they came from, for the closing advice.
    target : str
        Column of the labels.
    out : Path or None, default=None
        Model file to write.
    max_depth : int or None, default=None
        Depth of the latent tree; None is 4.
    cost_complexity : float, default=0.0
        Penalty of one leaf in the objective that the file states; it does not steer the training.
    pruning : float, default=1.0
        lambda of the paper.
    epochs : int or None, default=None
        None is 100, or more on a small table.
    hardening : {"linear", "axis", "signs"}, default="linear"
        How the hard tree is made, as in `LatentTreeClassifier`.
    seed : int, default=0
    clock : Clock or None, default=None
        The time limit, of which reading the file has used up its part.
    progress : bool, default=True
    ascii_only : bool, default=False
        Draw the tree in ASCII.
    titles : Path, default=None
        Settings with the names that people read.

    Raises
    ------
    MissingDependencyError
        PyTorch is not installed.
    InputError
        The file has row weights or columns of words, or a parameter is out of range.
    typer.Exit
        With code 130 or 143 if a signal ended the training; the best tree has then been saved.
    """
    from treewright.convert import Model, Terms, save_model
    from treewright.estimators import LatentTreeClassifier
    from treewright.problem import make_problem
    from treewright.result import SolveResult, SolveStatus, StopReason
    from treewright.tree import ColumnKind, leaves_in_words

    assert csv.target is not None  # a target was named
    if csv.sample_weight is not None:
        raise InputError("--method latent does not take row weights; leave --weight out.")
    words = [column.name for column in csv.table.columns if column.kind is ColumnKind.CATEGORICAL]
    if words:
        named = ", ".join(map(repr, words[:8])) + (", ..." if len(words) > 8 else "")
        raise InputError(
            f"--method latent adds up columns of numbers, and these hold words: {named}. Leave them out with "
            "--ignore, or give each as 0/1 columns, one for each word."
        )
    problem = make_problem(csv.table, csv.target, cost_complexity=cost_complexity)
    model = LatentTreeClassifier(
        depth=DEFAULT_DEPTH if max_depth is None else max_depth,
        pruning=pruning,
        epochs="auto" if epochs is None else epochs,
        hardening=hardening,  # type: ignore[arg-type]  # the estimator refuses other words
        random_state=seed,
        time_limit=None if clock is None else clock.left(),
        progress="auto" if progress else False,
    )
    importlib.import_module("treewright.latent")  # PyTorch takes seconds to load, which are none of training
    note(f"{size_of(csv.table)}. Training; Ctrl-C keeps the best model.")
    with warnings.catch_warnings():
        # They are notes of the result.
        warnings.filterwarnings("ignore", message="The validation loss still fell")
        warnings.filterwarnings("ignore", message="Training ended with its best epoch")
        model.fit_table(csv.table, csv.target)
    hard = model.harden()
    tree = hard.tree
    wrong = tree.prediction[tree.apply(csv.table.X)] != problem.y
    loss = float(wrong.mean())
    trained = model.result_
    soft = trained.history[trained.best_epoch - 1].validation_error if trained.history else float("nan")
    result = SolveResult(
        tree=tree,
        status=SolveStatus.FEASIBLE,
        objective=loss + cost_complexity * tree.n_leaves,
        lower_bound=cost_complexity,  # any tree has a leaf
        loss=loss,
        scope="all trees of linear splits",
        stop_reason=trained.stop_reason,
        stats={"seconds": trained.seconds, "epochs": len(trained.history)},
        options={
            "method": "latent",
            "pruning": pruning,
            "depth": model.depth,
            "hardening": hardening,
            "epochs": trained.options.epochs,
            "seed": seed,
        },
        notes=(
            hard.sentence,
            f"The soft model's error rate on held-out rows was {soft:.4f}.",
            *_too_few_epochs(trained),
        ),
    )
    stopped = trained.stop_reason is StopReason.INTERRUPT
    with finishing():
        if out is not None:
            terms = Terms(cost_complexity=cost_complexity, target=target)
            save_model(out, Model.of(result, terms, csv.reading))
        if stopped:
            note(
                f"{stop_word()}. The best tree found so far " + (f"is saved to {out}." if out else "follows.")
            )
        say(tree_text(tree, ascii_only, titles))
        say()
        say(
            f"A latent tree, trained by gradients and hardened: {leaves_in_words(tree)}, "
            f"training error {loss:.4f}."
        )
        for text in result.notes:
            say(f"Note: {text}")
        epochs_done = len(trained.history)
        say(f"Training: {trained.seconds:.3f} s, {epochs_done} {plural(epochs_done, 'epoch')}.")
        if out is not None:
            say(saved_to(out, data))
    if stopped:
        raise typer.Exit(stop_code())


def _too_few_epochs(trained: TrainResult) -> list[str]:
    """Return what the validation rows say about too few epochs, if anything."""
    if trained.still_improving:
        return [STILL_IMPROVING]
    return [BEST_IS_LAST] if trained.best_is_last else []
