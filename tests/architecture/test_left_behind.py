"""What a test leaves behind for its process is put back before the next one (`tests/left_behind.py`)."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sklearn

from left_behind import PARTS, nothing_left_behind, settings_of_pictures_kept
from treewright._native import core

CHANGES: dict[str, Callable[[Path], object]] = {
    "Ctrl-C": lambda _: signal.signal(signal.SIGINT, signal.SIG_IGN),
    "SIGTERM": lambda _: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "environment": lambda _: os.environ.pop("OMP_NUM_THREADS"),
    "folder": lambda path: os.chdir(path),
    "recursion": lambda _: sys.setrecursionlimit(4321),
    "collector": lambda _: gc.disable(),
    "numpy": lambda _: np.seterr(all="raise"),
    "sklearn": lambda _: sklearn.set_config(assume_finite=True),
    "instruction set": lambda _: core.set_simd_limit(core.Simd.PLAIN),
}


def found() -> list[object]:
    return [part.read(sys.modules[part.module]) for part in PARTS if part.module in sys.modules]


@pytest.mark.parametrize("name", CHANGES)
def test_it_is_put_back(name: str, tmp_path: Path) -> None:
    before = found()
    with nothing_left_behind():
        CHANGES[name](tmp_path)
        changed = found() != before
    assert changed or (name == "instruction set" and core.detected_simd() == core.Simd.PLAIN)
    assert found() == before


def forgets() -> None:
    sys.setrecursionlimit(4321)
    raise ZeroDivisionError


def test_also_after_an_error() -> None:
    before = found()
    with pytest.raises(ZeroDivisionError), nothing_left_behind():
        forgets()
    assert found() == before


def test_settings_of_pictures() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    before = matplotlib.rcParams["lines.linewidth"]
    with settings_of_pictures_kept():
        matplotlib.rcParams["lines.linewidth"] = before + 1
    assert matplotlib.rcParams["lines.linewidth"] == before
