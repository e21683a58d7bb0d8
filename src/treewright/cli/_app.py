"""The program `treewright`: its commands, and the exit codes that they share.

Only typer is loaded here. Each command loads what it needs when it runs, so that ``treewright --help`` is fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from treewright import __version__
from treewright.cli._audit import audit
from treewright.cli._choose import choose
from treewright.cli._command import Command
from treewright.cli._demo import demo
from treewright.cli._export import export
from treewright.cli._extend import extend
from treewright.cli._fit import fit
from treewright.cli._frontier import frontier
from treewright.cli._look import look
from treewright.cli._near_optimal import near_optimal
from treewright.cli._predict import predict
from treewright.cli._query import query
from treewright.cli._reborn import reborn
from treewright.cli._report import report
from treewright.cli._show import show
from treewright.cli._verify import verify

__all__ = ["app"]

HELP = """Decision trees that people can read, check and trust: exact search with a proof of optimality.

\b
A first session:
  treewright demo
  treewright look data.csv --target y
  treewright fit data.csv --target y --out model.json
  treewright frontier data.csv --target y --max-leaves 20
  treewright near-optimal data.csv --target y --epsilon 0.05 --out set.json
  treewright query set.json --without age
  treewright choose set.json --out choose.html
  treewright show model.json --out tree.png
  treewright predict model.json new.csv --out predictions.csv
  treewright verify model.json data.csv
  treewright export model.json --to sql --table patients
  treewright report model.json data.csv --out report.html
  treewright audit model.json test.csv --group sex
  treewright reborn forest.json --out tree.json
  treewright extend model.json data.csv

\b
Exit codes:
  0    done, and every check holds
  1    a check failed: not verified, or not proven optimal where that was required
  2    bad input: a file, a column, an option; the message says what to do
  130  interrupted by Ctrl-C (fit, frontier, near-optimal and reborn have then saved what they found)
  143  ended by SIGTERM, likewise
"""

app = typer.Typer(
    name="treewright",
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=Command, short_help="Show what a CSV file contains and what to decide before a fit.")(look)
app.command(cls=Command, short_help="Find the optimal tree for a CSV file.")(fit)
app.command(cls=Command, short_help="Find the best tree for each number of leaves.")(frontier)
app.command(cls=Command, short_help="Find, count and query all near-optimal trees.")(near_optimal)
app.command(cls=Command, short_help="Query a saved set of near-optimal trees.")(query)
app.command(cls=Command, short_help="Write a web page for choosing one of these trees.")(choose)
app.command(cls=Command, short_help="Predict the rows of a CSV file.")(predict)
app.command(cls=Command, short_help="Show a tree as text, Graphviz or a picture.")(show)
app.command(cls=Command, short_help="Write a web page about a tree.")(report)
app.command(cls=Command, short_help="Count a tree's errors by group.")(audit)
app.command(cls=Command, short_help="Check a tree against its data or its ensemble.")(verify)
app.command(cls=Command, short_help="Turn a forest or boosted model into one tree.")(reborn)
app.command(cls=Command, short_help="Export a tree to scikit-learn, ONNX, SQL, C, Python, or rules.")(export)
app.command(cls=Command, short_help="Fit a model in each leaf of a saved tree.")(extend)
app.command(cls=Command, short_help="See proven trees on real data.")(demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"treewright {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
