"""The cache of what sessions have compiled: executables by the content of what they were compiled from."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from . import _core
from .error import TVMError

__all__ = ["Cache", "key_of"]

#: Bytes that the cache holds, at most; the entries that were not read for the longest time go first.
MAX_BYTES = 8 << 30
#: The key under which a tensor of ONNX says in which file it lies, as it is encoded.
EXTERNAL = b"\x0a\x08location"


def key_of(model: Any, target: Any, options: Any) -> str:
    """The key of a model, its files, the machine, the options and the passes in scope."""
    from .ir.transform import PassContext
    from .target import Target

    path = None if isinstance(model, (bytes, bytearray, memoryview)) else Path(os.fspath(model))
    content = bytes(model) if path is None else path.read_bytes()
    found = hashlib.sha256(content)
    if path is not None and EXTERNAL in content:
        # Tensors lie in other files of the folder, whose names the model says.
        for other in sorted(file for file in path.parent.rglob("*") if file.is_file() and file != path):
            name = other.relative_to(path.parent).as_posix()
            if name.encode() in content:
                found.update(name.encode())
                found.update(other.read_bytes())
    core = os.stat(_core.__file__)
    compiler = (_core.__version__, core.st_size, core.st_mtime_ns)
    scope = PassContext.current()
    passes = (
        scope.opt_level,
        sorted(scope.required_pass),
        sorted(scope.disabled_pass),
        sorted(map(str, scope.config.items())),
    )
    said = [repr(compiler), str(Target.choose(target)), repr(options), repr(passes)]
    found.update("\0".join(said).encode())
    return found.hexdigest()


class Cache:
    """A folder of executables."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @classmethod
    def of(cls, chosen: bool | str | os.PathLike[str]) -> Cache | None:
        """The folder that a user has chosen; `None` for no cache."""
        if chosen is False:
            return None
        if chosen is not True:
            return cls(chosen)
        if own := os.environ.get("TILEWRIGHT_CACHE"):
            return cls(own)
        caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return cls(Path(caches) / "tilewright")

    def read(self, key: str) -> tuple[_core.Executable, dict[str, Any]] | None:
        """The executable and the names of a key; `None` where there is none, or a damaged one."""
        path, described = self._paths(key)
        try:
            names = json.loads(described.read_text())
            executable = _core.Executable.load(path)
            os.utime(path)
        except (OSError, ValueError, TVMError):
            return None
        return executable, names

    def write(self, key: str, executable: _core.Executable, names: dict[str, Any]) -> None:
        """Keeps an executable. A folder that cannot be written to keeps nothing."""
        path, described = self._paths(key)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._replace(path, executable.save)
            self._replace(described, lambda new: Path(new).write_text(json.dumps(names)))
            self._bound(path)
        except OSError:
            return

    def _paths(self, key: str) -> tuple[Path, Path]:
        return self.folder / f"{key}.tw", self.folder / f"{key}.json"

    def _replace(self, path: Path, write: Any) -> None:
        """Writes a file under another name first: others see all of it, or nothing."""
        handle, new = tempfile.mkstemp(dir=self.folder, suffix=".part")
        os.close(handle)
        try:
            write(new)
            os.replace(new, path)
        except BaseException:
            os.unlink(new)
            raise

    def _bound(self, newest: Path) -> None:
        """Removes what was read last, until the rest fits."""
        files = [(file.stat(), file) for file in self.folder.glob("*.tw") if file != newest]
        left = MAX_BYTES - newest.stat().st_size
        for state, file in sorted(files, key=lambda entry: entry[0].st_mtime, reverse=True):
            left -= state.st_size
            if left < 0:
                file.unlink(missing_ok=True)
                file.with_suffix(".json").unlink(missing_ok=True)
