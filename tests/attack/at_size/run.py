"""``make attack-at-size SECONDS=600``: fresh seeds on all cores; each mismatch is printed as a short script."""

from __future__ import annotations

from attack.at_size.case import Sized, drawn, shown
from attack.laws import Outcome
from attack.run import Attack, main_of

__all__ = ["main"]


def attacked(case: Sized) -> Outcome:
    return case.attacked()


AT_SIZE = Attack(drawn, attacked, shown)


def main() -> int:
    return main_of(AT_SIZE, __doc__)
