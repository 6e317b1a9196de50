"""A word for the sort of the computations that are made inside of a `with`."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, Self

from ..error import WrongValueError

__all__ = ["TagScope", "current_tag", "tag_scope"]

_current: ContextVar[str | None] = ContextVar("tilewright.te.tag", default=None)


class TagScope:
    """The scope of a word; also as a decorator of functions."""

    def __init__(self, tag: str) -> None:
        self.tag = tag

    def __enter__(self) -> Self:
        if _current.get() is not None:
            raise WrongValueError("a scope of a tag is open already: scopes of tags do not nest")
        _current.set(self.tag)
        return self

    def __exit__(self, *_: object) -> None:
        _current.set(None)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its computations in this scope."""

        @wraps(function)
        def tagged(*args: Any, **kwargs: Any) -> Any:
            with TagScope(self.tag):
                return function(*args, **kwargs)

        return tagged


def tag_scope(tag: str) -> TagScope:
    """The scope of a word: `with te.tag_scope(tag="injective"):`."""
    return TagScope(tag)


def current_tag() -> str | None:
    """The word of the open scope, if there is one."""
    return _current.get()
