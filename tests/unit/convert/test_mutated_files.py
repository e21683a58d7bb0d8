"""Damaged model files of every format are refused by our own errors, or read as a model that works."""

import warnings
from contextlib import suppress

import numpy as np
import pytest

from ensemble_texts import TEXTS, iris
from mutations import mutants
from treewright import OptimalTreeClassifier
from treewright.bornagain import solve
from treewright.convert import Ensemble, Model, from_json, to_json
from treewright.errors import TreewrightError

N = 250


@pytest.mark.parametrize("kind", TEXTS)
def test_mutated_ensembles(kind, tmp_path):
    text = TEXTS[kind]()
    path = tmp_path / "model"
    rows = np.random.default_rng(0).normal(2, 3, (20, 4))
    n_read = longest = 0
    for k, mutant in enumerate(mutants(text, N, 7, is_json=kind.startswith("xgboost"))):
        path.write_text(mutant, encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                ensemble = Ensemble.load(path)
            except TreewrightError as error:
                longest = max(longest, len(str(error)))
                continue
            n_read += 1
            if ensemble.n_features <= 100:
                X = np.resize(rows, (20, ensemble.n_features))
                scores = ensemble.scores(ensemble.encode(X))
                assert np.isfinite(scores).all()
                assert ensemble.classify(scores).max() < ensemble.n_classes
            if k % 10 == 0:
                with suppress(TreewrightError):
                    solve(ensemble, objective="leaves", step_limit=50, time_limit=1.0)
    assert 0 < n_read < N  # both outcomes are tried
    assert longest < 1000


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mutated_model_files(n_classes):
    X, y = iris(n_classes)
    model = OptimalTreeClassifier(cost_complexity=0.02, max_depth=2).fit(X, y)
    text = to_json(Model.of(model.result_))
    n_read = longest = 0
    for mutant in mutants(text, N, 7, is_json=True):
        try:
            read = from_json(mutant)
        except TreewrightError as error:
            longest = max(longest, len(str(error)))
            continue
        n_read += 1
        read.tree.apply(np.resize(X, (10, len(read.tree.columns))))
        assert from_json(to_json(read)).tree.node_count == read.tree.node_count
    assert 0 < n_read < N
    assert longest < 1000
