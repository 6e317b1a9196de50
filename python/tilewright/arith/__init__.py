"""Arithmetic on integers of the IR: simplification, bounds, sets, iterator maps, linear systems."""

from . import analyzer, bound, int_set, int_solver, iter_affine_map, pattern
from .analyzer import *
from .bound import *
from .int_set import *
from .int_solver import *
from .iter_affine_map import *
from .pattern import *

__all__ = [
    *analyzer.__all__,
    *bound.__all__,
    *int_set.__all__,
    *int_solver.__all__,
    *iter_affine_map.__all__,
    *pattern.__all__,
]
