"""The model file: an exact round trip, and a clear error for everything else."""

from __future__ import annotations

import json
import time
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_trees import cases, with_lines
from made_trees import COLUMNS, make_rows, make_tree
from treewright.convert import Model, Terms, from_json, load_model, save_model, to_json
from treewright.errors import InputError, ModelFileError
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.tree import ColumnKind, Line, ThresholdSplit, Tree, grow, grow_regression

TERMS = Terms(
    cost_complexity=0.1 + 0.2,
    max_depth=4,
    class_weight=(1.0, 2.5, 0.1),
    costs=((0.0, 1.0, 2.0), (1.0, 0.0, 1.0), (0.3, 1.0, 0.0)),
    target="y",
)


def make_result(tree: Tree) -> SolveResult:
    return SolveResult(
        tree=tree,
        status=SolveStatus.FEASIBLE,
        objective=1 / 3,
        lower_bound=0.1,
        loss=0.3,
        scope="all thresholds",
        stop_reason=StopReason.TIME_LIMIT,
        stats={"seconds": 1.5, "subproblems": np.int64(12), "bounds": [0.0, 0.1]},
        options={"time_limit": np.inf, "warm": None, "order": "gini", "on": True},
        notes=("Column 'a' was cut at 16 quantiles.",),
    )


def assert_same_tree(a: Tree, b: Tree) -> None:
    assert a.columns == b.columns
    assert a.splits == b.splits
    assert a.lines == b.lines
    assert (a.classes is None) == (b.classes is None)
    if a.classes is not None:
        assert a.classes.dtype.kind == b.classes.dtype.kind
        np.testing.assert_array_equal(a.classes, b.classes)
    for name in ("children_left", "children_right", "prediction", "value", "n_node_samples"):
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


@given(seed=st.integers(0, 10**6), n_leaves=st.integers(1, 12))
def test_round_trip_is_exact(seed, n_leaves):
    made = make_tree(seed, n_leaves)
    again = from_json(to_json(made.tree)).tree
    assert_same_tree(made.tree, again)
    rows = make_rows(np.random.default_rng(seed + 1), 50)
    np.testing.assert_array_equal(made.tree.apply(rows), again.apply(rows))
    np.testing.assert_array_equal(made.tree.predict(rows), again.predict(rows))
    np.testing.assert_array_equal(made.tree.predict_proba(rows), again.predict_proba(rows))
    assert to_json(again) == to_json(made.tree)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes", "žluťoučký kůň"]),
        np.array(["a", "b", "c"], dtype=object),
        np.array([1, 2, 7]),
        np.array([-1, 0, 1], dtype=np.int8),
        np.array([0, 2**53 + 1, 2**64 - 1], dtype=np.uint64),
        np.array([0.0, 1.0, 2.0]),
        np.array([0.1, 0.5, 0.7], dtype=np.float32),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_type(labels):
    tree = make_tree(1, labels=labels).tree
    again = from_json(to_json(tree)).tree
    assert again.classes.dtype == labels.dtype
    np.testing.assert_array_equal(again.classes, labels)


def test_truth_values_stay_truth_values():
    tree = make_tree(1, n_classes=2, labels=[False, True]).tree
    assert from_json(to_json(tree)).tree.classes.dtype == np.bool_


def test_regression_tree_round_trip():
    made = make_tree(3)
    value = np.random.default_rng(0).normal(size=(made.tree.node_count, 1))
    tree = replace(made.tree, classes=None, value=value, prediction=np.zeros_like(made.tree.prediction))
    assert_same_tree(tree, from_json(to_json(tree)).tree)


@given(case=cases(), seed=st.integers(0, 10**6), n_outputs=st.integers(1, 2))
def test_round_trip_of_lines(case, seed, n_outputs):
    tree = with_lines(case.tree, seed, n_outputs)
    again = from_json(to_json(tree)).tree
    assert_same_tree(tree, again)
    np.testing.assert_array_equal(tree.predict(case.X), again.predict(case.X))


