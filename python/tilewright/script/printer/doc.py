"""Documents: the syntax of Python as values. `doc_printer.to_python_script` writes one as text.

Every document may say where it comes from (`source_paths`), which is what the printer underlines; every statement may
have a comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NoReturn

from ..._core import ObjectPath
from ...error import WrongValueError

__all__ = [
    "AssertDoc", "AssignDoc", "AttrAccessDoc", "CallDoc", "ClassDoc", "CommentDoc", "DictDoc", "Doc", "DocStringDoc",
    "ExprDoc", "ExprStmtDoc", "ForDoc", "FunctionDoc", "IdDoc", "IfDoc", "IndexDoc", "LambdaDoc", "ListDoc",
    "LiteralDoc", "OperationDoc", "OperationKind", "ReturnDoc", "ScopeDoc", "SliceDoc", "StmtBlockDoc", "StmtDoc",
    "TupleDoc", "WhileDoc",
]  # fmt: skip


class Doc:
    """A document."""

    source_paths: list[ObjectPath]

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """A document without paths."""
        self = super().__new__(cls)
        self.source_paths = []
        return self


class ExprDoc(Doc):
    """An expression."""

    def attr(self, name: str) -> AttrAccessDoc:
        """An attribute of it."""
        return AttrAccessDoc(self, name)

    def call(self, *args: ExprDoc, **kwargs: ExprDoc) -> CallDoc:
        """A call of it."""
        return CallDoc(self, *args, **kwargs)

    def __getitem__(self, indices: Any) -> IndexDoc:
        found = indices if isinstance(indices, tuple) else (indices,)
        parts = [SliceDoc(i.start, i.stop, i.step) if isinstance(i, slice) else i for i in found]
        return IndexDoc(self, parts)

    def __iter__(self) -> NoReturn:
        # Without this, Python would ask for `self[0]`, `self[1]`, … without end.
        raise RuntimeError(f"{type(self).__name__} cannot be iterated over")


class StmtDoc(Doc):
    """A statement."""

    comment: str | None = None


class StmtBlockDoc(Doc):
    """Statements in order."""

    def __init__(self, stmts: Sequence[StmtDoc]) -> None:
        self.stmts = _all(StmtDoc, stmts)


class LiteralDoc(ExprDoc):
    """A constant: None, a text, a number or a truth value."""

    def __init__(self, value: str | float | bool | int | None, path: ObjectPath | None = None) -> None:
        if value is not None and not isinstance(value, (str, float, bool, int)):
            raise TypeError(f"a literal is a text, a number or None, found {type(value).__name__}")
        self.value = value
        self.source_paths = [] if path is None else [path]


class IdDoc(ExprDoc):
    """A name."""

    def __init__(self, name: str) -> None:
        self.name = _one(str, name)


class AttrAccessDoc(ExprDoc):
    """`value.name`."""

    def __init__(self, value: ExprDoc, name: str) -> None:
        self.value, self.name = _one(ExprDoc, value), _one(str, name)


class IndexDoc(ExprDoc):
    """`value[indices]`."""

    def __init__(self, value: ExprDoc, indices: Sequence[ExprDoc | SliceDoc]) -> None:
        self.value, self.indices = _one(ExprDoc, value), _all(Doc, indices)


class CallDoc(ExprDoc):
    """`callee(*args, **kwargs)`."""

    def __init__(self, callee: ExprDoc, *args: ExprDoc, **kwargs: ExprDoc) -> None:
        self.callee, self.args = _one(ExprDoc, callee), _all(ExprDoc, args)
        self.kwargs_keys, self.kwargs_values = list(kwargs), _all(ExprDoc, list(kwargs.values()))


class OperationKind(IntEnum):
    """Operators: those of one operand, of two, and the conditional expression."""

    _UnaryStart = 0
    USub = 1
    Invert = 2
    Not = 3
    _UnaryEnd = 4
    _BinaryStart = 5
    Add = 6
    Sub = 7
    Mult = 8
    Div = 9
    FloorDiv = 10
    Mod = 11
    Pow = 12
    LShift = 13
    RShift = 14
    BitAnd = 15
    BitOr = 16
    BitXor = 17
    Lt = 18
    LtE = 19
    Eq = 20
    NotEq = 21
    Gt = 22
    GtE = 23
    And = 24
    Or = 25
    _BinaryEnd = 26
    _SpecialStart = 27
    IfThenElse = 28
    _SpecialEnd = 29


class OperationDoc(ExprDoc):
    """An operator with its operands; those of a conditional expression are the condition and the two values."""

    def __init__(self, kind: OperationKind, operands: Sequence[ExprDoc]) -> None:
        self.kind, self.operands = OperationKind(kind), _all(ExprDoc, operands)


class LambdaDoc(ExprDoc):
    """`lambda args: body`."""

    def __init__(self, args: Sequence[IdDoc], body: ExprDoc) -> None:
        self.args, self.body = _all(IdDoc, args), _one(ExprDoc, body)


class TupleDoc(ExprDoc):
    """A tuple."""

    def __init__(self, elements: Sequence[ExprDoc]) -> None:
        self.elements = _all(ExprDoc, elements)


class ListDoc(ExprDoc):
    """A list."""

    def __init__(self, elements: Sequence[ExprDoc]) -> None:
        self.elements = _all(ExprDoc, elements)


class DictDoc(ExprDoc):
    """A dict."""

    def __init__(self, content: dict[ExprDoc, ExprDoc]) -> None:
        self.keys, self.values = _all(ExprDoc, list(content)), _all(ExprDoc, list(content.values()))


class SliceDoc(ExprDoc):
    """`start:stop:step`, inside of an index."""

    def __init__(self, start: ExprDoc | None = None, stop: ExprDoc | None = None, step: ExprDoc | None = None) -> None:
        self.start, self.stop, self.step = (_optional(ExprDoc, part) for part in (start, stop, step))


class AssignDoc(StmtDoc):
    """`lhs: annotation = rhs`."""

    def __init__(self, lhs: ExprDoc, rhs: ExprDoc | None = None, annotation: ExprDoc | None = None) -> None:
        if rhs is None and annotation is None:
            raise WrongValueError("an assignment has a value or an annotation")
        if annotation is not None and not isinstance(lhs, IdDoc):
            raise WrongValueError("an annotation follows a name")
        self.lhs, self.rhs = _one(ExprDoc, lhs), _optional(ExprDoc, rhs)
        self.annotation = _optional(ExprDoc, annotation)


class IfDoc(StmtDoc):
    """A condition."""

    def __init__(self, predicate: ExprDoc, then_branch: Sequence[StmtDoc], else_branch: Sequence[StmtDoc]) -> None:
        self.predicate = _one(ExprDoc, predicate)
        self.then_branch, self.else_branch = _all(StmtDoc, then_branch), _all(StmtDoc, else_branch)
        if not self.then_branch and not self.else_branch:
            raise WrongValueError("one of the branches of a condition has a statement")


class WhileDoc(StmtDoc):
    """A loop with a condition."""

    def __init__(self, predicate: ExprDoc, body: Sequence[StmtDoc]) -> None:
        self.predicate, self.body = _one(ExprDoc, predicate), _all(StmtDoc, body)


class ForDoc(StmtDoc):
    """`for lhs in rhs`."""

    def __init__(self, lhs: ExprDoc, rhs: ExprDoc, body: Sequence[StmtDoc]) -> None:
        self.lhs, self.rhs, self.body = _one(ExprDoc, lhs), _one(ExprDoc, rhs), _all(StmtDoc, body)


class ScopeDoc(StmtDoc):
    """`with rhs as lhs`; without a name, `lhs` is None or left out."""

    def __init__(self, *args: Any, lhs: Any = None, rhs: Any = None, body: Any = None) -> None:
        given = {"lhs": lhs, "rhs": rhs, "body": body}
        names = ("rhs", "body") if len(args) == 2 and rhs is None and body is None else ("lhs", "rhs", "body")
        given.update(zip(names, args, strict=False))
        self.lhs = _optional(ExprDoc, given["lhs"])
        self.rhs, self.body = _one(ExprDoc, given["rhs"]), _all(StmtDoc, given["body"])


class ExprStmtDoc(StmtDoc):
    """An expression as a statement."""

    def __init__(self, expr: ExprDoc) -> None:
        self.expr = _one(ExprDoc, expr)


class AssertDoc(StmtDoc):
    """`assert test, msg`."""

    def __init__(self, test: ExprDoc, msg: ExprDoc | None = None) -> None:
        self.test, self.msg = _one(ExprDoc, test), _optional(ExprDoc, msg)


class ReturnDoc(StmtDoc):
    """`return value`."""

    def __init__(self, value: ExprDoc) -> None:
        self.value = _one(ExprDoc, value)


class FunctionDoc(StmtDoc):
    """A function; its parameters are assignments: with an annotation, a default or both."""

    def __init__(
        self,
        name: IdDoc,
        args: Sequence[AssignDoc],
        decorators: Sequence[ExprDoc],
        return_type: ExprDoc | None,
        body: Sequence[StmtDoc],
    ) -> None:
        self.name, self.args = _one(IdDoc, name), _all(AssignDoc, args)
        self.decorators, self.return_type = _all(ExprDoc, decorators), _optional(ExprDoc, return_type)
        self.body = _all(StmtDoc, body)


class ClassDoc(StmtDoc):
    """A class."""

    def __init__(self, name: IdDoc, decorators: Sequence[ExprDoc], body: Sequence[StmtDoc]) -> None:
        self.name, self.decorators = _one(IdDoc, name), _all(ExprDoc, decorators)
        self.body = _all(StmtDoc, body)


class CommentDoc(StmtDoc):
    """A comment by itself."""

    def __init__(self, comment: str) -> None:
        self.comment = _one(str, comment)


class DocStringDoc(StmtDoc):
    """The documentation at the beginning of a function or class."""

    def __init__(self, docs: str) -> None:
        self.comment = _one(str, docs)


def _one(cls: type, value: Any) -> Any:
    if not isinstance(value, cls):
        raise TypeError(f"expected {cls.__name__}, found {type(value).__name__}")
    return value


def _optional(cls: type, value: Any) -> Any:
    return None if value is None else _one(cls, value)


def _all(cls: type, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, (list, tuple)):
        raise TypeError(f"expected a list of {cls.__name__}, found {type(values).__name__}")
    return [_one(cls, value) for value in values]
