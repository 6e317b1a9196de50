"""What watches passes on graphs."""

from . import instrument

__all__ = ["instrument"]