def lined_document() -> dict:
    """A tree of one split and two lines."""
    split = ThresholdSplit(0, 0.5)
    tree = grow_regression(
        COLUMNS, [split, None, None], make_rows(np.random.default_rng(0), 30), np.arange(30.0), np.ones(30)
    )
    line = Line((0,), (0.5,), ((2.0,),), (0.0,), (9.0,), 1.5)
    return json.loads(to_json(replace(tree, lines=(None, line, line))))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["nodes"][1]["line"]["columns"].__setitem__(0, len(COLUMNS)), r"nodes\[1\].line.columns"),
        (lambda d: d["nodes"][1]["line"].__setitem__("columns", []), r"nodes\[1\].line.columns"),
        (lambda d: d["nodes"][1]["line"].__setitem__("centers", []), r"nodes\[1\].line.centers"),
        (lambda d: d["nodes"][1]["line"].__setitem__("slopes", [[2.0], [3.0]]), r"nodes\[1\].line.slopes"),
        (lambda d: d["nodes"][1]["line"].__setitem__("slopes", [[2.0, 3.0]]), r"nodes\[1\].line.slopes"),
        (lambda d: d["nodes"][1]["line"].__setitem__("low", []), r"nodes\[1\].line.low"),
        (lambda d: d["nodes"][1]["line"].__setitem__("high", [-1.0]), r"nodes\[1\].line.high"),
        (lambda d: d["nodes"][1]["line"].__setitem__("freedom", -1), r"nodes\[1\].line.freedom"),
        (lambda d: d["nodes"][0].__setitem__("line", d["nodes"][1]["line"]), r"nodes\[0\].line"),
        (lambda d: d["nodes"][2].pop("line"), r"nodes\[2\]"),
    ],
)
def test_faults_of_lines_are_named_by_their_place(change, place):
    content = lined_document()
    from_json(json.dumps(content))
    change(content)
    with pytest.raises(ModelFileError, match=place):
        from_json(json.dumps(content))


def test_a_line_speaks_of_numbers():
    content = lined_document()
    text = next(j for j, column in enumerate(COLUMNS) if column.kind is ColumnKind.CATEGORICAL)
    content["nodes"][1]["line"]["columns"] = [text]
    with pytest.raises(ModelFileError, match="columns of numbers"):
        from_json(json.dumps(content))


def test_only_regression_trees_have_lines():
    content = json.loads(to_json(make_tree(3, 2).tree))
    for node in content["nodes"]:
        node["line"] = None
    with pytest.raises(ModelFileError, match="line"):
        from_json(json.dumps(content))


def test_certificate_gives_the_result_again():
    result = make_result(make_tree(2).tree)
    model = from_json(to_json(Model.of(result, TERMS)))
    assert model.certificate.terms == TERMS
    again = model.result
    for field in fields(SolveResult):
        if field.name not in ("tree", "stats"):
            assert getattr(again, field.name) == getattr(result, field.name), field.name
    assert again.stats == {"seconds": 1.5, "subproblems": 12, "bounds": [0.0, 0.1]}
    assert again.sentence() == result.sentence()
    assert from_json(to_json(result.tree)).result is None


@pytest.mark.parametrize(
    ("written", "read"),
    [("cuts", "binary"), ("sweep", "ranked"), ("leaf-accuracy", "leaf-accuracy"), ("new", "new"), (7, None)],
)
def test_engines_of_older_files_have_their_present_names(written, read):
    result = replace(make_result(make_tree(2).tree), stats={"engine": written})
    assert from_json(to_json(Model.of(result, TERMS))).result.engine == read


def test_file_round_trip_and_atomic_writing(tmp_path):
    path = tmp_path / "model.json"
    first, second = make_tree(1).tree, make_tree(2).tree
    save_model(path, first)
    path.chmod(0o640)
    save_model(path, second)
    assert_same_tree(load_model(path).tree, second)
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def test_failed_writing_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    save_model(path, make_tree(1).tree)
    before = path.read_bytes()

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treewright.convert._files.os.fsync", fail)
    with pytest.raises(InputError, match="No space left"):
        save_model(path, make_tree(2).tree)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def test_unwritable_places(tmp_path):
    tree = make_tree(1).tree
    with pytest.raises(InputError, match="folder"):
        save_model(tmp_path, tree)
    with pytest.raises(InputError, match="Make it first"):
        save_model(tmp_path / "absent" / "model.json", tree)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="Cannot write"):
        save_model(tmp_path / "file" / "model.json", tree)


def test_symbolic_link_stays_one(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "real" / "model.json")
    save_model(tmp_path / "link.json", make_tree(1).tree)
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real" / "model.json").is_file()


