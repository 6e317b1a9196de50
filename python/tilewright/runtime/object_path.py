"""Ways from a root of the IR to a part of it, such as `<root>.functions[main].body.blocks[0]`."""

from __future__ import annotations

from .._core import ObjectPath

__all__ = ["ObjectPath"]
