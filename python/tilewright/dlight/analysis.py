"""What rules ask of the blocks of a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..target import Target
from ..tir import Block, IterVar, Var
from ..tir.schedule.schedule import BlockRV, LoopRV, Schedule
from ..tir.stmt_functor import post_order_visit

__all__ = [
    "BlockInfo", "IterInfo", "collect_block_iter_vars_used_in_access_region", "detect_dominant_read", "get_root_block",
    "is_broadcast_epilogue", "normalize_prim_func",
]  # fmt: skip

_KINDS = {IterVar.DataPar: "S", IterVar.CommReduce: "R"}


@dataclass
class IterInfo:
    """An axis of a block: its kind (`S`, `R`, or `O` for others), its variable, its extent, and its loop."""

    kind: str
    var: Var
    dom: Any
    loop_rv: LoopRV

    def __str__(self) -> str:
        return f'Iter("{self.kind}", {self.dom})'

    __repr__ = __str__


class BlockInfo:
    """A block of a schedule with its axes, one for each of its loops."""

    def __init__(self, name: str, iters: Sequence[IterInfo], block_rv: BlockRV, reduction_block: bool = False) -> None:
        self.name, self.iters, self.block_rv = name, list(iters), block_rv
        self._reduction_block = reduction_block

    def dom(self) -> list[Any]:
        """The extents of the axes."""
        return [axis.dom for axis in self.iters]

    def dom_kind(self) -> str:
        """The kinds of the axes, a letter each."""
        return "".join(axis.kind for axis in self.iters)

    def is_injective(self) -> bool:
        """Whether all axes are spatial."""
        return all(kind == "S" for kind in self.dom_kind())

    def is_elementwise(self, sch: Schedule) -> bool:
        """Whether each element comes from the same element of what the block reads."""
        block = sch.get(self.block_rv)
        if not self.is_injective() or len(block.writes) != 1 or len(block.reads) != 1:
            return False
        names = [axis.var for axis in self.iters]

        def same(region: Any) -> bool:
            points = [axis.min for axis in region.region if axis.extent == 1]
            return len(points) == len(names) and all(a.same_as(b) for a, b in zip(points, names, strict=True))

        return same(block.reads[0]) and same(block.writes[0])

    def is_reduction(self) -> bool:
        """Whether the block has an axis of a reduction, and all others are spatial."""
        return self._reduction_block or ("R" in self.dom_kind() and set(self.dom_kind()) <= {"S", "R"})

    def is_gemv(self) -> bool:
        """An error: rules of this package recognise products themselves."""
        raise NotImplementedError("products of a matrix and a vector are recognised by `tir.Schedule`'s own rules")

    def is_gemm(self) -> bool:
        """An error: rules of this package recognise products themselves."""
        raise NotImplementedError("products of matrices are recognised by `tir.Schedule`'s own rules")

    def __str__(self) -> str:
        return f'BlockInfo("{self.name}", "{self.dom_kind()}", {self.dom()})'

    __repr__ = __str__


def normalize_prim_func(sch: Schedule) -> list[BlockInfo] | None:
    """The blocks in order with their axes, where every block has exactly one loop for each axis; else None."""
    infos = []
    for block_rv in sch.get_child_blocks(get_root_block(sch)):
        block, loops = sch.get(block_rv), sch.get_loops(block_rv)
        if len(loops) != len(block.iter_vars) or sch.get_child_blocks(block_rv):
            return None
        axes = zip(block.iter_vars, loops, strict=True)
        iters = [IterInfo(_KINDS.get(axis.iter_type, "O"), axis.var, axis.dom.extent, loop) for axis, loop in axes]
        infos.append(BlockInfo(block.name_hint, iters, block_rv, block.init is not None))
    return infos


def get_root_block(sch: Schedule, func_name: str = "main") -> BlockRV:
    """The block around everything in a function."""
    functions = [var.name_hint for var in sch.mod.get_global_vars()]
    return sch.get_block("root", func_name if func_name in functions else functions[0])


def collect_block_iter_vars_used_in_access_region(block: Block, region: Sequence[Any]) -> set[Var]:
    """The variables of the block's axes that a region mentions."""
    axes = {axis.var for axis in block.iter_vars}
    found: set[Var] = set()
    for bounds in region:
        post_order_visit(bounds.min, lambda node: found.add(node) if isinstance(node, Var) else None)
    return found & axes


def detect_dominant_read(block: Block) -> Any:
    """The offset, in its flattened buffer, of the read that depends on most axes of the block."""
    best, dominant = -1, None
    for read in block.reads:
        used = len(collect_block_iter_vars_used_in_access_region(block, read.region))
        if used > best:
            best, dominant = used, read
    if dominant is None:
        raise ValueError("the block reads nothing")
    (offset,) = dominant.buffer.offset_of([bounds.min for bounds in dominant.region])
    return offset


def is_broadcast_epilogue(sch: Schedule, block: BlockRV, epilogue: BlockRV) -> bool:
    """Whether the second block reads what the first one writes without all of its own axes."""
    written = {region.buffer for region in sch.get(block).writes}
    second = sch.get(epilogue)
    axes = {axis.var for axis in second.iter_vars if axis.dom.extent != 1}
    for read in second.reads:
        if read.buffer in written and not axes <= collect_block_iter_vars_used_in_access_region(second, read.region):
            return True
    return False


def max_threads_per_block(target: Target) -> int:
    """How many threads a block of the target may have."""
    for name in ("max_threads_per_block", "max_num_threads"):
        if (limit := target.attrs.get(name)) is not None:
            return int(limit)
    return {"cuda": 1024, "rocm": 256, "metal": 1024, "vulkan": 256, "opencl": 256}.get(str(target.kind), 256)
