"""Which cases of a long list `make test` runs; `make test-thorough`, and pytest called by itself, run all of them.

Random problems of one kind differ in nothing but their seed, and most crossings of estimators with limits or of pages
with screens meet what their neighbours meet. A third of them takes a third of the time, and the others are run before
a release and after a change to an engine, as the attack is.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from zlib import crc32

import pytest

SLICE = "TREEWRIGHT_SLICE"  # set by `make test`
ONE_IN = 3
SEEDS = ("seed", "block", "start")  # parameters that number random problems
# Tests that cross their parameters: every value of each is kept, not every combination.
CROSSED = (
    "tests/browser/test_barriers.py::test_axe_finds_nothing_in_the_page_for_choosing",
    "tests/browser/test_barriers.py::test_axe_finds_nothing_in_the_report",
    "tests/browser/test_keyboard.py::test_the_focus_is_seen_and_follows_the_reading",
    "tests/browser/test_report_layout.py::test_no_two_boxes_meet_and_the_page_fits",
    "tests/browser/test_reports_of_tasks.py::test_axe_finds_nothing_and_the_page_fits",
    "tests/conformance/test_mip.py::test_check",
    "tests/laws/test_limits_hold_everywhere.py::test_a_limit_ends_it",
    "tests/laws/test_structured_rows.py::test_rows_in_the_order_of_their_targets",
    "tests/unit/cli/test_limits.py::test_a_signal_ends_the_search_with_the_best_tree_saved",
    "tests/unit/cli/test_limits.py::test_a_signal_ends_what_has_no_tree_to_keep",
    "tests/unit/estimators/test_latent.py::test_scikit_learn_contract",
)

Case = tuple[str, dict[str, object]]  # the name of a test without its parameters, and these


def kept_cases(cases: Sequence[Case]) -> list[int]:
    """The positions of the cases of a slice: the same on every machine and in every run."""
    met: dict[Hashable, int] = defaultdict(int)
    kept = []
    for position, (test, parameters) in enumerate(cases):
        if test in CROSSED:
            values = [(test, name, _written(value)) for name, value in parameters.items()]
            if _drawn(values) or not all(met[value] for value in values):
                kept.append(position)
                for value in values:
                    met[value] += 1
        elif set(SEEDS) & set(parameters):
            kind = (test, *(_written(value) for name, value in parameters.items() if name not in SEEDS))
            if met[kind] % ONE_IN == 0:
                kept.append(position)
            met[kind] += 1
        else:
            kept.append(position)
    return kept


def _drawn(values: object) -> bool:
    return crc32(repr(values).encode()) % ONE_IN == 0


def _written(value: object) -> str:
    """A value without its address in memory, which differs between the processes that run the tests."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def divided(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests to run, and those to leave out where a slice is asked for."""
    if not os.environ.get(SLICE):
        return list(items), []
    kept = set(kept_cases([_case(item) for item in items]))
    return [item for i, item in enumerate(items) if i in kept], [
        item for i, item in enumerate(items) if i not in kept
    ]


def _case(item: pytest.Item) -> Case:
    callspec = getattr(item, "callspec", None)
    return item.nodeid.partition("[")[0], dict(callspec.params) if callspec else {}
