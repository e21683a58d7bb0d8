"""The Python of the pages on exchange and pictures runs as it stands there, block after block."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["exchange.md", "pictures.md"])
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(
        r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(blocks) > 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    plt.close("all")
    for image in re.findall(r"\(images/(.*?)\)", (DOCS / page).read_text(encoding="utf-8")):
        assert (DOCS / "images" / image).exists()
