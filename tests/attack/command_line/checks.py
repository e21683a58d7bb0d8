"""What must hold for a verb: it answers as Python does, its file says so, and `verify` and `predict` agree with it.

What both have got wrong alike is not seen here: `attack.laws` compares Python's answers with an oracle.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from attack.checks import Mismatch
from attack.command_line.after_checks import after_breaks
from attack.command_line.command import UNKNOWN, Command
from attack.command_line.look_checks import look_breaks
from attack.command_line.program import Said, run
from attack.command_line.table_files import Files, files_of
from attack.command_line.words import fit_words, frontier_words
from attack.laws import HERE, Outcome

__all__ = ["asked_both", "attacked", "check_model", "fit_breaks", "same_file"]

NEAR = 1e-9
# In a model file, what does not come from the question: times and disks, how a file was read, and the question itself.
OWN = ("/reading", "/certificate/terms", "/certificate/notes", "/certificate/stats/bytes_on_disk",
       "/certificate/options/time_limit")  # fmt: skip


def attacked(command: Command) -> Outcome:
    """Run one command through all comparisons. An error of the attack's own code is raised."""
    from attack.command_line.latent_fit_checks import latent_breaks
    from attack.command_line.near_checks import near_breaks
    from attack.command_line.reborn_checks import reborn_breaks
    from attack.command_line.reborn_file_checks import reborn_file_breaks

    checks: dict[str, Callable[[Command, Files], Iterator[Mismatch]]] = {
        "latent": latent_breaks,
        "near": near_breaks,
        "near values": reborn_breaks,
        "reborn": reborn_breaks,
        "reborn rows": reborn_breaks,
        "frontier": frontier_breaks,
        "regression front": frontier_breaks,
    }
    with tempfile.TemporaryDirectory() as folder:
        try:
            check = checks.get(command.method, fit_breaks)
            if "file" in command.asked:
                check = reborn_file_breaks
            found = list(check(command, files_of(command, Path(folder))))
        except Refused as refused:
            return Outcome(refused=str(refused))
        except Exception as error:
            if all(f.filename.startswith(HERE) for f in traceback.extract_tb(error.__traceback__)[-1:]):
                raise
            found = [
                Mismatch(f"{type(error).__name__} in Python", f"{error} {traceback.format_exc()[-600:]}")
            ]
    return Outcome(found)


class Refused(Exception):
    """Python and the verb both refuse the question; the text is the verb's."""


def asked_both(
    command: Command, words: list[str], ask: Callable[[], Any]
) -> tuple[Said, Any, list[Mismatch]]:
    """What the program and Python answer to the same question, and whether one alone refuses it.

    Raises
    ------
    Refused
        Both refuse it.
    """
    from treewright.errors import InputError, SolverError

    said = run(words)
    if said.crash:
        return said, None, [Mismatch("the program crashes", said.crash[-600:])]
    try:
        answer, error = ask(), ""
    except (InputError, SolverError) as refusal:
        answer, error = None, str(refusal)
    if said.code == 2 and answer is None:
        raise Refused(error)
    if said.code == 2:
        return said, answer, [Mismatch("refused, though Python answers", said.last)]
    if answer is None:
        return said, answer, [Mismatch("answered, though Python refuses", f"{error}; {said.output[-200:]}")]
    return said, answer, []


def fit_breaks(command: Command, files: Files) -> Iterator[Mismatch]:
    """Compare `fit`, its model file, `verify` and `predict` with the estimator, or with `fit_shards`."""
    case, out = command.case, files / "model.json"
    proof = ["--require-proof"] if command.asked.get("require_proof") else []
    words = ["fit", str(files.data), *fit_words(command), *files.how, *proof, f"--out={out}"]
    ask = (
        partial(of_shards, command, files.data)
        if case.method == "shards"
        else partial(case.run, **guesses(command))
    )
    said, model, broken = asked_both(command, words, ask)
    yield from broken
    if broken:
        return
    if "look" in command.asked and files.data.is_file():
        yield from look_breaks(command, files)
    result = model.result_
    timed = "time_limit" in case.options
    wanted = int(bool(proof) and json.loads(out.read_text())["certificate"]["status"] != "OPTIMAL")
    if said.code != wanted:
        yield Mismatch("another exit code", f"{said.code} instead of {wanted}; {said.last}")
    if case.method == "shards":
        yield from check_shards(command, result)
    if timed:
        yield from check_stopped(command, out)
    else:
        if result.sentence() not in said.output:
            yield Mismatch("another sentence", f"{result.sentence()!r}; {said.output[-400:]}")
        yield from same_file(out, model.tree_ if result is None else result)
    yield from check_model(command, files, out, None if timed else model)


