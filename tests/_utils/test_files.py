"""A file is written wholly or not at all; links, permissions and other files stay as they were."""

import errno
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sklearn_calib._utils.files import write_file

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and pipes of POSIX")


@pytest.mark.parametrize("name", ["a.html", Path("a.html"), "sub/../a.html", "ü ' \" <&.html"])
def test_new_and_existing_files(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for content in (b"first, which is longer", b"second", b""):
        write_file(name, content)
        assert Path(name).read_bytes() == content
    assert len(os.listdir()) == 2


STEPS = ["open", "fsync", "replace"]
FAULTS = [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", FAULTS, ids=["full", "interrupted"])
@pytest.mark.parametrize("exists", [True, False])
def test_a_fault_leaves_the_old_file_and_no_other(step, fault, exists, tmp_path, monkeypatch):
    path = tmp_path / "a.html"
    if exists:
        path.write_bytes(b"old")

    def fail(*args, **options):
        raise fault

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(fault)) as caught:
        write_file(path, b"new")
    monkeypatch.undo()
    if isinstance(fault, OSError):
        assert caught.value.errno == errno.ENOSPC
        assert caught.value.filename == str(path)
    assert [one.name for one in tmp_path.iterdir()] == (["a.html"] if exists else [])
    assert not exists or path.read_bytes() == b"old"


def test_content_is_on_the_disk_before_it_takes_the_place(tmp_path, monkeypatch):
    done = []
    for step in ("fsync", "replace"):
        real = getattr(os, step)
        monkeypatch.setattr(
            os, step, lambda *a, step=step, real=real: (done.append(step), real(*a))
        )
    write_file(tmp_path / "a", b"new")
    assert done[:2] == ["fsync", "replace"]


def test_readers_see_one_of_the_contents_whole(tmp_path):
    path, contents = tmp_path / "a", {bytes([k]) * 100_000 for k in range(20)}
    write_file(path, bytes(100_000))
    with ThreadPoolExecutor(4) as pool:
        written = [pool.submit(write_file, path, content) for content in sorted(contents)]
        seen = [path.read_bytes() for _ in range(30)]
        for one in written:
            one.result()
    assert set(seen) | {path.read_bytes()} <= contents
    assert os.listdir(tmp_path) == ["a"]


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_an_existing_file_keeps_its_permissions_and_owner(mode, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    before = path.stat()
    write_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert (path.stat().st_uid, path.stat().st_gid) == (before.st_uid, before.st_gid)


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_that_are_usual(mask, tmp_path):
    before = os.umask(mask)
    try:
        write_file(tmp_path / "a", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~mask


@posix
def test_a_protected_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    # An administrator, as tests may be run by, is allowed to do everything.
    monkeypatch.setattr(os, "access", lambda name, mode: False)
    with pytest.raises(PermissionError, match=r"Permission denied: '.*a'"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"


@posix
def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("there", "dangling"):
        (tmp_path / name).symlink_to(tmp_path / "sub" / name)
    (tmp_path / "sub" / "there").write_bytes(b"old")
    for name in ("there", "dangling"):
        write_file(tmp_path / name, b"new")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "sub" / name).read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path / "sub")) == ["dangling", "there"]


@posix
def test_what_is_no_regular_file_is_written_to(tmp_path):
    write_file(os.devnull, b"new")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write_file(pipe, b"new")
        assert read.result(timeout=30) == b"new"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("path", [1, True, None, b"a.html", 1.5, ["a"]])
def test_what_is_no_path_is_refused(path, capfd):
    with pytest.raises(TypeError, match="path must be text or a path, got "):
        write_file(path, b"new")
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (".", "got the folder '.'; name a file in it"),
        ("", "got the folder ''"),
        ("missing/a.html", "path must be in a folder that exists"),
        ("file/a.html", "path must be in a folder that exists"),
        ("a\0b", "path must not contain the character NUL"),
    ],
)
def test_paths_that_cannot_be_files(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(b"old")
    with pytest.raises(ValueError, match=words.replace(".", "[.]")):
        write_file(name, b"new")
    assert os.listdir() == ["file"]
    assert Path("file").read_bytes() == b"old"


@pytest.mark.skipif(sys.platform != "linux", reason="names of at most 255 bytes")
def test_a_name_that_the_system_refuses_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match="File name too long") as caught:
        write_file(tmp_path / ("a" * 300), b"new")
    assert caught.value.filename == str(tmp_path / ("a" * 300))
    assert os.listdir(tmp_path) == []
    write_file(tmp_path / ("a" * 250), b"new")
