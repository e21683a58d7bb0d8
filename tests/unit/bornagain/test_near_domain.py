"""Near a regression ensemble on the rows of a domain: all of them are tried, and all trees over small ones."""

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from born_again_oracle import random_tree
from treewright.bornagain import Domain, NumberEnsemble, near_everywhere
from treewright.convert import Model, load_model, save_model, save_numbers
from treewright.errors import InputError
from treewright.result import SolveStatus, StopReason
from treewright.verify import furthest_apart, verify_near_everywhere

MOST_ROWS = 36  # of which all trees are tried


def case(seed):
    """An ensemble whose sums are exact, a domain, and a row of the domain in each of its cells."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))

    def leaf():
        return [float(rng.integers(-8, 9)) / 4]

    def fractions(tree):
        return replace(
            tree, threshold=tree.threshold + rng.choice([0.0, 0.0, 0.25, 0.5], len(tree.threshold))
        )

    n_trees = int(rng.integers(1, 5))
    trees = tuple(fractions(random_tree(rng, 3, n, leaf, int(rng.integers(1, 4)))) for _ in range(n_trees))
    ensemble = NumberEnsemble(trees, tuple(f"x{j}" for j in range(n)), float(rng.integers(-2, 3)))
    low = np.where(rng.random(n) < 0.6, rng.integers(-1, 2, n), -np.inf)
    high = np.where(rng.random(n) < 0.6, np.where(low > -np.inf, low, 0) + rng.integers(0, 3, n), np.inf)
    one_hot, at_most_one = [], []
    if rng.random() < 0.7:
        columns = rng.permutation(n).tolist()
        cut = int(rng.integers(2, n + 1))
        for group in (columns[:cut], columns[cut:]):
            if len(group) < 2:
                continue
            (one_hot if rng.random() < 0.6 else at_most_one).append(tuple(group))
            low[group], high[group] = 0.0, 1.0
            if len(group) > 2 and rng.random() < 0.3:
                high[group[0]] = 0.0  # a category that there is no row of
    domain = Domain(low, high, rng.random(n) < 0.4, one_hot, at_most_one)
    return ensemble, domain, rows_of(ensemble, domain)


def rows_of(ensemble, domain):
    """Every combination of values on, just above and far from thresholds and ends, if it is in the domain."""
    values = []
    for j in range(ensemble.n_features):
        cuts = np.unique(np.concatenate([tree.threshold[tree.feature == j] for tree in ensemble.trees]))
        near = [*cuts, *np.floor(cuts), *(np.floor(cuts) + 1), *np.nextafter(cuts, np.inf), 0.0, -9.0, 9.0]
        near += [end for end in (domain.low[j], domain.high[j]) if np.isfinite(end)]
        own = sorted({v for v in near if domain.low[j] <= v <= domain.high[j]})
        if domain.integer[j]:
            own = [v for v in own if v == round(v)]
        side = np.searchsorted(cuts, own)  # of the values in one cell the first will do
        grouped = any(
            j in group for group in domain.groups
        )  # a column that no tree asks about may be the one
        values.append([v for i, v in enumerate(own) if grouped or i == 0 or side[i] != side[i - 1]])
    rows = np.array(list(itertools.product(*values)))
    for group, is_one in [(g, True) for g in domain.one_hot] + [(g, False) for g in domain.at_most_one]:
        ones = rows[:, list(group)].sum(axis=1)
        rows = rows[(ones == 1) | ((ones == 0) & (not is_one))]
    return rows


def least_sizes(rows, numbers, width):
    """Fewest leaves, and least depth, of all trees whose leaves hold numbers at most so far apart."""
    cuts = {
        sum(1 << i for i, v in enumerate(column) if v <= t)
        for column in rows.T
        for t in sorted(set(column))[:-1]
    }

    @cache
    def least(here):
        own = [v for i, v in enumerate(numbers) if here >> i & 1]
        if max(own) - min(own) <= width:
            return 1, 0
        leaves, depth = np.inf, np.inf
        for cut in cuts:
            if here & cut and here & ~cut:
                a, b = least(here & cut), least(here & ~cut)
                leaves, depth = min(leaves, a[0] + b[0]), min(depth, 1 + max(a[1], b[1]))
        return leaves, depth

    return least((1 << len(rows)) - 1)


def stated_rows(result):
    rows = np.zeros((len(result.stats["rows_apart"]), len(result.tree.columns)))
    for i, row in enumerate(result.stats["rows_apart"]):
        for column, value in row:
            rows[i, column] = value
    return rows


def check(seed):
    """Hold one random problem against all rows; whether all trees were tried, and whether one was proven least."""
    ensemble, domain, rows = case(seed)
    assert domain.contains(rows).all()
    numbers = ensemble.predict(rows)
    part = ensemble.within(domain)
    np.testing.assert_array_equal(part.predict(rows), numbers)
    tolerance = [0.0, 0.125, 0.3, 0.75, 1.5, 3.0][seed % 6]
    found = near_everywhere(part, tolerance=tolerance)
    said = found.tree.predict(rows)
    far = max(abs(Fraction(a) - Fraction(b)) for a, b in zip(said, numbers, strict=True))
    assert far <= Fraction(found.loss)
    assert found.loss <= max(tolerance, 1e-9)
    assert set(found.tree.apply(rows)) == set(
        np.flatnonzero(found.tree.is_leaf)
    )  # each is of rows of the domain
    report = verify_near_everywhere(part, found)
    assert report.ok, str(report)
    assert domain.contains(stated_rows(found)).all()
    furthest = furthest_apart(found.tree, part)
    assert furthest.distance == float(far)
    if furthest.row is not None:
        row = furthest.row[None]
        assert domain.contains(row)[0]
        assert abs(found.tree.predict(row) - ensemble.predict(row))[0] == furthest.distance
    other = near_everywhere(ensemble, tolerance=1.0, max_leaves=6).tree  # its thresholds are not rounded
    far = np.abs(other.predict(rows) - numbers).max()
    assert furthest_apart(other, part).distance == far
    assert furthest_apart(other, part, max_boxes=3).at_most >= far
    assert found.stats["depth_lower_bound"] <= found.tree.depth
    if len(rows) > MOST_ROWS:
        return False, False
    leaves, depth = least_sizes(rows, numbers.tolist(), 2 * tolerance)
    assert found.lower_bound <= leaves <= max(found.tree.n_leaves, leaves)
    assert found.stats["depth_lower_bound"] <= depth
    proven = found.status is SolveStatus.OPTIMAL
    if proven:
        assert found.tree.n_leaves == leaves
    return True, proven


@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_every_row_of_random_domains_and_every_tree_of_small_ones(start):
    tried = [check(seed) for seed in range(start, start + 100)]
    assert sum(all_trees for all_trees, _ in tried) > 30
    assert sum(proven for _, proven in tried) > 10


NAMES = ("red", "green", "blue", "age")


def coloured(n_rows=60, seed=0):
    """Three columns of which one is 1, and whole numbers."""
    rng = np.random.default_rng(seed)
    colour, age = rng.integers(0, 3, n_rows), rng.integers(18, 40, n_rows)
    X = np.column_stack([np.eye(3)[colour], age]).astype(float)
    return X, 10.0 * colour + 0.3 * age * (colour == 1)


def forest_and_domain():
    X, y = coloured()
    forest = RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, y)
    ensemble = replace(NumberEnsemble.from_model(forest), feature_names=NAMES)
    return forest, ensemble, Domain.of(NAMES, {"age": (20, 30)}, integers=["age"], one_hot=[NAMES[:3]])


ALL_COLOURED = np.array([[*colour, age] for colour in np.eye(3) for age in range(20, 31)])


def test_a_forest_on_a_domain_with_a_group():
    forest, ensemble, domain = forest_and_domain()
    found = near_everywhere(ensemble.within(domain), tolerance=1.0)
    assert np.abs(found.tree.predict(ALL_COLOURED) - forest.predict(ALL_COLOURED)).max() <= found.loss <= 1.0
    everywhere = near_everywhere(ensemble, tolerance=1.0)
    assert found.tree.n_leaves < everywhere.tree.n_leaves
    assert furthest_apart(found.tree, ensemble).distance > 1.0  # on rows that there are not
    assert furthest_apart(everywhere.tree, ensemble).distance <= 1.0
    assert found.scope == "all rows of the domain without missing values"
    assert "everywhere in the domain." in found.sentence()
    assert (
        "The domain: age from 20 to 30 (whole numbers), exactly one of red, green, blue is 1."
        in found.notes[1]
    )
    for split in found.tree.splits:
        assert split is None or split.threshold == round(split.threshold)


def test_the_claim_survives_a_file_and_is_held_against_the_original_trees(tmp_path):
    _, ensemble, domain = forest_and_domain()
    domain = replace(domain, high=np.array([1, 1, 1, np.inf]))  # JSON has no infinity
    part = ensemble.within(domain)
    save_model(tmp_path / "tree.json", Model.of(near_everywhere(part, tolerance=1.0)))
    save_numbers(tmp_path / "forest.json", part)
    read = NumberEnsemble.load(tmp_path / "forest.json")
    assert read.n_leaves == ensemble.n_leaves == part.n_leaves
    np.testing.assert_array_equal(read.predict(-ALL_COLOURED), ensemble.predict(-ALL_COLOURED))
    result = load_model(tmp_path / "tree.json").result
    again = read.within(Domain.from_named(NAMES, result.options["domain"]))
    assert verify_near_everywhere(again, result).ok


def failed(ensemble, result):
    return [check.name for check in verify_near_everywhere(ensemble, result).checks if not check.ok]


def test_the_verifier_refuses_claims_of_other_domains():
    _, ensemble, domain = forest_and_domain()
    part = ensemble.within(domain)
    found = near_everywhere(part, tolerance=1.0)
    assert failed(part, found) == []
    assert "distance" in failed(part, replace(found, loss=found.loss / 2))
    assert {"scope", "domain", "distance"} <= set(failed(ensemble, found))
    wider = ensemble.within(replace(domain, one_hot=()))
    assert "domain" in failed(wider, found)
    older = ensemble.within(replace(domain, high=np.array([1, 1, 1, 39])))
    assert {"domain", "distance"} <= set(failed(older, found))
    two_colours = [[0, 1.0], [1, 1.0], [3, 20.0]]
    outside = {**found.stats, "rows_apart": [two_colours, *found.stats["rows_apart"][1:]]}
    assert "rows of the domain" in failed(part, replace(found, stats=outside))
    everywhere = near_everywhere(ensemble, tolerance=1.0)
    assert failed(part, everywhere)[:2] == ["scope", "domain"]
    for leaf in np.flatnonzero(found.tree.is_leaf):
        value = found.tree.value.copy()
        value[leaf] += 2.5
        changed = replace(found, tree=replace(found.tree, value=value))
        assert "distance" in failed(part, changed)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"step_limit": 5}, StopReason.STEP_LIMIT),
        ({"memory_limit": 4_000}, StopReason.MEMORY_LIMIT),
        ({"time_limit": 1e-9}, StopReason.TIME_LIMIT),
        ({"progress": lambda _: True}, StopReason.CALLBACK),
        ({"max_leaves": 2}, None),
    ],
)
def test_every_limit_keeps_a_tree_with_its_distance_on_the_domain(limits, reason, monkeypatch):
    monkeypatch.setattr("treewright.bornagain._near_everywhere.SECONDS_BETWEEN_CALLS", 0.0)
    forest, ensemble, domain = forest_and_domain()
    part = ensemble.within(domain)
    found = near_everywhere(part, tolerance=0.25, **limits)
    assert found.stop_reason is reason
    far = np.abs(found.tree.predict(ALL_COLOURED) - forest.predict(ALL_COLOURED)).max()
    assert 0.25 < far <= found.loss
    assert verify_near_everywhere(part, found).ok


def test_columns_that_nothing_asks_about_can_be_the_one():
    """Of a group of four, trees ask about one; a row that is neither has its 1 elsewhere."""
    model = DecisionTreeRegressor().fit([[0.0, 0, 0, 0], [1, 0, 0, 0]], [0.0, 5.0])
    ensemble = NumberEnsemble.from_model(model)
    part = ensemble.within(Domain.of(ensemble.feature_names, one_hot=[ensemble.feature_names]))
    found = near_everywhere(part, tolerance=0.0)
    assert (found.tree.n_leaves, found.lower_bound, found.status) == (2, 2, SolveStatus.OPTIMAL)
    assert part.domain.contains(stated_rows(found)).all()
    assert verify_near_everywhere(part, found).ok
    last = ensemble.within(Domain(np.zeros(4), np.array([1.0, 1, 0, 0]), np.ones(4, bool), [(0, 1, 2, 3)]))
    found = near_everywhere(last, tolerance=0.0)
    assert sorted(stated_rows(found).tolist()) == [[0, 1, 0, 0], [1, 0, 0, 0]]


def test_domains_that_cannot_be_used():
    _, ensemble, domain = forest_and_domain()
    with pytest.raises(InputError, match="has a domain already"):
        ensemble.within(domain).within(domain)
    with pytest.raises(InputError, match="The domain has 1 columns"):
        ensemble.within(Domain([0.0], [1.0], [False]))
    with pytest.raises(InputError, match=r"age from \S+; models accept numbers"):
        ensemble.within(Domain.of(NAMES, {"age": (1e39, np.inf)}))
    with pytest.raises(InputError, match="of 60 rows are outside the domain: column 'age' has"):
        near_everywhere(ensemble.within(domain), tolerance=1.0, X=coloured()[0])
