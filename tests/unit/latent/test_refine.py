"""Alternating optimisation of a hard tree: each split the best of its kind, no step a step back."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright import LatentTreeClassifier, LatentTreeRegressor
from treewright.errors import InputError
from treewright.latent import _alternate, _grow, _taught
from treewright.latent._alternate import _combinations, _one_column, sweep
from treewright.latent._grow import _best, best_first
from treewright.latent._hard_nodes import Labels, Nodes, Numbers, never
from treewright.latent._refine import _clearly_less, _prunings, refine, regrown
from treewright.latent._taught import Ground, Teacher
from treewright.table import table_from
from treewright.tree import CategorySplit, LinearSplit, ThresholdSplit


def table(rng, n=60):
    """Two columns of numbers, one of them with gaps, and one of words."""
    rows = [
        [float(a), None if rng.random() < 0.2 else float(b), "abc"[c]]
        for a, b, c in zip(
            rng.normal(size=n).round(1), rng.integers(0, 4, n), rng.integers(0, 3, n), strict=True
        )
    ]
    return table_from(rows)


def random_target(rng, n, numbers):
    weight = rng.choice([0.5, 1.0, 2.0], n)
    return (
        Numbers(rng.normal(size=n), weight)
        if numbers
        else Labels(rng.integers(0, 3, n).astype(np.int32), weight)
    )


def random_splits(rng, depth):
    """A complete tree of linear splits of the first two columns, depth-first."""
    if depth == 0:
        return [None]
    split = LinearSplit((0, 1), tuple(rng.normal(size=2)), float(rng.normal()), bool(rng.integers(2)))
    return [split, *random_splits(rng, depth - 1), *random_splits(rng, depth - 1)]


def cost(nodes, X, rows, target):
    return target.loss(rows, nodes.predicted(X, rows)).sum()


def saved(split, swapped, X, wins):
    """What rows save that go to the left child, which a swap puts on the split's right."""
    return wins[split.goes_left(X) != swapped].sum()


@pytest.mark.parametrize("seed", range(30))
def test_the_split_of_one_column_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    found = table(rng, n=int(rng.integers(3, 14)))
    wins = rng.normal(size=found.n_rows).round(1)
    gain, split, swapped = _one_column(found.columns, found.X, np.arange(found.n_rows), wins)
    every = [
        CategorySplit(j, (code,), missing) if column.categories else ThresholdSplit(j, cut, missing)
        for j, column in enumerate(found.columns)
        for missing in (False, True)
        for code in range(len(column.categories) or 1)
        for cut in np.unique(found.X[~np.isnan(found.X[:, j]), j])[:-1]
    ]
    best = max(saved(one, swap, found.X, wins) for one in every for swap in (False, True))
    assert gain == pytest.approx(best)
    assert saved(split, swapped, found.X, wins) == pytest.approx(best)


def test_a_combination_finds_a_slanted_border_and_is_left_out_without_reason():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) * [1, 1000, 0.001]
    found = table_from(X)
    wins = np.where(X[:, 0] + X[:, 1] / 1000 > 0, 1.0, -1.0)
    combined = list(_combinations(found.columns, X, wins))
    assert [split.columns for _, split, _ in combined] == [(0, 1), (0, 1, 2)]  # few columns first
    for gain, split, swapped in combined:
        assert gain == pytest.approx(saved(split, swapped, X, wins))
        assert (
            gain
            >= 0.97 * wins[wins > 0].sum()
            > 1.3 * _one_column(found.columns, X, np.arange(len(X)), wins)[0]
        )
    assert not list(_combinations(found.columns, X, np.abs(wins)))  # all belong on one side
    assert not list(_combinations(found.columns, X[:20], wins[:20]))  # too few rows for three slopes


