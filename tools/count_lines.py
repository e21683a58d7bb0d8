"""Lines of code by folder, without blank lines, comments and docstrings: now, or in a revision beside now.

python tools/count_lines.py             # the working tree
python tools/count_lines.py REVISION    # both, side by side
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = {".py", ".cpp", ".hpp", ".def"}


def code_lines(name: str, text: str) -> int:
    """Return how many lines of a file hold code."""
    if name.endswith(".py"):
        said = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                said |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        lines = [line for number, line in enumerate(text.splitlines(), 1) if number not in said]
        return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in lines)
    lines = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines()
    return sum(bool(line.strip()) and not line.lstrip().startswith("//") for line in lines)


def git(*arguments: str) -> str:
    """Return what git says."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def counted(names: list[str], read: Callable[[str], str]) -> Counter[str]:
    """Return the lines by folder; headers of the core count where its sources do."""
    lines: Counter[str] = Counter()
    for name in names:
        if Path(name).suffix in SUFFIXES:
            folder = str(Path(name).parent).replace("cpp/include/treewright", "cpp").replace("cpp/src", "cpp")
            lines[folder] += code_lines(name, read(name))
    return lines


def of_working_tree(name: str) -> str:
    """Return the text of a file; none of one that was deleted."""
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def main() -> None:
    """Print the table."""
    tables = [counted(git("ls-files", "-co", "--exclude-standard").split(), of_working_tree)]
    if revision := "".join(sys.argv[1:2]):
        names = git("ls-tree", "-r", "--name-only", revision).split()
        tables.insert(0, counted(names, lambda name: git("show", f"{revision}:{name}")))
    for folder in [*sorted(set().union(*tables)), "all"]:
        counts = [table.total() if folder == "all" else table[folder] for table in tables]
        print(f"{folder:40}", *(f"{count:8,}" for count in counts))


if __name__ == "__main__":
    main()
