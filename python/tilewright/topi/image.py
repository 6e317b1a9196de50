"""Images: other sizes, and places in them."""

from __future__ import annotations

from .formula import functions

_NAMES = {name: f"image.{name}" for name in ("grid_sample", "resize2d")}

globals().update(functions(_NAMES))

__all__ = sorted(name for name in _NAMES if name in globals())
