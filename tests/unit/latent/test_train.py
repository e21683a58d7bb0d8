"""Training: reduces the loss, is deterministic, resumes exactly, refuses foreign checkpoints."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright.errors import InputError, MissingDependencyError, ModelFileError  # noqa: E402
from treewright.latent import LatentTree, LatentTreeNetwork, TrainOptions, train  # noqa: E402
from treewright.latent._options import make_loss, make_optimizer  # noqa: E402
from treewright.result import StopReason  # noqa: E402


def xor(n=400, seed=0):
    """The paper's toy task: the class is the product of two signs; no linear predictor separates it."""
    x = torch.rand(n, 2, generator=torch.Generator().manual_seed(seed)) * 2 - 1
    x = x + 0.1 * torch.sign(x)
    return x, (x[:, 0] * x[:, 1] > 0).long()


def network(seed=0, depth=2, outputs=1, **options):
    torch.manual_seed(seed)
    return LatentTreeNetwork(LatentTree(2, depth, pruning=0.1), outputs, **options)


CROSS = make_loss("cross_entropy", 1)


def error_rate(out, y):
    return ((out[:, 0] > 0).long() != y).double().mean()


def test_xor_is_learned_without_error():
    x, y = xor()
    model = network(depth=3)
    result = train(
        model, x, y, CROSS, TrainOptions(epochs=200, batch_size=64, patience=200), error=error_rate
    )
    assert result.history[-1].train_loss < 0.2 * result.history[0].train_loss
    assert float(error_rate(model(x), y)) == 0
    held_out = xor(seed=1)
    assert float(error_rate(model(held_out[0]), held_out[1])) < 0.05


def test_the_same_seed_gives_the_same_model():
    x, y = xor()
    outs = []
    for _ in range(2):
        model = network(hidden_layers=(8,), dropout=0.3)
        train(model, x, y, CROSS, TrainOptions(epochs=5, batch_size=50))
        outs.append(model(x).detach())
    assert torch.equal(*outs)


@pytest.mark.parametrize("optimizer", ["adamw", "sgd", torch.optim.RMSprop])
def test_interrupt_then_resume_equals_one_run(tmp_path, optimizer):
    x, y = xor()
    options = {"batch_size": 64, "optimizer": optimizer, "learning_rate": 0.01}
    whole = network(hidden_layers=(6,), dropout=0.2)
    straight = train(whole, x, y, CROSS, TrainOptions(epochs=8, **options))

    file = tmp_path / "run.pt"
    first = network(hidden_layers=(6,), dropout=0.2)
    stopped = train(
        first,
        x,
        y,
        CROSS,
        TrainOptions(epochs=8, **options),
        checkpoint=file,
        callback=lambda e: e.number == 3,
    )
    assert stopped.stop_reason is StopReason.CALLBACK
    second = network(seed=77, hidden_layers=(6,), dropout=0.2)  # its own weights do not matter
    resumed = train(second, x, y, CROSS, TrainOptions(epochs=8, **options), checkpoint=file)
    assert resumed.resumed_from == 3
    assert [e.train_loss for e in resumed.history] == [e.train_loss for e in straight.history]
    assert torch.equal(second(x), whole(x))


def test_ctrl_c_keeps_the_best_model():
    x, y = xor()

    def interrupt(epoch):
        if epoch.number == 2:
            raise KeyboardInterrupt

    model = network()
    result = train(model, x, y, CROSS, TrainOptions(epochs=50), callback=interrupt)
    assert result.stop_reason is StopReason.INTERRUPT
    assert len(result.history) == 2
    assert not model.training


def test_time_limit():
    x, y = xor()
    result = train(network(), x, y, CROSS, TrainOptions(epochs=10000, patience=10000, time_limit=0.2))
    assert result.stop_reason is StopReason.TIME_LIMIT


def test_early_stopping_keeps_the_best_epoch():
    x, y = xor(60)
    model = network()
    held_out = xor(60, seed=3)
    result = train(
        model,
        x,
        y,
        CROSS,
        TrainOptions(epochs=300, patience=5, learning_rate=0.05),
        validation=held_out,
        error=error_rate,
    )
    assert len(result.history) == result.best_epoch + 5 or len(result.history) == 300
    best = result.history[result.best_epoch - 1]
    assert best.validation_error == min(e.validation_error for e in result.history)
    assert float(error_rate(model(held_out[0]), held_out[1])) == pytest.approx(
        best.validation_error, abs=1e-9
    )


@pytest.mark.parametrize("schedule", ["plateau", "cosine", None])
def test_schedules(schedule):
    x, y = xor(64)
    rates = [
        e.learning_rate
        for e in train(
            network(),
            x,
            y,
            lambda out, y: out.sum() * 0,
            TrainOptions(epochs=6, schedule=schedule, schedule_patience=1),
        ).history
    ]
    assert rates[0] == 0.01
    assert (rates[-1] < rates[0]) == (schedule is not None)


