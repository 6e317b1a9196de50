"""Weights of floats as blocks of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...error import TVMError
from .block_format import BlockFormat, Blocks

__all__ = ["MODES", "group_codes", "quantize"]

Floats = NDArray[np.float32]


def _grouped(weight: Floats, group: int) -> Floats:
    rows, columns = weight.shape
    if columns % group != 0:
        raise TVMError(f"rows of {columns} elements are no whole groups of {group}")
    return np.ascontiguousarray(weight, np.float32).reshape(rows, -1, group)


def _inverse(scale: Floats) -> Floats:
    with np.errstate(divide="ignore", over="ignore"):
        inverse = np.float32(1) / scale
    return np.where(np.isfinite(inverse), inverse, np.float32(0))


def _whole(codes: Floats, rows: int) -> NDArray[np.uint8]:
    return codes.astype(np.uint8).reshape(rows, -1)


def _q8_0(weight: Floats) -> Blocks:
    """The greatest value of a group is 127 steps; as GGUF's Q8_0."""
    groups = _grouped(weight, 32)
    scale = np.abs(groups).max(-1, keepdims=True) / np.float32(127)
    codes = np.rint(groups * _inverse(scale)) + 128
    return Blocks(_whole(codes, len(weight)), scale[..., 0].astype(np.float16), zero=128)


def _q4_0(weight: Floats) -> Blocks:
    """The value of a group that is farthest from zero is -8 steps; as GGUF's Q4_0."""
    groups = _grouped(weight, 32)
    at = np.abs(groups).argmax(-1)[..., None]
    scale = np.take_along_axis(groups, at, -1) / np.float32(-8)
    codes = np.clip(np.floor(groups * _inverse(scale) + np.float32(8.5)), 0, 15)
    return Blocks(_whole(codes, len(weight)), scale[..., 0].astype(np.float16), zero=8)


def _q4_1(weight: Floats) -> Blocks:
    """The least value of a group is code 0, the greatest one 15; as GGUF's Q4_1."""
    return _ranged(weight, 15)


def _q8_asym(weight: Floats) -> Blocks:
    """The least value of a group is code 0, the greatest one 255."""
    return _ranged(weight, 255)


def _ranged(weight: Floats, most: int) -> Blocks:
    groups = _grouped(weight, 32)
    least = groups.min(-1, keepdims=True)
    scale = (groups.max(-1, keepdims=True) - least) / np.float32(most)
    codes = np.clip(np.floor((groups - least) * _inverse(scale) + np.float32(0.5)), 0, most)
    factor = lambda values: values[..., 0].astype(np.float16)  # noqa: E731
    return Blocks(_whole(codes, len(weight)), factor(scale), minimum=factor(least))


def group_codes(groups: NDArray[Any], bits: int, rounding: str = "even") -> tuple[NDArray[Any], NDArray[Any]]:
    """Codes of groups along the last axis and their scales, as MLC LLM makes them: each operation is rounded in the
    type of the groups.

    The greatest value of a group is `2^(bits - 1) - 1` steps. Halves are rounded to `"even"`, or `"away"` from zero.
    """
    dtype, most = groups.dtype.type, 2 ** (bits - 1) - 1
    scale = (np.abs(groups).max(-1) / dtype(most)).astype(groups.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = groups / scale[..., None] + dtype(most)
    # Steps are not negative; a group of zeros has none.
    steps = np.rint(steps) if rounding == "even" else np.floor(steps + dtype(0.5))
    return np.clip(np.nan_to_num(steps, nan=0.0), 0, 2 * most), scale


def _q4f16_1(weight: Floats) -> Blocks:
    """As MLC LLM's q4f16_1, in float16."""
    codes, scale = group_codes(_grouped(weight, 32).astype(np.float16), 4)
    return Blocks(_whole(codes, len(weight)), scale, zero=7)


#: How weights may be quantised: the format, and what makes blocks of it.
MODES: dict[str, tuple[BlockFormat, Callable[[Floats], Blocks]]] = {
    "q8_0": (BlockFormat(8, 32, 128), _q8_0),
    "q8_asym": (BlockFormat(8, 32, 0, True), _q8_asym),
    "q4_0": (BlockFormat(4, 32, 8), _q4_0),
    "q4_1": (BlockFormat(4, 32, 0, True), _q4_1),
    "q4f16_1": (BlockFormat(4, 32, 7), _q4f16_1),
}


def quantize(weight: Floats, mode: str) -> Blocks:
    """The rows of a weight `[N, K]` of finite floats as blocks; K is whole groups."""
    if mode not in MODES:
        raise TVMError(f"weights are quantised as one of {', '.join(MODES)}, found {mode!r}")
    if not np.isfinite(weight).all():
        raise TVMError("a weight that is NaN or infinite cannot be quantised")
    with np.errstate(over="ignore"):
        blocks = MODES[mode][1](weight)
    if not np.isfinite(blocks.scale).all() or (blocks.minimum is not None and not np.isfinite(blocks.minimum).all()):
        raise TVMError(f"a weight of {float(np.abs(weight).max()):.3g} is too large for the float16 scales of {mode}")
    return blocks
