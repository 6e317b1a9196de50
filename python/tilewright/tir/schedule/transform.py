"""Steps that are made of several primitives."""

from __future__ import annotations

from ..function import TensorIntrin
from .analysis import get_tensorize_loop_mapping
from .schedule import BlockRV, LoopRV, Schedule

__all__ = ["tile_with_tensor_intrin"]


def tile_with_tensor_intrin(
    sch: Schedule, block: BlockRV, intrin_name: str, allow_padding: bool = False
) -> LoopRV | None:
    """Splits the loops of a block so that the inner ones are those of an intrinsic's description.

    Gives the outermost of the inner loops; `None` where the block is not what the intrinsic describes.
    """
    intrin = TensorIntrin.get(intrin_name)
    assert intrin is not None
    info = get_tensorize_loop_mapping(sch, block, intrin.desc, allow_padding)
    if info is None:
        return None
    if info.block_iter_paddings is not None:
        _pad(sch, block, info.block_iter_paddings)
        info = get_tensorize_loop_mapping(sch, block, intrin.desc)
        if info is None:
            return None
    loops = {sch.get_sref(loop): loop for loop in sch.get_loops(block)}
    inner: dict[int, LoopRV] = {}
    for sref, described in info.loop_map.items():
        _, tile = sch.split(loops[sref], [None, int(described.extent)])
        inner[info.desc_loop_indexer[described]] = tile
    tiles = [inner[at] for at in sorted(inner)]
    srefs = [sch.get_sref(tile) for tile in tiles]
    after, met = [], False
    for loop in sch.get_loops(block):
        is_tile = sch.get_sref(loop) in srefs
        met = met or is_tile
        if met and not is_tile:
            after.append(loop)
    sch.reorder(*after, *tiles)
    return tiles[0] if tiles else None


def _pad(sch: Schedule, block: BlockRV, paddings: list[int]) -> None:
    """Pads a block, and puts what the padded copies are made of, and go to, into the copies."""
    sch.pad_einsum(block, paddings)
    for producer in sch.get_producers(block):
        before = sch.get_producers(producer)
        if len(before) == 1:
            sch.compute_inline(before[0])
    for consumer in sch.get_consumers(block):
        after = sch.get_consumers(consumer)
        if len(after) == 1:
            sch.reverse_compute_inline(after[0])