def guesses(command: Command) -> dict[str, Any]:
    """The arguments that guess what `--guess` does."""
    from treewright.guess import named_reference

    guess = command.asked.get("guess")
    if guess is None:
        return {}
    given: dict[str, Any] = {"guess_tolerance": guess.get("guess_tolerance", 0.0)}
    given["reference"] = named_reference(guess["reference"], guess["n_estimators"], guess["reference_depth"])
    names = {
        "thresholds": ("thresholds", "guess"),
        "depth": ("max_depth", "guess"),
        "bounds": ("guess_lower_bounds", True),
    }
    return given | dict(names[part] for part in guess["parts"])


def of_shards(command: Command, data: Path) -> Any:
    """What `fit_shards` answers for the files: which rows are dealt together, and looked at first, depends on them."""
    import treewright
    from treewright.sources import open_source
    from treewright.table import Settings

    case, form = command.case, command.form
    settings = Settings(
        missing=(form.gap,) if form.gap == UNKNOWN else (),
        decimal_comma=form.decimal_comma,
        separator=form.separator if form.decimal_comma else None,
        order={name: tuple(case.words) for name in case.columns if case.is_ordered(name)},
    )
    return treewright.fit_shards(
        open_source(data, settings=settings),
        form.target,
        sample_weight=None if case.weight is None else form.weight,
        ignore=() if form.ignored is None else (form.ignored,),
        progress=False,
        **case.arguments(),
    )


def frontier_breaks(command: Command, files: Files) -> Iterator[Mismatch]:
    """Compare `frontier`, its table and its tree with the function."""
    case, out, table = command.case, files / "model.json", files / "table.csv"
    leaves = command.asked.get("leaves")
    more = [] if leaves is None else [f"--leaves={leaves}", f"--out={out}"]
    words = ["frontier", str(files.data), *frontier_words(command), *files.how, *more, f"--table={table}"]
    said, front, broken = asked_both(command, words, case.run)
    yield from broken
    if broken:
        return
    if said.code:
        yield Mismatch("another exit code", f"{said.code} instead of 0; {said.last}")
    timed = "time_limit" in case.options
    if not timed:
        if front.sentence() not in said.output:
            yield Mismatch("another sentence", f"{front.sentence()!r}; {said.output[-400:]}")
        with table.open(newline="") as text:
            rows = list(csv.DictReader(text))
        records = [{k: "" if v is None else str(v) for k, v in row.items()} for row in front.records()]
        if rows != records:
            yield Mismatch("another table of the frontier", f"{rows} instead of {records}")
    if leaves is not None:
        point = front.at_most(leaves)
        if not timed:
            yield from same_file(out, point)
            if point.sentence() not in said.output:
                yield Mismatch("another sentence of the tree", f"{point.sentence()!r}; {said.output[-400:]}")
        yield from check_model(command, files, out, None if timed else point)


def check_shards(command: Command, result: Any) -> Iterator[Mismatch]:
    """The same rows dealt in another way, from memory: each bound holds for the tree of the other."""
    if command.case.options["thresholds"] != "all":  # those of a sample, which differs
        return
    other = command.case.run().result_
    for a, b in ((result, other), (other, result)):
        if a.lower_bound > b.objective + NEAR * (1 + abs(b.objective)):
            yield Mismatch("a bound above another tree", f"{a.sentence()} {b.sentence()}")


def check_stopped(command: Command, out: Path) -> Iterator[Mismatch]:
    """A run that the clock may have ended: its bound holds for the tree that a run without a limit finds."""
    from treewright.convert import load_model

    stopped, whole = load_model(out).result, command.case.without("time_limit").run().result_
    assert stopped is not None
    higher = command.method == "leaf"  # the worst leaf is to be as accurate as can be
    open_to = NEAR + NEAR * abs(whole.objective)
    ahead = (stopped.objective - whole.objective) * (1 if higher else -1)
    if whole.status.name == "OPTIMAL" and ahead > open_to and not whole.rounding:
        yield Mismatch("better than the optimum", f"{stopped.sentence()} {whole.sentence()}")
    if stopped.status.name == "OPTIMAL" and -ahead > open_to and not stopped.rounding:
        yield Mismatch("false optimal", f"{stopped.sentence()} {whole.sentence()}")


