"""Pools of any sort by one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..formula import apply

__all__ = ["pool1d", "pool2d", "pool3d"]


def _pool(
    rank: int, data: Any, kernel: Any, stride: Any, dilation: Any, padding: Any, pool_type: str, *flags: Any
) -> Any:
    if pool_type not in ("max", "avg"):
        raise ValueError(f'a pool is of the type "max" or "avg", not "{pool_type}"')
    return apply(f"nn.{pool_type}_pool{rank}d", (data, kernel, stride, padding, dilation, *flags), {})


def pool1d(
    data: Any, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], padding: Sequence[int],
    pool_type: str, ceil_mode: bool = False, layout: str = "NCW", count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """The largest elements (`max`) or the means (`avg`) of windows over one dimension."""
    return _pool(1, data, kernel, stride, dilation, padding, pool_type, ceil_mode, count_include_pad, layout)


def pool2d(
    data: Any, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], padding: Sequence[int],
    pool_type: str, ceil_mode: bool = False, layout: str = "NCHW", count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """The largest elements (`max`) or the means (`avg`) of windows over two dimensions."""
    return _pool(2, data, kernel, stride, dilation, padding, pool_type, ceil_mode, count_include_pad, layout)


def pool3d(
    data: Any, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], padding: Sequence[int],
    pool_type: str, ceil_mode: bool = False, layout: str = "NCDHW", count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """The largest elements (`max`) or the means (`avg`) of windows over three dimensions."""
    return _pool(3, data, kernel, stride, dilation, padding, pool_type, ceil_mode, count_include_pad, layout)