def gini_or_squared_error(goes_left, sums):
    """What is left of the squared error, by the formula of a variance."""
    left = 0.0
    for side in filter(len, (sums[goes_left], sums[~goes_left])):
        weight = side[:, :1]
        mean = side[:, 1:].sum(axis=0) / weight.sum()
        left += (weight * (side[:, 1:] / weight - mean) ** 2).sum()
    return left


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_the_grown_split_is_the_best_of_all(seed, numbers):
    rng = np.random.default_rng(seed)
    found = table(rng, n=int(rng.integers(4, 14)))
    target = random_target(rng, found.n_rows, numbers)
    if not numbers:
        target = Labels(
            np.minimum(target.y, 1), target.weight
        )  # of two classes the sets of words are exact, too
    sums = target.sums(np.arange(found.n_rows))
    every = [
        ThresholdSplit(j, cut, missing)
        for j in (0, 1)
        for missing in (False, True)
        for cut in np.unique(found.X[~np.isnan(found.X[:, j]), j])[:-1]
    ] + [CategorySplit(2, codes) for codes in ((0,), (1,), (2,))]
    sides = [side for side in (split.goes_left(found.X) for split in every) if 0 < side.sum() < found.n_rows]
    before = gini_or_squared_error(np.ones(found.n_rows, dtype=bool), sums)
    best = _best(found.columns, found.X, sums, "axis")
    least = min(gini_or_squared_error(side, sums) for side in sides)
    assert (best is None) == (least > before - 1e-9)
    if best is None:
        return
    gain, split = best
    assert gain == pytest.approx(before - least)
    assert gain == pytest.approx(before - gini_or_squared_error(split.goes_left(found.X), sums))


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_no_sweep_makes_the_training_loss_worse(seed, numbers):
    rng = np.random.default_rng(seed)
    found = table(rng, n=150)
    target = random_target(rng, found.n_rows, numbers)
    rows = np.arange(found.n_rows)
    nodes = Nodes.of(random_splits(rng, 3))
    nodes.fit_leaves(found.X, rows, target)
    losses = [cost(nodes, found.X, rows, target)]
    for _ in range(6):
        changed = sweep(nodes, found.columns, found.X, rows, target, "linear", never)
        losses.append(cost(nodes, found.X, rows, target))
        assert losses[-1] <= losses[-2] + 1e-9
        assert changed == (losses[-1] < losses[-2] - 1e-12)
        nodes.fit_leaves(found.X, rows, target)
        losses.append(cost(nodes, found.X, rows, target))
        assert losses[-1] <= losses[-2] + 1e-9


@pytest.mark.parametrize("kind", ["linear", "axis"])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_refined_tree_keeps_its_limits(kind, numbers):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        found = table(rng, n=120)
        target = random_target(rng, found.n_rows, numbers)
        held = rng.random(found.n_rows) < 0.3
        start = random_splits(rng, 2)
        done = refine(start, found.columns, found.X, target, kind=kind, validation=held, max_leaves=6)
        assert done.count(None) <= 6
        assert kind == "linear" or not any(isinstance(split, LinearSplit) for split in done)
        reached = Nodes.of(done).reached(found.X, np.arange(found.n_rows))
        assert all(len(rows) for rows in reached.values())


def test_rows_that_only_judge_train_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    held = np.arange(200) >= 150
    y = (X[:, 0] > 0).astype(float)
    wild = X.copy()
    wild[held] = 7.5
    options = {"kind": "axis", "validation": held, "only_judge": True, "max_leaves": 2}
    columns = table_from(X).columns
    done = refine([None], columns, X, Numbers(y, np.ones(200)), **options)
    other = refine([None], columns, wild, Numbers(np.where(held, 1.0, y), np.ones(200)), **options)
    assert done == other
    assert done[0].threshold == pytest.approx(0, abs=0.1)


def test_a_harder_way_needs_more_than_a_standard_error():
    costs = np.array([1.0, 0.0, 1.0, 0.0])
    assert not _clearly_less(costs, costs)
    assert _clearly_less(costs, costs + 0.1)
    assert not _clearly_less(costs, np.array([1.0, 1.0, 1.0, 0.0]) - [0, 0.1, 0, 0.5])


