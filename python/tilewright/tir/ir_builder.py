"""Statements one after the other, as extern blocks of tensor expressions have them.

def twice(ins, outs):
    ib = tir.ir_builder.create()
    x, y = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
    with ib.for_range(0, 16, name="i") as i:
        y[i] = x[i] * 2.0
    return ib.get()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import _core
from .buffer import Buffer, decl_buffer
from .expr import Var
from .stmt import AttrStmt, DeclBuffer, Evaluate, For, ForKind, IfThenElse, LetStmt, SeqStmt, Stmt, While

__all__ = ["BufferVar", "IRBuilder", "create"]

_KINDS = {
    "serial": ForKind.SERIAL, "parallel": ForKind.PARALLEL, "vectorize": ForKind.VECTORIZED, "unroll": ForKind.UNROLLED,
}  # fmt: skip


class BufferVar:
    """A buffer whose elements are read and assigned in brackets.

    One index of a buffer of several dimensions counts its elements row by row.
    """

    def __init__(self, builder: IRBuilder, buffer: Buffer) -> None:
        self._builder, self._buffer = builder, buffer

    @property
    def dtype(self) -> str:
        """The type of the elements."""
        return self._buffer.dtype

    def asobject(self) -> Var:
        """The buffer's pointer."""
        return self._buffer.data

    def __getitem__(self, index: Any) -> Any:
        return self._buffer.__getitem__(self._places(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        value = _core.to_expr(value, self.dtype)
        if value.dtype != self.dtype:
            raise ValueError(f"`{self._buffer.name}` holds {self.dtype}, and is given {value.dtype}")
        self._builder.emit(self._buffer.vstore(self._places(index), value))

    def _places(self, index: Any) -> tuple[Any, ...]:
        places = [getattr(one, "var", one) for one in (index if isinstance(index, (tuple, list)) else [index])]
        if len(places) == 1 and len(self._buffer.shape) > 1:
            places = _core.unravelled(places[0], self._buffer.shape)
        return tuple(places)


class IRBuilder:
    """A list of statements, and the blocks that are open around it."""

    def __init__(self) -> None:
        self._open: list[list[Callable[[Stmt | None], Stmt] | Stmt]] = [[]]

    def emit(self, stmt: Any) -> None:
        """Adds a statement. An expression is worked out; a function gets the statements after it as its body."""
        if not isinstance(stmt, Stmt) and not callable(stmt):
            stmt = Evaluate(stmt)
        self._open[-1].append(stmt)

    def _close(self) -> Stmt:
        """The statements of the innermost block as one."""
        body: Stmt | None = None
        for one in reversed(self._open.pop()):
            if isinstance(one, Stmt):
                body = one if body is None else SeqStmt([one, body])
            else:
                body = one(Evaluate(0) if body is None else body)
        return Evaluate(0) if body is None else body

    @contextmanager
    def _within(self, made: Callable[[Stmt], Stmt], value: Any = None) -> Iterator[Any]:
        self._open.append([])
        try:
            yield value
        except BaseException:
            self._open.pop()
            raise
        self.emit(made(self._close()))

    def for_range(self, begin: Any, end: Any, name: str = "i", dtype: str | None = None, kind: str = "serial") -> Any:
        """A loop over `begin` to before `end`, of which the context gives the variable."""
        if kind not in _KINDS:
            raise ValueError(f"a loop is of the kind {', '.join(_KINDS)}, not `{kind}`")
        wide = dtype or getattr(begin, "dtype", None) or getattr(end, "dtype", None) or "int32"
        var, begin = Var(name, str(wide)), _core.to_expr(begin, str(wide))
        extent = _core.to_expr(end, str(wide)) - begin
        return self._within(lambda body: For(var, begin, extent, _KINDS[kind], body), var)

    def while_loop(self, condition: Any) -> Any:
        """A loop as long as the condition holds."""
        return self._within(lambda body: While(condition, body))

    def if_scope(self, cond: Any) -> Any:
        """Statements that run where the condition holds."""
        return self._within(lambda body: IfThenElse(cond, body))

    def else_scope(self) -> Any:
        """Statements that run where that of the `if_scope` before does not hold."""
        if not self._open[-1] or not isinstance(self._open[-1][-1], IfThenElse):
            raise RuntimeError("`else_scope` follows an `if_scope`")
        before = self._open[-1].pop()
        return self._within(lambda body: IfThenElse(before.condition, before.then_case, body))

    def scope_attr(self, node: Any, attr_key: str, value: Any) -> None:
        """Says something of all statements that follow in this block: a number, or a text."""
        self.emit(lambda body: AttrStmt(node, attr_key, value, body))

    def allocate(self, dtype: str, shape: Any, name: str = "buf", axis_separators: Any = None, scope: str = "") -> Any:
        """A buffer for the statements that follow in this block."""
        shape = list(shape) if isinstance(shape, (tuple, list)) else [shape]
        buffer = decl_buffer(shape, dtype, name, scope=scope or "global", axis_separators=axis_separators)
        self.emit(lambda body: DeclBuffer(buffer, body))
        return BufferVar(self, buffer)

    def pointer(self, content_type: str, name: str = "ptr", scope: str = "") -> BufferVar:
        """The elements at an address that is a parameter: `asobject()` is the address."""
        return BufferVar(self, decl_buffer([1], content_type, name, scope=scope or "global"))

    def let(self, var_name: str, value: Any) -> Var:
        """A variable with a value, for the statements that follow in this block."""
        value = _core.to_expr(value)
        var = Var(var_name, value.dtype)
        self.emit(lambda body: LetStmt(var, value, body))
        return var

    def new_scope(self) -> Any:
        """Statements whose attributes and allocations end with the context."""
        return self._within(lambda body: body)

    def buffer_ptr(self, buf: Buffer, shape: Sequence[Any] | None = None) -> BufferVar:
        """A buffer's elements; with a shape, those of its memory seen so."""
        if shape is None:
            return BufferVar(self, buf)
        view = decl_buffer(list(shape), buf.dtype, buf.name, buf.data, scope=buf.scope())
        self.emit(lambda body: DeclBuffer(view, body))
        return BufferVar(self, view)

    def likely(self, expr: Any) -> Any:
        """The condition itself: nothing is made of the hint that it mostly holds."""
        return expr

    def get(self) -> Stmt:
        """All statements as one."""
        if len(self._open) != 1:
            raise RuntimeError("a block is still open: `get` comes after all of them")
        stmt = self._close()
        self._open = [[]]
        return stmt


def create() -> IRBuilder:
    """A builder without statements."""
    return IRBuilder()
