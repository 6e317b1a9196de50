"""Borders around data, gaps between its elements, and exchanges between channels and space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import te
from ...te.tensor import Tensor
from ..formula import apply

__all__ = [
    "depth_to_space", "dilate", "flatten", "mirror_pad", "pad", "reflect_pad", "replicate_pad", "space_to_depth",
    "upsampling",
]  # fmt: skip


def pad(
    data: Tensor, pad_before: Any, pad_after: Any = None, pad_value: Any = 0.0, name: str = "PadInput",
    attrs: Any = None,
) -> Tensor:  # fmt: skip
    """The tensor with a border of a number, so wide before and behind each dimension."""
    before = list(pad_before)
    after = before if pad_after is None else list(pad_after)
    if not len(before) == len(after) == len(data.shape):
        raise ValueError(f"`{data.name}` has {len(data.shape)} dimensions, and borders {len(before)} and {len(after)}")
    shape = [size + a + b for size, a, b in zip(data.shape, before, after, strict=True)]
    wide = [at for at, (a, b) in enumerate(zip(before, after, strict=True)) if (a, b) != (0, 0)]

    def element(*at: Any) -> Any:
        value = data(*(index - a for index, a in zip(at, before, strict=True)))
        within = [
            one for axis in wide for one in (at[axis] >= before[axis], at[axis] < data.shape[axis] + before[axis])
        ]
        if not within:
            return value
        filled = pad_value if hasattr(pad_value, "dtype") else te.const(pad_value, data.dtype)
        return te.if_then_else(te.all(*within), value, filled)

    return te.compute(shape, element, name=name)


def _mirrored(data: Tensor, before: Any, after: Any, name: str, place: Callable[[Any, Any], Any]) -> Tensor:
    """The tensor with a border of its own elements: those at `place(index, size)`."""
    before = list(before)
    after = before if after is None else list(after)
    shape = [size + a + b for size, a, b in zip(data.shape, before, after, strict=True)]
    return te.compute(
        shape,
        lambda *at: data(*(place(index - a, size) for index, a, size in zip(at, before, data.shape, strict=True))),
        name=name,
    )


def mirror_pad(
    data: Tensor, pad_before: Any, pad_after: Any = None, mode: str = "SYMMETRIC", name: str = "MirrorPadInput"
) -> Tensor:
    """The tensor with a border that mirrors it: with the element at the edge (`SYMMETRIC`) or without (`REFLECT`)."""
    if mode not in ("SYMMETRIC", "REFLECT"):
        raise ValueError(f'a mirrored border is "SYMMETRIC" or "REFLECT", not "{mode}"')
    edge = 1 if mode == "SYMMETRIC" else 0

    def place(index: Any, size: Any) -> Any:
        behind = te.if_then_else(index >= size, 2 * size - 2 + edge - index, index)
        return te.if_then_else(index < 0, -index - edge, behind)

    return _mirrored(data, pad_before, pad_after, name, place)


def reflect_pad(data: Tensor, pad_before: Any, pad_after: Any = None, name: str = "ReflectPadInput") -> Tensor:
    """The tensor with a border that mirrors it, without the element at the edge."""
    return mirror_pad(data, pad_before, pad_after, "REFLECT", name)


def replicate_pad(data: Tensor, pad_before: Any, pad_after: Any = None, name: str = "ReplicatePadInput") -> Tensor:
    """The tensor with a border of the elements at its edges."""
    return _mirrored(data, pad_before, pad_after, name, lambda index, size: te.max(te.min(index, size - 1), 0))


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
    """The tensor with all dimensions behind the first one as one."""
    first, *others = data.shape
    width: Any = 1
    for size in others:
        width = width * size
    return apply("reshape", (data, [first, width]), {})


def _of_channels(data: Tensor, layout: str) -> bool:
    if layout not in ("NCHW", "NHWC") or len(data.shape) != 4:
        raise ValueError(f'images are of 4 dimensions, "NCHW" or "NHWC", found {len(data.shape)} and "{layout}"')
    return layout == "NCHW"


def depth_to_space(data: Tensor, block_size: int, layout: str = "NCHW", mode: str = "DCR") -> Tensor:
    """Channels as blocks of the image. `DCR` has the parts of a block far from each other, `CRD` side by side."""
    first = _of_channels(data, layout)
    batch, *rest = data.shape
    channels, rows, columns = rest if first else (rest[2], rest[0], rest[1])
    deep, size = channels // (block_size * block_size), block_size
    shape = [deep, rows * size, columns * size] if first else [rows * size, columns * size, deep]

    def element(n: Any, *at: Any) -> Any:
        channel, row, column = at if first else (at[2], at[0], at[1])
        part = row % size * size + column % size
        source = part * deep + channel if mode == "DCR" else channel * (size * size) + part
        places = (source, row // size, column // size) if first else (row // size, column // size, source)
        return data(n, *places)

    return te.compute([batch, *shape], element, name="depth_to_space")


def space_to_depth(data: Tensor, block_size: int, layout: str = "NCHW") -> Tensor:
    """Blocks of the image as channels, the parts of a block far from each other."""
    first = _of_channels(data, layout)
    batch, *rest = data.shape
    channels, rows, columns = rest if first else (rest[2], rest[0], rest[1])
    size = block_size
    small = [rows // size, columns // size]
    shape = [channels * size * size, *small] if first else [*small, channels * size * size]

    def element(n: Any, *at: Any) -> Any:
        channel, row, column = at if first else (at[2], at[0], at[1])
        part = channel // channels
        source = (channel % channels, row * size + part // size, column * size + part % size)
        return data(n, *(source if first else (source[1], source[2], source[0])))

    return te.compute([batch, *shape], element, name="space_to_depth")


def upsampling(
    data: Tensor, scale_h: float, scale_w: float, layout: str = "NCHW", method: str = "nearest_neighbor",
    align_corners: bool = False, output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """An image so many times as high and as wide."""
    rows, columns = (data.shape[layout.index(letter)] for letter in "HW")
    size = output_shape or [_times(rows, scale_h), _times(columns, scale_w)]
    nearest = method == "nearest_neighbor"
    mode = "align_corners" if align_corners else "asymmetric" if nearest else "half_pixel"
    said = {
        "layout": layout, "method": {"bilinear": "linear", "bicubic": "cubic"}.get(method, method),
        "coordinate_transformation_mode": mode,
        "rounding_method": "floor" if nearest else "",
    }  # fmt: skip
    return apply("image.resize2d", (data, size), said)


def _times(size: Any, factor: float) -> Any:
    return size * int(factor) if float(factor).is_integer() else round(int(size) * factor)
