"""What schedules ask of blocks: their outputs, layouts that suit their accesses, and loops that an intrinsic covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...arith import Analyzer, IterMapLevel, detect_iter_map
from ...ir.base import structural_equal
from ...ir.expr import PrimExpr, Range
from ..block_scope import StmtSRef
from ..buffer import Buffer
from ..expr import BinaryOpExpr, BufferLoad, Cast, IntImm, IterVar, Var
from ..function import IndexMap, PrimFunc
from ..stmt import Block, BlockRealize, BufferStore, For
from ..stmt_functor import post_order_visit
from .schedule import BlockRV, Schedule

__all__ = [
    "AutoTensorizeMappingInfo", "TensorizeInfo", "get_auto_tensorize_mapping_info", "get_tensorize_loop_mapping",
    "has_block", "is_output_block", "suggest_index_map",
]  # fmt: skip


def has_block(sch: Schedule, block_name: str) -> bool:
    """Whether the function that is worked on has a block of this name."""
    return sch._can("get_block", (block_name,))


def is_output_block(sch: Schedule, block: BlockRV) -> bool:
    """Whether the block writes to what the function gives to its caller."""
    functions = [function for function in sch.mod.functions.values() if isinstance(function, PrimFunc)]
    outputs = [buffer for function in functions for buffer in function.buffer_map.values()]
    written = [region.buffer for region in sch.get(block).writes]
    return any(buffer.same_as(output) for buffer in written for output in outputs)


def suggest_index_map(
    buffer: Buffer, indices: Sequence[PrimExpr], loops: Sequence[For], predicate: PrimExpr
) -> IndexMap | None:
    """The layout in which the accesses at `indices` are in the order of the loops.

    The row-major index of the access is a sum of pieces of the loops' variables; the layout has a dimension for each
    piece, ordered by the loops, and the pieces of one loop from the most significant on. `None` where the index is no
    such sum, or has an offset.
    """
    domains = {loop.loop_var: Range.from_min_extent(loop.min, loop.extent) for loop in loops}
    flat = _row_major(buffer.shape, indices)
    found = detect_iter_map([flat], domains, predicate, IterMapLevel.Surjective, simplify_trivial_iterators=False)
    if not found.indices:
        return None
    pieces = _pieces(found.indices[0])
    if pieces is None:
        return None
    numbers = {loop.loop_var: at for at, loop in enumerate(loops)}
    if any(piece.source.source not in numbers for piece in pieces):
        return None
    order = sorted(
        range(len(pieces)), key=lambda at: (numbers[pieces[at].source.source], -int(pieces[at].lower_factor))
    )
    axes = [Var(f"i{at}", extent.dtype) for at, extent in enumerate(buffer.shape)]
    analyzer = Analyzer()
    for axis, extent in zip(axes, buffer.shape, strict=True):
        analyzer.bind(axis, Range(0, extent))
    step = 1
    results: dict[int, PrimExpr] = {}
    for at in reversed(range(len(pieces))):
        part = _quotient(buffer.shape, axes, step)
        part = part if at == 0 else part % int(pieces[at].extent)
        results[at] = analyzer.simplify(part)
        step *= int(pieces[at].extent)
    return IndexMap(axes, [results[at] for at in order])


def _row_major(shape: Sequence[Any], indices: Sequence[Any]) -> Any:
    flat: Any = 0
    for extent, index in zip(shape, indices, strict=True):
        flat = flat * extent + index
    return flat


def _quotient(shape: Sequence[Any], axes: Sequence[Var], step: int) -> Any:
    """The row-major index, divided by a step: axis by axis, where the step is where one of them ends or cuts one."""
    total: Any = 0
    stride = 1
    for axis, extent in reversed(list(zip(axes, map(int, shape), strict=True))):
        if stride % step == 0:
            total = axis * (stride // step) + total
        elif stride * extent > step:
            if step % stride != 0:
                return _row_major(shape, axes) // step
            total = axis // (step // stride) + total
        stride *= extent
    return total


def _pieces(total: Any) -> list[Any] | None:
    """The pieces of a sum without an offset, those of a sum inside of it in its sref."""
    if not (isinstance(total.base, IntImm) and int(total.base) == 0):
        return None
    pieces: list[Any] = []
    for piece in total.args:
        inside = piece.source.source
        if isinstance(inside, Var):
            pieces.append(piece)
            continue
        whole = int(piece.lower_factor) == 1 and int(piece.extent) == int(piece.source.extent)
        parts = _pieces(inside) if whole else None
        if parts is None:
            return None
        pieces.extend(parts)
    return pieces


@dataclass(frozen=True)
class TensorizeInfo:
    """How the loops of a block are those of an intrinsic's description, and what the block's axes are padded to."""

    loop_map: dict[StmtSRef, For]
    desc_loop_indexer: dict[For, int]
    block_iter_paddings: list[int] | None


def nest_of(func: PrimFunc) -> tuple[list[For], BlockRealize | None]:
    """The loops of a function around its one block, and the block."""
    stmt: Any = func.body
    if isinstance(stmt, BlockRealize) and not stmt.iter_values:
        stmt = stmt.block.body
    loops = []
    while isinstance(stmt, For):
        loops.append(stmt)
        stmt = stmt.body
    return loops, stmt if isinstance(stmt, BlockRealize) else None


def realize_of(sch: Schedule, block: BlockRV) -> BlockRealize:
    """The block of a handle with the values of its axes."""
    sref = sch.get_sref(block)
    found: list[BlockRealize] = []

    def look(node: Any) -> None:
        if isinstance(node, BlockRealize) and sch.state.get_sref(node.block) == sref:
            found.append(node)

    for function in sch.mod.functions.values():
        if isinstance(function, PrimFunc):
            post_order_visit(function.body, look)
    return found[0]


def _loops_around(sch: Schedule, block: BlockRV) -> list[StmtSRef]:
    """The loops around a block as far as the next block, from outside inwards."""
    srefs = []
    sref = sch.get_sref(block)
    while sref is not None and (sref := sref.parent) is not None and isinstance(sref.stmt, For):
        srefs.append(sref)
    return srefs[::-1]


def get_tensorize_loop_mapping(
    sch: Schedule, block: BlockRV, desc_func: PrimFunc, allow_padding: bool = False
) -> TensorizeInfo | None:
    """Which loops of a block an intrinsic covers, by its description; `None` where it covers none.

    The axes of the description, from the last on, are found among those of the block in that order, by their kinds.
    The loop of the one is the loop of the other, whose extent must be a multiple, unless the block may be padded.
    """
    desc_loops, described = nest_of(desc_func)
    found = realize_of(sch, block)
    if described is None:
        return None
    srefs = _loops_around(sch, block)
    ours, theirs = [sref.stmt for sref in srefs], desc_loops
    mapped: dict[StmtSRef, For] = {}
    paddings: dict[int, int] = {}
    left = len(found.iter_values)
    for axis, value in reversed(list(zip(described.block.iter_vars, described.iter_values, strict=True))):
        at = _driver(value, theirs)
        kinds = [iter_var.iter_type for iter_var in found.block.iter_vars]
        left = next((number for number in reversed(range(left)) if kinds[number] == axis.iter_type), -1)
        if at is None or left < 0:
            return None
        mine = _driver(found.iter_values[left], ours)
        if mine is None:
            continue
        width, extent = theirs[at].extent, ours[mine].extent
        if not isinstance(width, IntImm) or not isinstance(extent, IntImm):
            return None
        if int(extent) % int(width) != 0:
            if not allow_padding or not found.iter_values[left].same_as(ours[mine].loop_var):
                return None
            paddings[left] = int(width)
        if not mapped.setdefault(srefs[mine], theirs[at]).same_as(theirs[at]):
            return None
    padded = [paddings.get(at, 1) for at in range(len(found.iter_values))] if paddings else None
    return TensorizeInfo(mapped, {loop: at for at, loop in enumerate(desc_loops)}, padded)


def _driver(value: PrimExpr, loops: Sequence[For]) -> int | None:
    """The number of the loop of which a value is the variable and what no loop changes."""
    analyzer = Analyzer()
    variables = [loop.loop_var for loop in loops]
    for at, variable in enumerate(variables):
        rest = analyzer.simplify(value - variable)
        used: list[Any] = []
        post_order_visit(rest, lambda node, used=used: used.append(node) if node in variables else None)
        if not used:
            return at
    return None


@dataclass(frozen=True)
class AutoTensorizeMappingInfo:
    """How the axes of a block are fused to those of an intrinsic's description.

    `mappings` has the maps from the block's axes (`lhs_iters`) to axes of which the last ones are the description's
    (`rhs_iters`); `lhs_buffer_map` has the description's buffer for each of the block, and `rhs_buffer_indices` the
    indices of each in the description.
    """

    mappings: list[IndexMap]
    lhs_buffer_map: dict[Buffer, Buffer]
    rhs_buffer_indices: dict[Buffer, list[PrimExpr]]
    lhs_iters: list[IterVar]
    rhs_iters: list[IterVar]


def get_auto_tensorize_mapping_info(
    sch: Schedule, block: BlockRV, desc_func: PrimFunc
) -> AutoTensorizeMappingInfo | None:
    """The fusion of a block's axes to those of a description; `None` where the block computes something else.

    An axis of the block goes to the axis of the description that the same operands are indexed by; several of them are
    fused in their order. Axes that index every operand stay in front.
    """
    _, described = nest_of(desc_func)
    own = sch.get(block)
    if described is None or not isinstance(own, Block):
        return None
    buffers: dict[Buffer, Buffer] = {}
    indices: tuple[dict[Buffer, list[PrimExpr]], dict[Buffer, list[PrimExpr]]] = ({}, {})
    if not _are_alike(own.body, described.block.body, buffers, indices):
        return None
    ours = [_operands(axis.var, indices[0], buffers) for axis in own.iter_vars]
    theirs = [_operands(axis.var, indices[1]) for axis in described.block.iter_vars]
    if any(theirs.count(operands) > 1 for operands in theirs):
        return None
    everywhere = frozenset(map(_identity, buffers.values()))
    if any(operands not in theirs and operands != everywhere for operands in ours):
        return None
    if any(operands not in ours for operands in theirs):
        return None
    axes = [Var(axis.var.name, axis.var.dtype) for axis in own.iter_vars]
    final: list[Any] = [axis for axis, operands in zip(axes, ours, strict=True) if operands not in theirs]
    for wanted in theirs:
        fused: Any = None
        for axis, iter_var, operands in zip(axes, own.iter_vars, ours, strict=True):
            if operands == wanted:
                fused = axis if fused is None else fused * iter_var.dom.extent + axis
        final.append(fused)
    mappings = [IndexMap(axes, final)]
    return AutoTensorizeMappingInfo(mappings, buffers, indices[1], list(own.iter_vars), list(described.block.iter_vars))


def _identity(buffer: Buffer) -> Any:
    return buffer.data


def _operands(
    axis: Var, indices: dict[Buffer, list[PrimExpr]], buffers: dict[Buffer, Buffer] | None = None
) -> frozenset[Any]:
    """The description's buffers that an axis indexes."""
    used = set()
    for buffer, places in indices.items():
        found: list[Any] = []
        for place in places:
            post_order_visit(place, lambda node, found=found: found.append(node) if node == axis else None)
        if found:
            used.add(_identity(buffer if buffers is None else buffers[buffer]))
    return frozenset(used)


def _are_alike(ours: Any, theirs: Any, buffers: dict[Buffer, Buffer], indices: tuple[dict, dict]) -> bool:
    """Whether both compute the same of their buffers; collects which buffer is which, and how each is indexed."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, (BufferStore, BufferLoad)):
        if not buffers.setdefault(ours.buffer, theirs.buffer).same_as(theirs.buffer):
            return False
        indices[0].setdefault(ours.buffer, list(ours.indices))
        indices[1].setdefault(theirs.buffer, list(theirs.indices))
        return not isinstance(ours, BufferStore) or _are_alike(ours.value, theirs.value, buffers, indices)
    if isinstance(ours, Cast):
        return ours.dtype == theirs.dtype and _are_alike(ours.value, theirs.value, buffers, indices)
    if isinstance(ours, BinaryOpExpr):
        return _are_alike(ours.a, theirs.a, buffers, indices) and _are_alike(ours.b, theirs.b, buffers, indices)
    return structural_equal(ours, theirs)
