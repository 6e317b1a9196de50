"""Printing TVMScript, in colour where the output is a terminal."""

from __future__ import annotations

import os
import sys

from .._core import highlight

__all__ = ["cprint", "highlight"]


def cprint(text: str) -> None:
    """Prints a script to standard output."""
    print(highlight(text) if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text)
