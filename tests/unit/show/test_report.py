"""The report as text: its structure, its numbers, escaping, and what it refuses. tests/browser opens it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from made_trees import make_tree
from reports import HOSTILE, hostile_tree, page_of, wide_tree
from treewright import OptimalTreeClassifier
from treewright.bornagain import Domain, Ensemble, distil, solve, solve_active
from treewright.convert import Model, Terms
from treewright.errors import InputError, SolverError
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.show import report
from treewright.show._report._certificate import explain
from treewright.show._report._compare import sign_test
from treewright.show._report._rules import leaf_rule
from treewright.show._report._steps import picture
from treewright.table import Table
from treewright.tree import Column, ColumnKind, ThresholdSplit, describe, grow

VOID = {"wbr", "meta", "link", "input", "br", "hr", "img", "rect", "line", "circle", "polyline"}


class Reader(HTMLParser):
    """Elements, ids, texts; fails on elements that do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "script":
            self.scripts.append(data)
        elif self.stack and self.stack[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.mark.parametrize("n_leaves", [1, 2, 5, 20, 200])
def test_structure(n_leaves):
    made = make_tree(n_leaves, n_leaves, n_rows=300)
    page = Reader(page_of(made))
    assert page.all("html")[0]["lang"] == "en"
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for attributes in page.all("a"):
        assert attributes["href"][0] == "#"
        assert attributes["href"][1:] in ids
    for attributes in page.all("section"):
        assert attributes["aria-labelledby"] in ids
    assert [len(page.all(tag)) for tag in ("h1", "main", "header", "footer", "nav")] == [1, 1, 1, 1, 1]
    nodes = [int(a["data-node"]) for a in page.all("li") if "data-node" in a]
    assert nodes == list(range(made.tree.node_count))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert all(b <= a + 1 for a, b in pairwise(levels))  # no level of headings is skipped
    for attributes in page.all("th"):
        assert attributes["scope"] in ("col", "row")


def test_nothing_is_loaded_and_only_our_program_may_run():
    text = page_of(make_tree(1, 5))
    page = Reader(text)
    for _, attributes in page.elements:
        assert not {"src", "srcset", "style", "action", "data", "poster", "ping"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    assert "http://" not in text
    assert "https://" not in text
    assert "url(" not in text
    assert "@import" not in text
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_hostile_names_stay_names():
    made = hostile_tree()
    page = Reader(page_of(made, title=HOSTILE[1], target=HOSTILE[2]))
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert "<script>alert(1)</script>" in page.text  # as text
    data = json.loads(page.scripts[0])
    assert data["columns"][0]["name"] == HOSTILE[0]
    assert data["classes"][1] == HOSTILE[1]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page.text)
    assert r"\u202egnp.exe" in page.text
    assert "49" not in re.sub(r"[^{}\d ]", "", HOSTILE[5])  # no template ran
    assert "{{ 7*7 }}" in page.text


def test_size_of_twenty_leaves_on_ten_thousand_rows():
    made = make_tree(4, 20, n_rows=10_000)
    n_bytes = len(page_of(made).encode())
    assert n_bytes < 500_000


def test_counts_are_those_of_the_rows():
    made = make_tree(2, 6, n_rows=90)
    test = make_tree(7, 1, n_rows=50)
    labels = made.tree.classes
    page = Reader(page_of(made, X_test=Table(made.tree.columns, test.X), y_test=labels[test.y], digits=None))
    for rows, y in ((made.X, made.y), (test.X, test.y)):
        leaf = made.tree.apply(rows)
        right = made.tree.prediction[leaf] == y
        assert f"{right.sum()} of {len(y)}" in page.text
        for node in np.flatnonzero(made.tree.is_leaf):
            if (leaf == node).any():
                assert f"{right[leaf == node].sum()} of {(leaf == node).sum()}" in page.text
            else:
                assert "no rows" in page.text


def allows(tree, condition, row):
    """Whether a row meets a condition of `leaf_rule`, read back from its words."""
    names = [column.name for column in tree.columns]
    if condition.subject not in names:
        return None  # a sum
    j = names.index(condition.subject)
    column, x, words = tree.columns[j], row[j], condition.after
    if words == "cannot occur":
        return False
    if np.isnan(x):
        return words.endswith("missing")
    words = words.removesuffix(" or missing").removesuffix(" and known")
    if words in ("is known", "is missing"):
        return words == "is known"
    if column.kind is ColumnKind.CONTINUOUS:
        sign, number = words.split(" ")
        low = float(condition.before.split(" ")[0]) if condition.before else -np.inf
        return x > low and (x <= float(number) if sign == "≤" else x > float(number))
    value = (column.categories or ("0", "1"))[int(x)]
    sign, rest = words.split(" ", 1)
    if sign in ("=", "≠"):
        return (value == rest) == (sign == "=")
    inside = value in rest.removeprefix("in ").strip("{}").split(", ")
    return inside == (sign == "in")


@pytest.mark.parametrize("seed", range(40))
def test_rules_say_which_rows_a_leaf_gets(seed):
    made = make_tree(seed, 8, n_rows=200)
    leaf = made.tree.apply(made.X)
    for node in np.flatnonzero(made.tree.is_leaf):
        rule = leaf_rule(made.tree, node, None)
        if rule is None:
            assert not (leaf == node).any()
            continue
        assert len({condition.subject for condition in rule}) == len(rule) or "\u00d7" in str(rule)
        for row, own in zip(made.X, leaf == node, strict=True):
            answers = [allows(made.tree, condition, row) for condition in rule]
            if own:
                assert False not in answers
            elif None not in answers:
                assert False in answers


def test_thresholds_of_one_column_are_said_once():
    X = np.arange(6.0)[:, None]
    splits = [ThresholdSplit(0, 3.5), ThresholdSplit(0, 1.5), None, None, None]
    age = Column("age", ColumnKind.CONTINUOUS)
    y = np.array([0, 0, 1, 1, 0, 0], dtype=np.int32)
    tree = grow([age], np.array(["no", "yes"]), splits, X, y, np.ones(6), 1.0 - np.eye(2))
    rules = [[(c.before, c.subject, c.after) for c in leaf_rule(tree, leaf, 6)] for leaf in (2, 3, 4)]
    assert rules == [[("", "age", "≤ 1.5")], [("1.5 < ", "age", "≤ 3.5")], [("", "age", "> 3.5")]]
    assert describe(splits[0], [age]) == "age <= 3.5"


def test_certificates_in_plain_words():
    tree = make_tree(0, 4).tree
    base = SolveResult(tree, SolveStatus.OPTIMAL, 0.14, 0.14, 0.1, "all thresholds", options={"max_depth": 3})
    terms = Terms(0.01, max_depth=3)
    said = dict(explain(base, terms, 200).answers)
    assert said["Could another tree be better?"].startswith(
        "No, not among all trees over all thresholds, of depth at most 3"
    )
    assert "depth at most 3" in said["Among which trees?"]
    assert said["Does the proof rest on guesses?"] == "No."
    stopped = replace(base, status=SolveStatus.FEASIBLE, lower_bound=0.12, stop_reason=StopReason.TIME_LIMIT)
    found = explain(stopped, terms, 200)
    assert found.mark == "open"
    assert "14.3%" in found.badge
    assert "worth 4.0 of 200 rows" in dict(found.answers)["Could another tree be better?"]
    assert "time limit" in dict(found.answers)["Did the search run to its end?"]
    weighted = explain(stopped, Terms(0.01, weight="w"), 200)
    assert "rows" not in dict(weighted.answers)["Could another tree be better?"]
    guessed = explain(replace(base, status=SolveStatus.OPTIMAL_UNDER_GUESSES, lower_bound=0.1), terms, 200)
    assert guessed.mark == "conditional"
    assert dict(guessed.answers)["Does the proof rest on guesses?"].startswith("Yes")
    assert explain(None, None, 200).mark == "none"


def test_a_least_accuracy_of_leaves_is_among_the_limits():
    """Without the limit another tree is better: the page must not say that there is none."""
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.r_[[0] * 10, [0] * 3, [1] * 7]
    model = OptimalTreeClassifier(0.4, min_leaf_accuracy=0.7000001, max_depth=1)
    with pytest.raises(SolverError):
        model.fit(X, y)
    y[10] = 1
    model.fit(X, y)
    assert model.result_.objective > OptimalTreeClassifier(0.4, max_depth=1).fit(X, y).result_.objective
    said = dict(explain(model.result_, Terms(0.4, max_depth=1), 20).answers)
    for question in ("Could another tree be better?", "Among which trees?"):
        assert "at least 0.7000001 of every leaf right" in said[question]
    assert "at least 0.7000001 of every leaf right" in model.result_.sentence()


def test_comparison_frontier_and_other_trees():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (300, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where((X[:, 0] > 3) ^ (X[:, 1] > 4), "yes", "no")
    models = [OptimalTreeClassifier(c, max_depth=2).fit(X[:200], y[:200]) for c in (0.4, 0.05, 0.001)]
    page = Reader(
        report(
            models[2], X[:200], y[:200], X_test=X[200:], y_test=y[200:],
            frontier=[model.result_ for model in models], others={"small <one>": models[1]},
        )
    )  # fmt: skip
    for words in ("CART with as many leaves", "Gradient boosting", "Random forest", "Logistic regression"):
        assert words in page.text
    assert "small <one>" in page.text
    assert "Always the most frequent class" in page.text
    assert "this tree" in page.text
    wrong = int((models[2].predict(X[200:]) != y[200:]).sum())
    assert f"{100 - wrong} of 100" in page.text
    assert len(page.all("polyline")) == 2


def test_sign_test_is_the_exact_binomial_one():
    from scipy.stats import binomtest

    for a in range(12):
        for b in range(12):
            expected = 1.0 if a == b else binomtest(a, a + b).pvalue
            assert sign_test(a, b) == pytest.approx(expected)
    assert sign_test(560, 450) == pytest.approx(binomtest(560, 1010).pvalue, rel=0.02)


def test_warnings_of_the_page():
    made = make_tree(3, 4)
    text = Reader(page_of(made)).text
    assert "No test rows were given" in text
    fewer = replace(made, X=made.X[:40], y=made.y[:40])
    assert "not the same rows" in Reader(page_of(fewer)).text
    labels = made.tree.classes[made.y].astype(object)
    labels[:3] = "new label"
    text = Reader(report(made.tree, Table(made.tree.columns, made.X), labels, fit_models=False)).text
    assert "3 training rows have a label that the tree cannot predict" in text
    assert "another label" in text


def test_labels_of_another_type_are_matched_by_text():
    made = make_tree(3, 4, labels=[0, 1, 2])
    text = Reader(
        report(made.tree, Table(made.tree.columns, made.X), made.y.astype(str), fit_models=False)
    ).text
    assert "cannot predict" not in text


def test_large_trees_are_cut_and_deep_ones_survive():
    made = make_tree(1, 3000, n_rows=50)
    drawn = picture(made.tree, 4)
    assert drawn.is_cut
    assert sum(step.kind != "end" for step in drawn.steps) <= 1200
    assert sum(step.kind == "node" for step in drawn.steps) == sum(step.kind == "end" for step in drawn.steps)
    n = 400
    splits = [s for k in range(n) for s in (ThresholdSplit(0, float(n - k)),)] + [None] * (n + 1)
    X, y = np.arange(5.0)[:, None], np.zeros(5, dtype=np.int32)
    chain = grow(
        [Column("x", ColumnKind.CONTINUOUS)], np.array(["a", "b"]), splits, X, y, np.ones(5), 1.0 - np.eye(2)
    )
    assert chain.depth == n
    page = Reader(report(chain, X_frame(X), np.array(["a"] * 5), fit_models=False))
    assert "of this large tree" in page.text.lower()


def X_frame(X):
    import pandas as pd

    return pd.DataFrame(X, columns=["x"])


def test_a_thousand_columns_leave_only_the_used_ones():
    made = wide_tree()
    text = page_of(made)
    assert "asks about 2 of 1,000 columns" in Reader(text).text
    assert "measurement number 77" not in text
    assert len(text) < 120_000


def test_file_is_written_whole(tmp_path):
    made = make_tree(3, 4)
    out = tmp_path / "report.html"
    text = page_of(made, out=out)
    assert out.read_text(encoding="utf-8") == text
    with pytest.raises(InputError, match="no folder"):
        page_of(made, out=tmp_path / "missing" / "report.html")


def test_what_is_refused():
    made = make_tree(3, 4)
    table = Table(made.tree.columns, made.X)
    labels = made.tree.classes[made.y]
    regression = replace(made.tree, classes=None, value=made.tree.value[:, :1].copy())
    with pytest.raises(InputError, match="regression"):
        report(regression, table, labels)
    with pytest.raises(InputError, match="without a tree"):
        report("model.json", table, labels)
    with pytest.raises(InputError, match="y has shape"):
        report(made.tree, table, labels[:5])
    with pytest.raises(InputError, match="y_test has shape"):
        report(made.tree, table, labels, X_test=table, y_test=labels[:5])
    with pytest.raises(InputError, match="both X_test and y_test"):
        report(made.tree, table, labels, X_test=table)
    with pytest.raises(InputError, match="holds no label of the tree"):
        report(made.tree, table, np.full(len(labels), "nonsense"))
    with pytest.raises(InputError, match="missing in 1 rows"):
        report(made.tree, table, [None, *labels[1:]])
    with pytest.raises(InputError, match="other columns or categories"):
        report(made.tree, Table(made.tree.columns[::-1], made.X[:, ::-1]), labels)
    with pytest.raises(InputError, match="features"):
        report(made.tree, made.X[:, :3], labels)
    with pytest.raises(InputError, match="frontier is empty"):
        report(made.tree, table, labels, frontier=[])
    with pytest.raises(InputError, match="other columns"):
        report(made.tree, table, labels, others={"wide": wide_tree().tree})
    with pytest.raises(InputError, match="digits"):
        report(made.tree, table, labels, digits=0)


def test_models_of_files_bring_their_certificate():
    made = make_tree(3, 4)
    result = SolveResult(made.tree, SolveStatus.OPTIMAL, 0.5, 0.5, 0.4, "all thresholds")
    content = Model.of(result, Terms(0.025, target="sick"))
    text = Reader(
        report(content, Table(made.tree.columns, made.X), made.tree.classes[made.y], fit_models=False)
    ).text
    assert "Proven optimal" in text
    assert "A decision tree for sick" in text
    assert "0.025 for every leaf" in text


@pytest.mark.parametrize("kind", ["everywhere", "rows", "domain", "active"])
def test_a_born_again_tree_claims_no_more_than_it_proves(kind):
    """Agreement on rows, or inside a domain, is not called more, and no command is named that cannot check it."""
    iris = load_iris()
    ensemble = Ensemble.from_model(
        RandomForestClassifier(3, max_depth=2, random_state=0).fit(iris.data, iris.target)
    )
    result = {
        "everywhere": lambda: solve(ensemble),
        "rows": lambda: distil(ensemble, iris.data, tolerance=0.02),
        "domain": lambda: solve(ensemble.within(Domain.of_rows(iris.data))),
        "active": lambda: solve_active(ensemble, iris.data),
    }[kind]()
    said = explain(result, None, 150)
    on_rows = kind in ("rows", "active")
    assert ("on the rows named below, not on others" in said.answers[0][1]) == on_rows
    assert said.badge.startswith(
        "Agrees with an ensemble on rows" if on_rows else "Decides like its ensemble"
    )
    table = Table(result.tree.columns, np.asfortranarray(iris.data))
    text = Reader(
        report(Model.of(result), table, iris.target, fit_models=False, files={"model": "tree.json"})
    ).text
    assert ("treewright verify tree.json --ensemble FILE" in text) == (kind == "everywhere")
    assert ("By making it again" in text) == (kind != "everywhere")
