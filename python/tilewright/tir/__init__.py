"""The loop level: functions over buffers."""

from . import function
from .function import PrimFunc

__all__ = ["PrimFunc", "function"]
