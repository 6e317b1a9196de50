"""Temporary folders and files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["FileLock", "TempDirectory", "filelock", "is_source_path", "tempdir", "which"]


class TempDirectory:
    """A folder that goes with the object that names it; `custom_path` is one that need not be there yet."""

    #: Inside of `set_keep_for_debug`, folders stay.
    _keep = False

    def __init__(self, custom_path: str | None = None, keep_for_debug: bool | None = None) -> None:
        self._kept = TempDirectory._keep if keep_for_debug is None else keep_for_debug
        self._removed = False
        if custom_path is None:
            self.temp_dir = tempfile.mkdtemp()
        else:
            os.makedirs(custom_path)
            self.temp_dir = custom_path

    @classmethod
    @contextlib.contextmanager
    def set_keep_for_debug(cls, set_to: bool = True) -> Iterator[None]:
        """Folders that are made inside stay."""
        before, cls._keep = cls._keep, set_to
        try:
            yield
        finally:
            cls._keep = before

    def remove(self) -> None:
        """Removes the folder, unless it stays."""
        if not (self._removed or self._kept):
            self._removed = True
            shutil.rmtree(self.temp_dir, ignore_errors=True)

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self.temp_dir)

    def __truediv__(self, other: Any) -> Path:
        return self.path / other

    def relpath(self, name: str) -> str:
        """The path of a name in the folder."""
        return os.path.join(self.temp_dir, name)

    def listdir(self) -> list[str]:
        """The names in the folder."""
        return os.listdir(self.temp_dir)

    def __enter__(self) -> TempDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.remove()


def tempdir(custom_path: str | None = None, keep_for_debug: bool | None = None) -> TempDirectory:
    """A temporary folder."""
    return TempDirectory(custom_path, keep_for_debug)


class FileLock:
    """A lock that processes share by the name of a file; it is held until `release`."""

    def __init__(self, path: str) -> None:
        import fcntl

        self.file = open(path, "w")  # noqa: SIM115
        fcntl.lockf(self.file, fcntl.LOCK_EX)

    def release(self) -> None:
        """Lets others have it."""
        import fcntl

        if self.file is not None:
            fcntl.lockf(self.file, fcntl.LOCK_UN)
            self.file.close()
            self.file = None


def filelock(path: str) -> FileLock:
    """The lock of this file."""
    return FileLock(path)


def is_source_path(path: str) -> bool:
    """Whether the text is the path of a file of source code."""
    return "\n" not in path and path.split(".")[-1] in ("cc", "cpp", "c", "cu", "h", "hpp", "py")


def which(exec_name: str) -> str | None:
    """The path of a program, if there is one of this name."""
    return shutil.which(exec_name)