def test_names_that_are_no_text_are_refused():
    columns = (replace(COLUMNS[0], name="\ud800"), *COLUMNS[1:])
    made = make_tree(1)
    tree = grow(columns, made.tree.classes, made.tree.splits, made.X, made.y, made.weight, made.costs)
    with pytest.raises(InputError, match="Unicode"):
        to_json(tree)


def document() -> dict:
    return json.loads(to_json(Model.of(make_result(make_tree(7, 6).tree), TERMS)))


def first_split(doc: dict, kind: str) -> dict:
    return next(n["split"] for n in doc["nodes"] if n["split"] and n["split"]["kind"] == kind)


def put(path, value):
    def change(doc):
        *way, last = path
        for step in way:
            doc = doc[step]
        doc[last] = value

    return change


def drop(path):
    def change(doc):
        *way, last = path
        for step in way:
            doc = doc[step]
        del doc[last]

    return change


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (put(["format"], "other"), "not a model file"),
        (put(["version"], 0), "version"),
        (put(["version"], "1"), "version"),
        (put(["extra"], 1), "unknown field 'extra'"),
        (drop(["nodes"]), "'nodes' is absent"),
        (put(["nodes"], []), "at nodes"),
        (drop(["nodes", -1]), "nodes"),
        (put(["nodes", 0, "left"], 0), r"nodes\[0\]\.left"),
        (put(["nodes", 0, "left"], True), r"nodes\[0\]\.left"),
        (put(["nodes", 0, "right"], 1), r"nodes\[0\]\.right"),
        (put(["nodes", 0, "right"], 10**30), r"nodes\[0\]\.right"),
        (put(["nodes", 0, "split"], None), r"nodes\[0\]\.left"),
        (put(["nodes", 0, "prediction"], 3), r"nodes\[0\]\.prediction"),
        (put(["nodes", 0, "prediction"], 0.0), r"nodes\[0\]\.prediction"),
        (put(["nodes", 0, "value"], [1, 2]), r"nodes\[0\]\.value"),
        (put(["nodes", 0, "value", 1], -1), r"nodes\[0\]\.value\[1\]"),
        (put(["nodes", 0, "value", 1], 1e308), r"nodes\[0\]\.value\[1\]"),
        (put(["nodes", 0, "n_node_samples"], -1), r"nodes\[0\]\.n_node_samples"),
        (put(["nodes", 0, "split"], {"kind": "exec"}), r"nodes\[0\]\.split\.kind"),
        (put(["nodes", 0, "split", "missing_left"], 1), r"nodes\[0\]\.split\.missing_left"),
        (put(["columns", 0, "name"], "flag"), r"columns\[3\]\.name"),
        (put(["columns", 0, "name"], None), r"columns\[0\]\.name"),
        (put(["columns", 0, "kind"], "complex"), r"columns\[0\]\.kind"),
        (put(["columns", 4, "categories", 1], "blue"), r"columns\[4\]\.categories"),
        (put(["columns", 0, "categories"], ["a"]), r"columns\[0\]\.categories"),
        (put(["classes", "labels", 0], "class 1"), r"classes\.labels"),
        (put(["classes", "labels", 0], 1), r"classes\.labels\[0\]"),
        (put(["classes", "dtype"], "complex128"), r"classes\.dtype"),
        (put(["certificate", "status"], "PERFECT"), r"certificate\.status"),
        (put(["certificate", "objective"], "0"), r"certificate\.objective"),
        (put(["certificate", "terms", "costs", 0], [1]), r"certificate\.terms\.costs\[0\]"),
        (put(["certificate", "stats"], []), r"certificate\.stats"),
        (put(["certificate", "notes", 0], 5), r"certificate\.notes\[0\]"),
    ],
)
def test_fault_is_named_by_its_place(change, place):
    doc = document()
    change(doc)
    with pytest.raises(ModelFileError, match=place):
        from_json(json.dumps(doc))


