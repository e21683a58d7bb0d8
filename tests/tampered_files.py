"""Model files of every kind, each place in them changed in every plausible way, and what `treewright verify` says then.

`made` writes one real file of each kind that `treewright` can write, with the data that it is about. `changes` walks
over every value of a file: numbers nudged, words replaced by others of such files, truth values flipped, entries left
out, added, repeated and exchanged, and values that no file holds. `mistakes` runs `treewright verify` on each changed
file. It must be refused with an exit status and no traceback, or its place is one of `UNSAID` or `WEAKER`, where a
reason says why all that the sentence and `verify` say stays true.

By hand, with fresh seeds and tables: ``python tests/tampered_files.py SECONDS [KIND ...]`` (see CONTRIBUTING.md).
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from typer.main import get_command

from mutations import mutants
from tampered_kinds import BORN_AGAIN, COMMANDS, KINDS, WRITERS, write_data, write_ensemble, write_numbers
from treewright.convert import load_model
from treewright.errors import TreewrightError
from treewright.near_optimal import load_near_optimal

DELETE, ADD, EXCHANGED = "left out", "added", "exchanged with "
LONGEST = 60  # seconds that a verification may take, by hand


@dataclass(frozen=True)
class Made:
    """A file of one kind, its content, and the arguments after the file with which `verify` accepts it."""

    kind: str
    content: dict[str, Any]
    against: tuple[str, ...]


Place = tuple[Any, ...]

# Where a change alters neither the sentence nor a word of what `verify` prints, and why it may be accepted. A place is
# written with # for a position in a list, and may begin with a kind.
UNSAID = {
    r"written_by": "says who wrote the file, nothing about the tree",
    r"reading(\..*)?": "says how to read the file of data; what comes of it is compared with the tree",
    r"certificate\.(stats|options)": "exchanged with each other, where no limit was asked for: none is in the sentence",
    r"certificate\.stats\.\w+": "how the run went",
    r"certificate\.stats\.runs(\.(#|\w+))*": "how the solver of a mixed-integer program went on",
    r"certificate\.options\.\w+": "how the run was set, or a limit left out that was not asked for",
    r"certificate\.options\.action_costs\.#": "left out or exchanged with an equal one",
    r"certificate\.notes(\.#)?": "not in the sentence; what they say of proofs and of splits left out is compared",
    r"certificate\.(objective|loss|lower_bound)": "the last bits of a sum, in which the order of the rows shows",
    r"certificate\.terms": "left out: only the tree is checked then, and `verify` says so",
    r"certificate\.terms\.(objective|cost_complexity|quantile|event)": "not asked for by this kind of tree",
    r"certificate\.terms\.\w+": "the same question in other words: no limit, or a limit of 1",
    r"columns(\.#(\.(name|kind|has_missing|categories(\.#)?))?)?": "the same columns and words in another order, a "
    "column without missing values that could have some, or one of the data that the tree does not ask about: "
    "which were searched, the search alone knows",
    r"nodes\.#\.split\.(threshold|columns\.#|weights\.#|column)": "the same rows on each side: claims are about these "
    "rows, and `verify` says so of thresholds",
    r"(latent|shards|chosen tree|born again.*): nodes\.#\.split\.missing_left": "no row with a missing value comes to "
    "the split, and `verify` says that such trees may have any side",
    r"nodes\.#\.split\.left(\.#)?": "the same rows on each side",
    r"nodes\.#\.prediction": "two labels cost the same",
    r"nodes\.#\.value(\.#)?": "the last bits of a mean; or a number of a leaf that is near on as many rows",
    r"nodes\.#\.line\.(centers|slopes|columns)(\.#)*": "less than rounding shows in what the lines leave of the loss",
    r"nodes\.#\.line\.freedom": "the last bits of a number",
    r"born again.*: nodes\.#(\.(n_node_samples|value(\.#)?))?": "of rows beside the ensemble, which `verify` has "
    "not; whatever is exchanged, the tree decides like the ensemble",
    r"born again, numbers(, domain)?: certificate\.stats\.rows_apart(\.#)*": "other rows as far apart in pairs",
    r"best\.(written_by|reading(\..*)?)": "as of a model file",
    r"best\.certificate\.(stats|options|notes|terms)(\.\w+|\.#)?": "as of a model file",
    r"best\.certificate\.(objective|loss|lower_bound)": "as of a model file",
    r"best\.columns\.#\.has_missing": "as of a model file",
    r"best\.nodes\.#\.(split\.(threshold|missing_left)|prediction)": "as of a model file",
    r"splits\.(written_by|certificate|nodes\.#\.(value(\.#)?|prediction|n_node_samples))": "of the tree that carries "
    "the splits, of which nothing else is read",
    r"splits\.columns\.#\.has_missing": "as of a model file",
    r"splits\.nodes\.#\.split\.(threshold|missing_left)": "the same rows on each side",
    r"notes(\.#)*": "of the table and the splits; not in the sentence",
}

# Where the words change, and are true all the same or known to the search alone.
WEAKER = {
    r"certificate\.terms\.(costs|class_weight)(\.#)*": "less than rounding shows, or not paid by the tree",
    r"certificate": "left out: nothing but the tree is claimed then, and `verify` says that it checked nothing else",
    r"columns\.#\.name": "one that the tree does not ask about, nor the data have, and `verify` says so",
    r"(best\.)?certificate\.status": "not proven is less than proven",
    r"(best\.)?certificate\.stop_reason": "why a run ended that has no proof, the run alone knows",
    r"certificate\.lower_bound": "how far a run had come that has no proof, the search alone knows; or a weaker bound",
    r"certificate\.stats\.(upper_bound|most_lost_by_guesses)": "likewise",
    r"certificate\.stats\.(value_proven|loss_proven)": "likewise: no tree at hand refutes it",
    r"certificate\.stats\.tolerance": "a proof that leaves more open says less",
    r"certificate\.stats\.(shard_bounds\.#|leaves_lower_bound|depth_lower_bound)": "weaker, or the search's",
    r"certificate\.stats\.(shards|shard_rows|shard_weights)(\.#)?": "the same sums in other parts",
    r"certificate\.stats\.shards_lost": "that nothing is known of a shard says less",
    r"certificate\.scope": "a part of the splits is less than all, and which were offered the search alone knows",
    r"certificate\.options\.objective": "which of two sizes was minimised, where both bounds meet the tree",
    r"stop_reason": "why a run ended, the run alone knows",
    r"columns(\.#)?": "a proof over fewer columns says less",
    r"certificate\.options\.confidence": "the last bits of a number",
    r"certificate\.options\.method": "a fit on shards read as a plain search: the same tree, objective and bound",
    r"certificate\.stats\.loss_with_lines": "less than a ten-millionth, as sums of lines cancel",
    r"nodes\.#\.line\.(centers|slopes)(\.#)*": "likewise",
    r"best\.certificate\.(objective|lower_bound|loss)": "the last bits of a number",
    r"born again, numbers(, domain)?: certificate\.loss": "another distance that the ensemble keeps",
}


def run(*arguments: str) -> tuple[int, str, Exception | None]:
    """Run the program here; return its exit status, what it printed, and an error that reached the top."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            status = program().main(list(arguments), prog_name="treewright", standalone_mode=False)
        except Exception as error:
            return 3, printed.getvalue(), error
    return int(status or 0), printed.getvalue(), None


