"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module."""

from . import transform
from .transform import *

__all__ = ["transform", *transform.__all__]
