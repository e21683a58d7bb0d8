"""Decision rules: one a leaf that rows can reach, in words and as a frame."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from exchange_trees import cases
from made_trees import make_tree
from treewright.errors import InputError
from treewright.show import rules, rules_frame, to_rules
from treewright.tree import leaf_conditions


@given(cases())
@settings(max_examples=50)
def test_one_rule_a_leaf_and_no_steering_characters(case):
    found = rules(case.tree)
    reachable = [
        n for n in np.flatnonzero(case.tree.is_leaf) if leaf_conditions(case.tree, int(n)) is not None
    ]
    assert [rule.leaf for rule in found] == reachable
    assert set(case.tree.apply(case.X)) <= set(reachable)
    for rule in found:
        assert rule.prediction == case.tree.classes[case.tree.prediction[rule.leaf]]
        assert rule.n_rows == case.tree.n_node_samples[rule.leaf]
    text = to_rules(case.tree)
    assert all(c.isprintable() or c == "\n" for c in text)
    assert len(text.split("\n")) == sum(2 if rule.conditions else 1 for rule in found)


@pytest.mark.parametrize("backend", ["polars", "pandas"])
def test_frame(backend):
    tree = make_tree(3, 9).tree
    frame = rules_frame(tree, backend=backend)
    assert type(frame).__module__.startswith(backend)
    assert list(frame.columns) == ["leaf", "rule", "prediction", "share", "n_rows"]
    assert len(frame) == len(rules(tree))
    assert frame["rule"][0] == " and ".join(rules(tree)[0].conditions)


def test_one_leaf_and_regression():
    leaf = make_tree(0, 1).tree
    assert to_rules(leaf).startswith("always class ")
    tree = make_tree(3, 4).tree
    number = replace(tree, classes=None, value=np.arange(tree.node_count, dtype=float)[:, None])
    assert all(np.isnan(rule.share) for rule in rules(number))
    assert "then 2  (" in to_rules(number)
    assert "then 2.0  (" in to_rules(number, digits=None)


def test_bad_parameters():
    tree = make_tree(0, 2).tree
    with pytest.raises(InputError, match="digits=0"):
        to_rules(tree, digits=0)
    with pytest.raises(InputError, match="backend='excel'"):
        rules_frame(tree, backend="excel")
