"""Write the pictures of web pages in docs/images: a report, the form of one person, curves of survival, a notebook.

Usage: python tools/screenshots.py docs/images   (needs Chromium and Playwright, as the tests of the report do)
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from treewright import OptimalSurvivalTree, OptimalTreeClassifier
from treewright.show import report
from treewright.table import ColumnNote, Settings

FLAGS = ["--no-sandbox", "--disable-gpu"]


def main(folder: Path) -> None:
    """Make a report of the breast cancer data and one of made-up patients, and take the pictures."""
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
            survival(folder, page, browser)
            notebook(folder, model, browser)
            browser.close()


def notebook(folder: Path, model: OptimalTreeClassifier, browser: Browser) -> None:
    """Take the picture of what a notebook shows of a fitted estimator."""
    tab = browser.new_page(viewport={"width": 1000, "height": 800})
    tab.set_content(f"<body style='margin: 16px'><div id=shown>{model._repr_html_()}</div>")
    tab.locator("#shown").screenshot(path=folder / "notebook.png")


def survival(folder: Path, page: Path, browser: Browser) -> None:
    """Make a report of made-up patients, and take the picture of its leaves."""
    rng = np.random.default_rng(1)
    n = 600
    X = pd.DataFrame({"age": rng.integers(30, 90, n), "stage": rng.integers(1, 5, n)})
    time = rng.exponential(60 / np.exp(0.5 * (X["stage"] - 1) + 0.6 * (X["age"] > 70)).to_numpy())
    censored = rng.uniform(6, 72, n)
    seen, months = time <= censored, np.minimum(time, censored).round(1)
    train, test = slice(0, 400), slice(400, n)
    model = OptimalSurvivalTree(cost_complexity=0.01, max_depth=2).fit(X[train], (seen[train], months[train]))
    settings = Settings(notes={"survival": ColumnNote(unit="months")})
    rows = {"X_test": X[test], "y_test": (seen[test], months[test])}
    report(
        model, X[train], (seen[train], months[train]), **rows, target="survival", settings=settings, out=page
    )
    tab = browser.new_page(viewport={"width": 1100, "height": 980})
    tab.goto(page.as_uri())
    tab.locator("nav").evaluate("nav => nav.remove()")
    tab.locator("#leaves").screenshot(path=folder / "report_survival.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
