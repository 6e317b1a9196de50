"""Helpers for tests of graph functions."""

from . import ast_printer, transform
from .ast_printer import ASTPrinter, dump_ast

__all__ = ["ASTPrinter", "ast_printer", "dump_ast", "transform"]
