"""Search code (C++ without kernels, bindings, born-again and latent trees): in a revision and now, by what it serves.

python tools/count_engines.py              # beside 0929e3d9, before the engines became one core
python tools/count_engines.py REVISION

A file counts for the feature that it was made for, if no classification tree of that revision needs it; what other
files hold of a later feature counts for the engines. Lines are counted as in count_lines.py.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from count_lines import SUFFIXES, code_lines, git, of_working_tree

BEFORE = "0929e3d9"
NO_SEARCH = re.compile(r"bindings/|bornagain|latent")
KERNEL = re.compile(r"kernel|bit_lanes|bits_pairs|pair_|_pairs|orders_avx512")
LATER = {
    "near-optimal sets": """search/near_optimal search/ranked_near_optimal search/ranked_splits_within
        search/ranked_within search/splits_within search/pairs_within search/set_walk search/size_cells
        search/node_levels search/node_rows search/tree_counts search/wide_count search/inside_pass search/tree_shares
        search/column_worth search/tree_extremes search/reliance search/value_front search/row_sets
        core/solved_split""",
    "regression, probability, policy and survival trees": """objective/action_costs objective/column_bounds
        objective/log* objective/pinball objective/simple_lines objective/squared_error objective/survival
        objective/target_* objective/two_sums bounds/segmentation search/group_* space/row_groups""",
    "threads": """core/crew search/binary_threads search/binary_shared search/ranked_threads search/ranked_store
        leaf_accuracy/root leaf_accuracy/store""",
    "the same tree of equal ones on every machine": "search/binary_ties search/ranked_ties",
    "what every result goes through, stopped runs": "tree/* search/row_greedy leaf_accuracy/tidy",
    "bounds that came later": "bounds/row_parts search/ranked_parts search/ranked_any_size",
    "ranks and sums that Python made": "space/value_* core/exact_sum",
}
ENGINES = {
    "engine over binary columns": """search/binary_* search/dense_program search/front* search/schedule
        search/price_stages space/binary_* bounds/row_price* bounds/guessed_bounds core/pattern_cache core/arena
        core/tree_shape core/cost_units space/row_values bits*""",
    "engine for the best worst leaf": "leaf_accuracy*",
    "control, limits, processor": "core/control core/cpu control cpu",
    "engine over ranked columns": "*",
}


def searching(names: list[str]) -> list[str]:
    """Return the files of search code."""
    return [
        name
        for name in names
        if Path(name).suffix in SUFFIXES and not NO_SEARCH.search(name) and not KERNEL.search(name)
    ]


def feature_of(name: str, features: dict[str, str]) -> str:
    """Return the first feature that a file is listed for."""
    place = re.sub(r"cpp/(include/treewright|src)/", "", name).rsplit(".", 1)[0]
    return next(
        feature
        for feature, patterns in features.items()
        if any(fnmatch(place, pattern) for pattern in patterns.split())
    )


def main() -> None:
    """Print the table."""
    revision = "".join(sys.argv[1:2]) or BEFORE
    before: Counter[str] = Counter()
    for name in searching(git("ls-tree", "-r", "--name-only", revision, "cpp").split()):
        before[feature_of(name, ENGINES)] += code_lines(name, git("show", f"{revision}:{name}"))
    now: Counter[str] = Counter()
    for name in searching(git("ls-files", "-co", "--exclude-standard", "cpp").split()):
        now[feature_of(name, LATER | ENGINES)] += code_lines(name, of_working_tree(name))
    for feature in (*ENGINES, "engines", *LATER, "all"):
        parts = {"engines": ENGINES, "all": now}.get(feature, {feature: ""})
        was, lines = (sum(table[part] for part in parts) for table in (before, now))
        print(f"{feature:54} {was:8,} {lines:8,}")


if __name__ == "__main__":
    main()
