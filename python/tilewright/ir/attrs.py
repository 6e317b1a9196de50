"""Attributes: plain data by name."""

from __future__ import annotations

from typing import Any

from .container import Map

__all__ = ["Attrs", "DictAttrs", "make_node"]


class Attrs(Map):
    """Attributes of a call, function, block or module: `attrs["axis"]`, and `attrs.axis` for names that no dict has."""

    def __getattr__(self, name: str) -> Any:
        """The attribute of this name."""
        if name in self:
            return self[name]
        raise AttributeError(f"there is no attribute `{name}` here")


class DictAttrs(Attrs):
    """Attributes from a dict."""


def make_node(type_key: str, **kwargs: Any) -> Any:
    """Attributes by name: `make_node("ir.DictAttrs", axis=1)`."""
    return DictAttrs(kwargs)