def test_the_sides_of_a_crossed_table_are_found():
    """Exclusive or of two columns, from splits that look at the wrong places."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    target = Labels(((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(np.int32), np.ones(400))
    wrong = [LinearSplit((0,), (1.0,), -0.4), LinearSplit((1,), (1.0,), 0.3), None, None]
    wrong += [LinearSplit((1,), (1.0,), -0.2), None, None]
    validation = np.zeros(400, dtype=bool)
    done = refine(wrong, table_from(X).columns, X, target, kind="axis", validation=validation, max_leaves=4)
    nodes = Nodes.of(done)
    nodes.fit_leaves(X, np.arange(400), target)
    assert cost(nodes, X, np.arange(400), target) == 0


def test_an_end_of_time_keeps_the_start_or_a_whole_tree():
    rng = np.random.default_rng(1)
    found = table(rng, n=80)
    target = random_target(rng, 80, numbers=True)
    start = regrown(random_splits(rng, 2), found.X)
    held = np.arange(80) < 20
    options = {"kind": "linear", "validation": held, "max_leaves": 8}

    def run(after):
        asked = iter(range(10**6))
        return refine(start, found.columns, found.X, target, is_over=lambda: next(asked) >= after, **options)

    assert run(0) == start
    whole = [run(after) for after in (40, 300, 900, 2500, 6000)]
    assert any(one != start for one in whole)
    rows = np.arange(80)
    for one in whole:
        nodes = Nodes.of(one)
        nodes.fit_leaves(found.X, rows, target)
        assert all(len(here) for here in nodes.reached(found.X, rows).values())


@pytest.mark.parametrize("numbers", [False, True])
def test_the_clock_is_asked_at_each_column_and_each_pass(numbers, monkeypatch):
    """Between two looks the rows are sorted once at most; after the end nothing is."""
    rng = np.random.default_rng(2)
    found = table_from(rng.normal(size=(200, 3)))
    target = random_target(rng, 200, numbers)
    start = random_splits(rng, 2)
    said = np.eye(3)[target.y] if not numbers else target.y
    teacher = Teacher(lambda X: said[rng.integers(0, 200, len(X))], lambda X: np.nan_to_num(X))
    options = {"kind": "linear", "validation": np.arange(200) < 50, "max_leaves": 4, "teacher": teacher}
    passes, most, looks = 0, 0, 0

    def counted(function):
        def one(*asked):
            nonlocal passes
            passes += 1
            return function(*asked)

        return one

    for module, name in ((_grow, "_cut"), (_alternate, "_threshold"), (_taught, "_nearest")):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))

    def is_over(after):
        nonlocal passes, most, looks
        most, passes, looks = max(most, passes), 0, looks + 1
        return looks > after

    refine(start, found.columns, found.X, target, is_over=lambda: is_over(10**9), **options)
    assert most == 1
    assert looks > 100
    for after in (looks // 10, looks // 3, looks // 2):
        looks = 0
        refine(start, found.columns, found.X, target, is_over=lambda n=after: is_over(n), **options)
        assert passes == 0
        assert looks == after + 1


@pytest.mark.parametrize("numbers", [False, True])
def test_a_tree_grows_as_cart_does(numbers):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 1] > 0.3) * 2.0 + (X[:, 2] > -0.1) * (X[:, 1] <= 0.3)
    rows = np.arange(300)
    target = Numbers(y, np.ones(300)) if numbers else Labels(y.astype(np.int32), np.ones(300))
    options = {"kind": "axis", "max_leaves": 4}
    grown = best_first(Nodes.of([None]), table_from(X).columns, X, rows, target, **options)
    cart = (DecisionTreeRegressor if numbers else DecisionTreeClassifier)(max_leaf_nodes=4).fit(X, y)
    assert cost(grown, X, rows, target) == 0
    np.testing.assert_allclose(grown.predicted(X, rows), cart.predict(X))
    assert grown.splits[0].column == cart.tree_.feature[0]
    assert grown.splits[0].threshold == pytest.approx(cart.tree_.threshold[0])
    alike = Numbers(np.ones(300), np.ones(300))
    assert best_first(Nodes.of([None]), table_from(X).columns, X, rows, alike, **options).splits == [None]


def test_prunings_drop_the_weakest_link_first():
    X = np.arange(8.0)[:, None]
    target = Labels(np.array([0, 0, 0, 1, 1, 1, 1, 0], dtype=np.int32), np.ones(8))
    nodes = Nodes.of(
        [ThresholdSplit(0, 2.5), None, ThresholdSplit(0, 4.5), None, ThresholdSplit(0, 6.5), None, None]
    )
    nodes.fit_leaves(X, np.arange(8), target)
    found = [
        (n, cost(tree, X, np.arange(8), target), tree.in_order(X, np.arange(8), "axis"))
        for n, tree in _prunings(nodes, Ground(X, np.arange(8), target))
    ]
    # The last split saves one error and the middle one with it the same for two leaves more; all of them save three.
    assert [(n, lost) for n, lost, _ in found] == [(4, 0.0), (2, 1.0), (1, 4.0)]
    assert found[1][2] == [ThresholdSplit(0, 2.5), None, None]
    assert found[2][2] == [None]


def test_a_hard_tree_beats_cart_of_its_size_where_borders_are_slanted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    y = np.digitize(X[:, 0] + X[:, 1], [-1, 0, 1]) + 0.2 * rng.normal(size=900)
    tree = (
        LatentTreeRegressor(depth=3, epochs=30, random_state=0, progress=False)
        .fit(X[:600], y[:600])
        .harden()
        .tree
    )
    cart = DecisionTreeRegressor(max_leaf_nodes=tree.n_leaves).fit(X[:600], y[:600])
    ours, theirs = (np.mean((one.predict(X[600:]) - y[600:]) ** 2) for one in (tree, cart))
    assert ours < 0.5 * theirs


def test_the_saved_tree_is_the_refined_one():
    X, y = load_iris(return_X_y=True)
    trees = {}
    for kind in ("signs", "linear", "axis"):
        model = LatentTreeClassifier(depth=3, hardening=kind, random_state=0, progress=False).fit(X, y)
        trees[kind] = model.harden().tree
        again = model.harden(X, y)
        np.testing.assert_array_equal(again.tree.predict(X), trees[kind].predict(X))
        assert again.sentence == model.harden().sentence
    assert not any(isinstance(split, LinearSplit) for split in trees["axis"].splits)
    assert (trees["axis"].predict(X) == y).mean() > 0.95
    assert (trees["linear"].predict(X) == y).mean() > 0.95
    with pytest.raises(InputError, match="hardening='straight'; give one of linear, axis, signs"):
        LatentTreeClassifier(hardening="straight").fit(X, y)


def test_numbers_are_refined_in_any_unit():
    X, y = load_diabetes(return_X_y=True)
    options = {"depth": 3, "random_state": 0, "progress": False}
    signs = LatentTreeRegressor(hardening="signs", **options).fit(X, y).harden().tree
    small = LatentTreeRegressor(**options).fit(X, y).harden().tree
    large = LatentTreeRegressor(**options).fit(X, y * 2.0**60).harden().tree
    assert np.mean((small.predict(X) - y) ** 2) < np.mean((signs.predict(X) - y) ** 2)
    np.testing.assert_allclose(large.predict(X), small.predict(X) * 2.0**60)


def test_one_wild_value_does_not_ruin_a_table():
    X, y = load_iris(return_X_y=True)
    X[7, 2] = 1e6
    model = LatentTreeClassifier(depth=2, random_state=0, progress=False).fit(X, y)
    rest = np.arange(150) != 7
    assert model.score(X[rest], y[rest]) > 0.9
    assert (model.harden().tree.predict(X[rest]) == y[rest]).mean() > 0.95


def test_small_tables_get_steps_enough():
    X, y = load_iris(return_X_y=True)
    options = LatentTreeClassifier(random_state=0, progress=False).fit(X, y).result_.options
    assert options.epochs == 1000  # one step each
    assert options.patience == 100
    options = (
        LatentTreeClassifier(epochs=3, patience=2, batch_size=20, progress=False).fit(X, y).result_.options
    )
    assert (options.epochs, options.patience) == (3, 2)
    with pytest.raises(InputError, match="epochs must be an integer >= 1, or \"auto\"; got 'many'"):
        LatentTreeClassifier(epochs="many").fit(X, y)
