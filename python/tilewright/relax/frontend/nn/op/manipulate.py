"""Shapes: rearranging, picking and making elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import Tensor, refused
from .binding import call

__all__ = [
    "arange", "broadcast_to", "chunk", "concat", "empty", "full", "ones", "pad", "permute", "permute_dims", "repeat",
    "reshape", "split", "squeeze", "take", "tril", "triu", "unsqueeze", "zeros",
]  # fmt: skip


def unsqueeze(x: Tensor, dim: int, name: str = "unsqueeze") -> Tensor:
    """The tensor with a dimension of 1 at this position."""
    return call("expand_dims", (x,), {"axis": dim}, name)


def squeeze(x: Tensor, axis: int | list[int] | None = -1, name: str = "squeeze") -> Tensor:
    """The tensor without these dimensions of 1, without `axis` without any of them."""
    return call("squeeze", (x,), {"axis": axis}, name)


def concat(x: Sequence[Tensor], dim: int, name: str = "concat") -> Tensor:
    """The tensors concatenated along an axis."""
    return call("concat", (list(x),), {"axis": dim}, name)


def split(ary: Tensor, indices_or_sections: int | list[int], axis: int = 0, name: str = "split") -> tuple[Tensor, ...]:
    """The parts between these indices along an axis, or so many equal parts."""
    return call("split", (ary,), {"indices_or_sections": indices_or_sections, "axis": axis}, name)


def chunk(x: Tensor, chunks: int, dim: int = 0, name: str = "chunk") -> tuple[Tensor, ...]:
    """So many equal parts along an axis."""
    return split(x, chunks, dim, name)


def reshape(x: Tensor, shape: Sequence[Any], name: str = "reshape") -> Tensor:
    """The elements in another shape, in which one dimension may be -1."""
    return call("reshape", (x, _shape(shape)), {}, name)


def broadcast_to(x: Tensor, shape: Sequence[Any], name: str = "broadcast_to") -> Tensor:
    """The elements repeated along new dimensions and along dimensions of 1."""
    return call("broadcast_to", (x, _shape(shape)), {}, name)


def permute_dims(x: Tensor, axes: list[int] | None = None, name: str | None = None) -> Tensor:
    """The axes in another order, without `axes` the reverse."""
    return call("permute_dims", (x,), {"axes": axes}, name)


def permute(x: Tensor, axes: list[int] | None, name: str = "permute") -> Tensor:
    """The axes in another order."""
    return permute_dims(x, axes, name)


def repeat(x: Tensor, repeats: int, axis: int | None = None, name: str = "repeat") -> Tensor:
    """Every element several times along an axis, or along the flat tensor."""
    return call("repeat", (x,), {"repeats": repeats, "axis": axis}, name)


def take(x: Tensor, indices: Tensor, axis: int | None = None, name: str = "take") -> Tensor:
    """The slices with these indices along an axis, or elements of the flat tensor."""
    return call("take", (x, indices), {"axis": axis}, name)


def pad(x: Tensor, pad: list[int], mode: str = "constant", value: float = 0, name: str = "pad") -> Tensor:
    """The tensor with elements added before and after each axis: `pad` has both numbers for axis after axis."""
    return call("nn.pad", (x,), {"pad_width": list(pad), "pad_mode": mode, "pad_value": float(value)}, name)


def triu(x: Tensor, diagonal: int = 0, name: str = "triu") -> Tensor:
    """The elements on and above a diagonal; the others are 0."""
    return call("triu", (x,), {"k": diagonal}, name)


def tril(x: Tensor, diagonal: int = 0, name: str = "tril") -> Tensor:
    """The elements on and below a diagonal; the others are 0."""
    return call("tril", (x,), {"k": diagonal}, name)


def full(shape: Sequence[Any], fill_value: Any, dtype: str = "float32", name: str = "full") -> Tensor:
    """One value, a number or a tensor without dimensions, everywhere."""
    value = fill_value if isinstance(fill_value, Tensor) else Tensor.from_scalar(fill_value, dtype)
    return call("full", (_shape(shape), value), {"dtype": dtype}, name)


def zeros(shape: Sequence[Any], dtype: str = "float32", name: str = "zeros") -> Tensor:
    """0 everywhere."""
    return call("zeros", (_shape(shape),), {"dtype": dtype}, name)


def ones(shape: Sequence[Any], dtype: str = "float32", name: str = "ones") -> Tensor:
    """1 everywhere."""
    return call("ones", (_shape(shape),), {"dtype": dtype}, name)


def empty(shape: Sequence[Any], dtype: str = "float32", name: str = "empty") -> Tensor:
    """A tensor whose elements mean nothing: 0, which is the same in every run."""
    return zeros(shape, dtype, name)


def arange(start: Any, end: Any = None, step: Any = 1, dtype: str | None = "float32", name: str = "arange") -> Tensor:
    """The numbers from `start`, or 0, up to and without `end`; each may be an integer expression."""
    return call("arange", (start, end, step), {"dtype": dtype or "void"}, name)


def _shape(shape: Sequence[Any]) -> list[Any]:
    if isinstance(shape, (str, Tensor)) or not hasattr(shape, "__iter__"):
        raise refused(f"a shape is a list of dimensions, found {shape!r}")
    return list(shape)
