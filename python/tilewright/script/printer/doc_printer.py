"""The text of documents.

Brackets are written where precedence asks for them; the value that is called, indexed or asked for an attribute is
bracketed unless it is a name, a literal or such a thing itself. Parts whose source path is nearest to one that is to be
underlined get a line of `^` below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any

from . import doc as d
from .doc import OperationKind as Kind

__all__ = ["to_python_script"]

_UNARY = {Kind.USub: "-", Kind.Invert: "~", Kind.Not: "not "}
_BINARY = {
    Kind.Add: "+", Kind.Sub: "-", Kind.Mult: "*", Kind.Div: "/", Kind.FloorDiv: "//", Kind.Mod: "%", Kind.Pow: "**",
    Kind.LShift: "<<", Kind.RShift: ">>", Kind.BitAnd: "&", Kind.BitOr: "|", Kind.BitXor: "^", Kind.Lt: "<",
    Kind.LtE: "<=", Kind.Eq: "==", Kind.NotEq: "!=", Kind.Gt: ">", Kind.GtE: ">=", Kind.And: "and", Kind.Or: "or",
}  # fmt: skip
_LAMBDA, _CHOICE, _OR, _AND, _NOT, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND = range(9)
_SHIFT, _ADD, _MULTIPLY, _UNARY_LEVEL, _POWER, _IDENTITY = range(9, 15)
_LEVELS = {
    Kind.IfThenElse: _CHOICE, Kind.Or: _OR, Kind.And: _AND, Kind.Not: _NOT, Kind.BitOr: _BIT_OR, Kind.BitXor: _BIT_XOR,
    Kind.BitAnd: _BIT_AND, Kind.LShift: _SHIFT, Kind.RShift: _SHIFT, Kind.Add: _ADD, Kind.Sub: _ADD,
    Kind.Mult: _MULTIPLY, Kind.Div: _MULTIPLY, Kind.FloorDiv: _MULTIPLY, Kind.Mod: _MULTIPLY, Kind.USub: _UNARY_LEVEL,
    Kind.Invert: _UNARY_LEVEL, Kind.Pow: _POWER,
} | dict.fromkeys((Kind.Lt, Kind.LtE, Kind.Eq, Kind.NotEq, Kind.Gt, Kind.GtE), _COMPARE)  # fmt: skip


def _level(expr: d.ExprDoc) -> int:
    if isinstance(expr, d.OperationDoc):
        return _LEVELS[Kind(expr.kind)]
    return _LAMBDA if isinstance(expr, d.LambdaDoc) else _IDENTITY


class _Underlines:
    """The parts of the text that show what is to be underlined: those whose paths reach nearest to it."""

    def __init__(self, path: Any) -> None:
        self.path, self.length, self.spans = path, 0, []

    def note(self, path: Any, span: tuple[int, int]) -> None:
        if not path.is_prefix_of(self.path):
            return
        length = len(path)
        if length > self.length:
            self.length, self.spans = length, []
        if length == self.length:
            self.spans.append(span)


class _Printer:
    def __init__(self, indent: int, paths: Sequence[Any]) -> None:
        self.parts: list[str] = []
        self.at = 0
        self.indent, self.level = indent, 0
        self.underlines = [_Underlines(path) for path in paths]

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.at += len(text)

    def line(self) -> None:
        self.write("\n" + " " * (self.indent * self.level))

    def doc(self, doc: d.Doc) -> None:
        begin = self.at
        _WRITERS[type(doc)](self, doc)
        for path in doc.source_paths:
            for underline in self.underlines:
                underline.note(path, (begin, self.at))

    def joined(self, docs: Sequence[d.Doc]) -> None:
        for index, doc in enumerate(docs):
            if index:
                self.write(", ")
            self.doc(doc)

    def child(self, child: d.ExprDoc, parent: d.ExprDoc, same: bool = False) -> None:
        own, around = _level(child), _level(parent)
        self.bracketed(child, own < around or (same and own == around))

    def bracketed(self, expr: d.ExprDoc, brackets: bool) -> None:
        self.write("(" if brackets else "")
        self.doc(expr)
        self.write(")" if brackets else "")

    def operand(self, expr: d.ExprDoc) -> None:
        self.bracketed(expr, _level(expr) < _IDENTITY)

    def targets(self, lhs: d.ExprDoc) -> None:
        if isinstance(lhs, d.TupleDoc) and lhs.elements:
            self.joined(lhs.elements)
            self.write("," if len(lhs.elements) == 1 else "")
        else:
            self.doc(lhs)

    @contextmanager
    def deeper(self) -> Any:
        self.level += 1
        yield
        self.level -= 1

    def suite(self, stmts: Sequence[d.StmtDoc]) -> None:
        with self.deeper():
            for stmt in stmts:
                self.line()
                self.doc(stmt)
            if not stmts:
                self.line()
                self.write("pass")

    def comment_after(self, stmt: d.StmtDoc) -> None:
        if stmt.comment is None:
            return
        if "\n" in stmt.comment:
            raise ValueError(f"the comment of {type(stmt).__name__} cannot have newline, found {stmt.comment!r}")
        self.write(f"  # {stmt.comment}")

    def comment_before(self, stmt: d.StmtDoc) -> None:
        for line in stmt.comment.split("\n") if stmt.comment is not None else ():
            self.write(f"# {line}")
            self.line()

    def documentation(self, text: str) -> None:
        self.write('"""')
        for line in text.split("\n"):
            if line:
                self.line()
                self.write(line)
            else:
                self.write("\n")
        self.line()
        self.write('"""')

    def head(self, stmt: d.FunctionDoc | d.ClassDoc) -> None:
        for decorator in stmt.decorators:
            self.write("@")
            self.doc(decorator)
            self.line()

    def body(self, stmt: d.FunctionDoc | d.ClassDoc) -> None:
        if stmt.comment is not None:
            with self.deeper():
                self.line()
                self.documentation(stmt.comment)
        self.suite(stmt.body)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    for letter, name in (("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        escaped = escaped.replace(letter, name)
    shown = (letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in escaped)
    return f'"{"".join(shown)}"'


def _literal(p: _Printer, doc: d.LiteralDoc) -> None:
    value = doc.value
    if isinstance(value, str):
        p.write(_text(value))
    elif isinstance(value, float) and not isfinite(value):
        p.write(f'float("{value}")')
    else:
        p.write(repr(value))


def _attr(p: _Printer, doc: d.AttrAccessDoc) -> None:
    p.operand(doc.value)
    p.write(f".{doc.name}")


def _index(p: _Printer, doc: d.IndexDoc) -> None:
    p.operand(doc.value)
    p.write("[" if doc.indices else "[()")
    p.joined(doc.indices)
    p.write("]")


def _call(p: _Printer, doc: d.CallDoc) -> None:
    p.operand(doc.callee)
    p.write("(")
    p.joined(doc.args)
    for index, (key, value) in enumerate(zip(doc.kwargs_keys, doc.kwargs_values, strict=True)):
        p.write(", " if index or doc.args else "")
        p.write(f"{key}=")
        p.doc(value)
    p.write(")")


def _operation(p: _Printer, doc: d.OperationDoc) -> None:
    kind = Kind(doc.kind)
    expected = 1 if kind in _UNARY else 3 if kind == Kind.IfThenElse else 2
    if len(doc.operands) != expected:
        raise ValueError(f"Operator {kind.name} requires {expected} operands, but got {len(doc.operands)}")
    if kind in _UNARY:
        p.write(_UNARY[kind])
        p.child(doc.operands[0], doc)
    elif kind == Kind.IfThenElse:
        condition, then, otherwise = doc.operands
        p.child(then, doc, same=True)
        p.write(" if ")
        p.child(condition, doc, same=True)
        p.write(" else ")
        p.child(otherwise, doc)
    else:
        left, right = doc.operands
        p.child(left, doc, same=kind == Kind.Pow)
        p.write(f" {_BINARY[kind]} ")
        p.child(right, doc, same=kind != Kind.Pow)


def _lambda(p: _Printer, doc: d.LambdaDoc) -> None:
    p.write("lambda ")
    p.joined(doc.args)
    p.write(": ")
    p.child(doc.body, doc)


def _tuple(p: _Printer, doc: d.TupleDoc) -> None:
    p.write("(")
    p.joined(doc.elements)
    p.write(",)" if len(doc.elements) == 1 else ")")


def _list(p: _Printer, doc: d.ListDoc) -> None:
    p.write("[")
    p.joined(doc.elements)
    p.write("]")


def _dict(p: _Printer, doc: d.DictDoc) -> None:
    p.write("{")
    for index, (key, value) in enumerate(zip(doc.keys, doc.values, strict=True)):
        p.write(", " if index else "")
        p.doc(key)
        p.write(": ")
        p.doc(value)
    p.write("}")


def _slice(p: _Printer, doc: d.SliceDoc) -> None:
    if doc.start is not None:
        p.doc(doc.start)
    p.write(":")
    if doc.stop is not None:
        p.doc(doc.stop)
    if doc.step is not None:
        p.write(":")
        p.doc(doc.step)


def _block(p: _Printer, doc: d.StmtBlockDoc) -> None:
    for index, stmt in enumerate(doc.stmts):
        if index:
            p.line()
        p.doc(stmt)


def _assign(p: _Printer, doc: d.AssignDoc) -> None:
    nothing = isinstance(doc.lhs, d.TupleDoc) and not doc.lhs.elements
    if not nothing:
        p.targets(doc.lhs)
    if doc.annotation is not None:
        p.write(": ")
        p.doc(doc.annotation)
    if doc.rhs is not None:
        p.write("" if nothing else " = ")
        if isinstance(doc.rhs, d.TupleDoc) and len(doc.rhs.elements) > 1:
            p.joined(doc.rhs.elements)
        else:
            p.doc(doc.rhs)
    p.comment_after(doc)


def _if(p: _Printer, doc: d.IfDoc) -> None:
    p.comment_before(doc)
    p.write("if ")
    p.doc(doc.predicate)
    p.write(":")
    p.suite(doc.then_branch)
    if doc.else_branch:
        p.line()
        p.write("else:")
        p.suite(doc.else_branch)


def _while(p: _Printer, doc: d.WhileDoc) -> None:
    p.comment_before(doc)
    p.write("while ")
    p.doc(doc.predicate)
    p.write(":")
    p.suite(doc.body)


def _for(p: _Printer, doc: d.ForDoc) -> None:
    p.comment_before(doc)
    p.write("for ")
    p.targets(doc.lhs)
    p.write(" in ")
    p.doc(doc.rhs)
    p.write(":")
    p.suite(doc.body)


def _scope(p: _Printer, doc: d.ScopeDoc) -> None:
    p.comment_before(doc)
    p.write("with ")
    p.doc(doc.rhs)
    if doc.lhs is not None:
        p.write(" as ")
        p.doc(doc.lhs)
    p.write(":")
    p.suite(doc.body)


def _expr_stmt(p: _Printer, doc: d.ExprStmtDoc) -> None:
    p.doc(doc.expr)
    p.comment_after(doc)


def _assert(p: _Printer, doc: d.AssertDoc) -> None:
    p.comment_before(doc)
    p.write("assert ")
    p.doc(doc.test)
    if doc.msg is not None:
        p.write(", ")
        p.doc(doc.msg)


def _return(p: _Printer, doc: d.ReturnDoc) -> None:
    p.write("return ")
    p.doc(doc.value)
    p.comment_after(doc)


def _function(p: _Printer, doc: d.FunctionDoc) -> None:
    p.head(doc)
    p.write("def ")
    p.doc(doc.name)
    p.write("(")
    p.joined(doc.args)
    p.write(")")
    if doc.return_type is not None:
        p.write(" -> ")
        p.doc(doc.return_type)
    p.write(":")
    p.body(doc)
    p.write("\n")


def _class(p: _Printer, doc: d.ClassDoc) -> None:
    p.head(doc)
    p.write("class ")
    p.doc(doc.name)
    p.write(":")
    p.body(doc)


def _comment(p: _Printer, doc: d.CommentDoc) -> None:
    lines = (doc.comment or "").split("\n")
    for index, line in enumerate(lines):
        if index:
            p.line()
        p.write(f"# {line}")


def _doc_string(p: _Printer, doc: d.DocStringDoc) -> None:
    if doc.comment:
        p.documentation(doc.comment)


_WRITERS: dict[type, Callable[[_Printer, Any], None]] = {
    d.LiteralDoc: _literal, d.IdDoc: lambda p, doc: p.write(doc.name), d.AttrAccessDoc: _attr, d.IndexDoc: _index,
    d.CallDoc: _call, d.OperationDoc: _operation, d.LambdaDoc: _lambda, d.TupleDoc: _tuple, d.ListDoc: _list,
    d.DictDoc: _dict, d.SliceDoc: _slice, d.StmtBlockDoc: _block, d.AssignDoc: _assign, d.IfDoc: _if,
    d.WhileDoc: _while, d.ForDoc: _for, d.ScopeDoc: _scope, d.ExprStmtDoc: _expr_stmt, d.AssertDoc: _assert,
    d.ReturnDoc: _return, d.FunctionDoc: _function, d.ClassDoc: _class, d.CommentDoc: _comment,
    d.DocStringDoc: _doc_string,
}  # fmt: skip


def _marks(text: str, spans: Sequence[tuple[int, int]]) -> dict[int, str]:
    """The line of `^` below each line in which something is underlined."""
    marks, begin = {}, 0
    for number, line in enumerate(text.split("\n")):
        columns = {
            column
            for first, last in spans
            for column in range(max(first - begin, len(line) - len(line.lstrip())), min(last - begin, len(line)))
        }
        if columns:
            marks[number] = "".join("^" if column in columns else " " for column in range(max(columns) + 1))
        begin += len(line) + 1
    return marks


def _shown(count: int, marked: Sequence[int], context: int | None) -> list[bool]:
    if context is None or context < 0 or not marked:
        return [True] * count
    return [any(abs(number - mark) <= context for mark in marked) for number in range(count)]


def to_python_script(
    doc: d.Doc,
    indent_spaces: int = 4,
    print_line_numbers: bool = False,
    num_context_lines: int | None = None,
    path_to_underline: Sequence[Any] | None = None,
) -> str:
    """The text of a document.

    With `num_context_lines` only as many lines are shown before and after each underlined one.
    """
    printer = _Printer(indent_spaces, path_to_underline or [])
    printer.doc(doc)
    text = "".join(printer.parts).rstrip()
    lines = text.split("\n")
    marks = _marks(text, [span for underline in printer.underlines for span in underline.spans])
    shown = _shown(len(lines), sorted(marks), num_context_lines)
    width = len(str(len(lines))) if print_line_numbers else 0
    written: list[str] = []
    skipped = 0
    for number, line in enumerate([*lines, None]):
        if line is not None and not shown[number]:
            skipped += 1
            continue
        if skipped:
            written.append(f"(... {skipped} line{'s' if skipped > 1 else ''} skipped ...)")
            skipped = 0
        if line is None:
            break
        prefix = f"{number + 1:>{width}} " if print_line_numbers else ""
        written.append(f"{prefix}{line}".rstrip())
        if number in marks:
            written.append(" " * len(prefix) + marks[number])
    return "\n".join(written)
