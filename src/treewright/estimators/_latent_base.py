"""What the three latent tree estimators share: parameters, validation split, training, routing, hardening.

Longer than 400 lines: an eighth names the parameters, and the steps of a training read one another's state.
"""

from __future__ import annotations

import copy
import math
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright.errors import InputError
from treewright.estimators._display import TreeDisplay
from treewright.estimators._latent_progress import EpochCallback, epoch_bar
from treewright.result import StopReason
from treewright.search import half_of_memory
from treewright.table import Table, encode_like, table_from
from treewright.tree import Column, Split, Tree

if TYPE_CHECKING:
    import torch

    from treewright.latent import HardenedTree, LatentForest, LatentTree, LatentTreeNetwork, TrainResult
    from treewright.latent._hard_nodes import Labels, Numbers
    from treewright.latent._harden import MakeTree

__all__ = ["LatentTreeBase"]

BLOCK = 16384  # rows predicted at once, which stay in the cache of the processor
LEAST_STEPS, LEAST_PATIENCE = 1000, 100  # steps of the optimizer
BYTES_A_WEIGHT = (
    24  # its value, its gradient and two means of the optimizer in float32; then its value in float64
)
MOST_DEPTH_COUNTED = 40  # deeper trees are refused whatever their inputs
HARDENINGS = ("linear", "axis", "signs")


