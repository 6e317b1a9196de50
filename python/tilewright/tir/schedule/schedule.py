"""The schedule of a module in the making.

Every primitive is a method: `sch.split(loop, factors=[None, 16])`. A primitive either keeps what the function computes
or raises `ScheduleError`, which shows the block or the loop that is concerned, underlined in the script. A block may be
given by its name, and a buffer of a block by its name, as itself, or by its number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

from ... import _core
from ..._core import BlockRV, LoopRV, schedule_primitive_doc, schedule_primitives, schedule_renamed
from ...arith import Analyzer
from ...error import TVMError
from ...ir.expr import PrimExpr
from ...ir.module import GlobalVar
from ..block_scope import StmtSRef
from ..expr import FloatImm, IntImm, Var
from ..function import IndexMap, TensorIntrin
from ..stmt import Block, For
from ..stmt_functor import substitute
from .instruction import Instruction, InstructionKind
from .state import ScheduleState, mask_of
from .trace import Trace

__all__ = ["RAND_VAR_TYPE", "BlockRV", "ExprRV", "LoopRV", "Schedule", "ScheduleError"]

#: A number that a schedule has drawn: a variable, of which expressions can be made.
ExprRV = PrimExpr
RAND_VAR_TYPE = BlockRV | LoopRV | ExprRV
BlockLike = BlockRV | str
MapLike = IndexMap | Callable[..., Any]


class ScheduleError(TVMError):
    """A primitive that was not applied, and why: the schedule is as it was before the call."""


class ScheduleTypeError(ScheduleError, TypeError):
    """A call with an argument that is missing, unknown, or of a type that the primitive does not take."""


class ScheduleValueError(ScheduleError, ValueError):
    """A call with a handle whose block or loop does not exist any more."""


class ScheduleIndexError(ScheduleError, IndexError):
    """A call with a handle that the schedule does not have."""


class Schedule(_core.Schedule):
    """A module, or a function, and handles for its blocks and loops, which primitives take and give.

    What is drawn (`sample_perfect_tile` and its like) follows from `seed`, and the trace has what was drawn.
    `error_render_level` says whether errors show the script: "detail", "fast" or "none".
    """

    def __init__(
        self,
        mod: Any,
        *,
        seed: int | None = None,
        debug_mask: str | int | None = "none",
        error_render_level: str = "detail",
        enable_check: bool = True,
    ) -> None:
        self._debug_mask, self._enable_check = mask_of(debug_mask), enable_check
        self._calls_known: list[Instruction] = []
        self._decisions: dict[Instruction, Any] = {}
        self._drawn: dict[Var, _core.ExprRV] = {}

    @staticmethod
    def _create_non_traced(mod: Any, **options: Any) -> Schedule:
        """A schedule; its trace costs nothing."""
        return Schedule(mod, **options)

    @property
    def state(self) -> ScheduleState:
        """The module as a tree of blocks and loops."""
        return ScheduleState._of(self, self._debug_mask, self._enable_check)

    @property
    def trace(self) -> Trace:
        """The calls so far."""
        for name, args, outputs in self._calls(len(self._calls_known)):
            kind = InstructionKind.get(name)
            inputs, attrs, decision = kind._split(self._variables(args))
            self._calls_known.append(Instruction(kind, inputs, attrs, self._variables(outputs)))
            if decision is not None:
                self._decisions[self._calls_known[-1]] = decision
        return Trace(self._calls_known, self._decisions)

    @property
    def func_working_on(self) -> GlobalVar | None:
        """The function in which `get_block` looks for names."""
        name = super().func_working_on
        return None if name is None else self.mod.get_global_var(name)

    def copy(self) -> Schedule:
        """Another schedule that begins where this one is, whose handles are these."""
        other = super().copy()
        calls = self.trace
        other._calls_known, other._decisions = list(calls.insts), dict(calls.decisions)
        other._debug_mask, other._enable_check = self._debug_mask, self._enable_check
        other._drawn = dict(self._drawn)
        return other

    def show(self, *args: Any, **kwargs: Any) -> None:
        """Prints the module and the calls that made it."""
        self.mod.show(*args, **kwargs)
        self.trace.show()

    def get(self, rand_var_or_sref: Any) -> Any:
        """The block, the loop or the number that a handle stands for; a number is itself."""
        if isinstance(rand_var_or_sref, StmtSRef):
            return rand_var_or_sref.stmt
        if isinstance(rand_var_or_sref, PrimExpr):
            return self._value(rand_var_or_sref)
        return rand_var_or_sref if isinstance(rand_var_or_sref, int) else super().get(rand_var_or_sref)

    def _value(self, expr: PrimExpr) -> PrimExpr:
        """An expression with numbers for what was drawn."""
        values = {var: IntImm(var.dtype, int(super(Schedule, self).get(rv))) for var, rv in self._drawn.items()}
        return Analyzer().simplify(substitute(expr, values)) if values else expr

    def _handles(self, value: Any) -> Any:
        """An argument with what was drawn as the core has it: handles, and the numbers of expressions."""
        if not self._drawn:
            return value
        if isinstance(value, PrimExpr):
            return self._drawn[value] if isinstance(value, Var) and value in self._drawn else self._value(value)
        if isinstance(value, IndexMap):
            return IndexMap(value.initial_indices, [self._value(index) for index in value.final_indices])
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._handles, value)) if type(value) in (list, tuple) else value
        return value

    def _variables(self, value: Any) -> Any:
        """What the core gives, with variables for what was drawn."""
        if isinstance(value, list):
            return [self._variables(item) for item in value]
        if not isinstance(value, _core.ExprRV):
            return value
        known = next((var for var, rv in self._drawn.items() if rv == value), None)
        if known is None:
            known = Var(f"v{len(self._drawn)}", "int32")
            self._drawn[known] = value
        return known

    def _call(self, name: str, args: Any, kwargs: Any) -> Any:
        """Calls a primitive with arguments by position and by name; gives nothing, a handle, or a list of handles."""
        named = {key: self._handles(value) for key, value in kwargs.items()}
        return self._variables(super()._call(name, tuple(map(self._handles, args)), named))

    def get_sref(self, rand_var_or_stmt: BlockRV | LoopRV | Block | For) -> StmtSRef | None:
        """The reference to a block or loop of the module."""
        ref = _core.StmtRef.of(self, rand_var_or_stmt)
        if ref is None and isinstance(rand_var_or_stmt, (BlockRV, LoopRV)):
            raise ScheduleValueError(f"`{rand_var_or_stmt}` stands for nothing any more: a primitive has replaced it")
        return None if ref is None else StmtSRef(self, ref)

    def _run(self, kind: InstructionKind, inputs: Any, attrs: Any, decision: Any = None) -> list[Any]:
        """Calls a primitive with the inputs and attributes of a trace; gives its handles."""
        positional, named = [], {}
        for name, value in kind._args(inputs, attrs, decision):
            if name in ("loops", "ordered_loops"):
                positional.append(value)
            else:
                named[name] = value
        self._know_intrinsics()
        given = self._call(kind._method, tuple(positional), named)
        return [] if given is None else given if isinstance(given, list) else [given]

    def _block(self, block: BlockLike) -> Block:
        """The block of a handle, or of a name, which the trace does not have."""
        if isinstance(block, str):
            other = self.copy()
            return other.get(other.get_block(block))
        found = self.get(block)
        if not isinstance(found, Block):
            raise ScheduleTypeError(f"expected a block, found {type(found).__name__}")
        return found

    def _buffer(self, block: BlockLike, buffer: Any, write: bool | None = None) -> Any:
        """The buffer of a block that an argument means; `None` where it means none."""
        found = self._block(block)
        reads, writes = [r.buffer for r in found.reads], [w.buffer for w in found.writes]
        if isinstance(buffer, (tuple, list)) and len(buffer) == 2:
            buffer, write = buffer[1], buffer[0] == "write"
        if isinstance(buffer, (int, IntImm)):
            candidates = reads if write is False else writes
            return candidates[int(buffer)] if 0 <= int(buffer) < len(candidates) else None
        if isinstance(buffer, str):
            return next((known for known in [*writes, *reads] if known.name == buffer), None)
        return buffer

    def transform_layout(
        self,
        block: BlockLike,
        buffer: Any,
        index_map: MapLike,
        pad_value: Any = None,
        *,
        assume_injective_transform: bool = False,
    ) -> None:
        """Stores the elements of a buffer at the indices that a map gives.

        The map may have `IndexMap.AXIS_SEPARATOR` among its results. `pad_value` is what lies where no element does: a
        number, or a function of the new indices.
        """
        separators: list[int] = []
        if not isinstance(index_map, IndexMap):
            found = self._buffer(block, buffer)
            if found is None:
                raise ScheduleError(f"`transform_layout` cannot be applied: the block uses no buffer {buffer}")
            index_map, separators = IndexMap.from_func_with_separators(index_map, len(found.shape))
        if callable(pad_value):
            pad_value = _of_indices(pad_value, len(index_map.final_indices))
        self._call("transform_layout", (block, buffer, index_map, pad_value, assume_injective_transform), {})
        if separators:
            last = self.trace.insts[-1]
            self.set_axis_separator(last.inputs[0], (last.attrs[1], last.attrs[0]), separators)

    def transform_block_layout(self, block: BlockLike, index_map: MapLike) -> None:
        """Runs a block over other axes, as a map of its own says."""
        self._call("transform_block_layout", (block, self._of_axes(block, index_map)), {})

    def reindex_cache_read(
        self, block: BlockLike, read_buffer_index: Any, storage_scope: str, index_map: MapLike
    ) -> BlockRV:
        """Copies what a block reads to other memory first, at the indices that a map of its axes gives."""
        args = (block, read_buffer_index, storage_scope, self._of_axes(block, index_map))
        return self._call("reindex_cache_read", args, {})

    def reindex_cache_write(
        self, block: BlockLike, write_buffer_index: Any, storage_scope: str, index_map: MapLike
    ) -> BlockRV:
        """Lets a block write to other memory, at the indices that a map of its axes gives, from where it is copied."""
        args = (block, write_buffer_index, storage_scope, self._of_axes(block, index_map))
        return self._call("reindex_cache_write", args, {})

    def annotate_buffer_access(
        self, block: BlockLike, buffer_index: Any, buf_type: str, gen_new_ranges: Callable[..., Any]
    ) -> None:
        """Declares what a block reads or writes of a buffer, by a begin and an end, or an index, for each dimension."""
        found = self._block(block)
        axes = [axis.var for axis in found.iter_vars]
        ranges = gen_new_ranges if isinstance(gen_new_ranges, IndexMap) else _ranges(axes, gen_new_ranges(*axes))
        buffer = self._buffer(block, buffer_index, buf_type == "write")
        if buffer is not None and len(ranges.final_indices) != 2 * len(buffer.shape):
            count, rank = len(ranges.final_indices) // 2, len(buffer.shape)
            raise ScheduleValueError(f"expected ranges for the {rank} dimensions of `{buffer.name}`, found {count}")
        self._call("annotate_buffer_access", (block, buffer_index, buf_type, ranges), {})

    def _of_axes(self, block: BlockLike, index_map: MapLike) -> IndexMap:
        if isinstance(index_map, IndexMap):
            return index_map
        return IndexMap.from_func(index_map, ndim=len(self._block(block).iter_vars))

    def tensorize(self, block_or_loop: BlockRV | LoopRV, tensor_intrin: str, preserve_unit_iters: bool = True) -> None:
        """Replaces the computation that a registered `TensorIntrin` describes by its implementation."""
        self._know_intrinsics()
        self._call("tensorize", (block_or_loop, tensor_intrin, preserve_unit_iters), {})

    def _know_intrinsics(self) -> None:
        """Tells the schedule what is registered by now."""
        for name, intrin in TensorIntrin._known.items():
            self._register_intrinsic(name, intrin.desc, intrin.impl)

    def can_compute_at(self, block: BlockLike, loop: LoopRV, preserve_unit_loops: bool = False) -> bool:
        """Whether `compute_at` could be called so."""
        return self._can("compute_at", (block, loop, preserve_unit_loops))

    def can_reverse_compute_at(self, block: BlockLike, loop: LoopRV, preserve_unit_loops: bool = False) -> bool:
        """Whether `reverse_compute_at` could be called so."""
        return self._can("reverse_compute_at", (block, loop, preserve_unit_loops))

    def can_decompose_padding(self, block: BlockLike, loop: LoopRV) -> bool:
        """Whether `decompose_padding` could be called so."""
        return self._can("decompose_padding", (block, loop))


def _ranges(axes: Sequence[Var], given: Any) -> IndexMap:
    """A begin and an end for each dimension, as a map of a block's axes."""
    ends: list[Any] = []
    for item in given if isinstance(given, (tuple, list)) else [given]:
        if isinstance(item, (tuple, list)):
            if len(item) != 2:
                raise ScheduleValueError(f"a range is a begin and an end, found {len(item)} numbers")
            ends.extend(item)
        else:
            ends.extend([item, item + 1])
    dtype = axes[0].dtype if axes else "int64"
    return IndexMap(axes, [IntImm(dtype, end) if isinstance(end, int) else end for end in ends])


