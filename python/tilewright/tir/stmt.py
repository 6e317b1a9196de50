"""Statements of loop functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from .._core import Object
from ..ir.container import Array, Map
from ..ir.expr import PrimExpr, Range
from .buffer import Buffer
from .expr import IntImm, IterVar, Var

__all__ = [
    "Allocate", "AllocateConst", "AssertStmt", "AttrStmt", "Block", "BlockRealize", "BufferRegion", "BufferStore",
    "DeclBuffer", "Evaluate", "For", "ForKind", "IfThenElse", "LetStmt", "MatchBufferRegion", "SeqStmt", "Stmt",
    "While", "stmt_list", "stmt_seq",
]  # fmt: skip


class Stmt(Object):
    """A statement."""


class ForKind(IntEnum):
    """How the iterations of a loop run."""

    SERIAL = 0
    PARALLEL = 1
    VECTORIZED = 2
    UNROLLED = 3
    THREAD_BINDING = 4


class LetStmt(Stmt, kind="tir.LetStmt"):
    """`body` with a name for a value in it."""

    var: Var
    value: PrimExpr
    body: Stmt

    def __new__(cls, var: Var, value: Any, body: Stmt, span: object = None) -> Any:
        return cls._make(var, value, body)


class AssertStmt(Stmt, kind="tir.AssertStmt"):
    """Stops the function with the message unless the condition holds. What follows is the next statement."""

    condition: PrimExpr
    message: Any

    def __new__(cls, condition: Any, message: Any, body: Stmt | None = None, span: object = None) -> Any:
        return cls._make(condition, message, body)


class For(Stmt, kind="tir.For"):
    """A loop."""

    loop_var: Var
    min: PrimExpr
    extent: PrimExpr
    body: Stmt
    thread_binding: IterVar | None
    annotations: Map

    def __new__(
        cls,
        loop_var: Var,
        min: Any,
        extent: Any,
        kind: ForKind | int,
        body: Stmt,
        thread_binding: IterVar | None = None,
        annotations: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        return cls._make(loop_var, min, extent, kind, body, thread_binding, annotations)

    @property
    def kind(self) -> ForKind:
        """How the iterations run."""
        return ForKind(Object.__getattr__(self, "kind"))


class While(Stmt, kind="tir.While"):
    """Runs `body` as long as the condition holds."""

    condition: PrimExpr
    body: Stmt

    def __new__(cls, condition: Any, body: Stmt, span: object = None) -> Any:
        return cls._make(condition, body)


class BufferStore(Stmt, kind="tir.BufferStore"):
    """`buffer[indices] = value`."""

    buffer: Buffer
    value: PrimExpr
    indices: Array
    predicate: PrimExpr | None

    def __new__(
        cls, buffer: Buffer, value: Any, indices: Any, predicate: PrimExpr | None = None, span: object = None
    ) -> Any:
        return cls._make(buffer, value, indices, predicate)


def _not_annotated(cls: type, annotations: Mapping[str, Any] | None) -> None:
    if annotations:
        raise ValueError(f"tir.{cls.__name__} has no annotations here, found {dict(annotations)}")


def always(condition: Any) -> bool:
    """Whether a condition is the constant that says yes."""
    return isinstance(condition, (bool, int, IntImm)) and condition == 1


class Allocate(Stmt, kind="tir.Allocate"):
    """Memory while `body` runs. The same kind of statement as `DeclBuffer`, and read as that; it has no annotations."""

    def __new__(
        cls,
        buffer_var: Var,
        dtype: str,
        extents: Any,
        condition: Any,
        body: Stmt,
        annotations: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        _not_annotated(cls, annotations)
        made = cls._make(buffer_var, dtype, extents, condition, body)
        if not always(condition):
            raise ValueError(f"tir.Allocate: memory is allocated without a condition, found {condition}")
        return made


class AllocateConst(Stmt, kind="tir.AllocateConst"):
    """Memory that holds these elements while `body` runs."""

    buffer_var: Var
    dtype: str
    extents: Array
    data: Any
    body: Stmt

    def __new__(
        cls,
        buffer_var: Var,
        dtype: str,
        extents: Any,
        data_or_idx: Any,
        body: Stmt,
        annotations: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        _not_annotated(cls, annotations)
        return cls._make(buffer_var, dtype, extents, data_or_idx, body)


class DeclBuffer(Stmt, kind="tir.DeclBuffer"):
    """A buffer that exists while `body` runs: memory of its own, or a view where its data is defined already."""

    buffer: Buffer
    body: Stmt

    def __new__(cls, buffer: Buffer, body: Stmt, span: object = None) -> Any:
        return cls._make(buffer, body)


class AttrStmt(Stmt, kind="tir.AttrStmt"):
    """Says something of a thing while `body` runs."""

    node: Any
    attr_key: str
    value: PrimExpr
    body: Stmt

    def __new__(cls, node: Any, attr_key: str, value: Any, body: Stmt, span: object = None) -> Any:
        return cls._make(getattr(node, "data", node), attr_key, value, body)


class SeqStmt(Stmt, kind="tir.SeqStmt"):
    """Statements one after the other."""

    seq: Array

    def __new__(cls, seq: Sequence[Stmt], span: object = None) -> Any:
        return cls._make(seq)

    def __getitem__(self, index: int) -> Any:
        return self.seq[index]

    def __len__(self) -> int:
        return len(self.seq)


class IfThenElse(Stmt, kind="tir.IfThenElse"):
    """A conditional."""

    condition: PrimExpr
    then_case: Stmt
    else_case: Stmt | None

    def __new__(cls, condition: Any, then_case: Stmt, else_case: Stmt | None = None, span: object = None) -> Any:
        return cls._make(condition, then_case, else_case)


class Evaluate(Stmt, kind="tir.Evaluate"):
    """Evaluates an expression for its effect."""

    value: PrimExpr

    def __new__(cls, value: Any, span: object = None) -> Any:
        return cls._make(value)


class BufferRegion(Object, kind="tir.BufferRegion"):
    """A box of elements of a buffer: one range for each dimension."""

    buffer: Buffer
    region: Array

    def __new__(cls, buffer: Buffer, region: Sequence[Range]) -> Any:
        return cls._make(buffer, region)


class MatchBufferRegion(Object, kind="tir.MatchBufferRegion"):
    """Another view of a region, inside a block."""

    buffer: Buffer
    source: BufferRegion

    def __new__(cls, buffer: Buffer, source: BufferRegion) -> Any:
        return cls._make(buffer, source)


class Block(Stmt, kind="tir.Block"):
    """The unit of computation: instances over axes, each touching the declared regions only."""

    iter_vars: Array
    reads: Array
    writes: Array
    name_hint: str
    body: Stmt
    init: Stmt | None
    alloc_buffers: Array
    match_buffers: Array
    annotations: Map

    def __new__(
        cls,
        iter_vars: Sequence[IterVar],
        reads: Sequence[BufferRegion],
        writes: Sequence[BufferRegion],
        name_hint: str,
        body: Stmt,
        init: Stmt | None = None,
        alloc_buffers: Sequence[Buffer] | None = None,
        match_buffers: Sequence[MatchBufferRegion] | None = None,
        annotations: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        return cls._make(iter_vars, reads, writes, name_hint, body, init, alloc_buffers, match_buffers, annotations)


class BlockRealize(Stmt, kind="tir.BlockRealize"):
    """An instance of a block: values for its axes, and a predicate under which it runs at all."""

    iter_values: Array
    predicate: PrimExpr
    block: Block

    def __new__(cls, iter_values: Any, predicate: Any, block: Block, span: object = None) -> Any:
        return cls._make(iter_values, predicate, block)


def stmt_seq(*args: Any) -> Any:
    """The statements one after the other; one alone stays itself."""
    stmts = [item if isinstance(item, Stmt) else Evaluate(item) for item in args]
    return stmts[0] if len(stmts) == 1 else SeqStmt(stmts)


def stmt_list(stmt: Stmt) -> list[Stmt]:
    """The statements of a sequence, flattened; of another statement itself alone."""
    return [inner for item in stmt.seq for inner in stmt_list(item)] if isinstance(stmt, SeqStmt) else [stmt]
