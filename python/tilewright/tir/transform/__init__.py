"""Passes on the loop level."""

from .function_pass import prim_func_pass

__all__ = ["prim_func_pass"]
