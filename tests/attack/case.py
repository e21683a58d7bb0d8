"""A problem as a user would write it: a table, labels, weights, an estimator and its arguments."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

__all__ = ["CALLS", "Case", "Value", "halves"]

Value = float | int | bool | str | None
WORDS = (
    "a",
    "b",
    "",
    "c d",
    "Ä",
    "1",
    "nan",
    "None",
    "it's",
)  # of text, from the least to the most if it is ordered

# What is called by each method, and what is left out of `options` because the script adds it.
CALLS = {
    "optimal": "OptimalTreeClassifier",
    "f1": "OptimalTreeClassifier",
    "leaf": "LeafAccuracyTreeClassifier",
    "frontier": "accuracy_frontier",
    "cv": "OptimalTreeClassifierCV",
    "mip": "MIPTreeClassifier",
    "reborn": "BornAgainTreeClassifier",
    "regression": "OptimalTreeRegressor",
    "policy": "OptimalPolicyTree",
    "survival": "OptimalSurvivalTree",
    "probability": "OptimalProbabilityTree",
    "near": "near_optimal_trees",
    "shards": "fit_shards",
    "regression front": "regression_frontier",
    "row costs": "OptimalTreeClassifier",
    "near choice": "NearOptimalTreeClassifier",
    "leaf cv": "LeafAccuracyTreeClassifierCV",
    "regression cv": "OptimalTreeRegressorCV",
    "hybrid": "HybridTreeClassifier",
    "near values": "BornAgainTreeRegressor",
    "near everywhere": "BornAgainTreeRegressor",
    "distil labels": "distil_labels",
    "reborn rows": "BornAgainTreeClassifier",
    "latent": "LatentTreeClassifier",
    "roc": "roc_frontier",
    "several outputs": "OptimalTreeRegressor",
}

BY_FOLDS = ("cv", "leaf cv", "regression cv")
WITHOUT_BAR = ("reborn", "reborn rows", "hybrid")
UNWEIGHTED = ("reborn", "reborn rows")
FUNCTIONS = ("frontier", "near", "shards", "regression front", "distil labels", "roc")
SWITCHES = dict.fromkeys(("leaf", "leaf cv"), "LeafAccuracyOptions") | dict.fromkeys(
    ("regression", "survival", "probability", "regression front", "regression cv", "several outputs"),
    "RankedOptions",
)
OF_RANKED = ("monotone", "lipschitz", "between", "leaf_count", "shallower", "neighbours", "fair_shares", "core",
            "any_size", "segments", "plain_work", "early_work", "resume", "rising", "parts", "groups", "compact_rows",
            "target_bins", "unranked", "core_share", "core_passes", "part_rows", "alone_work", "together_work",
            "sharing_work", "lanes", "slack")  # fmt: skip
EITHER_ENGINE = ("optimal", "f1", "frontier", "policy", "roc")  # take the switches of both

# Sizes from which on a limit may end a run before its columns are ranked (treewright/search/_single_split.py).
LARGE = (
    ("treewright.search._single_split", "MOST_CELLS"),
    ("treewright.search._single_split", "FEW_SPLITS"),
    ("treewright.search._simple_lines", "MOST_OF_A_PASS"),
)


@dataclass(frozen=True)
class Case:
    """One problem; columns hold plain values, None where one is missing."""

    method: str
    columns: Mapping[str, Sequence[Value]]
    y: Sequence[Any]  # labels or numbers; rewards of each action; event and time
    weight: Sequence[float] | None = None
    options: Mapping[str, Any] = field(
        default_factory=dict
    )  # arguments; search_options as a dict of its fields
    as_array: bool = False  # numpy instead of a frame; all columns are then numbers
    as_large: bool = (
        False  # what a limit leaves is found as on tables of millions of cells, whose columns are not ranked
    )
    words: Sequence[str] = WORDS  # of an ordered column, from the least to the most

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns as the library has them."""
        return tuple(f"x{j}" for j in range(len(self.columns))) if self.as_array else tuple(self.columns)

    @property
    def rows(self) -> list[tuple[Value, ...]]:
        """The table row by row."""
        return list(zip(*self.columns.values(), strict=True))

    def but(self, **changes: Any) -> Case:
        return replace(self, **changes)

    def without(self, *options: str) -> Case:
        """The same with the defaults of some options."""
        return replace(self, options={k: v for k, v in self.options.items() if k not in options})

    def is_text(self, name: str) -> bool:
        return any(isinstance(v, str) for v in self.columns[name])

    def is_ordered(self, name: str) -> bool:
        """Whether a column of text has the order of `words`."""
        return name.startswith("o") and self.is_text(name)

    def frame(self, rows: Sequence[tuple[Value, ...]] | None = None) -> Any:
        """The table, or other rows of the same columns, as the estimator gets them."""
        columns = (
            dict(self.columns)
            if rows is None
            else dict(zip(self.columns, map(list, zip(*rows, strict=True)), strict=True))
        )
        if self.as_array:
            return np.array(
                [[np.nan if v is None else float(v) for v in column] for column in columns.values()]
            ).T
        # A column of gaps alone stays one of numbers, as in the training table.
        return pd.DataFrame(
            {
                name: pd.Categorical(values, self.words, ordered=True)
                if self.is_ordered(name)
                else values
                if self.is_text(name)
                else [np.nan if v is None else v for v in values]
                for name, values in columns.items()
            }
        )

    @property
    def kind_of_switches(self) -> str:
        """The class of the argument `search_options`."""
        given = self.options["search_options"]
        if self.method in EITHER_ENGINE and any(name in OF_RANKED for name in given):
            return "RankedOptions"
        return SWITCHES.get(self.method, "BinaryOptions")

    def arguments(self) -> dict[str, Any]:
        """The arguments of the call, with objects where `options` has plain data."""
        import treewright.search

        arguments = dict(self.options)
        if "search_options" in arguments:
            kind = getattr(treewright.search, self.kind_of_switches)
            arguments["search_options"] = kind(**arguments["search_options"])
        if "forest" in arguments:
            from sklearn.ensemble import RandomForestClassifier

            arguments["estimator"] = RandomForestClassifier(**arguments.pop("forest"))
        if "neighbours" in arguments:
            from sklearn.neighbors import KNeighborsClassifier

            arguments["estimator"] = KNeighborsClassifier(arguments.pop("neighbours"))
        if isinstance(arguments.get("domain"), dict):
            from treewright.bornagain import Domain

            arguments["domain"] = Domain.of(list(self.columns), **arguments["domain"])
        if "sum" in arguments:
            import sklearn.ensemble

            stated = dict(arguments.pop("sum"))
            arguments["estimator"] = getattr(sklearn.ensemble, stated.pop("kind"))(**stated)
        if "regressor" in arguments:
            arguments["estimator"] = of_any_columns(**arguments.pop("regressor"))
        if "top" in arguments:
            from sklearn.tree import DecisionTreeClassifier

            arguments["top"] = DecisionTreeClassifier(**arguments["top"])
        if self.method in BY_FOLDS:
            arguments["cv"] = halves(self.n_rows)
        return arguments

    @property
    def named(self) -> dict[Any, list[float]]:
        """Rewards or row costs beside a frame, by action or class and in the order of none; empty of other cases."""
        names, rows = self.options.get("actions"), self.y
        if self.method == "row costs":
            names, rows = sorted({label for label, _ in self.y}), [costs for _, costs in self.y]
        if self.as_array or not names or self.method not in ("policy", "row costs"):
            return {}
        return {name: [row[k] for row in rows] for k, name in reversed(list(enumerate(names)))}

    @property
    def fitted_with(self) -> dict[str, Any]:
        """The arguments of `fit` after the table."""
        given: dict[str, Any] = {"y": list(self.y)}
        if self.method == "row costs":
            given = {"y": [label for label, _ in self.y], "row_costs": [list(costs) for _, costs in self.y]}
        if self.named:
            import pandas as pd

            given["row_costs" if self.method == "row costs" else "y"] = pd.DataFrame(self.named)
        return given if self.weight is None else given | {"sample_weight": list(self.weight)}

    def run(self, **more: Any) -> Any:
        """Call the library: the fitted estimator, or the frontier. `more` are further arguments of the call."""
        with ExitStack() as stack:
            for module, name in LARGE if self.as_large else ():
                stack.enter_context(patch(f"{module}.{name}", 0))
            return self._run(more)

    def _run(self, more: dict[str, Any]) -> Any:
        import treewright

        arguments = self.arguments() | {"progress": False} | more
        if self.method in WITHOUT_BAR:
            arguments.pop("progress")
        if self.method == "distil labels":
            from treewright.bornagain import distil_labels

            return distil_labels(list(self.y), self.frame(), **arguments | {"progress": None})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.method in FUNCTIONS:
                call = getattr(treewright, CALLS[self.method])
                return call(self.frame(), list(self.y), sample_weight=self._weights(), **arguments)
            model = getattr(treewright, CALLS[self.method])(**arguments)
            if self.method in UNWEIGHTED:
                return model.fit(self.frame(), list(self.y))
            given = self.fitted_with
            return model.fit(self.frame(), given.pop("y"), **given)  # a policy's y is called rewards

    def _weights(self) -> list[float] | None:
        return None if self.weight is None else list(self.weight)

    def script(self, says: str) -> str:
        """The case as a script of a few lines that shows what the library answers."""
        call = CALLS[self.method]
        lines = [f"# {says}"]
        if self.as_large:
            lines += [f"import {module}\n{module}.{name} = 0" for module, name in LARGE]
        arguments = dict(self.options)
        imports = [call]
        if "search_options" in arguments:
            kind = self.kind_of_switches
            lines.append(f"from treewright.search import {kind}")
            inner = ", ".join(f"{k}={v!r}" for k, v in arguments.pop("search_options").items())
            arguments["search_options"] = _Code(f"{kind}({inner})")
        if "forest" in arguments:
            lines.append("from sklearn.ensemble import RandomForestClassifier")
            inner = ", ".join(f"{k}={v!r}" for k, v in arguments.pop("forest").items())
            arguments["estimator"] = _Code(f"RandomForestClassifier({inner})")
        if "neighbours" in arguments:
            lines.append("from sklearn.neighbors import KNeighborsClassifier")
            arguments["estimator"] = _Code(f"KNeighborsClassifier({arguments.pop('neighbours')})")
        if isinstance(arguments.get("domain"), dict):
            lines.append("from treewright.bornagain import Domain")
            inner = ", ".join(f"{k}={v!r}" for k, v in arguments["domain"].items())
            arguments["domain"] = _Code(f"Domain.of({list(self.columns)!r}, {inner})")
        if "sum" in arguments:
            stated = dict(arguments.pop("sum"))
            lines.append(f"from sklearn.ensemble import {stated['kind']}")
            inner = ", ".join(f"{k}={v!r}" for k, v in stated.items() if k != "kind")
            arguments["estimator"] = _Code(f"{stated['kind']}({inner})")
        if "regressor" in arguments:
            inner = ", ".join(f"{k}={v!r}" for k, v in arguments.pop("regressor").items())
            lines += [
                "from sklearn.pipeline import make_pipeline",
                "from sklearn.preprocessing import OneHotEncoder",
                "from sklearn.tree import DecisionTreeRegressor",
            ]
            words = f"OneHotEncoder(handle_unknown='ignore'), DecisionTreeRegressor({inner})"
            arguments["estimator"] = _Code(f"make_pipeline({words})")
        if "top" in arguments:
            lines.append("from sklearn.tree import DecisionTreeClassifier")
            inner = ", ".join(f"{k}={v!r}" for k, v in arguments.pop("top").items())
            arguments["top"] = _Code(f"DecisionTreeClassifier({inner})")
        if self.method in BY_FOLDS:
            arguments["cv"] = halves(self.n_rows)
        if self.as_array:
            table = repr([list(row) for row in self.rows]).replace("None", "nan")
            lines += ["import numpy as np", "nan = float('nan')", f"X = np.array({table}, dtype=float)"]
        else:
            shown = {
                name: _Code(f"pd.Categorical({values!r}, {list(self.words)!r}, ordered=True)")
                if self.is_ordered(name)
                else values
                if self.is_text(name)
                else [_Code("nan") if v is None else v for v in values]
                for name, values in self.columns.items()
            }
            lines += ["import pandas as pd", "nan = float('nan')", f"X = pd.DataFrame({shown!r})"]
        home = "treewright.bornagain" if self.method == "distil labels" else "treewright"
        fitted_with = self.fitted_with
        if self.named:
            fitted_with["row_costs" if self.method == "row costs" else "y"] = _Code(
                f"pd.DataFrame({self.named!r})"
            )
        lines += [f"from {home} import {', '.join(imports)}", f"y = {fitted_with['y']!r}"]
        words = ", ".join(f"{k}={v!r}" for k, v in arguments.items())
        weight = "" if self.weight is None else f", sample_weight={list(self.weight)!r}"
        if self.method in FUNCTIONS:
            first = "y, X" if self.method == "distil labels" else "X, y"
            lines.append(f"found = {call}({first}{', ' if words else ''}{words}{weight})")
            lines += {
                "frontier": ["for point in found:", "    print(point.sentence())"],
                "near": ["print(found.sentence())"],
                "shards": ["print(found.result_.sentence())"],
                "regression front": ["for point in found:", "    print(point.sentence())"],
                "distil labels": ["print(found.sentence())"],
                "roc": ["print(found, found.sentence())"],
            }[self.method]
        else:
            more = "".join(f", {k}={v!r}" for k, v in fitted_with.items() if k != "y")
            lines.append(f"model = {call}({words}).fit(X, y{more})")
            lines.append(
                "print(model.report(X, y))" if self.method == "hybrid" else "print(model.result_.sentence())"
            )
        return "\n".join(lines)


def of_any_columns(**parameters: Any) -> Any:
    """A regression model of columns of any kind: each of its values is a category."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeRegressor

    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeRegressor(**parameters))


def halves(n_rows: int) -> list[tuple[list[int], list[int]]]:
    """Two folds, as training and held-back rows: every second row is held back, then the others."""
    even, odd = list(range(0, n_rows, 2)), list(range(1, n_rows, 2))
    return [(even, odd), (odd, even)]


class _Code:
    """Text whose repr is itself."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text
