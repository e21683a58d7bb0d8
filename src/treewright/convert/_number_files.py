"""Files of a `NumberEnsemble`: JSON, schema "treewright-numbers", version 1, one tree a line.

For models of libraries without a file of their own (scikit-learn), so that the command line can read them and
``treewright verify`` can hold a tree against them. Numbers are written so that they read back exactly.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from treewright import __version__
from treewright._arguments import check_arguments
from treewright.convert._check_ensemble import check_sizes
from treewright.convert._checked import Checked, parse
from treewright.convert._ensemble_tree import EnsembleTree
from treewright.convert._files import write_bytes
from treewright.convert._number_ensemble import NumberEnsemble

__all__ = ["FORMAT", "numbers_from_json", "save_numbers"]

FORMAT = "treewright-numbers"
VERSION = 1


def save_numbers(path: str | Path, model: Any) -> None:
    """Write a regression model's trees as a file, completely or not at all.

    Parameters
    ----------
    path : str or Path
    model : NumberEnsemble, or a fitted regressor that `NumberEnsemble.from_model` reads
        Of an ensemble within a domain the original trees are written; the file of a tree holds the domain.

    Raises
    ------
    InputError
        The model cannot be read, or the file cannot be written.

    See Also
    --------
    NumberEnsemble.load : the way back, which is exact.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from treewright.convert import NumberEnsemble, save_numbers
    >>> forest = RandomForestRegressor(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_numbers(Path(folder) / "forest.json", forest)
    ...     NumberEnsemble.load(Path(folder) / "forest.json").n_leaves
    6
    """
    check_arguments(save_numbers, locals(), "path")
    ensemble = NumberEnsemble.from_model(model)
    ensemble = ensemble if ensemble.whole is None else ensemble.whole
    head = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": __version__,
        "source": ensemble.source,
        "feature_names": list(ensemble.feature_names),
        "bias": ensemble.bias,
        "single": ensemble.single,
    }
    fields = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    trees = ",\n  ".join(json.dumps(_plain(tree)) for tree in ensemble.trees)
    text = "{\n" + ",\n".join([*fields, f'"trees": [\n  {trees}\n]']) + "\n}\n"
    write_bytes(path, text.encode("utf-8"))


def _plain(tree: EnsembleTree) -> dict[str, list[Any]]:
    return {
        "feature": tree.feature.tolist(),
        "threshold": [t if math.isfinite(t) else "inf" for t in tree.threshold.tolist()],
        "left": tree.left.tolist(),
        "right": tree.right.tolist(),
        "value": tree.value[:, 0].tolist(),
    }


def numbers_from_json(content: bytes, source: str) -> NumberEnsemble:
    """Read what `save_numbers` wrote; nothing of it is trusted.

    Raises
    ------
    ModelFileError, EnsembleFault
        The file is damaged.
    """
    fields = parse(content).fields(
        "format", "version", "written_by", "source", "feature_names", "bias", "single", "trees"
    )
    fields["format"].choice(FORMAT)
    if fields["version"].value != VERSION:
        fields["version"].fail(f"{VERSION}, the only version that this release reads")
    names = tuple(name.text() for name in fields["feature_names"].entries(1))
    if len(set(names)) < len(names):
        fields["feature_names"].fail("a list of different names")
    entries = list(fields["trees"].entries(1))
    check_sizes(len(names), 2, len(entries))
    fields["source"].text()
    return NumberEnsemble(
        tuple(_tree(entry) for entry in entries),
        names,
        fields["bias"].number(),
        fields["single"].boolean(),
        source,
    )


def _tree(entry: Checked) -> EnsembleTree:
    own = entry.fields("feature", "threshold", "left", "right", "value")
    n = len(list(own["feature"].entries(1)))
    threshold = [one.threshold() for one in own["threshold"].entries(n, n)]
    return EnsembleTree(
        own["feature"].integers(n, -1, 2**31 - 1).astype(np.int32),
        np.array(threshold, dtype=np.float64),
        own["left"].integers(n, 0, n - 1).astype(np.int32),
        own["right"].integers(n, 0, n - 1).astype(np.int32),
        own["value"].numbers(n)[:, None],
        np.zeros(n, dtype=np.bool_),
    )
