"""Results of functions that are kept in a file between runs."""

from __future__ import annotations

import atexit
import os
import pickle
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

__all__ = ["Cache", "memoize"]


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "tilewright" / "memoize"


class Cache:
    """Results by arguments, in a file of this name."""

    def __init__(self, key: str, save_at_exit: bool = False) -> None:
        self.path = _folder() / f"{key}.pickle"
        self.cache: dict[Any, Any] = {}
        self.dirty, self.save_at_exit = False, save_at_exit
        try:
            self.cache = pickle.loads(self.path.read_bytes())
        except (OSError, ValueError, EOFError, pickle.UnpicklingError, AttributeError, ImportError):
            self.cache = {}

    def save(self) -> None:
        """Writes the file, if anything is new."""
        if self.dirty:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            written = self.path.with_suffix(f".{os.getpid()}")
            written.write_bytes(pickle.dumps(self.cache, pickle.HIGHEST_PROTOCOL))
            written.replace(self.path)
            self.dirty = False


def memoize(key: str, save_at_exit: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keeps a function's results by its arguments, and with `save_at_exit` in a file that the next run reads."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        known: dict[Any, Any] = {}
        kept = Cache(f"{function.__module__}.{function.__qualname__}.{key}") if save_at_exit else None
        if kept is not None:
            atexit.register(kept.save)

        @wraps(function)
        def remembered(*args: Any, **kwargs: Any) -> Any:
            found = known if kept is None else kept.cache
            name = (tuple(args), tuple(sorted(kwargs.items())))
            if name not in found:
                found[name] = function(*args, **kwargs)
                if kept is not None:
                    kept.dirty = True
            return found[name]

        return remembered

    return decorate
