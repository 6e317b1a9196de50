"""Small parts of decoders: norms, activations, soft caps, and rotations that the model does itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import te, tir
from ...relax import const
from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from .config import DecoderConfig, Rope

__all__ = ["HeadNorm", "LayerNorm", "Rotation", "activation", "cap", "last_row", "norm", "rotate", "scaled"]


class LayerNorm(nn.Module):
    """The last axis brought to mean 0 and variance 1, perhaps times a weight."""

    def __init__(self, size: int, eps: float, has_weight: bool) -> None:
        self.size, self.eps = size, eps
        self.weight = nn.Parameter((size,)) if has_weight else None

    def forward(self, x: Tensor) -> Tensor:
        """The normalised tensor."""
        weight = _filled(1, self.size, x) if self.weight is None else self.weight
        return op.layer_norm(x, self.size, weight, _filled(0, self.size, x), self.eps)


def _filled(value: float, size: int, like: Tensor) -> Tensor:
    """A vector of one number, of the type of another tensor."""
    return nn.wrap_nested(const(np.full(size, value, str(like.dtype))), "filled")


def norm(config: DecoderConfig, size: int | None = None) -> nn.Module:
    """The norm that the configuration says, of the hidden states or of `size` elements."""
    size = config.hidden_size if size is None else size
    if config.norm == "rms":
        return nn.RMSNorm(size, -1, config.norm_eps, bias=config.norm_bias)
    if config.norm_bias:
        return nn.LayerNorm(size, config.norm_eps)
    return LayerNorm(size, config.norm_eps, config.norm_weight)


class HeadNorm(nn.Module):
    """The norm of queries or keys, `[batch, tokens, heads, size]`, before they are rotated."""

    def __init__(self, config: DecoderConfig, heads: int) -> None:
        self.kind, self.heads, self.eps, self.rms = config.qk_norm, heads, config.norm_eps, config.norm == "rms"
        size = config.head_dim
        self.weight = nn.Parameter({"head": (size,), "heads": (heads, size), "all": (heads * size,)}[self.kind])

    def forward(self, x: Tensor) -> Tensor:
        """The normalised heads."""
        batch, tokens, heads, size = x.shape
        if self.kind == "all":
            return op.reshape(self._of(op.reshape(x, (batch, tokens, heads * size)), self.weight), x.shape)
        if self.kind == "head":
            return self._of(x, self.weight)
        return self._of(x, _filled(1, size, x)) * self.weight

    def _of(self, x: Tensor, weight: Tensor) -> Tensor:
        if self.rms:
            return op.rms_norm(x, weight, -1, self.eps)
        size = weight.shape[0]
        return op.layer_norm(x, size, weight, _filled(0, size, x), self.eps)


def activation(kind: str, x: Tensor) -> Tensor:
    """A function of each element, by its name in a configuration."""
    if kind == "silu":
        return op.silu(x)
    if kind == "relu":
        return op.relu(x)
    if kind == "relu_squared":
        return op.square(op.relu(x))
    return op.gelu(x, approximate="tanh" if kind == "gelu_tanh" else None)


def scaled(x: Tensor, scale: float) -> Tensor:
    """Each element times a number; nothing is done for 1."""
    return x if scale == 1 else x * scale


def cap(x: Tensor, limit: float) -> Tensor:
    """`limit * tanh(x / limit)`; nothing is done for 0."""
    return op.tanh(x * (1 / limit)) * limit if limit else x


def last_row(x: Tensor) -> Tensor:
    """The last of `[batch, tokens, size]` along the tokens, `[batch, 1, size]`."""

    def last(values: te.Tensor) -> te.Tensor:
        batch, tokens, size = values.shape
        return te.compute((batch, 1, size), lambda b, _, i: values[b, tokens - 1, i], "last")

    return op.tensor_expr_op(last, "last", [x])


@dataclass
class Rotation:
    """Cosines and sines of a step's tokens, `[tokens, size / 2]` of float32, for a model that rotates by itself."""

    rope: Rope
    cosines: Tensor
    sines: Tensor

    @staticmethod
    def of(positions: Tensor, rope: Rope) -> Rotation:
        """The rotation of tokens at these positions; angles are float64, which has digits left at long contexts."""
        frequencies = nn.wrap_nested(const(np.array(rope.frequencies(), "float64")), "frequencies")

        def table(function: Any, name: str) -> Tensor:
            def values(at: te.Tensor, frequency: te.Tensor) -> te.Tensor:
                def value(token: Any, pair: Any) -> Any:
                    angle = at[token].astype("float64") * frequency[pair]
                    return (function(angle) * tir.const(rope.magnitude, "float64")).astype("float32")

                return te.compute((at.shape[0], rope.size // 2), value, name)

            return op.tensor_expr_op(values, name, [positions, frequencies])

        return Rotation(rope, table(tir.cos, "cosines"), table(tir.sin, "sines"))


def rotate(qkv: Tensor, rotation: Rotation, heads: int) -> Tensor:
    """`qkv`, `[batch, tokens, all heads, head_dim]`, with the first `heads` rotated: pairs of both halves."""
    size, dtype = rotation.rope.size, str(qkv.dtype)

    def values(x: te.Tensor, cosines: te.Tensor, sines: te.Tensor) -> te.Tensor:
        half, tokens = size // 2, x.shape[1]

        def value(b: Any, s: Any, h: Any, d: Any) -> Any:
            row, pair = b * tokens + s, d % half
            other = tir.Select(d < half, -x[b, s, h, pair + half], x[b, s, h, pair])
            rotated = x[b, s, h, d].astype("float32") * cosines[row, pair] + other.astype("float32") * sines[row, pair]
            return tir.if_then_else(tir.all(h < heads, d < size), rotated.astype(dtype), x[b, s, h, d])

        return te.compute(x.shape, value, "rotated")

    return op.tensor_expr_op(values, "rotate", [qkv, rotation.cosines, rotation.sines])
