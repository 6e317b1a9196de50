"""Borders around data, gaps between its elements, and exchanges between channels and space."""

from __future__ import annotations

import math
from typing import Any

from ... import _core, te
from ...te.tensor import Tensor
from ..formula import apply, refused

__all__ = [
    "batch_to_space_nd", "circular_pad", "depth_to_space", "dilate", "flatten", "mirror_pad", "pad", "reflect_pad",
    "replicate_pad", "space_to_batch_nd", "space_to_depth", "upsampling",
]  # fmt: skip


def _bordered(data: Tensor, pad_before: Any, pad_after: Any, mode: str, value: Any, name: str) -> Tensor:
    after = pad_before if pad_after is None else pad_after
    return _core.te_border(data, list(pad_before), list(after), mode, _core.to_expr(value, data.dtype), name)


def pad(
    data: Tensor, pad_before: Any, pad_after: Any = None, pad_value: Any = 0.0, name: str = "PadInput",
    attrs: Any = None,
) -> Tensor:  # fmt: skip
    """The tensor with a constant border, of these widths before and after each dimension."""
    refused("pad", attrs=attrs)
    return _bordered(data, pad_before, pad_after, "constant", pad_value, name)


def mirror_pad(
    data: Tensor, pad_before: Any, pad_after: Any = None, mode: str = "SYMMETRIC", name: str = "MirrorPadInput"
) -> Tensor:
    """The tensor with a border that mirrors it: with the element at the edge (`SYMMETRIC`) or without (`REFLECT`)."""
    if mode not in ("SYMMETRIC", "REFLECT"):
        raise ValueError(f'a mirrored border is "SYMMETRIC" or "REFLECT", not "{mode}"')
    return _bordered(data, pad_before, pad_after, mode.lower(), 0, name)


def reflect_pad(data: Tensor, pad_before: Any, pad_after: Any = None, name: str = "ReflectPadInput") -> Tensor:
    """The tensor with a border that mirrors it, without the element at the edge."""
    return _bordered(data, pad_before, pad_after, "reflect", 0, name)


def replicate_pad(data: Tensor, pad_before: Any, pad_after: Any = None, name: str = "ReplicatePadInput") -> Tensor:
    """The tensor with a border of the elements at its edges."""
    return _bordered(data, pad_before, pad_after, "edge", 0, name)


def circular_pad(data: Tensor, pad_before: Any, pad_after: Any = None, name: str = "CircularPadInput") -> Tensor:
    """The tensor with a border of the elements of the other side."""
    return _bordered(data, pad_before, pad_after, "circular", 0, name)


def dilate(data: Tensor, strides: Any, dilation_value: float = 0.0, name: str = "DilatedInput") -> Tensor:
    """The tensor with `stride - 1` times a number between its elements."""
    steps = [int(step) for step in strides]
    shape = [(size - 1) * step + 1 for size, step in zip(data.shape, steps, strict=True)]

    def element(*at: Any) -> Any:
        pairs = list(zip(at, steps, strict=True))
        value = data(*(index // step if step > 1 else index for index, step in pairs))
        met = [index % step == 0 for index, step in pairs if step > 1]
        return te.if_then_else(te.all(*met), value, te.const(dilation_value, data.dtype)) if met else value

    return te.compute(shape, element, name=name)


def flatten(data: Tensor) -> Tensor:
    """The tensor with all dimensions after the first one as one."""
    first, *others = data.shape
    width: Any = 1
    for size in others:
        width = width * size
    return apply("reshape", (data, [first, width]), {})


def depth_to_space(data: Tensor, block_size: int, layout: str = "NCHW", mode: str = "DCR") -> Tensor:
    """Channels as blocks of the image. `DCR` has the parts of a block far from each other, `CRD` side by side."""
    return _core.te_depth_to_space(data, block_size, layout, mode, "depth_to_space")


def space_to_depth(data: Tensor, block_size: int, layout: str = "NCHW") -> Tensor:
    """Blocks of the image as channels, the parts of a block far from each other."""
    return _core.te_space_to_depth(data, block_size, layout, "DCR", "space_to_depth")


def space_to_batch_nd(
    data: Tensor, block_shape: Any, pad_before: Any, pad_after: Any, pad_value: float = 0.0
) -> Tensor:
    """Space to batch: the positions in blocks of the later dimensions, with a border, as parts of the batch."""
    count = len(block_shape)
    rest = [0] * (len(data.shape) - 1 - count)
    whole = pad(data, [0, *pad_before, *rest], [0, *pad_after, *rest], pad_value)
    batch, *sizes = whole.shape
    split = [part for size, block in zip(sizes, block_shape, strict=False) for part in (size // block, block)]
    apart = apply("reshape", (whole, [batch, *split, *sizes[count:]]), {})
    places, blocks = range(2, 2 * count + 1, 2), range(1, 2 * count, 2)
    turned = apply("permute_dims", (apart,), {"axes": [*places, 0, *blocks, *range(2 * count + 1, len(apart.shape))]})
    blocks_of = [size // block for size, block in zip(sizes, block_shape, strict=False)]
    return apply("reshape", (turned, [batch * math.prod(block_shape), *blocks_of, *sizes[count:]]), {})


def batch_to_space_nd(data: Tensor, block_shape: Any, crop_begin_list: Any, crop_end_list: Any) -> Tensor:
    """Batch to space: parts of the batch as positions in blocks of the later dimensions, without a border."""
    count = len(block_shape)
    batch, *sizes = data.shape
    batch = batch // math.prod(block_shape)
    apart = apply("reshape", (data, [*block_shape, batch, *sizes]), {})
    pairs = [axis for at in range(count) for axis in (count + 1 + at, at)]
    turned = apply("permute_dims", (apart,), {"axes": [count, *pairs, *range(2 * count + 1, len(apart.shape))]})
    wide = [size * block for size, block in zip(sizes, block_shape, strict=False)]
    whole = apply("reshape", (turned, [batch, *wide, *sizes[count:]]), {})
    ends = [size - crop for size, crop in zip(wide, crop_end_list, strict=True)]
    return apply("strided_slice", (whole, list(range(1, count + 1)), list(crop_begin_list), ends, None), {})


def upsampling(
    data: Tensor, scale_h: float, scale_w: float, layout: str = "NCHW", method: str = "nearest_neighbor",
    align_corners: bool = False, output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """An image so many times as high and as wide."""
    rows, columns = (data.shape[layout.index(letter)] for letter in "HW")
    size = output_shape or [_times(rows, scale_h), _times(columns, scale_w)]
    mode = "align_corners" if align_corners else "asymmetric"
    said = {
        "layout": layout, "method": {"bilinear": "linear", "bicubic": "cubic"}.get(method, method),
        "coordinate_transformation_mode": mode,
        "rounding_method": "round" if align_corners else "floor", "cubic_alpha": -0.75,
    }  # fmt: skip
    return apply("image.resize2d", (data, size), said)


def _times(size: Any, factor: float) -> Any:
    return size * int(factor) if float(factor).is_integer() else round(int(size) * factor)
