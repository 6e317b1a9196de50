"""Rotary position embedding (RoPE) as tensor expressions: for models that rotate queries and keys themselves.

Element `i` of the first half of the rotated elements of a head, and element `i` of the second half, are a point that is
rotated by `position * scale / theta^(2i / rotated)`, as a scaling changes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..... import te, tir
from ..core import Tensor, refused
from ..op import tensor_expr_op

__all__ = ["llama_rope", "rope_freq", "rope_freq_default", "rope_freq_llama3", "switch_rope_freq_func"]


def rope_freq_default(s: Any, d: Any, d_range: int, theta: float, dtype: str) -> tuple[Any, Any]:
    """Cosine and sine for element `d` of `d_range` rotated ones at position `s`."""
    return _rotation(s / _wave(d, d_range, theta), dtype)


rope_freq = rope_freq_default


def rope_freq_llama3(
    s: Any,
    d: Any,
    d_range: int,
    theta: float,
    dtype: str,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: float,
) -> tuple[Any, Any]:
    """The same where long waves are stretched by `factor` (Llama 3.1)."""
    frequency = _float(1) / _wave(d, d_range, theta)
    turns = frequency * _float(original_max_position_embeddings / (2 * math.pi))
    kept = (turns - _float(low_freq_factor)) / _float(high_freq_factor - low_freq_factor)
    kept = tir.max(tir.min(kept, _float(1)), _float(0))
    return _rotation(s * frequency * (kept + (_float(1) - kept) / _float(factor)), dtype)


def switch_rope_freq_func(rope_scaling: Mapping[str, Any] | None) -> Callable[..., tuple[Any, Any]]:
    """The function of a model's `rope_scaling`: position, element, rotated elements, theta and data type."""
    scaling = dict(rope_scaling or {})
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind in ("default", "none"):
        return rope_freq_default
    if kind == "linear":
        factor = float(scaling["factor"])
        return lambda s, d, d_range, theta, dtype: rope_freq_default(s / _float(factor), d, d_range, theta, dtype)
    if kind == "llama3":
        names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
        given = {name: float(scaling[name]) for name in names}
        return lambda s, d, d_range, theta, dtype: rope_freq_llama3(s, d, d_range, theta, dtype, **given)
    raise refused(f"unknown RoPE scaling {kind!r}: expected one of default, linear, llama3")


def llama_rope(
    qkv: Tensor,
    total_seq_len: Any,
    theta: float,
    num_q_heads: int,
    num_kv_heads: int,
    scale: float = 1.0,
    rotary_dim: int | None = None,
    rope_scaling: Mapping[str, Any] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of `qkv`, `[batch, tokens, num_q_heads + 2 * num_kv_heads, head]`; two are rotated.

    The tokens are the last of a sequence of `total_seq_len`; the first `rotary_dim` elements of a head are rotated, by
    default all.
    """
    batch, tokens, _, size = qkv.shape
    rotated, dtype = size if rotary_dim is None else rotary_dim, qkv.dtype
    frequency = switch_rope_freq_func(rope_scaling)

    def rotate(x: Any, total: Any, first: int, heads: int) -> Any:
        def value(b: Any, s: Any, h: Any, d: Any) -> Any:
            position = (s + total - tokens).astype("float32") * _float(scale)
            cosine, sine = frequency(position, d, rotated, theta, "float32")
            half = rotated // 2
            other = tir.if_then_else(d < half, -x[b, s, h + first, d + half], x[b, s, h + first, d - half])
            rotated_value = x[b, s, h + first, d].astype("float32") * cosine + other.astype("float32") * sine
            return tir.if_then_else(d < rotated, rotated_value.astype(dtype), x[b, s, h + first, d])

        return te.compute((batch, tokens, heads, size), value, "rotated")

    def part(name: str, first: int, heads: int) -> Tensor:
        return tensor_expr_op(lambda x, total: rotate(x, total, first, heads), f"rope_{name}", [qkv, total_seq_len])

    values = tensor_expr_op(
        lambda x: te.compute(
            (batch, tokens, num_kv_heads, size), lambda b, s, h, d: x[b, s, h + num_q_heads + num_kv_heads, d], "values"
        ),
        "rope_values",
        [qkv],
    )
    return part("queries", 0, num_q_heads), part("keys", num_q_heads, num_kv_heads), values


def _float(value: float) -> Any:
    return tir.const(float(value), "float32")


def _wave(d: Any, d_range: int, theta: float) -> Any:
    """Positions of a radian."""
    exponent = (d * 2 % d_range).astype("float32") / _float(d_range)
    return tir.power(_float(theta), exponent)


def _rotation(angle: Any, dtype: str) -> tuple[Any, Any]:
    return tir.cos(angle).astype(dtype), tir.sin(angle).astype(dtype)
