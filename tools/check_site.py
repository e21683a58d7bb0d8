"""Look at the main pages of the site with axe, on a phone and on a desk: ``python tools/check_site.py build/docs``.

Exits with 1 if axe finds anything that it calls critical or serious, if a page is wider than its window, or if the
picture of a tree is cut off. Part of ``make docs``.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from axe_playwright_python import sync_playwright as axe
from playwright.sync_api import sync_playwright

PAGES = (  # one of each kind: lists, tables, code, formulas, pictures, output of examples, signatures
    "index", "user_guide", "prepare_your_file", "faq", "glossary", "certificate", "methods/optimal", "benchmarks",
    "results/continuous-grid", "gallery/index",
    "gallery/ten_minutes", "api/index", "search",
)  # fmt: skip
WINDOWS = ({"color_scheme": "light", "width": 390}, {"color_scheme": "dark", "width": 1280})
WIDTHS = (
    600,
    820,
    1000,
    1100,
    1200,
    1366,
    1440,
    1600,
    1920,
)  # that no page is wider than; the menus come and go between
CUT_OFF = "[...document.querySelectorAll('.tw-scroll')].some((e) => e.scrollWidth > e.clientWidth)"
AXE = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def main(site: Path) -> int:
    """Print what is found; return the number of findings that count."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        print("The site is not checked with axe: there is no Chromium.")
        return 0
    found = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for name in PAGES:
            for window in WINDOWS:
                for text in faults_of(browser, site / f"{name}.html", **window):
                    found += 1
                    print(f"{name} ({window['color_scheme']}, {window['width']} px): {text}", flush=True)
        browser.close()
    print(f"axe on {len(PAGES)} pages: {found} finding{'' if found == 1 else 's'}.")
    return found


def faults_of(browser: Any, page: Path, color_scheme: str, width: int) -> list[str]:
    """Return what is wrong with a page in one window."""
    context = browser.new_context(
        bypass_csp=True, color_scheme=color_scheme, viewport={"width": width, "height": 900}
    )
    tab = context.new_page()
    tab.goto(page.as_uri())
    tab.evaluate(AXE)
    violations = tab.evaluate("axe.run()")["violations"]
    faults = [
        f"{violation['id']} ({violation['impact']}): {violation['nodes'][0]['html'][:100]}"
        for violation in violations
        if violation["impact"] in ("critical", "serious")
    ]
    if tab.evaluate(CUT_OFF):
        faults.append("the picture of a tree is cut off")
    for wide in (width, *WIDTHS):
        tab.set_viewport_size({"width": wide, "height": 900})
        if tab.evaluate("document.documentElement.scrollWidth > innerWidth"):
            faults.append(f"wider than a window of {wide} px")
    context.close()
    return faults


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()) > 0)
