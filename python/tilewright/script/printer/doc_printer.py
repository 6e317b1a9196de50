"""Documents as text.

Expressions get parentheses where Python's precedence asks for them. While it writes, the printer notes which part of
the text each document of a wanted path became; these parts are underlined afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..._core import ObjectPath
from ...error import WrongValueError
from . import doc as d
from .doc import Doc, OperationKind

__all__ = ["to_python_script"]

_SIGNS = {
    OperationKind.USub: "-", OperationKind.Invert: "~", OperationKind.Not: "not ", OperationKind.Add: "+",
    OperationKind.Sub: "-", OperationKind.Mult: "*", OperationKind.Div: "/", OperationKind.FloorDiv: "//",
    OperationKind.Mod: "%", OperationKind.Pow: "**", OperationKind.LShift: "<<", OperationKind.RShift: ">>",
    OperationKind.BitAnd: "&", OperationKind.BitOr: "|", OperationKind.BitXor: "^", OperationKind.Lt: "<",
    OperationKind.LtE: "<=", OperationKind.Eq: "==", OperationKind.NotEq: "!=", OperationKind.Gt: ">",
    OperationKind.GtE: ">=", OperationKind.And: "and", OperationKind.Or: "or",
}  # fmt: skip

#: Operators by how tightly they bind, the loosest first.
_LOOSEST_FIRST = (
    (OperationKind.IfThenElse,), (OperationKind.Or,), (OperationKind.And,), (OperationKind.Not,),
    (OperationKind.Lt, OperationKind.LtE, OperationKind.Eq, OperationKind.NotEq, OperationKind.Gt, OperationKind.GtE),
    (OperationKind.BitOr,), (OperationKind.BitXor,), (OperationKind.BitAnd,),
    (OperationKind.LShift, OperationKind.RShift), (OperationKind.Add, OperationKind.Sub),
    (OperationKind.Mult, OperationKind.Div, OperationKind.FloorDiv, OperationKind.Mod),
    (OperationKind.USub, OperationKind.Invert), (OperationKind.Pow,),
)  # fmt: skip
_LAMBDA = 1
_BINDING = {kind: level for level, kinds in enumerate(_LOOSEST_FIRST, 2) for kind in kinds}
_ATOM = len(_LOOSEST_FIRST) + 2


def _binding(doc: Doc) -> int:
    """How tightly an expression binds."""
    if isinstance(doc, d.OperationDoc):
        return _BINDING.get(doc.kind, _ATOM)
    return _LAMBDA if isinstance(doc, d.LambdaDoc) else _ATOM


class _Printer:
    """Writes one document."""

    def __init__(self, spaces: int, wanted: Sequence[ObjectPath]) -> None:
        self.spaces, self.indent = spaces, 0
        self.text = ""
        #: For each wanted path, how long the best match is, and the parts of the text that match so well.
        self.wanted = [(path, [-1, []]) for path in wanted]

    def write(self, text: str) -> None:
        self.text += text

    def line(self) -> None:
        self.text += "\n" + " " * self.indent

    def doc(self, doc: Doc) -> None:
        begin = len(self.text)
        getattr(self, f"_{type(doc).__name__}")(doc)
        for path in doc.source_paths:
            self._note(path, begin)

    def _note(self, path: ObjectPath, begin: int) -> None:
        for wanted, best in self.wanted:
            length = _length(path)
            if length >= best[0] and path.is_prefix_of(wanted):
                if length > best[0]:
                    best[:] = [length, []]
                best[1].append((begin, len(self.text)))

    def spans(self) -> list[tuple[int, int]]:
        """The parts of the text to underline."""
        return [span for _, (_, spans) in self.wanted for span in spans]

    def joined(self, docs: Sequence[Doc], write: Callable[[Doc], None] | None = None) -> None:
        for index, doc in enumerate(docs):
            if index:
                self.write(", ")
            (write or self.doc)(doc)

    def child(self, doc: Doc, least: int) -> None:
        """An operand, in parentheses where it binds less tightly."""
        if _binding(doc) < least:
            self.write("(")
            self.doc(doc)
            self.write(")")
        else:
            self.doc(doc)

    # Expressions.

    def _LiteralDoc(self, doc: d.LiteralDoc) -> None:
        value = doc.value
        if isinstance(value, str):
            self.write(_quoted(value))
        elif isinstance(value, float):
            self.write(_float(value))
        else:
            self.write(str(value))

    def _IdDoc(self, doc: d.IdDoc) -> None:
        self.write(doc.name)

    def _AttrAccessDoc(self, doc: d.AttrAccessDoc) -> None:
        self.child(doc.value, _ATOM)
        self.write(f".{doc.name}")

    def _IndexDoc(self, doc: d.IndexDoc) -> None:
        self.child(doc.value, _ATOM)
        self.write("[")
        self.joined(doc.indices)
        self.write("]" if doc.indices else "()]")

    def _CallDoc(self, doc: d.CallDoc) -> None:
        self.child(doc.callee, _ATOM)
        self.write("(")
        self.joined(doc.args)
        for index, (name, value) in enumerate(zip(doc.kwargs_keys, doc.kwargs_values, strict=True)):
            self.write(f"{', ' if index or doc.args else ''}{name}=")
            self.doc(value)
        self.write(")")

    def _OperationDoc(self, doc: d.OperationDoc) -> None:
        kind, level = doc.kind, _BINDING.get(doc.kind)
        count = 1 if kind < OperationKind._UnaryEnd else 3 if kind is OperationKind.IfThenElse else 2
        if level is None:
            raise WrongValueError(f"{kind!r} is no operator")
        if len(doc.operands) != count:
            raise WrongValueError(f"the operator {kind.name} has {count} operands, found {len(doc.operands)}")
        if count == 1:
            self.write(_SIGNS[kind])
            self.child(doc.operands[0], level)
        elif count == 3:
            condition, yes, no = doc.operands
            self.child(yes, level + 1)
            self.write(" if ")
            self.child(condition, level + 1)
            self.write(" else ")
            self.child(no, level + 1)
        else:
            left, right = doc.operands
            is_power = kind is OperationKind.Pow
            # `a < b < c` means something else than `(a < b) < c`.
            is_comparison = OperationKind.Lt <= kind <= OperationKind.GtE
            self.child(left, level + (is_power or is_comparison))
            self.write(f" {_SIGNS[kind]} ")
            # The sign of an exponent needs no parentheses.
            self.child(right, level - 1 if is_power else level + 1)

    def _LambdaDoc(self, doc: d.LambdaDoc) -> None:
        self.write("lambda ")
        self.joined(doc.args)
        self.write(": ")
        self.child(doc.body, _LAMBDA)

    def _TupleDoc(self, doc: d.TupleDoc) -> None:
        self.write("(")
        self.joined(doc.elements)
        self.write(",)" if len(doc.elements) == 1 else ")")

    def _ListDoc(self, doc: d.ListDoc) -> None:
        self.write("[")
        self.joined(doc.elements)
        self.write("]")

    def _DictDoc(self, doc: d.DictDoc) -> None:
        self.write("{")
        for index, (key, value) in enumerate(zip(doc.keys, doc.values, strict=True)):
            self.write(", " if index else "")
            self.doc(key)
            self.write(": ")
            self.doc(value)
        self.write("}")

    def _SliceDoc(self, doc: d.SliceDoc) -> None:
        if doc.start is not None:
            self.doc(doc.start)
        self.write(":")
        if doc.stop is not None:
            self.doc(doc.stop)
        if doc.step is not None:
            self.write(":")
            self.doc(doc.step)

    # Statements.

    def block(self, docs: Sequence[Doc]) -> None:
        """Statements in order: functions with an empty line after them."""
        for index, doc in enumerate(docs):
            if index:
                self.text = self.text if not isinstance(docs[index - 1], d.FunctionDoc) else self.text + "\n"
                self.line()
            self.doc(doc)

    def inner(self, docs: Sequence[Doc]) -> None:
        """Statements inside of another one."""
        self.indent += self.spaces
        self.line()
        if docs:
            self.block(docs)
        else:
            self.write("pass")
        self.indent -= self.spaces

    def above(self, doc: d.StmtDoc) -> None:
        """The comment of a statement of several lines."""
        if doc.comment is not None:
            for line in doc.comment.split("\n"):
                self.write(f"# {line}")
                self.line()

    def trailing(self, doc: d.StmtDoc) -> None:
        """The comment of a statement of one line."""
        if doc.comment is not None:
            if "\n" in doc.comment:
                raise WrongValueError("the comment of a statement of one line has one line")
            self.write(f"  # {doc.comment}" if doc.comment else "  #")

    def documentation(self, text: str) -> None:
        if text:
            for line in ('"""', *text.split("\n")):
                self.write(line)
                self.line()
            self.write('"""')

    def _StmtBlockDoc(self, doc: d.StmtBlockDoc) -> None:
        self.block(doc.stmts)

    def _AssignDoc(self, doc: d.AssignDoc) -> None:
        if isinstance(doc.lhs, d.TupleDoc):
            self.joined(doc.lhs.elements)
        else:
            self.doc(doc.lhs)
        if doc.annotation is not None:
            self.write(": ")
            self.doc(doc.annotation)
        if doc.rhs is not None:
            self.write(" = ")
            if isinstance(doc.rhs, d.TupleDoc) and len(doc.rhs.elements) > 1:
                self.joined(doc.rhs.elements)
            else:
                self.doc(doc.rhs)
        self.trailing(doc)

    def _IfDoc(self, doc: d.IfDoc) -> None:
        self.above(doc)
        self.write("if ")
        self.doc(doc.predicate)
        self.write(":")
        self.inner(doc.then_branch)
        if doc.else_branch:
            self.line()
            self.write("else:")
            self.inner(doc.else_branch)

    def _WhileDoc(self, doc: d.WhileDoc) -> None:
        self.above(doc)
        self.write("while ")
        self.doc(doc.predicate)
        self.write(":")
        self.inner(doc.body)

    def _ForDoc(self, doc: d.ForDoc) -> None:
        self.above(doc)
        self.write("for ")
        if isinstance(doc.lhs, d.TupleDoc):
            self.joined(doc.lhs.elements)
            self.write("," if len(doc.lhs.elements) == 1 else "")
        else:
            self.doc(doc.lhs)
        self.write(" in ")
        self.doc(doc.rhs)
        self.write(":")
        self.inner(doc.body)

    def _ScopeDoc(self, doc: d.ScopeDoc) -> None:
        self.above(doc)
        self.write("with ")
        self.doc(doc.rhs)
        if doc.lhs is not None:
            self.write(" as ")
            self.doc(doc.lhs)
        self.write(":")
        self.inner(doc.body)

    def _ExprStmtDoc(self, doc: d.ExprStmtDoc) -> None:
        self.doc(doc.expr)
        self.trailing(doc)

    def _AssertDoc(self, doc: d.AssertDoc) -> None:
        self.write("assert ")
        self.doc(doc.test)
        if doc.msg is not None:
            self.write(", ")
            self.doc(doc.msg)
        self.trailing(doc)

    def _ReturnDoc(self, doc: d.ReturnDoc) -> None:
        self.write("return ")
        self.doc(doc.value)
        self.trailing(doc)

    def decorators(self, docs: Sequence[Doc]) -> None:
        for doc in docs:
            self.write("@")
            self.doc(doc)
            self.line()

    def definition(self, doc: Any) -> None:
        """The colon and the body of a function or class, with its comment as its documentation."""
        self.write(":")
        if doc.comment:
            self.indent += self.spaces
            self.line()
            self.documentation(doc.comment)
            self.indent -= self.spaces
        self.inner(doc.body)

    def _FunctionDoc(self, doc: d.FunctionDoc) -> None:
        self.decorators(doc.decorators)
        self.write("def ")
        self.doc(doc.name)
        self.write("(")
        self.joined(doc.args)
        self.write(")")
        if doc.return_type is not None:
            self.write(" -> ")
            self.doc(doc.return_type)
        self.definition(doc)

    def _ClassDoc(self, doc: d.ClassDoc) -> None:
        self.decorators(doc.decorators)
        self.write("class ")
        self.doc(doc.name)
        self.definition(doc)

    def _CommentDoc(self, doc: d.CommentDoc) -> None:
        for index, line in enumerate(doc.comment.split("\n")):
            if index:
                self.line()
            self.write(f"# {line}")

    def _DocStringDoc(self, doc: d.DocStringDoc) -> None:
        self.documentation(doc.comment)


