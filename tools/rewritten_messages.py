"""Which messages of the library were rewritten between two commits, as a list for docs/decisions/messages.md.

    python tools/rewritten_messages.py OLD NEW [WORD ...]

A message is a text of several words in the code that is no docstring: of an error, a note, an option's help, a page.
One that is gone and one that came are a pair if they share most of their words; what came alone is not listed. Nor is
one in which other names are filled in, or that holds one of the words (a name that was changed everywhere).
"""

from __future__ import annotations

import ast
import difflib
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator

FEWEST_WORDS = 4
ALIKE = 0.55  # of the words of both texts, in their order
SOURCE = "src/treewright"


def git(*arguments: str) -> str:
    """What a git command prints."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def text_of(node: ast.expr) -> str:
    """The text of a literal, values that are filled in as braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = (
        f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else text_of(part)
        for part in node.values
    )
    return "".join(parts)


def messages_of(code: str) -> Iterator[str]:
    """All texts of several words that are no docstrings."""
    tree = ast.parse(code)
    inside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(node.value)  # a docstring
        if isinstance(node, ast.JoinedStr):
            inside.update(ast.walk(node))
            inside.discard(node)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node not in inside:
            text = " ".join(text_of(node).split())
            if len(text.split()) >= FEWEST_WORDS and "\\" not in text:  # as in a regular expression
                yield text


def messages_at(commit: str) -> dict[str, set[str]]:
    """The messages of each file."""
    files = [
        name for name in git("ls-tree", "-r", "--name-only", commit, SOURCE).split() if name.endswith(".py")
    ]
    return {
        name.removeprefix(f"{SOURCE}/"): set(messages_of(git("show", f"{commit}:{name}"))) for name in files
    }


def pairs(gone: dict[str, set[str]], came: dict[str, set[str]]) -> Iterator[tuple[str, str, str]]:
    """File, old and new text of what was rewritten, the likeliest pairs first; each text is in one pair at most."""
    likely = []
    for place, texts in came.items():
        for new in texts:
            for before, olds in gone.items():
                for old in olds:
                    same = difflib.SequenceMatcher(None, old.split(), new.split(), autojunk=False)
                    if same.real_quick_ratio() > ALIKE and (ratio := same.ratio()) > ALIKE:
                        likely.append((ratio + (place == before), place, old, new))
    used: set[str] = set()
    for _, place, old, new in sorted(likely, reverse=True):
        if old not in used and new not in used:
            used |= {old, new}
            yield place, old, new


def words_of(text: str) -> str:
    """A message without the names of what is filled in."""
    return re.sub(r"\{[^{}]*\}", "{}", text)


def unlike(
    messages: dict[str, set[str]], others: dict[str, set[str]], left_out: tuple[str, ...]
) -> dict[str, set[str]]:
    """The messages whose words none of the others has."""
    known = {words_of(text) for texts in others.values() for text in texts}
    return {
        place: {
            text
            for text in texts
            if words_of(text) not in known and not any(word in text for word in left_out)
        }
        for place, texts in messages.items()
    }


def main(old: str, new: str, *left_out: str) -> None:
    """Print the list."""
    before, after = messages_at(old), messages_at(new)
    gone, came = unlike(before, after, left_out), unlike(after, before, left_out)
    listed = defaultdict(list)
    for place, *texts in pairs(gone, came):
        listed[place].append(texts)
    for place in sorted(listed):
        print(f"### `{place}`\n")
        for was, now in sorted(listed[place]):
            print(f"- `` {was} ``\n  became `` {now} ``\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
