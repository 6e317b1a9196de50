"""From modules and functions to code."""

from . import build_module
from .build_module import build, compile, lower

__all__ = ["build", "build_module", "compile", "lower"]