def _length(path: ObjectPath) -> int:
    """The number of steps of a path."""
    count = 0
    while (path := path.parent) is not None:
        count += 1
    return count


def _quoted(text: str) -> str:
    """A text as a literal in double quotes; bytes that are no printable ASCII are escaped."""
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    parts = []
    for letter in text:
        if letter in named:
            parts.append(named[letter])
        elif letter.isascii() and letter.isprintable():
            parts.append(letter)
        else:
            parts += [f"\\x{byte:02X}" if byte > 127 else f"\\x{byte:02x}" for byte in letter.encode("utf-8")]
    return f'"{"".join(parts)}"'


def _float(value: float) -> str:
    if math.isinf(value) or math.isnan(value):
        return f'"{value}"'
    return f"{value:.1f}" if value.is_integer() else f"{value:.17g}"


def to_python_script(
    doc: Doc,
    indent_spaces: int = 4,
    print_line_numbers: bool = False,
    num_context_lines: int | None = None,
    path_to_underline: Sequence[ObjectPath] | None = None,
) -> str:
    """The text of a document.

    What comes from the paths, or from the closest part around them, is underlined; with `num_context_lines` lines that
    are further away from such a part are left out. `print_line_numbers` writes numbers in front of the lines.
    """
    printer = _Printer(indent_spaces, list(path_to_underline or ()))
    printer.doc(doc)
    marks = printer.spans()
    rows = _rows(printer.text, marks)
    shown = _shown(rows, num_context_lines) if marks and num_context_lines is not None else [True] * len(rows)
    width = len(str(len(rows))) + 1 if print_line_numbers else 0
    lines: list[str] = []
    skipped = 0

    def say_skipped() -> None:
        if skipped:
            lines.append(f"(... {skipped} line{'s' if skipped > 1 else ''} skipped ...)")

    for number, ((line, marked), is_shown) in enumerate(zip(rows, shown, strict=True), 1):
        if not is_shown:
            skipped += 1
            continue
        say_skipped()
        skipped = 0
        front = f"{number:>{width - 1}} " if print_line_numbers else ""
        lines.append(front + line)
        if marked:
            under = "".join("^" if place in marked else " " for place in range(max(marked) + 1))
            lines.append(" " * width + under)
    say_skipped()
    return "\n".join(lines)


def _rows(text: str, marks: Sequence[tuple[int, int]]) -> list[tuple[str, set[int]]]:
    """The lines, each with the columns to underline; spaces in front of a line are never."""
    rows, begin = [], 0
    for line in text.split("\n"):
        first = len(line) - len(line.lstrip(" "))
        marked = {
            at - begin for low, high in marks for at in range(max(low, begin + first), min(high, begin + len(line)))
        }
        rows.append((line, marked))
        begin += len(line) + 1
    return rows


def _shown(rows: Sequence[tuple[str, set[int]]], context: int) -> list[bool]:
    """Which lines are near enough to one with an underline."""
    marked = [index for index, (_, columns) in enumerate(rows) if columns]
    shown = [any(abs(index - near) <= context for near in marked) for index in range(len(rows))]
    for index in range(len(rows)):
        # A single line takes no more room than the remark that it is left out.
        around = shown[max(index - 1, 0) : index] + shown[index + 1 : index + 2]
        shown[index] = shown[index] or (all(around) and bool(marked))
    return shown