@cache
def program() -> Any:
    """Return the program, made once: that takes longer than a verification."""
    from treewright.cli import app

    return get_command(app)


def made(folder: Path, seed: int, kinds: tuple[str, ...] = ()) -> Iterator[Made]:
    """Write a file of each kind into a folder, with the table or the ensemble that it is about."""
    data, file, ensemble = folder / "data.csv", folder / "model.json", folder / "forest.txt"
    numbers = folder / "numbers.json"
    write_data(data, seed)
    write_ensemble(ensemble)
    write_numbers(numbers)
    for kind in KINDS:
        if kinds and kind not in kinds:
            continue
        if kind in WRITERS:
            WRITERS[kind](data, file)
        else:
            named = {"DATA": data, "FILE": file, "FOREST": ensemble, "NUMBERS": numbers}
            _, printed, error = run(*(str(named.get(part, part)) for part in COMMANDS[kind]))
            assert file.exists(), (kind, printed, error)
        of_which = numbers if "NUMBERS" in COMMANDS.get(kind, ()) else ensemble
        against = ("--ensemble", str(of_which)) if kind in BORN_AGAIN else (str(data),)
        yield Made(kind, json.loads(file.read_text(encoding="utf-8")), against)
        file.unlink()


WORDS = (
    "OPTIMAL", "FEASIBLE", "OPTIMAL_UNDER_GUESSES", "TIME_LIMIT", "INTERRUPT", "all thresholds",
    "over accuracy", "all thresholds and all single categories against the rest",
    "all single categories against the rest", "all splits of the 0/1 columns",
    "the given splits (at most 5 quantiles a column)", "the given thresholds",
    "the chosen splits (at most 5 quantiles or categories a column)", "the splits of the table",
    "the 9 guessed thresholds (not all thresholds)", "all trees of linear splits", "every tree",
    "all thresholds and the 2 most frequent categories of a column against the rest", "accuracy",
    "balanced_accuracy", "squared_error", "poisson", "gamma", "absolute_error", "quantile", "brier",
    "log_loss", "row_costs", "f1", "policy", "survival", "regression", "probability", "shards", "born-again",
    "leaf-accuracy", "latent", "lower_bound", "balanced", "depth", "leaves", "depth-leaves", "heuristic",
    "values", "values-everywhere", "active", "rows", "simple_linear", "linear", "continuous", "binary",
    "categorical", "ranked",
    "", "y", "num", "c", "inf", "nan", "No tree is better.",
    "Proven of shallower trees: no tree of depth at most 9 has a smaller objective than 0.000001.",
    "Chosen among near-optimal trees: number 1 in order of the objective. No tree is better.",
)  # fmt: skip
HOSTILE: tuple[Any, ...] = (None, [], {}, 1e300, -1e300, 10**30, "inf", True, [[]], -1, 0, 0.5)
NEW: dict[str, tuple[Any, ...]] = {  # names that sentences know, for objects that lack them
    "max_depth": (1, 9), "max_leaf_nodes": (2,), "min_samples_leaf": (9,), "min_leaf_accuracy": (0.5,),
    "quantile": (0.3,), "n_outputs": (2,), "leaf_model": ("linear", "simple_linear"), "lines": (2,),
    "proven_depth": (1,), "tolerance": (1e-09,), "action_costs": ([1.0, 2.0],),
    "method": ("latent", "shards", "regression", "born-again", "leaf-accuracy", "f1"),
    "criterion": ("brier", "quantile"), "loss_proven": (True,), "shards_lost": (1,),
    "splits": ("all thresholds",), "mean_reward": (99.0,), "single_class_cost": (99.0,),
    "loss_with_lines": (0.0,), "formulation": ("oct",),
}  # fmt: skip


