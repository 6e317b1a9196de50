"""Printing TVMScript, in colour where the output shows colours: a terminal, or a cell of a notebook."""

from __future__ import annotations

import os
import sys
from typing import Any

from .._core import highlight, highlight_html

__all__ = ["cprint", "highlight", "highlight_html"]


def cprint(printable: Any, style: str | None = None, black_format: bool = False) -> None:
    """Prints a script, given as text or as what has one, to standard output.

    `NO_COLOR` turns colours off, `FORCE_COLOR` turns them on. There is one style, and texts are in their final form.
    """
    text = printable if isinstance(printable, str) else printable.script()
    notebook = type(sys.stdout).__module__.startswith("ipykernel")
    shows_colours = notebook or sys.stdout.isatty() or "FORCE_COLOR" in os.environ
    print(highlight(text) if shows_colours and "NO_COLOR" not in os.environ else text)