def test_a_callable_loss_and_several_targets():
    x, _ = xor()
    y = torch.stack([x[:, 0].abs(), x[:, 1]], 1)
    model = network(outputs=2, depth=3)
    result = train(model, x, y, lambda out, y: (out - y).abs().mean(), TrainOptions(epochs=60, batch_size=64))
    assert result.history[-1].train_loss < 0.3 * result.history[0].train_loss


def test_foreign_checkpoints_are_refused(tmp_path):
    x, y = xor(64)
    file = tmp_path / "run.pt"
    train(network(depth=2), x, y, CROSS, TrainOptions(epochs=1), checkpoint=file)
    with pytest.raises(ModelFileError, match="another shape"):
        train(network(depth=3), x, y, CROSS, TrainOptions(epochs=2), checkpoint=file)
    with pytest.raises(ModelFileError, match="another shape"):
        train(network(outputs=3), x, y, CROSS, TrainOptions(epochs=2), checkpoint=file)
    file.write_bytes(b"not a checkpoint")
    with pytest.raises(ModelFileError, match="cannot be read"):
        train(network(), x, y, CROSS, TrainOptions(epochs=2), checkpoint=file)
    torch.save({"format": "something else"}, file)
    with pytest.raises(ModelFileError, match="not a checkpoint"):
        train(network(), x, y, CROSS, TrainOptions(epochs=2), checkpoint=file)


def test_a_diverging_run_says_so():
    x, y = xor(64)
    with pytest.raises(InputError, match="learning rate"):
        train(network(), x, y, lambda out, y: out.sum() * torch.nan, TrainOptions(epochs=3))


def test_active_nodes_are_counted():
    """A row reaches one node a level, and touches few more: small batches see fewer nodes than all rows."""
    x, y = xor(300)
    model = network(depth=5)
    result = train(model, x, y, CROSS, TrainOptions(epochs=10, batch_size=2))
    last = result.history[-1]
    assert last.active_in_batch < last.active_nodes <= 1
    assert len(model.tree.active_nodes) / 63 <= 1


def test_batches_are_equal():
    """130 rows in batches of at most 64: 44 + 43 + 43, never a last batch of 2 with another lambda."""
    x, y = xor(130)
    seen = []

    def loss(out, y):
        if torch.is_grad_enabled():
            seen.append(len(y))
        return CROSS(out, y)

    train(network(), x, y, loss, TrainOptions(epochs=1, batch_size=64))
    assert sorted(seen) == [43, 43, 44]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"epochs": 0}, "epochs"),
        ({"batch_size": 1.5}, "batch_size"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": np.nan}, "learning_rate"),
        ({"schedule": "step"}, "schedule"),
        ({"patience": True}, "patience"),
        ({"schedule_factor": 1.0}, "schedule_factor"),
        ({"time_limit": -1.0}, "time_limit"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(InputError, match=words):
        TrainOptions(**options)


def test_unknown_optimizer_and_loss():
    with pytest.raises(InputError, match="optimizer"):
        make_optimizer(TrainOptions(optimizer="newton"), [torch.nn.Parameter(torch.zeros(1))])
    with pytest.raises(InputError, match="loss"):
        make_loss("hinge", 1)


def test_quasi_hyperbolic_adam_or_a_clear_word():
    parameters = [torch.nn.Parameter(torch.ones(2))]
    try:
        import pytorch_optimizer  # noqa: F401
    except ImportError:
        with pytest.raises(MissingDependencyError, match="pytorch_optimizer"):
            make_optimizer(TrainOptions(optimizer="qhadam"), parameters)
    else:
        optimizer = make_optimizer(TrainOptions(optimizer="qhadam"), parameters)
        parameters[0].square().sum().backward()
        optimizer.step()
        assert float(parameters[0].detach().sum()) < 2


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (lambda out, y: (out - y) ** 2, "shape \\(.*mean\\(\\)"),
        (lambda out, y: 1.0, "returned float, not a tensor"),
        (lambda out, y: ((out - y) ** 2).detach().mean(), "without a gradient"),
    ],
)
def test_a_loss_of_your_own_that_is_no_number_is_refused_in_words(loss, words):
    from treewright import LatentTreeRegressor

    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(InputError, match=words):
        LatentTreeRegressor(depth=1, epochs=2, loss=loss, random_state=0).fit(X, X)


def test_a_loss_of_your_own_may_be_a_tensor_of_one_number():
    from treewright import LatentTreeRegressor

    X = np.random.default_rng(0).normal(size=(60, 2))
    one, same = (
        LatentTreeRegressor(depth=1, epochs=2, loss=loss, random_state=0).fit(X, X).predict(X)
        for loss in (lambda out, y: ((out - y) ** 2).mean(), lambda out, y: ((out - y) ** 2).mean()[None])
    )
    np.testing.assert_array_equal(one, same)
