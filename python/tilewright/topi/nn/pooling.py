"""Pools of any sort by one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core
from ...te.tensor import Tensor
from ..formula import apply
from .window import border

__all__ = ["adaptive_pool", "adaptive_pool1d", "adaptive_pool3d", "global_pool", "pool1d", "pool2d", "pool3d"]


def _known(pool_type: str) -> None:
    if pool_type not in ("max", "avg"):
        raise ValueError(f'a pool is of the type "max" or "avg", not "{pool_type}"')


def _pool(
    rank: int, data: Any, kernel: Any, stride: Any, dilation: Any, padding: Any, pool_type: str, *flags: Any
) -> Any:
    _known(pool_type)
    widths = border(padding, kernel, dilation, rank)
    return apply(f"nn.{pool_type}_pool{rank}d", (data, kernel, stride, widths, dilation, *flags), {})


def adaptive_pool(data: Tensor, output_size: Any, pool_type: str, layout: str = "NCHW") -> Tensor:
    """The means or the largest elements of as many windows over two dimensions as `output_size` says."""
    return _adaptive(data, output_size, pool_type, layout)


def adaptive_pool1d(data: Tensor, output_size: Any, pool_type: str, layout: str = "NCW") -> Tensor:
    """The means or the largest elements of as many windows over one dimension as `output_size` says."""
    return _adaptive(data, output_size, pool_type, layout)


def adaptive_pool3d(data: Tensor, output_size: Any, pool_type: str, layout: str = "NCDHW") -> Tensor:
    """The means or the largest elements of as many windows over three dimensions as `output_size` says."""
    return _adaptive(data, output_size, pool_type, layout)


def global_pool(data: Tensor, pool_type: str, layout: str = "NCHW") -> Tensor:
    """The mean or the largest element of each channel."""
    return _adaptive(data, 1, pool_type, layout)


def _adaptive(data: Tensor, output_size: Any, pool_type: str, layout: str) -> Tensor:
    _known(pool_type)
    spatial = [at for at, letter in enumerate(layout) if letter in "DHW"]
    sizes = [output_size] * len(spatial) if isinstance(output_size, int) else list(output_size)
    if pool_type == "avg":
        return apply(f"nn.adaptive_avg_pool{len(spatial)}d", (data, sizes), {"layout": layout})
    return _core.te_adaptive_max(data, sizes, layout)


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