def places(value: Any, path: Place = ()) -> Iterator[Place]:
    """Every place below a value, as keys and positions."""
    for key in keys(value):
        yield (*path, key)
        yield from places(value[key], (*path, key))


def keys(value: Any) -> list[Any]:
    return (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )


def others(value: Any, rng: random.Random) -> list[Any]:
    """Return what may stand in place of a value."""
    out: list[Any] = [rng.choice(HOSTILE)]
    if isinstance(value, bool):
        out.append(not value)
    elif isinstance(value, int):
        out += [value + 1, value - 1, value * 2]
    elif isinstance(value, float):
        out += [
            value + 1e-3,
            value - 1e-3,
            value * 2,
            value * (1 + 1e-6),
            float(np.nextafter(value, 9e99)),
            2.0 - value,
        ]
    elif isinstance(value, str):
        digits = re.sub(r"\d+", lambda found: str(int(found[0]) + rng.choice((-1, 1))), value)
        out += [*rng.sample(WORDS, 3), value + " ", digits]
    elif value is None:
        out += [rng.choice(WORDS), 1, 0.5]
    elif isinstance(value, list):
        out += [value[1:], value[:-1], value + value[:1], value[::-1]] if value else [[1], [""]]
        out += [[*value, word] for word in rng.sample(WORDS, 2)]
    return [other for other in out if type(other) is not type(value) or other != value]


def holder(content: Any, path: Place) -> Any:
    """Return what the last key of a path is in."""
    for key in path[:-1]:
        content = content[key]
    return content