def same_file(out: Path, result: Any, *, kinds: bool = True) -> Iterator[Mismatch]:
    """The file that a verb wrote is the one that Python writes; perhaps but for the kinds of the columns."""
    from treewright.convert import to_json

    ours, theirs = json.loads(out.read_text()), json.loads(to_json(result))
    apart = [
        f"{place}: {a} instead of {b}"
        for place, a, b in differences(ours, theirs)
        if not place.startswith(OWN) and "seconds" not in place and (kinds or not place.endswith("/kind"))
    ]
    if apart:
        yield Mismatch("another model file", "; ".join(apart)[:1500])
    lost = set(theirs["certificate"]["notes"]) - set(ours["certificate"]["notes"])
    if lost:
        yield Mismatch("notes of the result are lost", str(lost))


def differences(ours: Any, theirs: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ, with both values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in {**ours, **theirs}:
            yield from differences(ours.get(key), theirs.get(key), f"{place}/{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(a, b, f"{place}/{number}")
    elif ours != theirs:
        yield place, ours, theirs


def check_model(command: Command, files: Files, out: Path, model: Any) -> Iterator[Mismatch]:
    """`verify` accepts the file, and `predict` says what the model of Python says, if one is given."""
    said = run(["verify", str(out), str(files.data), *files.how])
    if said.crash or said.code:
        yield Mismatch(
            "verify refuses a true claim", f"{said.code} {said.output[-700:]} {said.errors} {said.crash}"
        )
    ways = {"": [], " to a file": [f"--out={files / 'predicted.csv'}"]}
    for way, more in ways.items():
        said = run(["predict", str(out), str(files.data), *files.how, *more])
        if said.crash or said.code:
            yield Mismatch("predict refuses the training table", f"{said.code} {said.errors} {said.crash}")
            return
        text = (files / "predicted.csv").read_bytes().decode() if more else said.output
        predicted = list(csv.reader(io.StringIO(text)))[1:]
        if model is None:
            continue
        wanted = [list(map(str, row)) for row in predicted_by(command, model)]
        if predicted != wanted:
            yield Mismatch(f"predict says something else{way}", f"{predicted} instead of {wanted}")
    if model is not None:
        yield from check_shares(command, files, out, model)
    yield from after_breaks(command, files, out)


def check_shares(command: Command, files: Files, out: Path, model: Any) -> Iterator[Mismatch]:
    """`predict --proba --leaf` says the shares of the classes, if there are any, and the number of each leaf."""
    from treewright.table import encode_like

    tree = model.tree_ if hasattr(model, "tree_") else model.tree
    X = encode_like(command.case.frame(), tree.columns)
    wanted = [[number] for number in tree.is_leaf.cumsum()[tree.apply(X)].tolist()]
    if tree.predicts_classes:
        wanted = [share + leaf for share, leaf in zip(tree.predict_proba(X).tolist(), wanted, strict=True)]
    proba = ["--proba"] if tree.predicts_classes else []
    said = run(["predict", str(out), str(files.data), *files.how, *proba, "--leaf"])
    rows = [row[-len(wanted[0]) :] for row in list(csv.reader(io.StringIO(said.output)))[1:]]
    if said.code or said.crash or rows != [list(map(str, row)) for row in wanted]:
        yield Mismatch("other shares or leaves", f"{rows} instead of {wanted}; {said.errors} {said.crash}")


def predicted_by(command: Command, model: Any) -> list[list[Any]]:
    """The predictions of an estimator, or of the tree of a result, for the rows of the table."""
    from treewright.table import encode_like

    if hasattr(model, "predict"):
        said = model.predict(command.case.frame())
    else:
        said = model.tree.predict(encode_like(command.case.frame(), model.tree.columns))
    return said.tolist() if said.ndim == 2 else [[one] for one in said.tolist()]
