"""Ctrl-C while PyTorch is loaded: the fit ends, and the next one in the same process works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

pytest.importorskip("torch", reason="needs the extra latent")

from treewright.latent._torch import interrupt_waits

IN_A_NEW_PROCESS = """
import os, signal, sys
from treewright import LatentTreeClassifier

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "torch.nn":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
model = LatentTreeClassifier(epochs=2, progress=False)
try:
    model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
except KeyboardInterrupt:
    print("interrupted")
print(len(model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.0]])))
"""


@pytest.fixture
def handler() -> Iterator[None]:
    """Python's own handler, whatever the program that runs the tests has installed."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("handler")
def test_it_waits_for_the_end_of_the_block() -> None:
    done: list[bool] = []

    def press() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.append(True)

    with pytest.raises(KeyboardInterrupt), interrupt_waits():
        press()
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(ImportError, match="none"), interrupt_waits():
        raise ImportError("none")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("handler")
def test_other_handlers_and_other_threads_are_left_alone() -> None:
    heard: list[int] = []

    def own(number: int, _: object) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, own)
    with interrupt_waits():
        assert signal.getsignal(signal.SIGINT) is own
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def elsewhere() -> None:
        with interrupt_waits():
            heard.append(-1)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert heard == [-1]


def test_the_next_fit_works() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IN_A_NEW_PROCESS], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-500:]
    assert run.stdout.split() == ["interrupted", "1"]
