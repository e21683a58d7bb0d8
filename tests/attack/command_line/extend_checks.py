"""What must hold for `extend`: its answers are those of `HybridTreeClassifier` over the tree of the model file."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from typing import Any

from attack.checks import Mismatch
from attack.command_line.probe_file import Model
from attack.command_line.program import run
from attack.command_line.table_files import Files

__all__ = ["extend_breaks"]


def extend_breaks(model: Model, files: Files, asked: dict[str, Any]) -> Iterator[Mismatch]:
    """Answer rows by a tree with a model in each leaf, and compare with Python and with the file."""
    command, out = model.command, files / "answers.csv"
    case = command.case
    words = ["extend", str(model.path), str(files.data), *files.how, f"--out={out}", *model.target_words]
    if asked.get("target") and not model.target_words:
        words.append(f"--target={model.command.form.target}")
    words += [
        f"--{name.replace('_', '-')}={asked[name]}"
        for name in ("tune", "seed", "folds", "leaf_model")
        if name in asked
    ]
    rows = case.rows
    if asked.get("rows"):
        rows = model.known_rows
        words.append(f"--rows={model.write(rows, files / 'rows.csv')}")
    said = run(words)
    if said.crash or said.code not in (0, 2):
        yield Mismatch("extend fails", f"{said.code} {said.last} {said.crash[-900:]}")
        return
    if said.code == 2:
        if out.exists() or not _may_be_refused(model, files, said.last):
            yield Mismatch("extend is refused", said.last)
        return
    with out.open(newline="", encoding="utf-8") as text:
        answers = list(csv.DictReader(text))
    kept = [i for i, w in enumerate(case.weight or [1.0] * case.n_rows) if w > 0]
    if not asked.get("rows"):  # the rows are those that the leaf models were made from
        rows = [rows[i] for i in kept]
    nodes = model.walker.content["nodes"]
    explained = [str(model.answer(row)) for row in rows]
    full = [
        nodes[model.walker.leaf_of(row)]["n_node_samples"] > 0 for row in rows
    ]  # other leaves are dropped
    if any(
        answer["tree"] != label for answer, label, seen in zip(answers, explained, full, strict=True) if seen
    ):
        yield Mismatch("extend says another label of the tree", f"{answers} instead of {explained}")
        return
    if any(
        (answer["explained"] == "yes") is not (answer["tree"] == answer["prediction"]) for answer in answers
    ):
        yield Mismatch("extend explains what the tree does not say", str(answers))
    if asked.get("rows"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hybrid = _hybrid(model, asked)
            predicted = list(map(str, hybrid.predict(case.frame(rows)).tolist()))
        if [answer["prediction"] for answer in answers] != predicted:
            yield Mismatch("extend answers otherwise than Python", f"{answers} instead of {predicted}")


def _hybrid(model: Model, asked: dict[str, Any]) -> Any:
    from treewright import HybridTreeClassifier
    from treewright.convert import load_model

    case = model.command.case
    top = load_model(model.path).tree
    tune = None if asked.get("tune") == "none" else "rounds"
    leaf_model = "xgboost" if asked.get("leaf_model") == "xgboost" else None
    hybrid = HybridTreeClassifier(
        top, tune=tune, leaf_estimator=leaf_model, random_state=asked.get("seed", 0)
    )
    weight = None if case.weight is None else list(case.weight)
    truth = [label for label, _ in case.y] if case.method == "row costs" else list(case.y)
    return hybrid.fit(case.frame(), truth, sample_weight=weight)


def _may_be_refused(model: Model, files: Files, words: str) -> bool:
    few = "folds" in words  # fewer rows than folds
    return files.data.is_dir() or model.labels is None or model.kind == "policy" or few
