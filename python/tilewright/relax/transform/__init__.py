"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module."""

from . import legalize_ops, transform, tuning
from .transform import *
from .tuning import *

__all__ = ["legalize_ops", "transform", "tuning", *transform.__all__, *tuning.__all__]


def __getattr__(name: str) -> object:
    from ...compat.absent import absent_name

    return absent_name(__name__, name)