def test_split_faults():
    for kind, field, bad in [
        ("category", "left", [2, 1]),
        ("category", "left", [0, 99]),
        ("category", "column", 0),
        ("threshold", "column", 99),
        ("threshold", "threshold", "nan"),
        ("threshold", "threshold", "Infinity"),
        ("threshold", "threshold", [1]),
        ("linear", "weights", [1.0]),
        ("linear", "columns", [0, 0]),
        ("linear", "columns", [0, 4]),
    ]:
        for seed in range(100):
            doc = json.loads(to_json(make_tree(seed, 8).tree))
            if any(n["split"] and n["split"]["kind"] == kind for n in doc["nodes"]):
                break
        first_split(doc, kind)[field] = bad
        with pytest.raises(ModelFileError, match=rf"split\.{field}"):
            from_json(json.dumps(doc))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000, "nested too deeply"),
        ("9" * 10_000, "not JSON"),
        ('{"format": "treewright-tree", "format": "treewright-tree"}', "twice"),
        ('{"format": NaN}', "NaN"),
        ('{"format": "treewright-tree", "version": 99, "new": 1}', "(?s)version 99.*pip install --upgrade"),
        ("null", "not a model file"),
    ],
)
def test_hostile_text(text, says):
    with pytest.raises(ModelFileError, match=says):
        from_json(text)


@pytest.mark.clock
def test_time_is_linear_in_the_number_of_repeated_fields():
    def seconds(n):
        text = "{" + ", ".join(f'"{k}": 0' for k in [*range(n), n - 1]) + "}"
        start = time.process_time()
        with pytest.raises(ModelFileError, match=f"{n - 1}.*twice"):
            from_json(text)
        return time.process_time() - start

    assert (
        seconds(24_000) < 24 * seconds(3_000) + 2.0
    )  # eight times the fields; 30,000 took 30 s in square time


def test_deep_stats_are_refused():
    doc = document()
    deep: object = 0
    for _ in range(300):
        deep = [deep]
    doc["certificate"]["stats"] = {"deep": deep}
    with pytest.raises(ModelFileError, match=r"certificate\.stats\.deep"):
        from_json(json.dumps(doc))


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelFileError, match="UTF-8"):
        load_model(path)
    with pytest.raises(InputError, match="Cannot read"):
        load_model(tmp_path / "absent.json")


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([2**31, 2**63, -(2**70), 1e308, -0.0, 0.5]),
    st.floats(),
    st.sampled_from(["inf", "-inf", "nan", "threshold", "category", "", "a", "\ud800", "\x00"]),
    st.lists(st.integers(-1, 5), max_size=3),
    st.dictionaries(st.sampled_from(["kind", "column", "left"]), st.integers(-1, 5), max_size=2),
)


def places(value, path=()):
    """Every place in a document."""
    yield path
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from places(entry, (*path, name))
    elif isinstance(value, list):
        for k, entry in enumerate(value):
            yield from places(entry, (*path, k))


def mutate(doc, data):
    path = data.draw(st.sampled_from([p for p in places(doc) if p]))
    *way, last = path
    holder = doc
    for step in way:
        holder = holder[step]
    action = data.draw(st.sampled_from(["put", "drop", "copy", "junk"]))
    if action == "drop":
        del holder[last]
    elif action == "copy":
        other = data.draw(st.sampled_from([p for p in places(doc) if p]))
        source = doc
        for step in other:
            source = source[step]
        holder[last] = json.loads(json.dumps(source))
    else:
        holder[last] = data.draw(JUNK)


def predicts_or_is_refused(text):
    try:
        model = from_json(text)
    except ModelFileError as error:
        assert len(str(error)) < 1000  # noqa: PT017
        return
    tree = model.tree
    rows = make_rows(np.random.default_rng(0), 20)
    rows = rows[:, np.arange(len(tree.columns)) % rows.shape[1]]
    leaves = tree.apply(rows)
    assert tree.is_leaf[leaves].all()
    assert len(tree.predict(rows)) == 20
    if tree.classes is not None:
        np.testing.assert_allclose(tree.predict_proba(rows).sum(axis=1), 1.0)
    assert tree.depth >= 0
    if model.result is not None:
        assert model.result.sentence()


@given(data=st.data(), seed=st.integers(0, 30))
def test_mutated_document_predicts_or_is_refused(data, seed):
    doc = json.loads(to_json(Model.of(make_result(make_tree(seed, 5, n_rows=30).tree), TERMS)))
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(doc, data)
    predicts_or_is_refused(json.dumps(doc))


@given(data=st.data())
def test_mutated_text_predicts_or_is_refused(data):
    text = to_json(Model.of(make_result(make_tree(4, 3, n_rows=20).tree), TERMS))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 3))
        text = (
            text[:at]
            + data.draw(st.text('0123456789-+.eE"{}[],:truefalsn \\u', max_size=3))
            + text[at + length :]
        )
    predicts_or_is_refused(text)