def _of_indices(function: Callable[..., Any], ndim: int) -> Any:
    """A value that is a function of indices: a number where it is the same at all of them."""
    axes = [Var(f"axis{at}", "int64") for at in range(ndim)]
    value = function(*axes)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, (int, float, IntImm, FloatImm)) else IndexMap(axes, [value])


def _method(name: str, params: list[tuple[str, list[Any]]]) -> Callable[..., Any]:
    """The method that calls a primitive, with the signature that the primitive declares."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    for param, default in params:
        if param.startswith("*"):
            parameters.append(Parameter(param[1:], Parameter.VAR_POSITIONAL))
            kind = Parameter.KEYWORD_ONLY
        else:
            parameters.append(Parameter(param, kind, default=(*default, Parameter.empty)[0]))
    signature = Signature(parameters)

    def method(self: Schedule, *args: Any, **kwargs: Any) -> Any:
        return self._call(name, args, kwargs)

    method.__name__ = name
    method.__qualname__ = f"Schedule.{name}"
    method.__signature__ = signature  # type: ignore[attr-defined]
    method.__doc__ = schedule_primitive_doc(name)
    return method


for _, _name, _params in schedule_primitives():
    if _name not in vars(Schedule):
        setattr(Schedule, _name, _method(_name, _params))

_params_of = {_name: _params for _, _name, _params in schedule_primitives()}
for _earlier, _name in schedule_renamed():
    setattr(Schedule, _earlier, _method(_earlier, _params_of[_name]))
