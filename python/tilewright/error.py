"""What goes wrong, as exceptions.

`str(error)` is the whole message as the command line prints it: code, place in the user's source with an underline,
what was expected and found, and a next step where there is one. An exception that a Python callback raises is not
wrapped: it comes back as itself.
"""

from __future__ import annotations


class TVMError(RuntimeError):
    """Any error that the compiler or the runtime reports.

    `code` names the kind of error and stays the same between versions, `file`, `line` and `column` (from 1) say where
    in the user's source, and are None for an error that has no place there.
    """

    code: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None


class DiagnosticError(TVMError):
    """Text or IR that is wrong: syntax, unknown names, shapes, types. The message lists every problem found."""


class WrongTypeError(TVMError, TypeError):
    """An object of a class that does not fit: `except TypeError` catches it too."""


def make(
    kind: type[TVMError], message: str, code: str | None, file: str | None, line: int | None, column: int | None
) -> TVMError:
    """An error with its fields; called by the core."""
    error = kind(message)
    error.code, error.file, error.line, error.column = code, file, line, column
    return error
