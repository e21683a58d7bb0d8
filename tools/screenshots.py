"""Write the pictures of web pages in docs/images: the top of a report, and the form that answers about one person.

Usage: python tools/screenshots.py docs/images   (needs Chromium and Playwright, as the tests of the report do)
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from treewright import OptimalTreeClassifier
from treewright.show import report
from treewright.table import Settings

FLAGS = ["--no-sandbox", "--disable-gpu"]


def main(folder: Path) -> None:
    """Make a report of the breast cancer data and take both pictures."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target.map({0: "malignant", 1: "benign"})
    X, X_test, y, y_test = train_test_split(data.data, labels, random_state=0)
    model = OptimalTreeClassifier(cost_complexity=0.01, max_depth=3).fit(X, y)
    settings = Settings(
        about={"purpose": "shows what the report holds", "owner": "the documentation"},
    )
    with tempfile.TemporaryDirectory() as made:
        page = Path(made) / "report.html"
        report(model, X, y, X_test=X_test, y_test=y_test, target="diagnosis", settings=settings, out=page)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            tab = browser.new_page(viewport={"width": 1100, "height": 980})
            tab.goto(page.as_uri())
            tab.screenshot(path=folder / "report.png")
            tab.click("#ask button.main")
            tab.locator("nav").evaluate("nav => nav.remove()")
            tab.locator("#ask").screenshot(path=folder / "report_person.png")
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
