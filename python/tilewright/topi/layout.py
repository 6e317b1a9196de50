"""Layouts in words: `NCHW`, and `NCHW16c` with blocks of 16 channels."""

from __future__ import annotations

from .. import _core
from ..te.tensor import Tensor


def layout_transform(array: Tensor, src_layout: str, dst_layout: str, schedule_rule: str = "None") -> Tensor:
    """The tensor in another layout. Elements of a block past the last one are 0."""
    if schedule_rule != "None":
        raise ValueError(f'topi.layout_transform: schedules are chosen by the build, found the rule "{schedule_rule}"')
    return _core.te_layout_transform(array, src_layout, dst_layout, "T_layout_trans")
