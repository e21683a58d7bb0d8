"""Settings that a call has and the fit did not: the first thing to look at where a check of the rows fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from treewright._plural import first_of
from treewright.cli._read_csv import settings_with

if TYPE_CHECKING:
    from treewright.cli._csv_options import CsvOptions
    from treewright.table import Reading, Settings
    from treewright.verify import VerificationReport

__all__ = ["with_other_settings"]

MOST_NAMED = 4


def with_other_settings(
    report: VerificationReport, reading: Reading | None, settings: Path | None, **how: Unpack[CsvOptions]
) -> VerificationReport:
    """Say in the first check that fails which settings of this call the fit did not have, if there are any."""
    if report.ok:
        return report
    other = _not_at_the_fit(reading, settings_with(settings, **how))
    if not other:
        return report
    cause = (
        f"This may be why: the fit did not have these settings: {first_of(other, MOST_NAMED)}. Fit again with "
        "them, or leave them out here."
    )
    first = report.failed[0]
    told = replace(first, message=f"{first.message} {cause}".lstrip())
    return replace(report, checks=tuple(told if check is first else check for check in report.checks))


def _not_at_the_fit(reading: Reading | None, given: Settings) -> list[str]:
    from treewright.table import Reading

    before = reading or Reading()
    other = [f"{field!r} is missing" for field in given.missing if field not in before.missing_values]
    other += [
        f"{field!r} is missing in {name}"
        for name, fields in given.missing_in.items()
        for field in fields
        if field not in (*before.missing_values, *before.missing_in.get(name, ()))
    ]
    other += [f"{said} as labels" for said in _renamed(before.labels, given.labels)]
    for name, names in given.words.items():
        other += [f"{said} in {name}" for said in _renamed(before.words.get(name, {}), names)]
    mark = None if given.decimal_comma is None else "," if given.decimal_comma else "."
    if mark is not None and before.decimal is not None and mark != before.decimal:
        other.append(f"a decimal {'comma' if mark == ',' else 'point'}")
    return other


def _renamed(before: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    return [f"{old!r} stands for {new!r}" for old, new in given.items() if before.get(old, old) != new]
