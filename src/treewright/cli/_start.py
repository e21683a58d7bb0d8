"""The first moments of the program: streams and signals are set right before anything large is loaded."""

from __future__ import annotations

from treewright.cli._output import mend_streams
from treewright.cli._stop import end_at_once

__all__ = ["main"]


def main() -> None:
    """Run the program.

    Examples
    --------
    >>> import subprocess, sys
    >>> command = [sys.executable, "-c", "from treewright.cli import main; main()", "--help"]
    >>> "Decision trees" in subprocess.run(command, capture_output=True, text=True).stdout
    True
    """
    end_at_once()
    mend_streams()
    from treewright.cli._app import app

    app()