class LatentTreeBase(TreeDisplay):
    """Base of the latent tree estimators; subclasses say what is to be predicted.

    After `fit` the network lives on the CPU in float64, whatever it was trained on: predictions are the
    same on every machine, and the same for a row whoever is predicted with it.
    """

    network_: LatentTreeNetwork
    result_: TrainResult
    columns_: tuple[Column, ...]
    _hardened: HardenedTree | str
    _hard_splits: list[Split | None] | None

    def __init__(
        self,
        depth: int = 5,
        *,
        pruning: float = 1.0,
        splits: Literal["linear", "elu"] | torch.nn.Module = "linear",
        hidden_layers: Sequence[int] = (),
        dropout: float = 0.0,
        tree_only: bool = False,
        routing: Literal["paper", "published"] = "paper",
        batch_norm: bool = False,
        categories: Literal["ordinal", "onehot"] = "ordinal",
        loss: Any = "auto",
        optimizer: str | type = "adamw",
        optimizer_options: Mapping[str, Any] | None = None,
        learning_rate: float = 0.01,
        batch_size: int = 512,
        epochs: int | Literal["auto"] = "auto",
        schedule: Literal["plateau", "cosine"] | None = "plateau",
        patience: int | Literal["auto"] = "auto",
        validation_fraction: float = 0.2,
        time_limit: float | None = None,
        device: str = "cpu",
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Literal["auto"] | bool | EpochCallback = "auto",
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        hardening: Literal["linear", "axis", "signs"] = "linear",
        n_trees: int = 1,
    ) -> None:
        self.depth = depth
        self.pruning = pruning
        self.splits = splits
        self.hidden_layers = hidden_layers
        self.dropout = dropout
        self.tree_only = tree_only
        self.routing = routing
        self.batch_norm = batch_norm
        self.categories = categories
        self.loss = loss
        self.optimizer = optimizer
        self.optimizer_options = optimizer_options
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.schedule = schedule
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.time_limit = time_limit
        self.device = device
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.progress = progress
        self.categorical_features = categorical_features
        self.hardening = hardening
        self.n_trees = n_trees

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.non_deterministic = False
        return tags

    # ------------------------------------------------------------------------------------------ fitting

    def _table(self, X: Any) -> Table:
        table = table_from(X, categorical_features=self.categorical_features)
        validate_data(self, X, skip_check_array=True)
        return table

    def _train(
        self,
        table: Table,
        target: Callable[[NDArray[np.int64]], NDArray[Any]],
        n_outputs: int,
        loss: str,
        *,
        error: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None = None,
        strata: NDArray[np.int32] | None = None,
        leave_out: Sequence[int] = (),
        tree_only: bool | None = None,
        weight: NDArray[np.float64] | None = None,
        held_out: NDArray[np.bool_] | None = None,
        begun: float,
    ) -> NDArray[np.bool_]:
        """Fit encoder and network; return which rows were held out, `held_out` if these are given.

        `target` says of given rows their class numbers, (n_rows,), or floats, (n_rows, n_outputs). The time runs since
        `begun`. Where it is over before the training begins, that sees a sample of the rows.
        """
        from treewright.latent import LatentTreeNetwork, TrainOptions, train
        from treewright.latent._encode import fit_encoder
        from treewright.latent._late import late_rows
        from treewright.latent._options import make_loss, weighted_loss, with_weights
        from treewright.latent._torch import torch

        if self.hardening not in HARDENINGS:
            raise InputError(f"hardening={self.hardening!r}; give one of {', '.join(HARDENINGS)}.")
        self._hard_splits = None
        device = _device(self.device)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if held_out is None:
            held_out = _hold_out(table.n_rows, self.validation_fraction, seed, strata)
        usual = isinstance(self.loss, str) and self.loss == "auto"
        if weight is not None and not usual:
            raise InputError(
                'loss is a callable, which takes no weights; leave sample_weight out, or use loss="auto".'
            )
        if not isinstance(self.optimizer_options, (Mapping, type(None))):
            raise InputError(f"optimizer_options={self.optimizer_options!r}; give a dictionary, or None.")
        epochs, patience = self._passes(int((~held_out).sum()))
        options = TrainOptions(
            epochs=epochs,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            optimizer=self.optimizer,
            optimizer_options=dict(self.optimizer_options or {}),
            schedule=self.schedule,
            schedule_patience=max(1, patience // 2),
            patience=patience,
            time_limit=self.time_limit,
            seed=seed,
        )
        self._end = math.inf if self.time_limit is None else begun + self.time_limit
        train_rows, judges = np.flatnonzero(~held_out), np.flatnonzero(held_out)
        self._encoder = fit_encoder(
            table.X, table.columns, self.categories, leave_out, rows=train_rows, is_over=self._is_over
        )
        if self._is_over():
            train_rows, judges = (
                rows[late_rows(len(rows), table.X.shape[1])] for rows in (train_rows, judges)
            )

        def on_device(rows: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
            x = torch.as_tensor(self._encoder.transform(table.X[rows]), dtype=torch.float32, device=device)
            goal = torch.as_tensor(target(rows), device=device)
            goal = goal.float() if goal.is_floating_point() else goal
            if weight is None:
                return x, goal
            return x, with_weights(goal, torch.as_tensor(weight[rows], device=device))

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = LatentTreeNetwork(
                self._new_tree(self._encoder.n_inputs), n_outputs,
                hidden_layers=self.hidden_layers, dropout=self.dropout,
                tree_only=self.tree_only if tree_only is None else tree_only,
            ).to(device)  # fmt: skip
        x, y = on_device(train_rows)
        chosen = make_loss(loss if usual else self.loss, n_outputs)
        if weight is not None:
            chosen = weighted_loss(loss, n_outputs)
        with epoch_bar(self.progress, epochs) as callback:
            self.result_ = train(
                network, x, y, chosen, options, validation=on_device(judges) if len(judges) else None,
                error=error, checkpoint=self.checkpoint, callback=callback, begun=begun,
            )  # fmt: skip
        if self.time_limit is not None:  # less what a checkpoint brought
            self._end = time.perf_counter() + self.time_limit - self.result_.seconds
        self.network_ = network.double().cpu().eval()
        rows_per_batch = x.shape[0] / -(-x.shape[0] // options.batch_size)
        if self.result_.stop_reason is not None:
            train_rows = train_rows[late_rows(len(train_rows), table.X.shape[1])]
        solved = torch.as_tensor(self._encoder.transform(table.X[train_rows]))
        self.network_.tree.fix_pruning(solved, batch_size=rows_per_batch)
        self.n_iter_ = len(self.result_.history)
        self.network_.prune_()  # nodes that no training row reaches: their z is 0 for every row
        self._warn_of_more_epochs()
        return held_out

    def _warn_of_more_epochs(self) -> None:
        """Warn that training ended too early, as far as its validation rows show."""
        epochs = len(self.result_.history)
        if isinstance(self.epochs, str) and self.result_.still_improving:
            found = f"The validation loss still fell when {epochs} epochs were over."
        elif self.result_.best_is_last:
            found = f"Training ended with its best epoch, number {epochs}."
        else:
            return
        warnings.warn(f"{found} Raise epochs, or learning_rate.", ConvergenceWarning, stacklevel=5)

    def _is_over(self) -> bool:
        """Whether the time of the fit is over."""
        return time.perf_counter() >= self._end

    def _judging_rows(self, rows: NDArray[np.float64]) -> slice:
        """Return the rows that the first hard tree is shaped by and compared on: all, or a sample after a limit."""
        from treewright.latent._late import late_rows

        stopped = self.result_.stop_reason is not None or self._is_over()
        return late_rows(*rows.shape) if stopped else slice(None)

    def _new_tree(self, n_inputs: int) -> LatentTree | LatentForest:
        """Return the untrained tree, or the trees side by side."""
        from treewright.latent import LatentForest, LatentTree

        options: dict[str, Any] = {
            "pruning": self.pruning,
            "splits": copy.deepcopy(self.splits),  # a module: fit changes no parameter
            "routing": self.routing,
            "batch_norm": self.batch_norm,
        }
        self._check_memory(n_inputs)
        if self.n_trees == 1 and not isinstance(self.n_trees, (bool, float)):
            return LatentTree(n_inputs, self.depth, **options)
        return LatentForest(n_inputs, self.depth, self.n_trees, **options)

    def _check_memory(self, n_inputs: int) -> None:
        """Refuse linear splits whose weights would not fit, before they are made; wrong numbers are refused later."""
        numbers = (self.depth, self.n_trees)
        if not all(isinstance(number, (int, np.integer)) and 0 < number < 2**31 for number in numbers):
            return
        if self.depth > MOST_DEPTH_COUNTED or not isinstance(self.splits, str):
            return
        needed = BYTES_A_WEIGHT * self.n_trees * (2**self.depth - 1) * n_inputs
        if needed > half_of_memory():
            raise InputError(
                f"{self.n_trees:,} trees of depth {self.depth} over {n_inputs:,} inputs take some "
                f"{needed / 1e9:,.1f} GB, more than half of this machine's memory. Give fewer trees, less depth, or "
                "fewer columns."
            )

    def _with_validation(
        self, table: Table, validation: tuple[Any, Any] | None
    ) -> tuple[Table, NDArray[np.bool_] | None]:
        """Return the table with the validation rows behind it, and which these are."""
        if validation is None:
            return table, None
        if not isinstance(validation, tuple) or len(validation) != 2:
            raise InputError("validation must be a pair (X, y) of rows that select the model, or None.")
        rows = encode_like(validation[0], table.columns, expected_by=f"{type(self).__name__}, as validation,")
        mask = np.arange(table.n_rows + len(rows)) >= table.n_rows
        return Table(table.columns, np.vstack([table.X, rows])), mask

    def _passes(self, n_rows: int) -> tuple[int, int]:
        """Return epochs and patience; "auto" counts in steps, of which small tables have few an epoch."""
        if not isinstance(self.batch_size, (int, np.integer)) or self.batch_size < 1:
            raise InputError(f"batch_size must be an integer >= 1; got {self.batch_size!r}.")
        steps = max(1, -(-n_rows // self.batch_size))
        out = []
        for name, least, least_steps in (("epochs", 100, LEAST_STEPS), ("patience", 20, LEAST_PATIENCE)):
            given = getattr(self, name)
            if given != "auto" and not isinstance(given, (int, np.integer)):
                raise InputError(f'{name} must be an integer >= 1, or "auto"; got {given!r}.')
            out.append(max(least, -(-least_steps // steps)) if isinstance(given, str) else given)
        return out[0], out[1]

    # ------------------------------------------------------------------------------------------ new rows

    def _encode(self, X: Any) -> NDArray[np.float64]:
        """Encode new rows for the table's schema; checks names, order and categories."""
        check_is_fitted(self)
        if isinstance(X, np.ndarray) and X.ndim != 2:
            raise InputError(
                f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: X.reshape(1, -1) for "
                "a single row, X.reshape(-1, 1) for a single column."
            )
        validate_data(self, X, reset=False, skip_check_array=True)
        return encode_like(X, self.columns_, expected_by=type(self).__name__)

    def _outputs(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the network's outputs for encoded rows, shape (n_rows, n_outputs)."""
        return self._blocks(rows, self.network_)

    def _blocks(
        self, rows: NDArray[np.float64], what: Callable[[torch.Tensor], torch.Tensor]
    ) -> NDArray[Any]:
        from treewright.latent._one_thread import one_thread
        from treewright.latent._torch import torch

        n_weights = sum(weights.numel() for weights in self.network_.parameters())
        with torch.no_grad(), one_thread(min(len(rows), BLOCK) * n_weights):
            parts = [
                what(torch.as_tensor(self._encoder.transform(rows[i : i + BLOCK]))).numpy()
                for i in range(0, len(rows), BLOCK)
            ]
        return np.concatenate(parts)

    def traverse(self, X: Any) -> NDArray[np.float64]:
        """Return the traversals z of rows X.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_trees * (2**(depth+1) - 1))
            In [0, 1], tree after tree, nodes breadth first; 0 for pruned nodes.
        """
        return self._blocks(self._encode(X), self.network_.tree)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the node that each row ends at by the signs of the splits.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_trees) with several trees; int64
            Breadth-first numbers in the complete tree.
        """
        return self._blocks(self._encode(X), self.network_.tree.leaf)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Not there: every split of a latent tree uses all columns, and nothing is proven."""
        raise AttributeError(
            f"A {type(self).__name__} has no feature_importances_: every split uses all columns. Use "
            "sklearn.inspection.permutation_importance(model, X, y)."
        )

    @property
    def pruning_vector_(self) -> NDArray[np.float64]:
        """The pruning vector a over the nodes of the complete trees, breadth first; 0 for pruned nodes."""
        check_is_fitted(self)
        tree = self.network_.tree
        a = np.zeros(tree.out_features)
        a[tree.nodes.numpy()] = tree.pruning_vector.detach().numpy()
        return a

    @property
    def active_nodes_(self) -> NDArray[np.int64]:
        """Positions in `pruning_vector_` of the nodes with a > 0."""
        check_is_fitted(self)
        return self.network_.tree.active_nodes

    def prune(self, threshold: float = 0.0) -> Any:
        """Drop the nodes with a <= threshold from the network.

        Parameters
        ----------
        threshold : float, default=0.0
            With 0 every prediction stays the same, and `fit` has done it; with more, no traversal z changes by more
            than this.

        Returns
        -------
        estimator
            This one.
        """
        check_is_fitted(self)
        self.network_.prune_(threshold)
        return self

    def _keep_hardened(self, make: Callable[[], HardenedTree]) -> HardenedTree | str:
        """The hard tree of the training rows, or why there is none."""
        try:
            return make()
        except InputError as error:
            return str(error)
        except KeyboardInterrupt:
            self.result_ = replace(self.result_, stop_reason=StopReason.INTERRUPT)
            return "Interrupted before the hard tree was made; call harden(X, y) to make it."

    def _kept_hardened(self) -> HardenedTree:
        check_is_fitted(self)
        if isinstance(self._hardened, str):
            raise InputError(self._hardened)
        return self._hardened

    def _shown_tree(self) -> tuple[Tree, str] | None:
        hardened = getattr(self, "_hardened", None)
        return None if hardened is None or isinstance(hardened, str) else (hardened.tree, hardened.sentence)

    def _harden(self, rows: NDArray[np.float64], make_tree: MakeTree, shaped_by: slice = slice(None)) -> Tree:
        """Return the hard tree with leaves of these rows: of the refined splits where there are, else of the signs."""
        from treewright.latent import LatentForest
        from treewright.latent._harden import harden
        from treewright.latent._refine import regrown

        if isinstance(self.network_.tree, LatentForest):
            raise InputError(
                f"The sum of n_trees={self.n_trees} trees has no one hard tree; fit with n_trees=1 to get one."
            )
        if self._hard_splits is None:
            return harden(self.network_.tree, self._encoder, rows, make_tree, shaped_by=shaped_by)
        return make_tree(regrown(self._hard_splits, rows), rows)

    def _refine(
        self,
        rows: NDArray[np.float64],
        make_tree: MakeTree,
        target: Labels | Numbers,
        answers: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        held_out: NDArray[np.bool_],
        own_validation: bool,
    ) -> None:
        """Make the signs' splits better, in the time that training left; a training that was stopped keeps them."""
        from treewright.latent._refine import refine
        from treewright.latent._taught import Teacher

        if self.hardening == "signs" or self.result_.stop_reason is not None:
            return
        signs = self._harden(rows, make_tree)
        self._hard_splits = refine(
            signs.splits,
            self.columns_,
            rows,
            target,
            kind=self.hardening,
            validation=held_out,
            only_judge=own_validation,
            max_leaves=2**self.depth,
            teacher=Teacher(answers, self._encoder.transform),
            is_over=self._is_over,
        )


def _device(name: str) -> torch.device:
    from treewright.latent._torch import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        words = "no name of a device" if isinstance(error, TypeError) else str(error).splitlines()[0]
        raise InputError(f'device={name!r} cannot be used here ({words}). Give "cpu" or "auto".') from None
    return device


def _hold_out(n_rows: int, fraction: float, seed: int, strata: NDArray[np.int32] | None) -> NDArray[np.bool_]:
    """Mark the validation rows: every (1/fraction)-th of a random order, sorted by stratum; none below ten
    rows.
    """
    if not (isinstance(fraction, (int, float)) and 0 <= fraction < 1):
        raise InputError(f"validation_fraction must be in [0, 1), 0 for none; got {fraction!r}.")
    held_out = np.zeros(n_rows, dtype=np.bool_)
    if n_rows < 10 or fraction == 0:
        return held_out
    order = np.random.default_rng(seed).permutation(n_rows)
    if strata is not None:
        few = strata.astype(np.uint16) if strata.max() < 2**16 else strata  # sorted by digits
        order = order[np.argsort(few[order], kind="stable")]
    step = np.floor(np.arange(n_rows + 1) * fraction + 0.5)
    held_out[order[step[1:] > step[:-1]]] = True
    return held_out
