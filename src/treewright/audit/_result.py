"""What an audit found: counts, shares and intervals, as objects, as a table of text and as JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.tree import wilson_interval

__all__ = ["GroupAudit", "GroupRates", "Rate"]

RATES = ("positive", "error", "false_positive", "false_negative")
TITLES = ("positive", "error", "false positive", "false negative")


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of rows out of a number of rows; every row counts as one.

    Parameters
    ----------
    count, rows : int
    confidence : float, default=0.95
        Of the interval.

    Examples
    --------
    >>> from treewright.audit import Rate
    >>> rate = Rate(3, 10)
    >>> rate.share, tuple(round(float(end), 3) for end in rate.interval)
    (0.3, (0.108, 0.603))
    """

    count: int
    rows: int
    confidence: float = 0.95

    @property
    def share(self) -> float | None:
        """The count divided by the rows; None without rows."""
        return self.count / self.rows if self.rows else None

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson score interval; without rows all of [0, 1]."""
        return wilson_interval(self.count, self.rows, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return ``count``, ``rows``, ``share``, ``low`` and ``high`` as JSON values."""
        low, high = self.interval
        return {"count": self.count, "rows": self.rows, "share": self.share, "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class GroupRates:
    """How a tree decides about one group.

    Parameters
    ----------
    name : str
    rows : int
    error : Rate
        Wrong decisions among all rows of the group.
    positive : Rate or None
        Positive decisions among all rows; this and the next are None where no class is the positive one.
    false_positive : Rate or None
        Positive decisions among the rows whose label is not the positive one.
    false_negative : Rate or None
        Other decisions among the rows whose label is the positive one.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier, audit_groups
    >>> X, y = [[20], [30], [40], [50]], [0, 0, 1, 1]
    >>> tree = OptimalTreeClassifier().fit(X, y).tree_
    >>> everyone = audit_groups(tree, X, y, {"sex": ["f", "m", "f", "m"]}).everyone
    >>> everyone.rows, everyone.error.count
    (4, 0)
    """

    name: str
    rows: int
    error: Rate
    positive: Rate | None = None
    false_positive: Rate | None = None
    false_negative: Rate | None = None

    def to_dict(self, fewest_rows: int) -> dict[str, Any]:
        """Return the rates as JSON values; ``small`` where there are fewer rows than `fewest_rows`.

        Parameters
        ----------
        fewest_rows : int
            Rates of fewer rows than these are marked as small.

        Returns
        -------
        dict
            ``group``, ``rows``, ``small``, and each rate by its name, as `Rate.to_dict` returns it.
        """
        rates = {name: getattr(self, name) for name in RATES if getattr(self, name) is not None}
        said = {name: rate.to_dict() | {"small": rate.rows < fewest_rows} for name, rate in rates.items()}
        return {"group": self.name, "rows": self.rows, "small": self.rows < fewest_rows, **said}


@dataclass(frozen=True)
class GroupAudit:
    """How a tree decides about the groups of the given rows. ``print(audit)`` shows the table.

    Parameters
    ----------
    everyone : GroupRates
        All rows together.
    groups : dict of str to tuple of GroupRates
        By column.
    positive : str or None
        Label of a positive decision; None where there is none.
    confidence : float
        Of the intervals.
    fewest_rows : int
        A share of fewer rows is marked.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier, audit_groups
    >>> X, y = [[20], [30], [40], [50]], [0, 0, 1, 1]
    >>> tree = OptimalTreeClassifier().fit(X, y).tree_
    >>> found = audit_groups(tree, X, y, {"sex": ["f", "m", "f", "m"]})
    >>> [(rates.name, rates.rows) for rates in found.groups["sex"]]
    [('f', 2), ('m', 2)]
    """

    everyone: GroupRates
    groups: dict[str, tuple[GroupRates, ...]]
    positive: str | None
    confidence: float
    fewest_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values: ``json.dumps(audit.to_dict())``."""
        return {
            "rows": self.everyone.rows,
            "positive": self.positive,
            "confidence": self.confidence,
            "interval": "Wilson score",
            "fewest_rows": self.fewest_rows,
            "all": self.everyone.to_dict(self.fewest_rows),
            "groups": {
                title: [rates.to_dict(self.fewest_rows) for rates in parts]
                for title, parts in self.groups.items()
            },
        }

    def to_text(self) -> str:
        """Return a table for each column, with what its figures mean and what they do not."""
        shown = [
            (name, title)
            for name, title in zip(RATES, TITLES, strict=True)
            if getattr(self.everyone, name) is not None
        ]
        table = [["", "rows", *(title for _, title in shown)], self._line(self.everyone, shown)]
        for title, parts in self.groups.items():
            table += [[title], *(["  " + (line := self._line(part, shown))[0], *line[1:]] for part in parts)]
        widths = [max(len(line[k]) for line in table if k < len(line)) for k in range(len(table[0]))]
        lines = ["  ".join(_padded(line, widths)).rstrip() for line in table]
        return "\n".join([*lines, "", *self._meaning()])

    def __str__(self) -> str:
        return self.to_text()

    def _line(self, rates: GroupRates, shown: list[tuple[str, str]]) -> list[str]:
        return [rates.name, f"{rates.rows:,}", *(self._cell(getattr(rates, name)) for name, _ in shown)]

    def _cell(self, rate: Rate) -> str:
        if rate.share is None:
            return "no rows"
        low, high = rate.interval
        mark = "*" if rate.rows < self.fewest_rows else ""
        return f"{mark}{100 * rate.share:.1f}% ({100 * low:.1f} to {100 * high:.1f})"

    def _meaning(self) -> list[str]:
        lines = [
            f"In brackets: {100 * self.confidence:g}% Wilson intervals. error: decisions that differ from the label."
        ]
        if self.positive is not None:
            lines += [
                f"positive: decisions {self.positive!r}. false positive: these among rows with another label.",
                f"false negative: other decisions among rows with the label {self.positive!r}.",
            ]
        rates = [
            rate
            for parts in (*self.groups.values(), (self.everyone,))
            for part in parts
            for rate in _rates(part)
        ]
        if any(0 < rate.rows < self.fewest_rows for rate in rates):
            lines.append(f"* fewer than {self.fewest_rows} rows: too few to say much.")
        lines += [
            "These are counts on these rows. They say nothing about other rows, about why groups differ, or about",
            "whether the labels are right. On rows that the tree was fitted to, its errors come out too low.",
        ]
        return lines


def _rates(part: GroupRates) -> list[Rate]:
    return [rate for name in RATES if (rate := getattr(part, name)) is not None]


def _padded(line: list[str], widths: list[int]) -> list[str]:
    """The first column to the left, figures to the right."""
    return [
        line[0].ljust(widths[0]),
        *(text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=False)),
    ]
