"""The hard tree follows the signs of the soft splits in the table's own units."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright.errors import InputError  # noqa: E402
from treewright.latent import LatentTree  # noqa: E402
from treewright.latent._encode import fit_encoder  # noqa: E402
from treewright.latent._harden import classification_tree, harden, regression_tree  # noqa: E402
from treewright.table import table_from  # noqa: E402
from treewright.tree import LinearSplit  # noqa: E402


def data(n=400, missing=False, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(50, 20, n), rng.uniform(-1e-3, 1e-3, n), rng.integers(0, 2, n)]).astype(
        float
    )
    if missing:
        X[rng.random(n) < 0.3, 0] = np.nan
    return table_from(X), rng.integers(0, 3, n).astype(np.int32)


def soft_tree(table, depth=3, seed=0, **options):
    torch.manual_seed(seed)
    encoder = fit_encoder(table.X, table.columns, "ordinal")
    x = torch.as_tensor(encoder.transform(table.X))
    tree = LatentTree(encoder.n_inputs, depth, pruning=1.0, dtype=torch.float64, **options)
    tree.initialize(x)
    if options.get("batch_norm"):
        for _ in range(30):
            tree(x)  # running statistics
    tree.eval().fix_pruning(x)
    return tree, encoder, x


@pytest.mark.parametrize(
    "options", [{}, {"batch_norm": True}, {"splits": "elu"}, {"splits": "elu", "batch_norm": True}]
)
def test_same_cells_as_the_soft_splits(options):
    table, y = data()
    tree, encoder, x = soft_tree(table, **options)
    hard = harden(tree, encoder, table.X, classification_tree(table.columns, np.arange(3), y))
    nodes, leaves = tree.leaf(x).numpy(), hard.apply(table.X)
    assert len({*zip(nodes, leaves, strict=True)}) == len(set(nodes)) == len(set(leaves)) == hard.n_leaves
    assert all(split is None or isinstance(split, LinearSplit) for split in hard.splits)
    for leaf in set(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3)
        np.testing.assert_array_equal(hard.value[leaf], counts)
        assert counts[hard.prediction[leaf]] == counts.max()


def test_regression_leaves_hold_means():
    table, _ = data()
    tree, encoder, _ = soft_tree(table)
    target = np.random.default_rng(1).normal(size=table.n_rows)
    hard = harden(tree, encoder, table.X, regression_tree(table.columns, target))
    leaves = hard.apply(table.X)
    expected = np.array([target[leaves == leaf].mean() for leaf in leaves])
    np.testing.assert_allclose(hard.predict(table.X), expected, rtol=1e-12)
    assert hard.value[0, 0] == pytest.approx(target.mean())


def test_pruned_children_become_leaves_and_empty_sides_vanish():
    table, y = data()
    tree, encoder, x = soft_tree(table)
    with torch.no_grad():
        tree.bias[1] += 100.0  # nobody goes left at node 1
    tree.fix_pruning(x)
    tree.pruning_vector[[5, 11, 12]] = 0.0  # the left side of node 2 is pruned
    hard = harden(tree, encoder, table.X, classification_tree(table.columns, np.arange(3), y))
    assert set(tree.leaf(x).tolist()) <= {9, 10, 2, 13, 14, 6}
    assert hard.n_leaves == len(set(tree.leaf(x).tolist()))


def test_missing_values_go_where_the_soft_model_sends_them():
    table, y = data(missing=True)
    tree, encoder, x = soft_tree(table, depth=1)
    hard = harden(tree, encoder, table.X, classification_tree(table.columns, np.arange(3), y))
    missing = np.isnan(table.X[:, 0])
    soft_left = (tree.scores(x)[0] < 0).numpy()
    split = hard.splits[0]
    np.testing.assert_array_equal(split.goes_left(table.X)[~missing], soft_left[~missing])
    assert split.missing_left == (soft_left[missing].mean() > 0.5)


def test_a_constant_split_is_dropped():
    table, y = data()
    tree, encoder, x = soft_tree(table, depth=1)
    with torch.no_grad():
        tree.weight.zero_()
        tree.bias.fill_(-1.0)
    tree.fix_pruning(x)
    hard = harden(tree, encoder, table.X, classification_tree(table.columns, np.arange(3), y))
    assert hard.n_leaves == 1


def test_what_cannot_be_hardened_says_so():
    table, y = data()
    make = classification_tree(table.columns, np.arange(3), y)
    tree, encoder, _ = soft_tree(table, splits=torch.nn.Linear(3, 7).double())
    with pytest.raises(InputError, match="module of their own"):
        harden(tree, encoder, table.X, make)
    words = table_from([["a"], ["b"], ["c"], ["a"]])
    onehot = fit_encoder(words.X, words.columns, "onehot")
    assert onehot.n_inputs == 3
    with pytest.raises(InputError, match="one-hot"):
        harden(
            LatentTree(3, 1).eval(),
            onehot,
            words.X,
            classification_tree(words.columns, np.arange(1), np.zeros(4, np.int32)),
        )
