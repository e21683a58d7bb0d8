"""A headless Chromium that may only open files; without one these tests are skipped and say so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")  # an idle one takes a fifteenth of a core
def chromium() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs Chromium, for example Debian's package `chromium`")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """One page in a fresh window, and what it did that a report must not do."""

    def __init__(self, browser: Any, folder: Path, **context: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        self.page = self.context.new_page()
        self.folder = folder
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.faults.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.requests: list[str] = []

    def open(self, text: str) -> Any:
        file = self.folder / "report.html"
        file.write_text(text, encoding="utf-8")
        self.requests.clear()
        self.page.goto(file.as_uri())
        return self.page


@pytest.fixture
def visit(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """Make visits; afterwards none may have had an error or asked for anything but its file."""
    visits: list[Visit] = []

    def start(**context: Any) -> Visit:
        visits.append(Visit(chromium, tmp_path, **context))
        return visits[-1]

    yield start
    for one in visits:
        assert one.faults == []
        assert {url.split("#")[0] for url in one.requests} <= {(tmp_path / "report.html").as_uri()}
        one.context.close()
