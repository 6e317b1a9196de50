"""TVMScript: modules and functions as text in Python's syntax.

`ir_module` on a class, `tir.prim_func` and `relax.function` on a function read the text of what they decorate; the
code itself is never run. `from_source` reads text.
"""

from . import ir, parser, printer, relax, tir
from .entry import from_source, ir_module

__all__ = ["from_source", "ir", "ir_module", "parser", "printer", "relax", "tir"]
