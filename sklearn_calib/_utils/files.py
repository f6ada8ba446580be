"""Write a file wholly or not at all."""

import errno
import os
import stat
from contextlib import suppress
from uuid import uuid4

from .options import check_path


def write_file(path, content):
    """Put content into a file, in which there is all of it afterwards, or else what was there.

    The content goes to a temporary file in the same folder, and from memory to the disk, before
    this file takes the place of the other one. A symbolic link stays one, and an existing file
    keeps its permissions. What is no regular file, such as a pipe, is written to as it is.

    Parameters
    ----------
    path : str or os.PathLike of str
        The file.
    content : bytes
        What to put there.

    Raises
    ------
    TypeError
        If `path` is neither text nor a path.
    ValueError
        If `path` is a folder, or is in a folder that does not exist.
    OSError
        If the system refuses; its `filename` is `path`.
    """
    name = check_path(path)
    if "\0" in name:
        raise ValueError(f"path must not contain the character NUL, got {name!r}")
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise ValueError(f"path must be a file, got the folder {name!r}; name a file in it")
    try:
        before = os.stat(name) if os.path.exists(name) else None
        if before and not stat.S_ISREG(before.st_mode):
            with open(name, "wb") as special:
                special.write(content)
            return
        if not os.path.isdir(folder):
            raise ValueError(f"path must be in a folder that exists, got {name!r}; make {folder}")
        if before and not os.access(name, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _replace(target, folder, before, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from error


def _replace(target, folder, before, content):
    temporary = os.path.join(folder, f".{uuid4().hex}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if before:
            with suppress(OSError, AttributeError):  # only an administrator may give files away
                os.chown(temporary, before.st_uid, before.st_gid)
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    # The name of the file is on the disk when the folder is; not every system opens folders.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