def changes_at(content: Any, path: Place, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Yield what is done at one place, in words, and the changed content."""
    home, last = holder(content, path), path[-1]

    def with_entries(**_: Any) -> Any:
        return holder(changed := copy.deepcopy(content), path), changed

    spot, changed = with_entries()
    del spot[last]
    yield DELETE, changed
    for other in others(home[last], rng):
        spot, changed = with_entries()
        spot[last] = other
        yield repr(other), changed
    alike = [
        k for k in keys(home) if k != last and type(home[k]) is type(home[last]) and home[k] != home[last]
    ]
    if alike:
        spot, changed = with_entries()
        other = rng.choice(alike)
        spot[last], spot[other] = spot[other], spot[last]
        yield f"{EXCHANGED}{other}", changed
    if isinstance(home[last], dict):
        for name in rng.sample(sorted(set(NEW) - set(home[last])), 6):
            spot, changed = with_entries()
            spot[last][name] = rng.choice(NEW[name])
            yield f"{ADD}: {name} {spot[last][name]!r}", changed


def changes(content: Any, rng: random.Random) -> Iterator[tuple[Place, str, Any]]:
    """Yield the place, what is done there, and the changed content; places in random order, claims first."""
    todo = list(places(content))
    rng.shuffle(todo)
    todo.sort(key=lambda path: "certificate" not in path[:2])
    for path in todo:
        for words, changed in changes_at(content, path, rng):
            yield path, words, changed


def changes_of_nodes(content: Any, rng: random.Random) -> Iterator[tuple[Place, str, Any]]:
    """Yield all changes of one node's field, for each field that a node of the file has."""
    fields: dict[str, list[Place]] = {}
    for path in places(content):
        if path[0] == "nodes":
            fields.setdefault(in_words(path), []).append(path)
    for paths in fields.values():
        path = rng.choice(paths)
        for words, changed in changes_at(content, path, rng):
            yield path, words, changed


def in_words(path: Place) -> str:
    """Return a path as text, positions as #."""
    return ".".join("#" if isinstance(key, int) else str(key) for key in path)


def sentence_of(file: Path, kind: str) -> str:
    """Read a file and return its sentence."""
    if "set" in kind:
        return load_near_optimal(file).sentence()
    result = load_model(file).result
    return "" if result is None else result.sentence()


def rounded(words: str) -> str:
    """Return words whose numbers have no more digits than sums of real numbers keep, whatever the width of a table."""
    words = re.sub(r"[\s-]+", " ", words)
    return re.sub(r"\d+\.\d+(e[-+]\d+)?", lambda found: f"{float(found[0]):.8g}", words)


def mistakes(one: Made, todo: Iterator[tuple[Place, str, Any]], file: Path) -> Iterator[str]:
    """Yield the changed files that `verify` accepts without a reason, or on which it fails; and None for each other."""
    file.write_text(json.dumps(one.content), encoding="utf-8")
    status, before, error = run("verify", str(file), *one.against)
    assert status == 0, (one.kind, before, error)
    sentence = sentence_of(file, one.kind)
    for path, words, changed in todo:
        file.write_text(json.dumps(changed), encoding="utf-8")
        status, printed, error = run("verify", str(file), *one.against)
        place = in_words(path)
        if error is not None:
            yield f"{one.kind}: {place} {words:.80}: " + "".join(traceback.format_exception(error)[-3:])
        elif status == 0 and changed != one.content:
            said = sentence_of(file, one.kind)
            same = rounded(said + printed) == rounded(sentence + before)
            both = (place, in_words((*path[:-1], words.removeprefix(EXCHANGED))))
            reasons = [*(UNSAID if same else ()), *WEAKER]
            both += (f"{one.kind}: {place}",)
            if not any(re.fullmatch(pattern, changed_place) for pattern in reasons for changed_place in both):
                yield f"{one.kind}: {place}: {words:.100}: accepted" + ("" if same else f": {said}")
                continue
        yield ""


def main(seconds: float, kinds: tuple[str, ...]) -> int:
    """Go on with fresh seeds, kind by kind; print every mistake and count the changes."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    start, seed, counted, found = time.monotonic(), int(time.time()), Counter[str](), Counter[str]()
    part = seconds / (len(kinds) or len(KINDS))
    while time.monotonic() - start < seconds:
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "changed.json"
            for one in made(Path(folder), seed, kinds):
                until = time.monotonic() + part
                for mistake in mistakes(one, changes(one.content, rng), file):
                    signal.alarm(LONGEST)
                    counted[one.kind] += 1
                    key = re.sub(r"[\d.]+", "0", mistake.split("accepted")[0])
                    found[key] += bool(mistake)
                    if mistake and found[key] == 1:
                        print(f"seed {seed}: {mistake}", flush=True)
                    if time.monotonic() > until:
                        break
                counted[f"{one.kind}, damaged"] += read_damaged(one, rng.randrange(2**31), file, part / 10)
                signal.alarm(0)
        seed += 1
    print(
        f"{sum(found.values())} mistakes in {sum(counted.values())} files: {dict(counted)}; last seed {seed - 1}"
    )
    return int(sum(found.values()) > 0)


def read_damaged(one: Made, seed: int, file: Path, seconds: float = np.inf, most: int = 10**6) -> int:
    """Read damaged copies of a file: each is refused by an error of ours, or is a model; return how many were read."""
    text, start, n_read = json.dumps(one.content), time.monotonic(), 0
    for damaged in mutants(text, most, seed, is_json=True):
        n_read += 1
        file.write_text(damaged, encoding="utf-8", errors="replace")
        with contextlib.suppress(TreewrightError):
            sentence_of(file, one.kind)
        if time.monotonic() - start > seconds:
            break
    return n_read


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), tuple(sys.argv[2:])))
