"""One virtual environment a peer, each with the versions of the table below.

The peers cannot live together (gosdt needs scikit-learn < 1.8, pystreed pulls scikit-survival, pydl8.5 pulls
cvxpy), and none may sit in the environment that is measured. A worker script (`benchmarks/peers/*_worker.py`)
runs inside the peer's environment and talks JSON; nothing of treewright is installed there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "FOREST_PEERS",
    "PEERS",
    "REGRESSION_PEERS",
    "SET_PEERS",
    "SOLVERS",
    "Peer",
    "ensure",
    "interpreter",
    "worker_script",
]

HERE = Path(__file__).resolve().parent
DEFAULT_FOLDER = HERE / ".environments"


@dataclass(frozen=True)
class Peer:
    """A program to compare with.

    Parameters
    ----------
    name : str
        Name in tables, and of the worker script.
    requirements : tuple of str
        What pip installs, pinned.
    """

    name: str
    requirements: tuple[str, ...]


# The one table of versions.
PEERS = {
    peer.name: peer
    for peer in (
        Peer("gosdt", ("gosdt==1.0.4", "scikit-learn>=1.5,<1.8")),
        Peer("streed", ("pystreed==1.4.0",)),
        Peer("dl85", ("pydl8.5==0.1.8", "setuptools<81")),  # its sources import distutils and pkg_resources
        Peer("contree", ("pycontree==1.0.8",)),
    )
}
SOLVERS = ("treewright", *PEERS)
# Those that list near-optimal trees: `benchmarks.near_optimal`.
SET_PEERS = {
    peer.name: peer
    for peer in (
        Peer("treefarms", ("treefarms==0.2.4",)),
        Peer("praxis", ("tree-praxis==0.0.30",)),
        Peer("arborenum", ("arborenum==0.2.6",)),
    )
}
# Ensembles trained by gradients: `benchmarks.latent ensemble`.
FOREST_PEERS = {
    peer.name: peer
    for peer in (
        Peer("tabm", ("tabm==0.0.3", "scikit-learn>=1.5")),
        Peer("grande", ("torch>=2.5,<3", "scikit-learn>=1.5")),  # in PyTorch: `peers/_grande.py`
    )
}
# What `peers/_grande.py` is held against: `benchmarks.latent port`. Its encoders fail with newer scikit-learn.
FOREST_PACKAGES = {"grande_package": Peer("grande_package", ("GRANDE==0.1.6", "scikit-learn==1.5.2"))}
# Regression trees over binary columns, beside pystreed: `benchmarks.regression_binary`.
REGRESSION_PEERS = {"osrt": Peer("osrt", ("osrt==0.2.2",))}
EVERY_PEER = PEERS | SET_PEERS | FOREST_PEERS | FOREST_PACKAGES | REGRESSION_PEERS


def worker_script(solver: str) -> Path:
    """Return the script that fits one tree with `solver` inside the solver's own environment."""
    return HERE / "peers" / f"{solver}_worker.py"


def interpreter(solver: str, folder: Path = DEFAULT_FOLDER) -> Path:
    """Return the Python that runs the worker of `solver`; treewright's is the one that runs the benchmark."""
    if solver not in EVERY_PEER:
        return Path(sys.executable)
    return folder / solver / "bin" / "python"


def ensure(solver: str, folder: Path = DEFAULT_FOLDER) -> Path:
    """Create the environment of `solver` if it is absent or was made from other requirements.

    Returns
    -------
    Path
        Its Python interpreter.

    Raises
    ------
    RuntimeError
        If pip fails; the message holds the end of its output.
    """
    python = interpreter(solver, folder)
    if solver not in EVERY_PEER:
        return python
    wanted = "\n".join(EVERY_PEER[solver].requirements) + "\n"
    stamp = folder / solver / "requirements.txt"
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    shutil.rmtree(folder / solver, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "MAKEFLAGS": "-j1"}
    for command in (
        [sys.executable, "-m", "venv", str(folder / solver)],
        [str(python), "-m", "pip", "install", "--quiet", *EVERY_PEER[solver].requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode != 0:
            raise RuntimeError(
                f"Could not make the environment of {solver}: {' '.join(command[1:4])} ended with "
                f"{done.returncode}. End of its output:\n{(done.stdout + done.stderr)[-2000:]}"
            )
    stamp.write_text(wanted)
    return python


if __name__ == "__main__":
    for name in sys.argv[1:] or PEERS:
        print(name, ensure(name).is_file())
