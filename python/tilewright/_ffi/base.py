"""Errors and the version, by the path of 2024."""

from __future__ import annotations

from .._core import __version__
from ..error import TVMError, register_error

__all__ = ["TVMError", "__version__", "py_str", "register_error", "string_types"]

#: The classes of texts.
string_types = (str,)


def py_str(text: bytes) -> str:
    """The text of these bytes."""
    return text.decode("utf-8")
