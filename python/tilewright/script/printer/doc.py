"""Documents: Python code as a tree of expressions and statements, for programs that print scripts of their own.

`doc_printer.to_python_script` gives the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum, unique
from typing import Any

__all__ = [
    "AssertDoc", "AssignDoc", "AttrAccessDoc", "CallDoc", "ClassDoc", "CommentDoc", "DictDoc", "Doc", "DocStringDoc",
    "ExprDoc", "ExprStmtDoc", "ForDoc", "FunctionDoc", "IdDoc", "IfDoc", "IndexDoc", "LambdaDoc", "ListDoc",
    "LiteralDoc", "OperationDoc", "OperationKind", "ReturnDoc", "ScopeDoc", "SliceDoc", "StmtBlockDoc", "StmtDoc",
    "TupleDoc", "WhileDoc",
]  # fmt: skip


class Doc:
    """A part of a document. `source_paths` say which parts of the IR it shows."""

    __slots__ = ("source_paths",)

    def __init__(self) -> None:
        self.source_paths: Sequence[Any] = []


class ExprDoc(Doc):
    """An expression."""

    __slots__ = ()

    def attr(self, name: str) -> AttrAccessDoc:
        """`self.name`."""
        return AttrAccessDoc(self, name)

    def call(self, *args: ExprDoc, **kwargs: ExprDoc) -> CallDoc:
        """`self(…)`."""
        return CallDoc(self, *args, **kwargs)

    def __getitem__(self, indices: Any) -> IndexDoc:
        return IndexDoc(self, indices if isinstance(indices, tuple) else (indices,))

    def __iter__(self) -> Any:
        raise RuntimeError(f"{self.__class__} cannot be used as iterable.")


class StmtDoc(Doc):
    """A statement, with a comment or none."""

    __slots__ = ("_comment",)

    def __init__(self) -> None:
        super().__init__()
        self._comment: str | None = None

    @property
    def comment(self) -> str | None:
        """The text after the statement, before it where it holds others, or its documentation."""
        return self._comment

    @comment.setter
    def comment(self, value: str | None) -> None:
        self._comment = value


class StmtBlockDoc(Doc):
    """Statements one after the other."""

    __slots__ = ("stmts",)

    def __init__(self, stmts: Sequence[StmtDoc]) -> None:
        super().__init__()
        self.stmts = list(stmts)


class LiteralDoc(ExprDoc):
    """None, a text, a truth value or a number."""

    __slots__ = ("value",)

    def __init__(self, value: str | float | bool | int | None, path: Any = None) -> None:
        super().__init__()
        if not (value is None or isinstance(value, (str, bool, int, float))):
            raise TypeError(f"Unsupported type {type(value)} for LiteralDoc")
        self.value = value
        if path is not None:
            self.source_paths = [path]


class IdDoc(ExprDoc):
    """A name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class AttrAccessDoc(ExprDoc):
    """`value.name`."""

    __slots__ = ("name", "value")

    def __init__(self, value: ExprDoc, name: str) -> None:
        super().__init__()
        self.value, self.name = value, name


class IndexDoc(ExprDoc):
    """`value[indices]`."""

    __slots__ = ("indices", "value")

    def __init__(self, value: ExprDoc, indices: Sequence[ExprDoc | SliceDoc]) -> None:
        super().__init__()
        self.value, self.indices = value, list(indices)


class CallDoc(ExprDoc):
    """`callee(args, key=value)`."""

    __slots__ = ("args", "callee", "kwargs_keys", "kwargs_values")

    def __init__(self, callee: ExprDoc, *args: ExprDoc, **kwargs: ExprDoc) -> None:
        super().__init__()
        self.callee, self.args = callee, list(args)
        self.kwargs_keys, self.kwargs_values = list(kwargs), list(kwargs.values())


@unique
class OperationKind(IntEnum):
    """The operators."""

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
    """An operator with its operands; of `IfThenElse` the condition comes first."""

    __slots__ = ("kind", "operands")

    def __init__(self, kind: OperationKind, operands: Sequence[ExprDoc]) -> None:
        super().__init__()
        self.kind, self.operands = kind, list(operands)


class LambdaDoc(ExprDoc):
    """`lambda args: body`."""

    __slots__ = ("args", "body")

    def __init__(self, args: Sequence[IdDoc], body: ExprDoc) -> None:
        super().__init__()
        self.args, self.body = list(args), body


class TupleDoc(ExprDoc):
    """`(a, b)`."""

    __slots__ = ("elements",)

    def __init__(self, elements: Sequence[ExprDoc]) -> None:
        super().__init__()
        self.elements = list(elements)


