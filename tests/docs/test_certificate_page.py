"""The page on certificates shows every form of a sentence, so that it cannot drift from the library."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "src" / "treewright").rglob("*.py"))


@pytest.fixture(scope="module")
def cases() -> dict[str, str]:
    """What the library says today, by the name of the case."""
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    try:
        from certificate_cases import CASES  # type: ignore[import-not-found]  # lies beside the site
    finally:
        sys.path.remove(str(ROOT / "docs" / "_ext"))
    return {name: say() for name, say in CASES.items()}


def words_in(tree: ast.AST, constants: dict[str, ast.AST]) -> list[str]:
    """The texts that a method can say: its own, and those of the module's constants that it names."""
    texts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        elif isinstance(node, ast.Name) and isinstance(constants.get(node.id), ast.Dict):
            texts += words_in(constants[node.id], {})
    return texts


def spoken(path: Path) -> list[str]:
    """The texts of all methods `sentence` of a file, and of the methods of the class and functions that they call."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    for kind in (node for node in ast.walk(module) if isinstance(node, ast.ClassDef)):
        methods = functions | {node.name: node for node in kind.body if isinstance(node, ast.FunctionDef)}
        wanted, seen = ["sentence"] if "sentence" in methods else [], set()
        while wanted:
            name = wanted.pop()
            if name in seen or name not in methods:
                continue
            seen.add(name)
            body = methods[name].body
            documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            for statement in body[1:] if documented else body:
                found += words_in(statement, constants)
                wanted += [node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute)]
                wanted += [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return found


def phrases(text: str) -> list[str]:
    """The parts of a text that are two words or more; the rest is names of options and punctuation."""
    return [
        part
        for part in re.split(r"[.;:(),%]", text)
        if len(re.findall(r"[A-Za-z]+", part)) >= 2 and " " in part.strip()
    ]


def test_every_form_of_a_sentence_is_a_case(cases: dict[str, str]) -> None:
    said = "\n".join(cases.values())
    missing = [
        f"{path.relative_to(ROOT)}: {part.strip()!r}"
        for path in SOURCES
        for text in spoken(path)
        for part in phrases(text)
        if part.strip() not in said
    ]
    assert not missing, (
        "A sentence has words that docs/certificate.md does not explain. Add a case to "
        "docs/_ext/certificate_cases.py and a paragraph to docs/certificate.md:\n" + "\n".join(missing)
    )


def test_every_status_and_reason_is_said(cases: dict[str, str]) -> None:
    from treewright.result import StopReason

    said = "\n".join(cases.values())
    assert [reason for reason in StopReason if f"({reason.value})" not in said] == []


def test_the_page_shows_every_case_once(cases: dict[str, str]) -> None:
    shown = re.findall(r"^:::\{sentence\} (\S+)$", PAGE, flags=re.MULTILINE)
    assert sorted(shown) == sorted(cases)


def test_the_source_was_read() -> None:
    texts = [text for path in SOURCES for text in spoken(path)]
    assert any("Not proven optimal" in text for text in texts)
    assert any("rows per leaf" in text for text in texts)
    assert any("no faithful tree is shallower" in text for text in texts)
    assert any("Proven faithful" in text for text in texts)
