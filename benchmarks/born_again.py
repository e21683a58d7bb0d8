"""Born-again trees: the published forests, growth, soft votes and boosting, large ensembles.

    python -m benchmarks.born_again --data FOLDER --reference born_again.json

Every run is a child process, so that its CPU seconds and its peak memory are its own. Writes a JSON file and
prints tables. Parts: published, merged, growth, soft, large (choose with --parts; --folds limits the published
forests). "merged" is the fewest leaves of a tree that decides like the forest on its training rows. Each part is a
file, `_born_again_PART.py`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._born_again_runs import SETS, Asked
from treewright import __version__
from treewright._native import core

PARTS = ("published", "merged", "growth", "soft", "large")


def compact(report: dict[str, Any]) -> str:
    """JSON with one case a line, six digits a number, and nothing that is not known."""

    def tidy(value: Any) -> Any:
        if isinstance(value, float):
            return float(f"{value:.6g}")
        if isinstance(value, list):
            return [tidy(v) for v in value]
        if isinstance(value, dict):
            return {k: tidy(v) for k, v in value.items() if v is not None}
        return value

    parts = []
    for key, value in report.items():
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(tidy(row)) for row in value)
            parts.append(f"{json.dumps(key)}: [\n  {lines}\n ]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the published forests and folds")
    parser.add_argument("--reference", type=Path, help="JSON file with known optimal sizes")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--out", type=Path, default=Path("born_again.json"), help="where the JSON goes")
    options = parser.parse_args()
    parts = options.parts.split(",")
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}")
    if options.data is None and set(parts) - {"large"}:
        parser.error("--data is needed for all parts but 'large'")
    report: dict[str, Any] = {
        "treewright": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "instruction_set": str(core.simd()).rpartition(".")[2],
    }
    if options.out.is_file():
        report = json.loads(options.out.read_text()) | report
    folds = list(range(1, options.folds + 1))
    asked = Asked(options.data or Path(), options.reference, folds, options.sets.split(","))
    for name in parts:
        # Imported when it is run: what other parts need is not in the memory of this one's children.
        part = import_module(f"benchmarks._born_again_{name}")
        report[name] = part.run(asked)
        part.show(report[name])
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(compact(report))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
