"""Law: `treewright verify` refuses every change of a model file that makes what is said untrue, and never fails."""

from __future__ import annotations

import json
import random
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest

from tampered_files import Made, changes, changes_of_nodes, made, mistakes, read_damaged, run
from tampered_kinds import FOREIGN_TERMS, KINDS

SLICE = 25  # changes of a file of each kind; `python tests/tampered_files.py SECONDS` tries more
DAMAGED = 15


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """A damaged file may make a library warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@cache
def folder() -> Path:
    """Return a folder that holds the table and the ensemble while the tests run."""
    return Path(tempfile.mkdtemp(prefix="tampered"))


def file_of(kind: str) -> Made:
    return next(iter(made(folder(), 0, (kind,))))


@pytest.mark.parametrize("kind", KINDS)
def test_no_change_is_accepted_without_a_reason(kind: str) -> None:
    one, file = file_of(kind), folder() / "changed.json"
    is_set, rng = "set" in kind, random.Random(kind)
    some = islice(changes(one.content, rng), 8 if is_set else SLICE)
    every_field = () if is_set else changes_of_nodes(one.content, rng)
    assert [mistake for mistake in mistakes(one, chain(some, every_field), file) if mistake] == []
    assert read_damaged(one, 0, file, most=DAMAGED) == DAMAGED


@pytest.mark.parametrize(("kind", "name", "value"), FOREIGN_TERMS)
def test_terms_that_the_question_cannot_have_are_refused(kind: str, name: str, value: Any) -> None:
    one, file = file_of(kind), folder() / "changed.json"
    one.content["certificate"]["terms"][name] = value
    file.write_text(json.dumps(one.content), encoding="utf-8")
    status, printed, error = run("verify", str(file), *one.against)
    assert (status, error) == (2, None), printed
