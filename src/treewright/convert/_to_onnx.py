"""A tree as an ONNX model (operators ai.onnx and ai.onnx.ml), for runtimes without Python.

The tree is one TreeEnsembleRegressor over a matrix of doubles that answers with the number of the leaf; labels
and shares are then looked up in tables. TreeEnsembleClassifier would be the usual operator, but onnxruntime 1.26
to at least 1.31 gives wrong labels for two classes (onnxruntime issue 28557), and it chooses the largest share,
which is not the tree's class under a cost matrix. Thresholds stay float64 and ties go left as ever. With
``precision="float32"`` they are rounded down to float32, which is exact for rows of float32 numbers: for such x,
``x <= T`` and ``x <= floor32(T)`` agree. A split of categories becomes a column of 0 and 1 (LabelEncoder on text),
a linear split a column of its sum, term by term in double precision. NaN, and the empty text, go where the split
says; a category that is the empty text has to go there too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import __version__
from treewright.convert._source import head_line, plain_labels, refuse_sums_of_words
from treewright.convert._tree_of import TreeLike, answering_tree
from treewright.errors import InputError, MissingDependencyError
from treewright.tree import CategorySplit, Column, ColumnKind, LinearSplit, ThresholdSplit, Tree, left_codes

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["to_onnx"]

OPSET, OPSET_ML = 15, 3  # the oldest with double thresholds; runtimes of 2021 and later read them
IR_VERSION = 8


def to_onnx(tree: TreeLike, *, precision: str = "float64") -> ModelProto:
    """Return a tree as an ONNX model.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        An estimator whose predictions are not those of its tree is refused.
    precision : {"float64", "float32"}, default="float64"
        Type of the input numbers. "float32" is for runtimes without doubles: predictions are equal on rows of float32
        numbers.

    Returns
    -------
    onnx.ModelProto
        ``model.SerializeToString()`` is the content of the file. If the table has no categorical column there
        is one input, ``X`` of shape (n_rows, n_columns) with all columns. Otherwise there is one input of
        shape (n_rows, 1) for each column that the tree asks for (at least one), with the name of the column (`_`
        behind it where an output is called so): text for a categorical column, the empty text for a missing
        value. Truth values are 0 and 1, missing numbers NaN. An unseen category goes to the side that does not
        list it. Outputs are ``label`` (int64 for integers and truth values, else text), ``probabilities`` of shape
        (n_rows, n_classes) and ``leaf``, the node number; for a regression or survival tree ``value`` and
        ``leaf``, for a policy tree ``label`` (the action) and ``leaf``. The terms of a line in a leaf are added in
        another order than in Python, so that its last bits may differ; in float32 they are as exact as that is.

    Raises
    ------
    MissingDependencyError
        The package onnx is not installed (extra `onnx`).
    InputError
        `precision` is another word, the tree has linear splits or numbers beyond 3.4e38 and `precision` is "float32", a
        label or name cannot be written, the tree adds up columns of words, or the empty text is a category that goes
        another way than a missing value.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import to_onnx
    >>> model = to_onnx(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_)
    >>> [entry.name for entry in model.graph.input]
    ['X']
    """
    if precision not in ("float64", "float32"):
        raise InputError(f"precision={precision!r}; choose 'float64' or 'float32'.")
    tree = answering_tree(tree)
    if precision == "float32" and any(isinstance(split, LinearSplit) for split in tree.splits):
        raise InputError(
            "The tree has linear splits, whose sums float32 cannot hold exactly; use precision='float64'."
        )
    if precision == "float32":
        _check_single(tree)
    refuse_sums_of_words(tree, "an ONNX model")
    try:
        from onnx import helper
    except ImportError as error:
        raise MissingDependencyError(
            "Writing ONNX needs the package onnx, which is not installed: pip install 'treewright[onnx]'."
        ) from error
    graph = _Graph(tree, precision)
    graph.add_columns()
    graph.add_tree()
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
    model: ModelProto = helper.make_model(
        helper.make_graph(graph.nodes, "tree", graph.inputs, graph.outputs, graph.constants),
        opset_imports=opsets,
        ir_version=IR_VERSION,
        producer_name="treewright",
        producer_version=__version__,
        doc_string=head_line(tree),
    )
    return model


class _Graph:
    """Collects the nodes of the model: first the columns that the tree compares, then the tree."""

    def __init__(self, tree: Tree, precision: str) -> None:
        from onnx import TensorProto

        self.tree = tree
        self.kind: Any = np.float64 if precision == "float64" else np.float32
        self.onnx_kind = TensorProto.DOUBLE if precision == "float64" else TensorProto.FLOAT
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.constants: list[Any] = []
        self.feature = np.zeros(tree.node_count, dtype=np.int64)  # column that each node compares
        self.threshold = np.zeros(tree.node_count)
        self.names: dict[int, str] = {}  # inputs of columns, where each has its own
        self._count = 0

    def add_columns(self) -> None:
        """Declare the inputs, and make one matrix of all columns that are compared."""
        columns = self.tree.columns
        used = sorted(self.tree.asked)
        if any(column.kind is ColumnKind.CATEGORICAL for column in columns):
            used = used or [0]  # one leaf: only the number of rows matters
            names = {c: self._input(c) for c in used}
            compared = [c for c in used if columns[c].kind is not ColumnKind.CATEGORICAL]
            position = {c: k for k, c in enumerate(compared)}
            parts = [names[c] for c in compared]
        else:
            self.inputs.append(self._info("X", self.onnx_kind, len(columns)))
            names = {}
            position = {c: c for c in range(len(columns))}
            parts = ["X"]
        self.names = names
        n_columns = len(position)
        made: dict[Any, int] = {}
        for node, split in enumerate(self.tree.splits):
            if split is None:
                continue
            column = columns[split.column]
            if isinstance(split, ThresholdSplit) and column.kind is not ColumnKind.CATEGORICAL:
                self.feature[node], self.threshold[node] = position[split.column], split.threshold
                continue
            key: Any
            if isinstance(split, LinearSplit):
                key = (split.columns, split.weights)
                self.threshold[node] = split.threshold
            else:
                _check_empty_text(split, column)
                key = (split.column, *left_codes(split, column))
                self.threshold[node] = 0.5
            if key not in made:
                made[key] = n_columns
                n_columns += 1
                if isinstance(split, LinearSplit):
                    parts.append(self._sum(split, names))
                else:
                    parts.append(self._membership(split, names[split.column]))
            self.feature[node] = made[key]
        if not parts:  # one leaf, and the first column is text
            parts = [self._membership(CategorySplit(0, ()), names[0])]
        self._node("Concat", parts, "columns", axis=1)

    def add_tree(self) -> None:
        """Add the tree over the matrix ``columns``, and the outputs."""
        from onnx import TensorProto

        tree = self.tree
        is_leaf = tree.is_leaf
        threshold = np.where(is_leaf, 0.0, self.threshold)
        if self.kind is np.float32:
            threshold = _floor32(threshold)
        leaves = np.flatnonzero(is_leaf)
        answer = self._node(
            "TreeEnsembleRegressor",
            ["columns"],
            None,
            "ai.onnx.ml",
            n_targets=1,
            nodes_treeids=[0] * tree.node_count,
            nodes_nodeids=list(range(tree.node_count)),
            nodes_featureids=self.feature.tolist(),
            nodes_modes=["LEAF" if leaf else "BRANCH_LEQ" for leaf in is_leaf],
            nodes_truenodeids=np.maximum(tree.children_left, 0).tolist(),
            nodes_falsenodeids=np.maximum(tree.children_right, 0).tolist(),
            nodes_missing_value_tracks_true=tree.missing_go_to_left.astype(int).tolist(),
            target_treeids=[0] * len(leaves),
            target_nodeids=leaves.tolist(),
            target_ids=[0] * len(leaves),
            **self._numbers("nodes_values", threshold),
            **self._numbers("target_weights", leaves),  # whole numbers below 2**24: exact in float32
        )
        whole = self._node("Cast", [answer], None, to=TensorProto.INT64)
        leaf = self._node("Reshape", [whole, self._constant(np.array([-1], dtype=np.int64))], "leaf")
        if tree.classes is None:
            values = tree.value[:, 0] if tree.n_outputs == 1 else tree.value
            if any(line is not None for line in tree.lines or ()):
                self._add_lines(leaf, values.astype(self.kind))
            else:
                self._look_up(leaf, values.astype(self.kind), "value", self.onnx_kind)
        else:
            labels = plain_labels(tree)
            # truth values are integers; those beyond 64 bits become text
            is_whole = all(isinstance(label, int) and -(2**63) <= label < 2**63 for label in labels)
            table = np.array(
                [int(label) if is_whole else str(label) for label in labels],
                dtype=np.int64 if is_whole else object,
            )
            kind = TensorProto.INT64 if is_whole else TensorProto.STRING
            self._look_up(leaf, table[tree.prediction], "label", kind)
            if tree.predicts_classes:
                self._look_up(leaf, tree.node_shares.astype(self.kind), "probabilities", self.onnx_kind)
        self.outputs.append(self._info("leaf", TensorProto.INT64))

    def _look_up(self, leaf: str, table: NDArray[Any], name: str, kind: int) -> None:
        """Add the output `name`: the row of `table` for each leaf."""
        self._node("Gather", [self._constant(table), leaf], name, axis=0)
        self.outputs.append(self._info(name, kind, *table.shape[1:]))

    def _add_lines(self, leaf: str, means: NDArray[Any]) -> None:
        """Add the output ``value`` of leaves with lines: the mean, and the sum over columns of slope x distance.

        Centers and slopes are looked up by leaf; a leaf has slope 0 for the columns that its line lacks.
        """
        tree = self.tree
        lines = [(node, line) for node, line in enumerate(tree.lines or ()) if line is not None]
        columns = sorted({column for _, line in lines for column in line.columns})
        position = {column: k for k, column in enumerate(columns)}
        centers = np.zeros((tree.node_count, len(columns)))
        slopes = np.zeros((tree.node_count, tree.n_outputs, len(columns)))
        low, high = means.copy(), means.copy()
        for node, line in lines:
            low[node], high[node] = (
                bound if tree.n_outputs > 1 else bound[0] for bound in (line.low, line.high)
            )
            at = [position[column] for column in line.columns]
            centers[node, at] = line.centers
            slopes[node][:, at] = line.slopes
        if self.names:
            given = self._node("Concat", [self.names[column] for column in columns], None, axis=1)
        else:
            given = self._node(
                "Gather", ["X", self._constant(np.array(columns, dtype=np.int64))], None, axis=1
            )
        center = self._node("Gather", [self._constant(centers.astype(self.kind)), leaf], None, axis=0)
        apart = self._node("Sub", [given, center], None)
        zero = self._constant(np.zeros(1, dtype=self.kind))
        apart = self._node("Where", [self._node("IsNaN", [apart], None), zero, apart], None)
        single = tree.n_outputs == 1
        slope = slopes[:, 0] if single else slopes
        if not single:
            apart = self._node("Unsqueeze", [apart, self._constant(np.array([1], dtype=np.int64))], None)
        slope_of = self._node("Gather", [self._constant(slope.astype(self.kind)), leaf], None, axis=0)
        last = self._constant(np.array([-1], dtype=np.int64))
        terms = self._node("Mul", [apart, slope_of], None)
        added = self._node("ReduceSum", [terms, last], None, keepdims=0)
        mean = self._node("Gather", [self._constant(means), leaf], None, axis=0)
        said = self._node("Add", [mean, added], None)
        bounds = [self._node("Gather", [self._constant(bound), leaf], None, axis=0) for bound in (low, high)]
        self._node("Min", [self._node("Max", [said, bounds[0]], None), bounds[1]], "value")
        self.outputs.append(self._info("value", self.onnx_kind, *means.shape[1:]))

    # ------------------------------------------------------------------------------------------ pieces

    def _input(self, column: int) -> str:
        """Declare the input of one column, and return its name."""
        from onnx import TensorProto

        name = self.tree.columns[column].name or f"column {column}"
        name = f"_{name}" if name.startswith("made/") else name
        taken = {"label", "probabilities", "value", "leaf", "columns"} | {info.name for info in self.inputs}
        while name in taken:
            name += "_"
        text = self.tree.columns[column].kind is ColumnKind.CATEGORICAL
        self.inputs.append(self._info(name, TensorProto.STRING if text else self.onnx_kind, 1))
        return name

    def _membership(self, split: ThresholdSplit | CategorySplit, source: str) -> str:
        """A column of 0 (goes left), 1 (goes right) and NaN (missing) from a column of text."""
        column = self.tree.columns[split.column]
        left, others = left_codes(split, column)
        keys = list(column.categories)
        values = [0.0 if code in left else 1.0 for code in range(len(keys))]
        if "" not in keys:
            keys.append("")
            values.append(float("nan"))
        made = self._node(
            "LabelEncoder",
            [source],
            None,
            "ai.onnx.ml",
            keys_strings=keys,
            values_floats=values,
            default_float=0.0 if others else 1.0,
        )
        return made if self.kind is np.float32 else self._node("Cast", [made], None, to=self.onnx_kind)

    def _sum(self, split: LinearSplit, names: dict[int, str]) -> str:
        """The column of a weighted sum, added in the order of the terms."""
        total = ""
        for column, weight in zip(split.columns, split.weights, strict=True):
            source = names.get(column) or self._node(
                "Gather", ["X", self._constant(np.array([column], dtype=np.int64))], None, axis=1
            )
            term = self._node("Mul", [source, self._constant(np.array([weight]))], None)
            total = self._node("Add", [total, term], None) if total else term
        return total

    def _numbers(self, name: str, values: NDArray[Any]) -> dict[str, Any]:
        """An attribute of numbers, as doubles where the model has them."""
        from onnx import numpy_helper

        if self.kind is np.float32:
            return {name: values.astype(np.float32).tolist()}
        return {f"{name}_as_tensor": numpy_helper.from_array(values.astype(np.float64), name)}

    def _node(
        self,
        operator: str,
        inputs: list[str],
        output: str | None,
        domain: str = "",
        **attributes: Any,
    ) -> str:
        from onnx import helper

        if output is None:
            self._count += 1
            output = f"made/{self._count}"
        self.nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def _constant(self, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self._count += 1
        self.constants.append(numpy_helper.from_array(value, f"made/{self._count}"))
        return f"made/{self._count}"

    def _info(self, name: str, kind: int, *width: int) -> Any:
        from onnx import helper

        return helper.make_tensor_value_info(name, kind, ["n_rows", *width])


def _check_empty_text(split: ThresholdSplit | CategorySplit, column: Column) -> None:
    """The empty text stands for a missing value; refuse a split that tells it from the category ``""``."""
    if "" not in column.categories:
        return
    left, _ = left_codes(split, column)
    if (column.categories.index("") in left) != split.missing_left:
        raise InputError(
            f"Column {column.name!r} has the empty text among its categories, which in ONNX stands for a missing "
            "value, and the tree sends the two to different sides. Give that category a name (or make it "
            "missing) in the table and fit again."
        )


def _check_single(tree: Tree) -> None:
    """Refuse values and lines that float32 cannot hold: an infinite center gives NaN, not a large number."""
    if tree.classes is not None:
        return
    numbers = [("node", tree.value)] + [
        ("line in a leaf", np.concatenate([line.centers, *line.slopes, line.low, line.high]))
        for line in tree.lines or ()
        if line is not None
    ]
    for what, held in numbers:
        largest = np.abs(held).max()
        if largest > np.finfo(np.float32).max:
            raise InputError(
                f"A {what} holds {largest:.6g}, and float32 ends at 3.4e38; use precision='float64'."
            )


def _floor32(threshold: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest float32 <= each threshold."""
    with np.errstate(over="ignore"):
        rounded = threshold.astype(np.float32)
        return np.where(rounded > threshold, np.nextafter(rounded, np.float32(-np.inf)), rounded)
