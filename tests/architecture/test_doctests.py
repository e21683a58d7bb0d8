"""Examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import treewright

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(treewright.__path__, "treewright.")
    if not info.name.endswith(("._core", "._gurobi"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    found = [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for test in found:
        report: list[str] = []
        runner.run(test, out=report.append)
        assert not report, "".join(report)


def test_the_estimator_has_an_example() -> None:
    assert ">>>" in (treewright.OptimalTreeClassifier.__doc__ or "")
