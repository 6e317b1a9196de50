"""The user's cache of what models' files became."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

from .compile import TARGET

__all__ = ["cache_folder", "move_into_place"]


def cache_folder(path: Path, *said: Any) -> Path:
    """A folder for what a file or folder becomes with these choices: another one when a file, this package or the
    processor changes.
    """
    from .. import __version__, _core

    own, machine = Path(_core.__file__).stat(), _core.Target(TARGET)
    written = max(file.stat().st_mtime_ns for file in Path(__file__).parent.rglob("*.py"))
    said = (*said, __version__, written, own.st_size, own.st_mtime_ns, machine.features, machine.units)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    facts = [(str(file.resolve()), (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files if file.is_file()]
    key = hashlib.blake2b(repr((facts, said)).encode(), digest_size=16).hexdigest()
    root = os.environ.get("TILEWRIGHT_CACHE_DIR") or Path.home() / ".cache" / "tilewright"
    return Path(root) / "llm" / key


def move_into_place(part: Path, folder: Path, last: str) -> None:
    """Moves a folder into its place, unless another process has put the same there meanwhile: then it has `last`, the
    file that is written last.
    """
    try:
        part.rename(folder)
    except OSError:
        if not (folder / last).is_file():
            # What was left of an attempt that did not end.
            shutil.rmtree(folder)
            part.rename(folder)
