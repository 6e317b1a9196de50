"""What schedules ask of blocks."""

from __future__ import annotations

from ..function import PrimFunc
from .schedule import BlockRV, Schedule

__all__ = ["is_output_block"]


def is_output_block(sch: Schedule, block: BlockRV) -> bool:
    """Whether the block writes to what the function gives to its caller."""
    functions = [function for function in sch.mod.functions.values() if isinstance(function, PrimFunc)]
    outputs = [buffer for function in functions for buffer in function.buffer_map.values()]
    written = [region.buffer for region in sch.get(block).writes]
    return any(buffer.same_as(output) for buffer in written for output in outputs)
