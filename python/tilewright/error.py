"""Errors, as exceptions.

`str(error)` is the whole message as the command line prints it without colour: code, location in the user's source with
an underline, what was expected and found, and a next step where there is one; `error.diagnostics` is the same for
programs.
An exception that a Python callback raises is not wrapped: it comes back as itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DiagnosticSpan:
    """A location of a diagnostic: bytes from `start` to `end` of the text, lines and columns (in characters) from 1."""

    file: str
    #: Whether this is the location of the fault; the others explain it.
    primary: bool
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    #: The remark under the underline; often empty.
    label: str


@dataclass(frozen=True)
class Diagnostic:
    """One problem: everything that its text says."""

    #: "error" or "warning".
    severity: str
    #: A code such as "TW0303", whose page `python -m tilewright explain TW0303` prints; None where there is none.
    code: str | None
    message: str
    spans: tuple[DiagnosticSpan, ...]
    notes: tuple[str, ...]
    #: The next step, where there is one.
    help: str | None
    #: The text as the command line prints it without colour.
    rendered: str

    @property
    def span(self) -> DiagnosticSpan | None:
        """The location of the fault, if it has one."""
        return next((span for span in self.spans if span.primary), None)


class TVMError(RuntimeError):
    """Any error that the compiler or the runtime reports.

    `diagnostics` are the problems found; `code` names the kind of the first error and stays the same between versions,
    `file`, `line` and `column` (from 1) say where in the user's source, and are None for an error that has no location
    there.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    code: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None


class DiagnosticError(TVMError):
    """Text or IR that is wrong: syntax, unknown names, shapes, types. The message lists every problem found.

    Of a graph of PyTorch's, `nodes` are the names of the nodes that the problems are with.
    """

    nodes: Sequence[str] = ()


class WrongTypeError(TVMError, TypeError):
    """An object of a class that does not fit: `except TypeError` catches it too."""


class WrongValueError(TVMError, ValueError):
    """A value that does not fit: `except ValueError` catches it too."""


class UnknownNameError(TVMError, AttributeError, ValueError):
    """A name that no function or operator has: `except AttributeError` and `except ValueError` catch it too."""


class CheckFailedError(TVMError, AssertionError):
    """A property that a check demands and that does not hold: `except AssertionError` catches it too."""


#: The name of errors of TVM's own checks: programs expect it where any property does not hold.
InternalError = TVMError


class RPCError(TVMError):
    """A call on another machine failed."""


class RPCSessionTimeoutError(RPCError, TimeoutError):
    """A call on another machine took too long."""


class OpError(TVMError):
    """An operator cannot be used so."""


class OpNotImplemented(OpError, NotImplementedError):
    """There is no such operator."""


class OpAttributeRequired(OpError, AttributeError):
    """An attribute of an operator is missing."""


class OpAttributeInvalid(OpError, AttributeError):
    """An attribute of an operator has a value that does not fit."""


class OpAttributeUnImplemented(OpError, NotImplementedError):
    """An operator has no such attribute."""


#: Classes of errors by name: Python's own, and those that programs register.
ERROR_TYPE: dict[str, type[BaseException]] = {
    error.__name__: error
    for error in (
        AttributeError, IndexError, KeyError, MemoryError, NotImplementedError, RuntimeError, TypeError, ValueError,
        InternalError, RPCError, OpError, OpNotImplemented, OpAttributeRequired, OpAttributeInvalid,
        OpAttributeUnImplemented, DiagnosticError,
    )
}  # fmt: skip


def register_error(func_name: Any = None, cls: type | None = None) -> Any:
    """Gives a class of errors a name: its own, or this one. Also as a decorator, with or without the name."""
    if isinstance(func_name, type):
        return register_error(func_name.__name__, func_name)
    if cls is None:
        return lambda cls: register_error(func_name or cls.__name__, cls)
    ERROR_TYPE[func_name] = cls
    return cls


#: What renders diagnostics instead of us; see `tilewright.ir.diagnostics.override_renderer`.
renderer: Callable[[tuple[Diagnostic, ...]], str | None] | None = None


def make(kind: type[TVMError], message: str, parts: Iterable[tuple[Any, ...]]) -> TVMError:
    """An error with its fields; called by the core, with the fields of each diagnostic in order."""
    diagnostics = tuple(
        Diagnostic(severity, code, text, tuple(DiagnosticSpan(*span) for span in spans), tuple(notes), help, rendered)
        for severity, code, text, spans, notes, help, rendered in parts
    )
    if diagnostics and renderer is not None and (rendered := renderer(diagnostics)) is not None:
        message = rendered
    error = kind(message)
    error.diagnostics = diagnostics
    first = next((one for one in diagnostics if one.severity == "error"), None)
    if first is not None:
        error.code = first.code
    if first is not None and (place := first.span) is not None:
        error.file, error.line, error.column = place.file, place.line, place.column
    return error
