"""Settings of all tests."""

import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from commands_made_once import make_commands_once
from file_order import longest_first
from left_behind import nothing_left_behind, settings_of_pictures_kept
from nursery import Nursery
from skipped_tests import skipped_in_words
from slice_of_cases import SLICE, divided

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when scipy is imported; without it a check is skipped
# The tests use all cores; threads of OpenMP that have to wait for one another make a fit of seconds one of minutes.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault(
    "POLARS_MAX_THREADS", "1"
)  # the same: small tables wait for the other thread of its pool

# A shell that starts the tests in the background lets them, and the programs they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no failure; time is measured in benchmarks, not in tests. The few tests that have to compare
# seconds, because their subject is a limit, are marked `clock` and repeated.
CLOCK_RERUNS, CLOCK_PAUSE = 5, 3  # at most so often, after so many seconds
# `make test` gives the same verdict whenever it runs on the same code; `make test-thorough` draws new examples.
settings.register_profile("treewright", deadline=None, database=None, derandomize=SLICE in os.environ)
settings.load_profile("treewright")
make_commands_once()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Starts processes that have imported the library, and what its methods load on first use.

    But polars, which begins threads when it is imported.
    """
    warm = Nursery("limits_child", "treewright.cli._app", "treewright.latent", "torch._dynamo", "highspy")
    yield warm
    warm.close()


@pytest.fixture
def any_simd() -> Iterator[None]:
    """Let a test limit the instruction set; afterwards the machine's best is back."""
    from treewright._native import core

    yield
    core.set_simd_limit(core.Simd.AVX512)


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    with nothing_left_behind():
        yield


@pytest.fixture(autouse=True, scope="module")
def _settings_of_pictures_kept() -> Iterator[None]:
    with settings_of_pictures_kept():
        yield


@pytest.fixture(autouse=True)
def pictures_closed() -> Iterator[None]:
    """Close what a test drew: pyplot warns, and so fails a later test, when many pictures stay open."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the longest files, and repeat the tests marked `clock` before they count as failed."""
    items[:], left_out = divided(items)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [items[i] for i in longest_first(item.nodeid.partition("::")[0] for item in items)]
    for item in items:
        if item.get_closest_marker("clock"):
            item.add_marker(pytest.mark.flaky(reruns=CLOCK_RERUNS, reruns_delay=CLOCK_PAUSE))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped, and why: what a stranger without our files has not seen pass."""
    lines = skipped_in_words([report.longrepr for report in terminalreporter.stats.get("skipped", [])])
    if lines:
        terminalreporter.section("tests that did not run")
        for line in lines:
            terminalreporter.line(line)
