"""Diagnostics as values, and functions that render them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .. import error
from ..error import Diagnostic, DiagnosticError, DiagnosticSpan

__all__ = [
    "Diagnostic",
    "DiagnosticContext",
    "DiagnosticError",
    "DiagnosticSpan",
    "override_renderer",
]


@dataclass(frozen=True)
class DiagnosticContext:
    """The problems that one call found, in the order of the text."""

    diagnostics: tuple[Diagnostic, ...]

    def render(self) -> str:
        """The problems as the command line prints them without colour."""
        return "\n\n".join(diagnostic.rendered for diagnostic in self.diagnostics)


def override_renderer(render_func: Callable[[DiagnosticContext], str | None] | None) -> None:
    """Lets a function render the problems of every error from now on.

    What it returns becomes the exception's text; None leaves the text as it is, for a function that shows the problems
    elsewhere. Without a function, all is as before.
    """
    error.renderer = None if render_func is None else lambda found: render_func(DiagnosticContext(found))
