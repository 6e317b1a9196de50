"""The text of a program with its location."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

__all__ = ["Source"]


class Source:
    """The text of a program: of a string itself, of a class or function that of its file.

    `source` has the indentation removed, which `start_column` counts; `start_line` counts from 1, `full_source` is the
    whole file.
    """

    def __init__(self, program: Any) -> None:
        self.source_name, self.start_line, self.start_column = "<str>", 1, 0
        if isinstance(program, str):
            self.source = self.full_source = program
            return
        self.source_name = inspect.getsourcefile(program) or "<unknown>"
        lines, self.start_line = inspect.getsourcelines(program)
        self.start_column = len(lines[0]) - len(lines[0].lstrip())
        self.source = textwrap.dedent("".join(lines))
        module = inspect.getmodule(program)
        self.full_source = self.source if module is None else inspect.getsource(module)

    def as_ast(self) -> ast.Module:
        """The tree of Python's own parser."""
        return ast.parse(self.source, self.source_name)
