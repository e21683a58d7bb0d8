"""Rows that try a tree: those of the table, and mixtures of its values, gaps, and numbers about the thresholds."""

from __future__ import annotations

import math
import random

from attack.case import Case, Value
from attack.walker import Walker

__all__ = ["probe_rows"]


def probe_rows(
    case: Case, walker: Walker, n_probes: int = 12, *, gaps: bool = True
) -> list[tuple[Value, ...]]:
    """The rows of the case, and some more of the same columns. Drawn alike in every run."""
    rng = random.Random(len(case.rows) * 1009 + len(walker.text))
    choices: list[list[Value]] = []
    for j, name in enumerate(case.columns):
        values = list(case.columns[name])
        if not isinstance(next((v for v in values if v is not None), 0), bool):
            values += [None] * gaps
            shown = case.names[j] in case.options.get("categorical_features", ())
            if not case.is_text(name) and not shown:
                for t in walker.thresholds(j):
                    values += [t, math.nextafter(t, math.inf), math.nextafter(t, -math.inf)]
        choices.append(values)
    made = [tuple(rng.choice(values) for values in choices) for _ in range(n_probes)]
    return [*case.rows, *made]
