"""Attention as PyTorch's own fused function, or decomposed for exporters that decompose it anyway."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import torch
from torch.nn import functional as F

_spelled = False


@contextlib.contextmanager
def spelled_out() -> Iterator[None]:
    """Within, attention is products, a softmax and a mask."""
    global _spelled
    _spelled, before = True, _spelled
    try:
        yield
    finally:
        _spelled = before


def attend(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor | None = None, causal: bool = False
) -> torch.Tensor:
    """Of (batch, heads, length, width); keys and values may have fewer heads, each for several of the queries'."""
    if not _spelled:
        grouped = q.shape[1] != k.shape[1]
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias, is_causal=causal, enable_gqa=grouped)
    if (times := q.shape[1] // k.shape[1]) > 1:
        k, v = k.repeat_interleave(times, 1), v.repeat_interleave(times, 1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        ahead = torch.full((q.shape[2], k.shape[2]), -math.inf).triu(1 + k.shape[2] - q.shape[2])
        scores = scores + ahead
    if bias is not None:
        scores = scores + bias
    return torch.softmax(scores, -1) @ v


def heads(x: torch.Tensor, width: int) -> torch.Tensor:
    """(batch, length, heads * width) as (batch, heads, length, width)."""
    batch, length, _ = x.shape
    return x.reshape(batch, length, -1, width).transpose(1, 2)


def together(x: torch.Tensor) -> torch.Tensor:
    """The reverse of `heads`."""
    return x.transpose(1, 2).flatten(2)
