"""Ctrl-C inside the questions that go over a whole graph: it is obeyed, and the next answer is the right one."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from treewright import near_optimal_trees

QUESTIONS = {
    "columns": lambda trees, group: trees.columns(reliance=False),
    "columns in threads": lambda trees, group: trees.columns(reliance=False, n_jobs=2),
    "reliance": lambda trees, group: trees.columns(),
    "votes": lambda trees, group: trees.vote_share().tolist(),
    "votes of new rows": lambda trees, group: trees.vote_share(1 - group[:, None] * np.ones(12)).tolist(),
    "ambiguity": lambda trees, group: trees.ambiguity(),
    "extreme": lambda trees, group: trees.extreme(np.column_stack([group, 1 - group])).most.value,
    "gap": lambda trees, group: trees.gap_range(group == 1).most.value,
    "smaller set": lambda trees, group: trees.where(uses="x3").n_trees_,
}


def in_a_callback_of_the_collector(frame):
    """Whether Python is in what another package runs when garbage is collected."""
    while frame is not None and frame.f_code.co_name != "gc_callback":
        frame = frame.f_back
    return frame is not None


@pytest.fixture(scope="module")
def whole():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 12)).astype(float)
    y = np.where(rng.random(2000) < 0.3, rng.integers(0, 2, 2000), X[:, 0] * X[:, 1])
    trees = near_optimal_trees(X, y, cost_complexity=0.002, max_depth=5, epsilon=0.1, leaf_labels="any")
    assert trees.status_ == "complete"
    return trees, X[:, 2]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer of processor seconds on this system")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.clock
def test_a_question_is_interrupted_and_answered_rightly_after(whole, question):
    trees, group = whole
    ask = QUESTIONS[question]
    expected = ask(trees.where(), group)
    sent = []

    def interrupt(number, frame):
        if in_a_callback_of_the_collector(frame):  # an exception that is raised there reaches nobody
            signal.setitimer(signal.ITIMER_PROF, 0.001)
            return
        sent.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        interrupted, seconds = 0, 0.002
        while interrupted == len(sent):  # until one is over before its signal
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                answer = ask(trees.where(), group)
                signal.setitimer(signal.ITIMER_PROF, 0)  # here: a signal after the answer counts as well
            except KeyboardInterrupt:
                interrupted += 1
                seconds *= 3
                continue
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            break
    finally:
        signal.signal(signal.SIGPROF, before)
    assert interrupted == len(sent)  # none was swallowed
    assert interrupted >= 1
    assert answer == expected
