"""Who imports whom, and what `import treewright` costs."""

import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "torch",
    "highspy",
    "onnx",
    "joblib",
    "matplotlib",
    "pandas",
    "polars",
    "sklearn",
    "scipy",
    "narwhals",
    "typer",
    "rich",
    "tqdm",
    "jinja2",
)


def test_contracts_are_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    failed = lint_imports(config_filename="pyproject.toml", no_cache=True)
    assert not failed, capsys.readouterr().out


def python(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", program], capture_output=True, text=True, check=True
    )


def test_importing_loads_nothing_heavy() -> None:
    loaded = python("import sys, treewright; print(*sys.modules)").stdout.split()
    assert "treewright" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_packages_load_when_they_are_named() -> None:
    """`treewright.show.to_text(model)` is in the README, below an import of one class."""
    packages = [file.parent.name for file in (ROOT / "src" / "treewright").glob("*/__init__.py")]
    named = [name for name in packages if name not in ("cli", "latent")]  # a program; and what needs PyTorch
    assert "show" in named
    python(f"import treewright; [getattr(treewright, name) for name in {named!r}]")


@pytest.mark.parametrize("package", ["tree", "table", "binarize", "problem", "search", "result"])
def test_packages_below_the_estimators_need_no_sklearn(package: str) -> None:
    loaded = python(f"import sys, treewright.{package}; print(*sys.modules)").stdout.split()
    assert [name for name in HEAVY if name in loaded] == []


COUNTED = """
import sys, numpy
n_calls = 0
def count(frame, event, argument):
    global n_calls
    n_calls += event in ("call", "c_call")
sys.setprofile(count)
import treewright, treewright.search
sys.setprofile(None)
print(n_calls)
"""


def test_importing_is_quick() -> None:
    """Beyond numpy 87,000 calls, which take a tenth of a second; calls, for seconds depend on the machine."""
    assert int(python(COUNTED).stdout) < 130_000
