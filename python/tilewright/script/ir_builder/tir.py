"""`T`: loop functions, statement by statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ... import tir as _tir
from ...error import TVMError
from ...ir.expr import Range
from ...runtime.ndarray import array as nd_array
from ...tir import buffer as _buffer
from ...tir import op as _op
from ...tir.analysis import get_block_read_write_region
from ...tir.expr import *
from ...tir.expr import IntImm, IterVar, Var
from ...tir.op import *
from ...tir.stmt import (
    AllocateConst,
    AssertStmt,
    AttrStmt,
    Block,
    BlockRealize,
    BufferRegion,
    BufferStore,
    DeclBuffer,
    Evaluate,
    ForKind,
    IfThenElse,
    MatchBufferRegion,
    SeqStmt,
    Stmt,
)
from ...tir.stmt import For as _ForStmt
from ...tir.stmt import LetStmt as _LetStmt
from ...tir.stmt import While as _WhileStmt
from ...tir.stmt import always as _always
from .base import Frame, IRBuilder, expected_frame
from .values import *
from .values import __all__ as _values

__all__ = [
    "Assert", "Buffer", "Else", "If", "LetStmt", "Range", "Then", "While", "alloc_buffer", "allocate", "arg",
    "attr", "axis", "block", "block_attr", "buffer", "buffer_store", "decl_buffer", "evaluate", "func_attr", "func_name",
    "func_ret", "grid", "init", "launch_thread", "let", "match_buffer", "parallel", "prim_func", "reads",
    "serial", "thread_binding", "unroll", "vectorized", "where", "writes", "allocate_const", "buffer_decl", "env_thread",
    *_tir.expr.__all__, *_op.__all__, *_values,
]  # fmt: skip

Buffer = buffer = buffer_decl = _buffer.decl_buffer


def Let(expr: Any, where: dict[Var, Any]) -> Any:
    """An expression in which a variable has a value: `T.Let(x + 1, where={x: 2})`."""
    [(var, value)] = where.items()
    return _tir.Let(var, value, expr)


class StmtFrame(Frame):
    """A frame that collects statements."""

    def __init__(self) -> None:
        self.stmts: list[Stmt] = []

    def body(self) -> Stmt:
        """The statements as one."""
        if not self.stmts:
            return Evaluate(0)
        return self.stmts[0] if len(self.stmts) == 1 else SeqStmt(self.stmts)

    def stmt(self) -> Stmt:
        """The statement that the frame becomes."""
        raise NotImplementedError

    def end(self, around: Frame | None) -> None:
        """Adds the statement to the frame around; without one it is what was built."""
        _add(self.stmt(), "a statement")


def _add(stmt: Any, what: str) -> None:
    """Adds a statement to the frame around; without one it is what was built."""
    builder = IRBuilder.current()
    if builder.frames:
        expected_frame(StmtFrame, what).stmts.append(stmt)
    else:
        builder.finish(stmt)


class PrimFuncFrame(StmtFrame):
    """A function in the making."""

    def __init__(self, private: bool) -> None:
        super().__init__()
        self.name: str | None = None
        self.private = private
        self.args: list[Any] = []
        self.buffers: dict[Any, Any] = {}
        self.attrs: dict[str, Any] = {}
        self.allocated: list[Any] = []

    def end(self, around: Frame | None) -> None:
        """Finishes the function: a module gets it under its name."""
        body = self.body()
        if self.allocated or _has_blocks(body):
            root = Block([], [], [], "root", body, None, self.allocated)
            body = body if _is_root(body) and not self.allocated else BlockRealize([], True, root)
        if self.name and not self.private:
            self.attrs.setdefault("global_symbol", self.name)
        function = _tir.PrimFunc(self.args, body, None, self.buffers, self.attrs)
        from .ir import IRModuleFrame

        if isinstance(around, IRModuleFrame):
            around.functions[self.name or "main"] = function
        else:
            IRBuilder.current().finish(function)


def _is_root(stmt: Stmt) -> bool:
    return isinstance(stmt, BlockRealize) and not stmt.block.iter_vars


def _has_blocks(stmt: Stmt) -> bool:
    found = []
    _tir.stmt_functor.post_order_visit(
        stmt, lambda node: found.append(node) if isinstance(node, BlockRealize) else None
    )
    return len(found) > 0


def prim_func(is_private: bool = False) -> PrimFuncFrame:
    """A function."""
    return PrimFuncFrame(is_private)


def _function(what: str) -> PrimFuncFrame:
    return expected_frame(PrimFuncFrame, what)


def func_name(name: str) -> None:
    """Names the function."""
    _function("`T.func_name`").name = name


def func_attr(attrs: dict[str, Any]) -> None:
    """Sets attributes of the function."""
    _function("`T.func_attr`").attrs.update(attrs)


def func_ret(ret_type: Any) -> Any:
    """Says what the function returns. `T.ret` in its body says the same."""
    _function("`T.func_ret`")
    return ret_type


def arg(name: str, obj: Any) -> Any:
    """A parameter: a variable, or a buffer."""
    frame = _function("`T.arg`")
    if isinstance(obj, _tir.Buffer):
        align = -1 if obj.data_alignment == 64 else obj.data_alignment
        obj = _tir.decl_buffer(
            list(obj.shape), obj.dtype, name, None, list(obj.strides) or None, None, obj.scope(), align
        )
        frame.args.append(obj)
    else:
        obj = Var(name, obj.dtype)
        frame.args.append(obj)
    return obj


def match_buffer(
    param: Any,
    shape: Any = None,
    dtype: str = "float32",
    data: Any = None,
    strides: Any = None,
    elem_offset: Any = None,
    scope: str = "global",
    align: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "default",
    axis_separators: Any = None,
) -> Any:
    """The buffer of a handle, or inside a block another view of a region."""
    region = _region(param) if isinstance(param, (BufferRegion, _tir.BufferLoad)) else None
    if region is not None and shape is None:
        shape = [part.extent for part in region.region]
    name = param.name if region is None else f"{region.buffer.name}_view"
    made = _tir.decl_buffer(
        shape, dtype, name, data, strides, elem_offset, scope, align, offset_factor, _sort(buffer_type), axis_separators
    )
    if region is not None:
        expected_frame(BlockFrame, "`T.match_buffer` of a region").matched.append(MatchBufferRegion(made, region))
        return made
    _function("`T.match_buffer`").buffers[param] = made
    return made


def _sort(buffer_type: str) -> str:
    """The sort of a buffer, as `tir.decl_buffer` says it."""
    return "" if buffer_type == "default" else buffer_type


class BlockFrame(StmtFrame):
    """A block in the making."""

    def __init__(self, name: str, no_realize: bool) -> None:
        super().__init__()
        self.name, self.no_realize = name, no_realize
        self.iters: list[Any] = []
        self.values: list[Any] = []
        # What the block says of its regions; of what it says nothing, they follow from its body.
        self.regions: dict[str, list[Any]] = {}
        self.predicate: Any = True
        self.init: Stmt | None = None
        self.annotations: dict[str, Any] = {}
        self.allocated: list[Any] = []
        self.matched: list[Any] = []

    def stmt(self) -> Stmt:
        """The instance of the block, or the block alone."""
        block = self._block([], [])
        if not (self.name == "root" and not self.iters) and len(self.regions) < 2:
            reads, writes = get_block_read_write_region(block)
            block = self._block(self.regions.get("reads", reads), self.regions.get("writes", writes))
        elif self.regions:
            block = self._block(self.regions.get("reads", []), self.regions.get("writes", []))
        return block if self.no_realize else BlockRealize(self.values, self.predicate, block)

    def _block(self, reads: Any, writes: Any) -> Block:
        return Block(
            self.iters, reads, writes, self.name, self.body(), self.init, self.allocated, self.matched, self.annotations
        )


def block(name: str = "", no_realize: bool = False) -> BlockFrame:
    """A block: an instance of it, or with `no_realize` the block alone."""
    return BlockFrame(name, no_realize)


def _block(what: str) -> BlockFrame:
    return expected_frame(BlockFrame, what)


class InitFrame(StmtFrame):
    """What a block does before its first iteration."""

    def end(self, around: Frame | None) -> None:
        """Gives the block its init."""
        _block("`T.init`").init = self.body()


def init() -> InitFrame:
    """What a block does where its reduce axes have their first values."""
    return InitFrame()


def where(predicate: Any) -> None:
    """Under what condition the block runs."""
    _block("`T.where`").predicate = predicate


def _regions(items: Iterable[Any]) -> list[Any]:
    flat: list[Any] = []
    for item in items:
        flat += item if isinstance(item, (list, tuple)) else [item]
    return [_region(item) for item in flat]


def _region(item: Any) -> Any:
    if isinstance(item, _tir.BufferLoad):
        return BufferRegion(item.buffer, [Range.from_min_extent(index, 1) for index in item.indices])
    if isinstance(item, _tir.Buffer):
        return BufferRegion(item, [Range(0, extent) for extent in item.shape])
    return item


def reads(*buffer_slices: Any) -> None:
    """What the block reads."""
    _block("`T.reads`").regions["reads"] = _regions(buffer_slices)


def writes(*buffer_slices: Any) -> None:
    """What the block writes."""
    _block("`T.writes`").regions["writes"] = _regions(buffer_slices)


def block_attr(attrs: dict[str, Any]) -> None:
    """Sets annotations of the block."""
    _block("`T.block_attr`").annotations.update(attrs)


def alloc_buffer(
    shape: Any,
    dtype: str = "float32",
    data: Any = None,
    strides: Any = None,
    elem_offset: Any = None,
    scope: str = "global",
    align: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "default",
    axis_separators: Any = None,
    *,
    name: str = "buffer",
) -> Any:
    """A temporary of the block, or of the function."""
    made = _tir.decl_buffer(
        shape, dtype, name, data, strides, elem_offset, scope, align, offset_factor, _sort(buffer_type), axis_separators
    )
    frames = [frame for frame in IRBuilder.current().frames if isinstance(frame, (BlockFrame, PrimFuncFrame))]
    if not frames:
        raise TVMError("`T.alloc_buffer` may not stand here")
    frames[-1].allocated.append(made)
    return made


class axis:
    """The axes of a block."""

    @staticmethod
    def _bind(kind: int, dom: Any, binding: Any, dtype: str = "int32") -> Any:
        frame = expected_frame(BlockFrame, "`T.axis`", innermost=True)
        dtype = getattr(binding, "dtype", dtype)
        if isinstance(dom, (list, tuple)):
            low, high = (_op.const(end, dtype) if isinstance(end, int) else end for end in dom)
            dom = Range(low, high)
        elif not isinstance(dom, Range):
            dom = Range.from_min_extent(_op.const(0, dtype), _op.const(dom, dtype) if isinstance(dom, int) else dom)
        var = Var(f"v{getattr(binding, 'name', len(frame.iters))}", dtype)
        frame.iters.append(IterVar(dom, var, kind))
        frame.values.append(binding)
        return var

    @staticmethod
    def spatial(dom: Any, binding: Any, dtype: str = "int32") -> Any:
        """An axis whose instances write different elements."""
        return axis._bind(IterVar.DataPar, dom, binding, dtype)

    @staticmethod
    def reduce(dom: Any, binding: Any, dtype: str = "int32") -> Any:
        """An axis that is reduced over."""
        return axis._bind(IterVar.CommReduce, dom, binding, dtype)

    @staticmethod
    def scan(dom: Any, binding: Any, dtype: str = "int32") -> Any:
        """An axis whose instances run in order."""
        return axis._bind(IterVar.Ordered, dom, binding, dtype)

    @staticmethod
    def opaque(dom: Any, binding: Any, dtype: str = "int32") -> Any:
        """An axis of which nothing is promised."""
        return axis._bind(IterVar.Opaque, dom, binding, dtype)

    @staticmethod
    def remap(kinds: str, bindings: list[Any], dtype: str = "int32") -> Any:
        """Several axes, one loop each: "S" spatial, "R" reduce."""
        found = []
        for kind, loop in zip(kinds, bindings, strict=True):
            frame = next(
                (f for f in IRBuilder.current().frames if isinstance(f, ForFrame) and [v for v in f.vars if v is loop]),
                None,
            )
            if frame is None:
                raise TVMError("`T.axis.remap` takes the variables of loops around")
            dom = next(range_ for v, range_ in zip(frame.vars, frame.ranges, strict=True) if v is loop)
            found.append(axis._bind({"S": 0, "R": 2, "O": 4}[kind], dom, loop, dtype))
        return found[0] if len(found) == 1 else found

    S, R = spatial, reduce


axis.O = staticmethod(axis.opaque)


class ForFrame(StmtFrame):
    """Loops in the making, from the outermost inwards."""

    def __init__(
        self,
        ranges: list[Range],
        kind: ForKind,
        annotations: dict[str, Any] | None = None,
        thread: str | None = None,
        name: str = "v",
    ) -> None:
        super().__init__()
        self.ranges, self.kind, self.annotations, self.thread = ranges, kind, annotations, thread
        IRBuilder.current()  # Outside of a builder there are no loops: an error.
        self.vars = [Var(name, range_.extent.dtype) for range_ in ranges]

    def value(self) -> Any:
        """The loop variable, or several."""
        return self.vars[0] if len(self.vars) == 1 else self.vars

    def stmt(self) -> Stmt:
        """The loops."""
        stmt = self.body()
        for var, range_ in zip(reversed(self.vars), reversed(self.ranges), strict=True):
            binding = (
                IterVar(range_, Var(self.thread, var.dtype), IterVar.ThreadIndex, self.thread) if self.thread else None
            )
            stmt = _ForStmt(var, range_.min, range_.extent, self.kind, stmt, binding, self.annotations)
        return stmt


def _loop(kind: ForKind) -> Callable[..., ForFrame]:
    def loop(start: Any, stop: Any = None, *, annotations: dict[str, Any] | None = None) -> ForFrame:
        if stop is None:
            start, stop = 0, start
        low, high = (_op.const(end) if isinstance(end, int) else end for end in (start, stop))
        return ForFrame([Range(low, high)], kind, annotations)

    loop.__name__ = kind.name.lower()
    loop.__doc__ = f"A loop from `start` (0 unless given) to `stop`: {kind.name.lower()}."
    return loop


serial = _loop(ForKind.SERIAL)
parallel = _loop(ForKind.PARALLEL)
vectorized = _loop(ForKind.VECTORIZED)
unroll = _loop(ForKind.UNROLLED)


def thread_binding(
    start: Any, stop: Any = None, thread: str | None = None, *, annotations: dict[str, Any] | None = None
) -> ForFrame:
    """A loop on the threads of a GPU, such as `threadIdx.x`."""
    if thread is None and isinstance(stop, str):
        stop, thread = None, stop
    if stop is None:
        start, stop = 0, start
    low, high = (_op.const(end) if isinstance(end, int) else end for end in (start, stop))
    return ForFrame([Range(low, high)], ForKind.THREAD_BINDING, annotations, thread)


def grid(*extents: Any) -> ForFrame:
    """Nested loops from 0."""
    ends = [_op.const(end) if isinstance(end, int) else end for end in extents]
    return ForFrame(
        [Range.from_min_extent(end * 0 if not isinstance(end, IntImm) else IntImm(end.dtype, 0), end) for end in ends],
        ForKind.SERIAL,
    )


def env_thread(thread_tag: str, dtype: str = "int32") -> IterVar:
    """An axis of threads, for `T.launch_thread`."""
    return IterVar(None, Var(thread_tag, dtype), IterVar.ThreadIndex, thread_tag)


def launch_thread(thread: Any, extent: Any) -> ForFrame:
    """A loop on the threads of a GPU."""
    return thread_binding(0, extent, getattr(thread, "thread_tag", thread))


class _Around(StmtFrame):
    """A statement around others."""

    def __init__(self, make: Callable[[Stmt], Stmt], named: Any = None) -> None:
        super().__init__()
        self.make, self.named = make, named

    def value(self) -> Any:
        """What the statement names."""
        return self if self.named is None else self.named

    def stmt(self) -> Stmt:
        """The statement."""
        return self.make(self.body())


def Assert(condition: Any, message: str) -> _Around:
    """A check in front of what follows."""
    return _Around(lambda body: SeqStmt([AssertStmt(condition, message), body]))


def LetStmt(value: Any, type_annotation: Any = None, *, var: Var | None = None) -> _Around:
    """A name for a value: `with T.LetStmt(value) as name:`."""
    value = _op.const(value) if isinstance(value, (int, float)) else value
    if var is None:
        var = Var("v", type_annotation if isinstance(type_annotation, str) else value.dtype)
    return _Around(lambda body: _LetStmt(var, value, body), var)


def let(value: Any, dtype: str | None = None, *, var: Var | None = None) -> _Around:
    """A name for a value."""
    value = _op.const(value) if isinstance(value, (int, float)) else value
    if var is None:
        var = Var("v", dtype or value.dtype)
    return _Around(lambda body: _LetStmt(var, value, body), var)


def While(condition: Any) -> _Around:
    """A loop as long as the condition holds."""
    return _Around(lambda body: _WhileStmt(condition, body))


def attr(node: Any, attr_key: str, value: Any) -> _Around:
    """Says something of a thing."""
    return _Around(lambda body: AttrStmt(node, attr_key, value, body))


def allocate(
    extents: Any, dtype: str, scope: str = "global", condition: Any = True, annotations: Any = None
) -> _Around:
    """Memory without a shape of its own; `as` names its address."""
    if annotations:
        raise TVMError(f"`T.allocate` has no annotations here, found {annotations}")
    if not _always(condition):
        raise TVMError(f"memory is allocated without a condition, found {condition}")
    memory = _tir.decl_buffer(extents, dtype, "data", scope=scope)
    return _Around(lambda body: DeclBuffer(memory, body), memory.data)


def allocate_const(data: Any, dtype: str, extents: Any, annotations: Any = None) -> _Around:
    """Memory with constant contents; `as` names its address."""
    if annotations:
        raise TVMError(f"`T.allocate_const` has no annotations here, found {annotations}")
    memory = _tir.decl_buffer(extents, dtype, "data")
    values = np.asarray(data, dtype).reshape([int(extent) for extent in extents])
    return _Around(lambda body: AllocateConst(memory.data, dtype, extents, nd_array(values), body), memory.data)


class DeclBufferFrame(_Around):
    """A buffer over memory."""


def decl_buffer(shape: Any, dtype: str = "float32", data: Any = None, *args: Any, **kwargs: Any) -> DeclBufferFrame:
    """A buffer: over memory, or with memory of its own."""
    kwargs.setdefault("name", "buffer")
    made = _tir.decl_buffer(shape, dtype, kwargs.pop("name"), data, *args, **kwargs)
    return DeclBufferFrame(lambda body: DeclBuffer(made, body), made)


class IfFrame(StmtFrame):
    """A conditional in the making."""

    def __init__(self, condition: Any) -> None:
        super().__init__()
        self.condition = condition
        self.branches: dict[str, Stmt] = {}

    def stmt(self) -> Stmt:
        """The conditional."""
        if "then" not in self.branches:
            raise TVMError("`T.If` needs `with T.Then():`")
        return IfThenElse(self.condition, self.branches["then"], self.branches.get("else"))


class BranchFrame(StmtFrame):
    """A branch of a conditional."""

    def __init__(self, which: str) -> None:
        super().__init__()
        self.which = which

    def end(self, around: Frame | None) -> None:
        """Gives the conditional its branch."""
        expected_frame(IfFrame, f"`T.{self.which.title()}`", innermost=True).branches[self.which] = self.body()


def If(condition: Any) -> IfFrame:
    """A conditional, with `T.Then` and perhaps `T.Else` inside."""
    return IfFrame(condition)


def Then() -> BranchFrame:
    """What runs where the condition holds."""
    return BranchFrame("then")


def Else() -> BranchFrame:
    """What runs where it does not."""
    return BranchFrame("else")


def buffer_store(buffer: Any, value: Any, indices: Any, predicate: Any = None) -> None:
    """`buffer[indices] = value`."""
    indices = indices if isinstance(indices, (list, tuple)) else [indices]
    _add(BufferStore(buffer, value, indices, predicate), "`T.buffer_store`")


def evaluate(value: Any) -> None:
    """Evaluates an expression for its effect."""
    _add(Evaluate(value), "`T.evaluate`")
