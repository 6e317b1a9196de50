"""Helpers for tests of graph functions."""

from . import ast_printer, nn, transform
from .ast_printer import ASTPrinter, dump_ast
from .attention import get_relax_attention_module, get_relax_stacked_attention_module
from .matmul import get_relax_matmul_module

__all__ = [
    "ASTPrinter",
    "ast_printer",
    "dump_ast",
    "get_relax_attention_module",
    "get_relax_matmul_module",
    "get_relax_stacked_attention_module",
    "nn",
    "transform",
]
