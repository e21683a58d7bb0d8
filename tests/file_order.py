"""The order in which files of tests are begun: the longest first, so that none of them runs alone at the end.

Each worker takes the next file when it has done with its own (`pytest --dist loadfile --no-loadscope-reorder`), so the
end is as even as the last files are short. Files that are not listed take less than ten seconds of the processor.
"""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = (
    "tests/attack/test_attack.py",
    "tests/laws/test_limits_hold_everywhere.py",
    "tests/unit/cli/test_limits.py",
    "tests/unit/cli/test_memory.py",
    "tests/unit/cli/test_wrong_options.py",
    "tests/conformance/test_sklearn_checks.py",
    "tests/unit/cli/test_streams_and_signals.py",
    "tests/browser/test_barriers.py",
    "tests/browser/test_reports_of_tasks.py",
    "tests/unit/cli/test_cli.py",
    "tests/architecture/test_doctests.py",
    "tests/laws/test_composites_stopped_anywhere.py",
    "tests/golden/test_ranked.py",
    "tests/laws/test_tampering_is_found.py",
    "tests/laws/test_interrupt_keeps_the_tree.py",
    "tests/conformance/test_mip.py",
    "tests/unit/bornagain/test_limits.py",
    "tests/unit/search/test_threads_of_fronts.py",
    "tests/laws/test_switches_change_nothing.py",
    "tests/conformance/test_born_again_regressor.py",
    "tests/unit/near_optimal/test_threads.py",
    "tests/laws/test_guesses_keep_theorem_4_3.py",
    "tests/unit/cli/test_shards.py",
    "tests/attack/test_at_size.py",
    "tests/unit/leaf_accuracy/test_who_answers.py",
    "tests/unit/test_wrong_arguments.py",
    "tests/unit/cli/test_extend.py",
    "tests/laws/test_ended_unranked.py",
    "tests/docs/test_pages_run.py",
    "tests/laws/test_frontier_equals_brute_force.py",
    "tests/golden/test_rbinoct.py",
    "tests/unit/table/test_csv.py",
    "tests/laws/test_least_size_by_any_size.py",
)


def longest_first(files: Iterable[str]) -> list[int]:
    """Return the positions of tests, given their files, in the order in which they run."""
    place = {name: number for number, name in enumerate(LONGEST)}
    files = list(files)
    return sorted(range(len(files)), key=lambda i: place.get(files[i], len(LONGEST)))
