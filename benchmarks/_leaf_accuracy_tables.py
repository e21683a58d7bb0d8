"""The answers of the benchmark of leaf accuracy as tables, beside the paper's Tables 1, 8 and 9.

A cell is a mean over splits; the head of its column says over how many, and a cell that stands on fewer says so itself.
A difference of two methods is taken split by split, on the splits that both were run on, then averaged for each
data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from scipy.stats import wilcoxon

from benchmarks._leaf_accuracy_paper import PAPER, PAPER_TABLE_1
from benchmarks._tables import format_table

__all__ = [
    "FEWEST_TESTED",
    "TABLES",
    "ablation_tables",
    "default_tables",
    "differences",
    "hybrid_tables",
    "means",
    "paper_tables",
    "proof_tables",
    "signed_rank",
    "tree_tables",
    "values",
]

Row = dict[str, Any]
Values = dict[tuple[str, int], float]  # by data set and split

BASE = "cart tuned"  # what the paper's CART is
ALONE = "alone"
FEWEST_TESTED = 6  # data sets: with fewer no signed-rank test is below .05


def values(rows: Sequence[Row], figure: str, **of: str) -> Values:
    """Return a figure of the rows that have these properties and did not fail."""
    return {
        (row["data"], row["seed"]): float(row[figure])
        for row in rows
        if figure in row and all(row[name] == value for name, value in of.items())
    }


def means(found: Values) -> dict[str, tuple[float, int]]:
    """Return the mean over the splits of each data set, and how many there are."""
    by_data: dict[str, list[float]] = {}
    for (data, _), value in found.items():
        by_data.setdefault(data, []).append(value)
    return {data: (fmean(own), len(own)) for data, own in by_data.items()}


def differences(one: Values, other: Values) -> tuple[list[str], float, float, float] | None:
    """Return the data sets and the least, mean and largest difference over them; splits that both have."""
    found = means({split: one[split] - other[split] for split in one.keys() & other.keys()})
    gains = [mean for mean, _ in found.values()]
    return (sorted(found), min(gains), fmean(gains), max(gains)) if gains else None


def signed_rank(one: Values, other: Values) -> str:
    """Return the p value of the two-sided signed-rank test over the data sets; "-" where there are too few of them."""
    found = means({split: one[split] - other[split] for split in one.keys() & other.keys()})
    gains = [mean for mean, _ in found.values()]
    if len(gains) < FEWEST_TESTED:
        return "-"
    return f"{wilcoxon(gains).pvalue if any(gains) else 1.0:.3f}"


def failures(rows: Sequence[Row], *names: str) -> list[str]:
    """Return one line for each kind of failure."""
    failed = [
        (" + ".join(row[name] for name in names if row[name]), row["error"]) for row in rows if "error" in row
    ]
    return [f"{who} failed {failed.count((who, error))} times: {error}" for who, error in sorted(set(failed))]


def tree_tables(rows: Sequence[Row]) -> list[str]:
    """Return worst leaf and accuracy of the trees, what they took, and the differences."""
    methods = _distinct(rows, "method")
    paper = {
        "paper: CART": lambda name: PAPER[name].leaf_cart,
        "paper: proposed": lambda name: PAPER[name].leaf_proposed,
    }
    texts = failures(rows, "method")
    for figure, title, beside in (
        ("leaf_test", "Worst leaf on test rows (paper: Tables 8 and 9, ten splits)", paper),
        ("leaf_train", "Worst leaf on training rows", {}),
        ("test", "Accuracy of the tree on test rows", {}),
    ):
        columns = {method: means(values(rows, figure, method=method)) for method in methods}
        texts.append(_by_data(title, columns, beside))
    table = []
    for method in methods:
        mine = [row for row in rows if row["method"] == method and "error" not in row]
        if mine:
            seconds = [row["seconds"] for row in mine]
            proven = (
                f"{sum(row['status'] == 'OPTIMAL' for row in mine)} of {len(mine)}"
                if "gap" in mine[0]
                else "-"
            )
            size = fmean(row["leaves"] for row in mine)
            table.append(
                [
                    method,
                    str(len(mine)),
                    proven,
                    f"{fmean(seconds):.2f}",
                    f"{max(seconds):.2f}",
                    f"{size:.1f}",
                ]
            )
    header = ["method", "data sets x splits", "proven", "CPU s, mean", "CPU s, most", "leaves, mean"]
    texts.append(_titled("What the trees took", header, table))
    gains = []
    for figure, title, less in (
        ("leaf_test", "worst leaf, test", BASE),
        ("test", "accuracy, test", BASE),
        ("leaf_train", "worst leaf, training", "mip"),
    ):
        for method in methods:
            if method != less:
                pair = [values(rows, figure, method=name) for name in (method, less)]
                gains += _gain(title, method, less, *pair)
    gains += _paper_gains("leaf accuracy")
    texts.append(_titled("One method less another, over data sets (paper: Table 1)", GAINS, gains))
    return texts


DEFAULT = ("default", "default as it comes")  # with the limit of the others, or with its own


def default_tables(rows: Sequence[Row]) -> list[str]:
    """Return means over data sets, and differences to stump and default with standard error and signed-rank test."""
    methods = _distinct(rows, "method")
    texts = failures(rows, "method")
    figures = (("leaf_test", "worst leaf"), ("worst_test", "leaf worst in training"), ("test", "accuracy"))
    table = []
    for method in methods:
        mine = [row for row in rows if row["method"] == method and "error" not in row]
        cells = [method, str(len(mine)), f"{fmean(row['leaves'] for row in mine):.1f}"]
        for figure, _ in figures:
            own = means(values(mine, figure, method=method))
            cells.append(f"{fmean(mean for mean, _ in own.values()):.3f}")
        cells.append(f"{fmean(row['seconds'] for row in mine):.2f}")
        table.append(cells)
    header = ["method", "data sets x splits", "leaves", *(f"{title}, test" for _, title in figures), "CPU s"]
    texts.append(_titled("Means over the data sets", header, table))
    default = next((method for method in methods if method in DEFAULT), DEFAULT[0])
    for ours, others in (("stump", False), (default, True)):
        table = []
        for figure, title in figures:
            base = values(rows, figure, method=ours)
            for method in methods:
                one = values(rows, figure, method=method)
                pairs = {key: one[key] - base[key] for key in one.keys() & base.keys()}
                gains = [-mean if others else mean for mean, _ in means(pairs).values()]
                if method == ours or len(gains) < 2:
                    continue
                error = stdev(gains) / len(gains) ** 0.5
                test = wilcoxon(gains).pvalue if any(gains) else 1.0
                table.append(
                    [title, method, f"{100 * fmean(gains):+.1f}", f"{100 * error:.1f}",
                     f"{sum(gain > 0 for gain in gains)} of {len(gains)}", f"{test:.3f}"]
                )  # fmt: skip
        header = ["figure, test", "method", "points", "standard error", "above on", "p, signed rank"]
        title = "The default less each other method" if others else "Each method less the stump"
        texts.append(_titled(f"{title}, over data sets", header, table))
    return texts


def ablation_tables(rows: Sequence[Row]) -> list[str]:
    """Return means over data sets, before and after the reduction; more rows beside 10,000 on the same splits."""
    table = []
    for method in [method for method in _distinct(rows, "method") if method != MORE]:
        mine = [row for row in rows if row["method"] == method and "error" not in row]
        own = {name: fmean(mean for mean, _ in means(values(mine, name)).values()) for name in ABLATED}
        table.append([method, str(len(mine)), *(form.format(own[name]) for name, form in ABLATED.items())])
    texts = failures(rows, "method")
    texts.append(_titled("Means over the data sets", ["method", "data sets x splits", *ABLATED], table))
    gains = []
    for title in ("leaf_test", "test"):
        gains += _gain(
            title, MORE, "default", values(rows, title, method=MORE), values(rows, title, method="default")
        )
    return [*texts, _titled("At most 50,000 training rows instead of 10,000", GAINS, gains)]


ABLATED = {
    "leaves before": "{:.1f}", "leaves": "{:.1f}", "leaf_train": "{:.3f}",
    "leaf_test before": "{:.3f}", "leaf_test": "{:.3f}", "test": "{:.3f}",
}  # fmt: skip
MORE = "default, more rows"


def paper_tables(rows: Sequence[Row]) -> list[str]:
    """Return the means of the authors' files."""
    names = list(rows[0])
    cells = [[f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    return [_titled("Gurobi, eight hours of eight cores a split; the authors' result files", names, cells)]


def proof_tables(rows: Sequence[Row]) -> list[str]:
    """Return the value, the bound and the time of each search."""
    header = [
        "data",
        "columns",
        "criterion",
        "thresholds",
        "worst leaf",
        "no tree exceeds",
        "proven",
        "CPU s",
    ]
    table = [
        [
            row["data"],
            str(row["columns"]),
            "lower bound" if "lower bound" in row["method"] else "accuracy",
            row["thresholds"],
            f"{row['objective']:.4f}",
            f"{row['bound']:.4f}",
            "yes" if row["status"] == "OPTIMAL" else "no",
            f"{row['seconds']:.2f}",
        ]
        for row in rows
        if "error" not in row
    ]
    return [
        *failures(rows, "method"),
        _titled("What the search proves, first split of each data set", header, table),
    ]


def hybrid_tables(rows: Sequence[Row]) -> list[str]:
    """Return test accuracy of hybrid trees beside the model alone, for each leaf model, and the differences."""
    texts = failures(rows, "top", "leaf")
    gains = []
    for leaf in _distinct(rows, "leaf"):
        tops = [top for top in _distinct([row for row in rows if row["leaf"] == leaf], "top") if top]
        found = {top: values(rows, "test", top=top, leaf=leaf) for top in ("", *tops)}
        columns = {top or ALONE: means(own) for top, own in found.items()}
        paper = {
            "paper: CART": lambda name: PAPER[name].hybrid_cart,
            "paper: proposed": lambda name: PAPER[name].hybrid_proposed,
            "paper: XGBoost": lambda name: PAPER[name].xgboost,
        }
        title = f"Test accuracy with {leaf} in the leaves"
        tuned_as_the_paper = leaf == "xgboost tuned"
        texts.append(
            _by_data(
                f"{title} (paper: Tables 8 and 9, ten splits)" if tuned_as_the_paper else title,
                columns,
                paper if tuned_as_the_paper else {},
            )
        )
        for top in tops:
            explained = means(values(rows, "explained", top=top, leaf=leaf))
            share = f"{fmean(mean for mean, _ in explained.values()):.3f}" if explained else "-"
            for less in ("", BASE):
                if less != top and less in found:
                    pair = f"{less} + {leaf}" if less else leaf
                    lines = _gain("accuracy, test", f"{top} + {leaf}", pair, found[top], found[less])
                    gains += [[*line, signed_rank(found[top], found[less]), share] for line in lines]
    gains += [[*line, "-", "-"] for line in _paper_gains("hybrid accuracy")]
    header = [*GAINS, "p, signed rank", "share of test rows that the top explains"]
    texts.append(_titled("One method less another, over data sets (paper: Table 1)", header, gains))
    return texts


GAINS = ["figure", "method", "less", "data sets", "least", "mean", "most"]


TABLES = {  # by the name of the results file
    "leaf_accuracy-trees": tree_tables,
    "leaf_accuracy-defaults": default_tables,
    "leaf_accuracy-elsewhere": default_tables,
    "leaf_accuracy-ablations": ablation_tables,
    "leaf_accuracy-paper": paper_tables,
    "leaf_accuracy-proofs": proof_tables,
    "leaf_accuracy-hybrids": hybrid_tables,
}


def _gain(figure: str, method: str, less: str, one: Values, other: Values) -> list[list[str]]:
    gain = differences(one, other)
    if gain is None:
        return []
    data, *numbers = gain
    return [[figure, method, less, str(len(data)), *(f"{number:+.4f}" for number in numbers)]]


def _paper_gains(figure: str) -> list[list[str]]:
    return [
        [figure, f"paper's proposed ({kind})", less, "all", *(f"{value:+.4f}" for value in numbers)]
        for (what, less, kind), numbers in PAPER_TABLE_1.items()
        if what == figure
    ]


def _by_data(title: str, columns: dict[str, dict[str, tuple[float, int]]], paper: dict[str, Any]) -> str:
    """Return one row a data set, one column a method."""
    columns = {method: found for method, found in columns.items() if found}
    most = {method: max(n for _, n in found.values()) for method, found in columns.items()}
    header = ["data", *(f"{method} ({most[method]})" for method in columns), *paper]
    names = list(dict.fromkeys(name for found in columns.values() for name in found))
    table = []
    for name in names:
        line = [name]
        for method, found in columns.items():
            mean, n = found.get(name, (None, 0))
            line.append("-" if mean is None else f"{mean:.4f}" + ("" if n == most[method] else f" ({n})"))
        table.append([*line, *(f"{value(name):.4f}" for value in paper.values())])
    line = ["mean"]
    for found in columns.values():
        line.append(f"{fmean(mean for mean, _ in found.values()):.4f}" if len(found) == len(names) else "-")
    table.append([*line, *(f"{fmean(value(name) for name in names):.4f}" for value in paper.values())])
    return _titled(f"{title}; splits in brackets", header, table)


def _titled(title: str, header: list[str], table: list[list[str]]) -> str:
    return f"**{title}**\n\n{format_table(header, table)}"


def _distinct(rows: Sequence[Row], name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))
