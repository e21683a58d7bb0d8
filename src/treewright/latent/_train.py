"""Mini-batch training (Algorithm 2 of the paper) with validation, early stopping, schedule, checkpoint and resume.

The pruning vector is solved on each training batch, but a fitted model must not depend on batches. So after
each epoch the vector is solved once for training rows (lambda scaled to their number) and validation rows
are routed with it, exactly as new rows will be. The model kept is the best of these; at the end its vector
is solved on all rows.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from treewright.latent._checkpoint import load_checkpoint, save_checkpoint
from treewright.latent._late import late_rows
from treewright.latent._network import LatentTreeNetwork
from treewright.latent._options import Loss, TrainOptions, make_optimizer
from treewright.latent._torch import torch
from treewright.result import StopReason

__all__ = ["Epoch", "TrainResult", "train"]

STILL = 0.01  # of the loss, saved in the last tenth of the epochs: training was cut short
SAMPLE = 16384  # training rows that solve the pruning vector between epochs, and that initialise the biases


@dataclass(frozen=True)
class Epoch:
    """One pass over the training rows.

    Parameters
    ----------
    number : int
        From 1.
    train_loss : float
        Mean over the batches, before each step.
    validation_loss : float
    validation_error : float
        Error rate, or the loss again where no error was given.
    active_nodes : float
        Share of the nodes of the complete tree with a > 0, a solved on the training rows.
    active_in_batch : float
        The same share for the vectors of single batches, on average (as in Figure 7 of the paper): a node is active in
        a batch only if one of the batch's few rows comes near it.
    learning_rate : float
    seconds : float
        Since training began.

    Examples
    --------
    >>> import torch
    >>> from treewright.latent import LatentTree, LatentTreeNetwork, TrainOptions, train
    >>> _ = torch.manual_seed(0)
    >>> x = torch.rand(64, 2)
    >>> y = (x[:, :1] > 0.5).float()
    >>> network = LatentTreeNetwork(LatentTree(2, depth=2), out_features=1)
    >>> options = TrainOptions(epochs=2)
    >>> result = train(network, x, y, torch.nn.functional.binary_cross_entropy_with_logits, options)
    >>> result.history[-1].number
    2
    """

    number: int
    train_loss: float
    validation_loss: float
    validation_error: float
    active_nodes: float
    active_in_batch: float
    learning_rate: float
    seconds: float


@dataclass(frozen=True)
class TrainResult:
    """How training went; the trained model is the network that was given.

    Parameters
    ----------
    history : tuple of Epoch
    best_epoch : int
        Number of the epoch whose model was kept.
    stop_reason : StopReason or None
        None if training ran out of epochs or patience.
    seconds : float
        Resumed runs included.
    resumed_from : int
        Number of epochs that were loaded from a checkpoint.
    options : TrainOptions

    Examples
    --------
    >>> import torch
    >>> from treewright.latent import LatentTree, LatentTreeNetwork, TrainOptions, train
    >>> _ = torch.manual_seed(0)
    >>> x = torch.rand(64, 2)
    >>> y = (x[:, :1] > 0.5).float()
    >>> network = LatentTreeNetwork(LatentTree(2, depth=2), out_features=1)
    >>> options = TrainOptions(epochs=2)
    >>> result = train(network, x, y, torch.nn.functional.binary_cross_entropy_with_logits, options)
    >>> len(result.history), result.stop_reason
    (2, None)
    """

    history: tuple[Epoch, ...]
    best_epoch: int
    stop_reason: StopReason | None
    seconds: float
    resumed_from: int = 0
    options: TrainOptions = field(default_factory=TrainOptions)

    @property
    def still_improving(self) -> bool:
        """Whether training ran out of epochs while the validation loss fell by more than 1% over their last tenth."""
        losses = [epoch.validation_loss for epoch in self.history]
        before = losses[: len(losses) - max(1, len(losses) // 10)]
        return bool(self._ran_out and before and min(losses) < min(before) * (1 - STILL))

    @property
    def best_is_last(self) -> bool:
        """Whether training ran out of epochs and kept the model of the last one: more epochs may find a better one."""
        return self._ran_out and self.best_epoch == len(self.history)

    @property
    def _ran_out(self) -> bool:
        return self.stop_reason is None and len(self.history) >= self.options.epochs


def train(
    network: LatentTreeNetwork,
    x: torch.Tensor,
    y: torch.Tensor,
    loss: Loss,
    options: TrainOptions,
    *,
    validation: tuple[torch.Tensor, torch.Tensor] | None = None,
    error: Loss | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    callback: Callable[[Epoch], Any] | None = None,
    begun: float | None = None,
) -> TrainResult:
    """Train `network` in place; it ends with the best parameters and in evaluation mode.

    Parameters
    ----------
    network : LatentTreeNetwork
    x : Tensor of shape (n_rows, in_features)
    y : Tensor of n_rows targets
    loss : callable(output, target) -> scalar tensor
    options : TrainOptions
    validation : (x, y), optional
        Rows that select the model and decide when to stop; default the training rows.
    error : callable(output, target) -> scalar tensor, optional
        Criterion for validation (ties are decided by the loss); default the loss.
    checkpoint : path, optional
        File to save to after every epoch; if it exists, training resumes from it.
    callback : callable, optional
        Called with each `Epoch`; training stops if it returns True.
    begun : float, optional
        Reading of `time.perf_counter` from which the time counts; default now.

    Returns
    -------
    TrainResult

    Raises
    ------
    InputError
        A score became NaN or infinite (too large a learning rate).
    ModelFileError
        The checkpoint is damaged, or belongs to a model of another shape.

    Examples
    --------
    >>> import torch
    >>> from treewright.latent import LatentTree, LatentTreeNetwork, TrainOptions, train
    >>> _ = torch.manual_seed(0)
    >>> x = torch.rand(64, 2)
    >>> y = (x[:, :1] > 0.5).float()
    >>> network = LatentTreeNetwork(LatentTree(2, depth=2), out_features=1)
    >>> options = TrainOptions(epochs=2)
    >>> result = train(network, x, y, torch.nn.functional.binary_cross_entropy_with_logits, options)
    >>> result.best_epoch in (1, 2), network.training
    (True, False)
    """
    run = _Run(network, x, y, loss, options, validation or (x, y), error, begun)
    devices = [x.device] if x.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(options.seed)
        resumed_from = 0
        if checkpoint is not None and os.path.exists(checkpoint):
            run.restore(load_checkpoint(checkpoint, network))
            resumed_from = len(run.history)
        else:
            network.tree.initialize(x[run.sample])
        stop: StopReason | None = None
        try:
            while stop is None and len(run.history) < options.epochs and run.waited < options.patience:
                epoch = run.epoch()
                if epoch is None:
                    stop = StopReason.TIME_LIMIT
                    break
                if checkpoint is not None:
                    save_checkpoint(checkpoint, run.state())
                if callback is not None and callback(epoch):
                    stop = StopReason.CALLBACK
                if options.time_limit is not None and run.seconds() >= options.time_limit:
                    stop = StopReason.TIME_LIMIT
        except KeyboardInterrupt:
            stop = StopReason.INTERRUPT
            if not run.history:  # half an epoch is better than the start
                run.best = copy.deepcopy(network.state_dict())
    network.load_state_dict(run.best)
    network.eval()
    solved = x if stop is None else x[late_rows(*x.shape)]
    network.tree.fix_pruning(solved, batch_size=run.rows_per_batch)
    return TrainResult(tuple(run.history), run.best_epoch, stop, run.seconds(), resumed_from, options)


class _Run:
    """State of one training run."""

    def __init__(
        self,
        network: LatentTreeNetwork,
        x: torch.Tensor,
        y: torch.Tensor,
        loss: Loss,
        options: TrainOptions,
        validation: tuple[torch.Tensor, torch.Tensor],
        error: Loss | None,
        begun: float | None,
    ) -> None:
        self.network, self.x, self.y = network, x, y
        self.loss, self.options, self.validation, self.error = loss, options, validation, error
        self.optimizer = make_optimizer(options, network.parameters())
        self.scheduler = _scheduler(self.optimizer, options)
        # Shuffling has its own generator on the host: the same order on every device.
        self.shuffle = torch.Generator().manual_seed(options.seed)
        n = x.shape[0]
        self.n_batches = -(-n // options.batch_size)
        if network.tree.batch_norm and n > 1:
            self.n_batches = min(self.n_batches, n // 2)  # normalisation needs two rows
        self.rows_per_batch = n / self.n_batches
        self.sample = torch.randperm(n, generator=self.shuffle)[:SAMPLE].to(x.device)
        self.history: list[Epoch] = []
        self.best: dict[str, Any] = copy.deepcopy(network.state_dict())
        self.best_score: tuple[float, float] = (float("inf"), float("inf"))
        self.best_epoch = 0
        self.waited = 0
        self.used = 0.0  # seconds of earlier runs
        self.start = time.perf_counter() if begun is None else begun

    def seconds(self) -> float:
        """Seconds of training, resumed runs included."""
        return self.used + time.perf_counter() - self.start

    def epoch(self) -> Epoch | None:
        """Make one pass, judge it, and keep the model if it is the best so far.

        None if the time was over before its end: all of the pass is then forgotten, so that a resumed run equals one
        without a limit. The first pass is judged where it ends, so that there is a model.
        """
        limit = self.options.time_limit
        network = self.network.train()
        order = torch.randperm(self.x.shape[0], generator=self.shuffle).to(self.x.device)
        total = torch.zeros((), device=self.x.device)
        touched = torch.zeros((), device=self.x.device)
        seen, batches = 0, 0
        for rows in order.tensor_split(self.n_batches):
            self.optimizer.zero_grad(set_to_none=True)
            value = self.loss(network(self.x[rows]), self.y[rows])
            value.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            total += value.detach() * len(rows)
            seen, batches = seen + len(rows), batches + 1
            touched += network.tree.pruning_vector.count_nonzero()
            if limit is not None and self.seconds() >= limit:
                if self.history:
                    return None
                break
        network.eval()
        network.tree.fix_pruning(self.x[self.sample], batch_size=self.rows_per_batch)
        validation_loss, validation_error = self.judge()
        score = (validation_error, validation_loss)
        if score < self.best_score:
            self.best_score, self.best_epoch, self.waited = score, len(self.history) + 1, 0
            self.best = copy.deepcopy(network.state_dict())
        else:
            self.waited += 1
        rate = float(self.optimizer.param_groups[0]["lr"])
        if isinstance(self.scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
            self.scheduler.step(validation_loss)
        elif self.scheduler is not None:
            self.scheduler.step()
        active = len(network.tree.active_nodes) / network.tree.out_features
        train_loss = float(total) / seen
        in_batch = float(touched) / batches / network.tree.out_features
        record = Epoch(
            number=len(self.history) + 1,
            train_loss=train_loss,
            validation_loss=validation_loss,
            validation_error=validation_error,
            active_nodes=active,
            active_in_batch=in_batch,
            learning_rate=rate,
            seconds=self.seconds(),
        )
        self.history.append(record)
        return record

    @torch.no_grad()
    def judge(self) -> tuple[float, float]:
        """Return loss and error of the validation rows."""
        x, y = self.validation
        outs = torch.cat([self.network(part) for part in torch.split(x, SAMPLE)])
        loss = float(self.loss(outs, y))
        return loss, float(self.error(outs, y)) if self.error is not None else loss

    def state(self) -> dict[str, Any]:
        """Everything that the next epoch depends on."""
        return {
            "model": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict() if self.scheduler is not None else {},
            "shuffle": self.shuffle.get_state(),
            "dropout": torch.get_rng_state(),
            "history": [vars(epoch) for epoch in self.history],
            "best": self.best,
            "best_score": list(self.best_score),
            "best_epoch": self.best_epoch,
            "waited": self.waited,
            "sample": self.sample.cpu(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""
        self.network.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        self.shuffle.set_state(state["shuffle"])
        torch.set_rng_state(state["dropout"])
        self.history = [Epoch(**entry) for entry in state["history"]]
        self.best = state["best"]
        self.best_score = (state["best_score"][0], state["best_score"][1])
        self.best_epoch, self.waited = state["best_epoch"], state["waited"]
        self.sample = state["sample"].to(self.x.device)
        self.used = self.history[-1].seconds if self.history else 0.0


def _scheduler(optimizer: torch.optim.Optimizer, options: TrainOptions) -> Any:
    if options.schedule == "plateau":
        return torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, factor=options.schedule_factor, patience=options.schedule_patience
        )
    if options.schedule == "cosine":
        return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs)
    return None
