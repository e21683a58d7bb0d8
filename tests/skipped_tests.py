"""What the end of a test run says about tests that did not run."""

import re
from collections import Counter

REFERENCE = (
    "read reference values and published data in a folder `shared` beside the checkout, which is not part of the "
    "project; without it the library is tested against its own oracles only"
)


def skipped_in_words(places: list[object]) -> list[str]:
    """One line for each reason, most tests first; reference files are one reason, by their folder."""
    reasons = Counter(str(place[2] if isinstance(place, tuple) else place) for place in places)
    told: Counter[str] = Counter()
    for reason, times in reasons.items():
        file = re.search(r"reference file shared/(\S+) beside the checkout", reason)
        told[REFERENCE if file else reason.removeprefix("Skipped: ")] += times
    return [f"{times} {'test' if times == 1 else 'tests'}: {reason}" for reason, times in told.most_common()]
