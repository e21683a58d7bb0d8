"""Files are written whole or not at all, whoever kills the writer, and leave nothing behind."""

import os
import stat
import subprocess
import sys

import pytest

from treewright.convert import check_writable, write_bytes
from treewright.convert._files import _open_hidden
from treewright.errors import InputError

fcntl = pytest.importorskip("fcntl", reason="no locks on this system")

KILLED = """
import os, signal, sys
import treewright.convert
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
treewright.convert.write_bytes(sys.argv[1], b"new")
"""


def test_what_a_killed_writer_left_goes_with_the_next_write(tmp_path):
    target = tmp_path / "model.json"
    write_bytes(target, b"old")
    unrelated = [".model.json.swp", ".model.json.notes.part", ".other.json.0123abcd.part"]
    for name in unrelated:
        (tmp_path / name).write_bytes(b"")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert killed.returncode == -9
    assert target.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 5  # the hidden file is there
    check_writable(target)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*unrelated, "model.json"])
    write_bytes(target, b"new")
    assert target.read_bytes() == b"new"


def test_a_writer_at_work_is_left_alone(tmp_path):
    target = tmp_path / "model.json"
    handle, hidden = _open_hidden(target)
    try:
        write_bytes(target, b"mine")
        assert hidden.exists()
    finally:
        os.close(handle)
    write_bytes(target, b"mine")
    assert not hidden.exists()


def test_permissions_without_touching_the_umask(tmp_path, monkeypatch):
    mask = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask is that of all threads"))
        target = tmp_path / "model.json"
        write_bytes(target, b"new")
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
        for mode in (0o600, 0o666):
            target.chmod(mode)
            write_bytes(target, b"again")
            assert stat.S_IMODE(target.stat().st_mode) == mode
    finally:
        monkeypatch.undo()
        os.umask(mask)


def test_links_pipes_and_folders(tmp_path):
    target, link = tmp_path / "model.json", tmp_path / "link.json"
    write_bytes(target, b"old")
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    with pytest.raises(InputError, match="folder"):
        write_bytes(tmp_path, b"")
    with pytest.raises(InputError, match="no folder"):
        write_bytes(tmp_path / "absent" / "model.json", b"")
    if os.path.exists("/dev/full"):
        with pytest.raises(InputError, match="Cannot write /dev/full"):
            write_bytes("/dev/full", b"x" * 100_000)