class ListDoc(ExprDoc):
    """`[a, b]`."""

    __slots__ = ("elements",)

    def __init__(self, elements: Sequence[ExprDoc]) -> None:
        super().__init__()
        self.elements = list(elements)


class DictDoc(ExprDoc):
    """`{key: value}`."""

    __slots__ = ("keys", "values")

    def __init__(self, content: Mapping[ExprDoc, ExprDoc]) -> None:
        super().__init__()
        self.keys, self.values = list(content), list(content.values())


class SliceDoc(ExprDoc):
    """`start:stop:step`."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: ExprDoc | None = None, stop: ExprDoc | None = None, step: ExprDoc | None = None) -> None:
        super().__init__()
        self.start, self.stop, self.step = start, stop, step


class AssignDoc(StmtDoc):
    """`lhs: annotation = rhs`."""

    __slots__ = ("annotation", "lhs", "rhs")

    def __init__(self, lhs: ExprDoc, rhs: ExprDoc | None = None, annotation: ExprDoc | None = None) -> None:
        super().__init__()
        self.lhs, self.rhs, self.annotation = lhs, rhs, annotation


class IfDoc(StmtDoc):
    """`if predicate:` with its branches."""

    __slots__ = ("else_branch", "predicate", "then_branch")

    def __init__(self, predicate: ExprDoc, then_branch: Sequence[StmtDoc], else_branch: Sequence[StmtDoc]) -> None:
        super().__init__()
        self.predicate, self.then_branch, self.else_branch = predicate, list(then_branch), list(else_branch)


class WhileDoc(StmtDoc):
    """`while predicate:`."""

    __slots__ = ("body", "predicate")

    def __init__(self, predicate: ExprDoc, body: Sequence[StmtDoc]) -> None:
        super().__init__()
        self.predicate, self.body = predicate, list(body)


class ForDoc(StmtDoc):
    """`for lhs in rhs:`."""

    __slots__ = ("body", "lhs", "rhs")

    def __init__(self, lhs: ExprDoc, rhs: ExprDoc, body: Sequence[StmtDoc]) -> None:
        super().__init__()
        self.lhs, self.rhs, self.body = lhs, rhs, list(body)


class ScopeDoc(StmtDoc):
    """`with rhs as lhs:`, or of two arguments `with rhs:`."""

    __slots__ = ("body", "lhs", "rhs")

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) not in (2, 3):
            raise TypeError(f"ScopeDoc takes (rhs, body) or (lhs, rhs, body), found {len(args)} arguments")
        self.lhs = args[0] if len(args) == 3 else None
        self.rhs, self.body = args[-2], list(args[-1])


class ExprStmtDoc(StmtDoc):
    """An expression as a statement."""

    __slots__ = ("expr",)

    def __init__(self, expr: ExprDoc) -> None:
        super().__init__()
        self.expr = expr


class AssertDoc(StmtDoc):
    """`assert test, msg`."""

    __slots__ = ("msg", "test")

    def __init__(self, test: ExprDoc, msg: ExprDoc | None = None) -> None:
        super().__init__()
        self.test, self.msg = test, msg


class ReturnDoc(StmtDoc):
    """`return value`."""

    __slots__ = ("value",)

    def __init__(self, value: ExprDoc) -> None:
        super().__init__()
        self.value = value


class FunctionDoc(StmtDoc):
    """A function; its comment is its documentation."""

    __slots__ = ("args", "body", "decorators", "name", "return_type")

    def __init__(
        self,
        name: IdDoc,
        args: Sequence[AssignDoc],
        decorators: Sequence[ExprDoc],
        return_type: ExprDoc | None,
        body: Sequence[StmtDoc],
    ) -> None:
        super().__init__()
        self.name, self.args, self.decorators = name, list(args), list(decorators)
        self.return_type, self.body = return_type, list(body)


class ClassDoc(StmtDoc):
    """A class; its comment is its documentation."""

    __slots__ = ("body", "decorators", "name")

    def __init__(self, name: IdDoc, decorators: Sequence[ExprDoc], body: Sequence[StmtDoc]) -> None:
        super().__init__()
        self.name, self.decorators, self.body = name, list(decorators), list(body)


class CommentDoc(StmtDoc):
    """A comment of its own."""

    __slots__ = ()

    def __init__(self, comment: str) -> None:
        super().__init__()
        self.comment = comment


class DocStringDoc(StmtDoc):
    """Documentation."""

    __slots__ = ()

    def __init__(self, docs: str) -> None:
        super().__init__()
        self.comment = docs
