"""The same names by the path that some programs import them from."""

from .. import ir, relax, tir
from ..entry import from_source, ir_module

__all__ = ["from_source", "ir", "ir_module", "relax", "tir"]
