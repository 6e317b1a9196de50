"""What both levels of the IR share: modules, comparison, passes."""

from . import base, instrument, module, transform
from .base import assert_structural_equal, structural_equal, structural_hash
from .module import GlobalVar, IRModule

__all__ = [
    "GlobalVar",
    "IRModule",
    "assert_structural_equal",
    "base",
    "instrument",
    "module",
    "structural_equal",
    "structural_hash",
    "transform",
]
