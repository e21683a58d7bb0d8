"""`treewright fit --method latent` writes a tree of linear splits that the other verbs can use."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")
torch.set_num_threads(1)

from treewright import LatentTreeClassifier  # noqa: E402
from treewright.cli import app  # noqa: E402
from treewright.convert import load_model  # noqa: E402
from treewright.table import load_csv  # noqa: E402
from treewright.tree import LinearSplit, ThresholdSplit  # noqa: E402


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    file = tmp_path / "data.csv"
    lines = [f"{a:.4f},{b:.4f},{'yes' if a + b > 0 else 'no'}" for a, b in x]
    file.write_text("a,b,sign\n" + "\n".join(lines) + "\n")
    return file


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_fit_show_predict_verify(csv: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    words = run("fit", csv, "-t", "sign", "--method", "latent", "--max-depth", 2, "--epochs", 40, "-o", model)
    assert "hardened" in words
    assert "same class as the soft model" in words
    tree = load_model(model).tree
    assert all(split is None or isinstance(split, LinearSplit) for split in tree.splits)
    assert load_model(model).certificate.loss < 0.1
    assert "a" in run("show", model)
    run("verify", model, csv)
    answers = tmp_path / "answers.csv"
    run("predict", model, csv, "--out", answers)
    assert answers.exists()


@pytest.mark.parametrize("hardening", ["axis", "linear", "signs"])
def test_the_hard_tree_is_the_one_of_python(csv: Path, tmp_path: Path, hardening: str) -> None:
    model = tmp_path / "model.json"
    run("fit", csv, "-t", "sign", "--method", "latent", "--max-depth", 2, "--epochs", 40, "-o", model,
        "--hardening", hardening)  # fmt: skip
    data = load_csv(csv, target="sign")
    known = LatentTreeClassifier(2, epochs=40, hardening=hardening, random_state=0).fit(
        data.table.X, data.target
    )
    tree, expected = load_model(model).tree, known.harden().tree
    assert tree.n_leaves == expected.n_leaves
    assert tree.predict(data.table.X).tolist() == expected.predict(data.table.X).tolist()
    one_column = all(split is None or isinstance(split, ThresholdSplit) for split in tree.splits)
    assert one_column is (hardening == "axis")
    assert load_model(model).result.options["hardening"] == hardening


def test_columns_of_words_are_refused_before_the_training(csv: Path, tmp_path: Path) -> None:
    # the tree was trained on their codes and saved to a file that no verb could read
    model = tmp_path / "model.json"
    lines = csv.read_text().splitlines()
    csv.write_text(
        "\n".join([f"c,{lines[0]}", *(f"{'xyz'[k % 3]},{line}" for k, line in enumerate(lines[1:]))])
    )
    result = CliRunner().invoke(app, ["fit", str(csv), "-t", "sign", "--method", "latent", "-o", str(model)])
    assert result.exit_code == 2
    assert "these hold words: 'c'" in result.output
    assert "--ignore" in result.output
    assert not model.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--method", "magic"), "--method"),
        (("--method", "latent", "--max-leaf-nodes", "3"), "--max-leaf-nodes"),
        (("--method", "latent", "--thresholds", "4"), "--thresholds"),
        (("--method", "latent", "--max-depth", "0"), "depth"),
        (("--method", "latent", "--pruning", "-1"), "pruning"),
        (("--method", "latent", "--weight", "b"), "The weight 'b' is negative"),
        (("--method", "latent", "--hardening", "soft"), "hardening='soft'; give one of linear, axis, signs"),
        (("--hardening", "axis"), "--hardening is for --method latent"),
        (("--method", "latent", "--objective", "leaf-accuracy"), "--method latent takes no --objective"),
        (("--pruning", "1"), "--pruning is for --method latent"),
        (("--epochs", "5"), "--epochs is for --method latent"),
        (("--task", "regression", "--pruning", "7"), "--pruning is for --method latent"),
        (("--task", "regression", "--seed", "7"), "--seed is for --method latent and for shards"),
    ],
)
def test_bad_options(csv: Path, options: tuple[str, ...], words: str) -> None:
    result = CliRunner().invoke(app, ["fit", str(csv), "-t", "sign", *options])
    assert result.exit_code == 2
    assert words in result.output


def test_too_few_epochs_are_noted(csv: Path) -> None:
    words = run("fit", csv, "-t", "sign", "--method", "latent", "--max-depth", 2, "--epochs", 5)
    assert "The validation loss still fell when the epochs were over: raise --epochs." in words
    words = run("fit", csv, "-t", "sign", "--method", "latent", "--max-depth", 2, "--epochs", 1)
    assert "The last epoch was the best one: more of them (--epochs) may give a better model." in words
