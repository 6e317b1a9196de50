"""One block of a Llama of 1.1 billion weights: grouped heads, rotary embeddings, and a cache of keys and values.

The cosines and sines come as arguments, as they do where the blocks of a model share them.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from .attention import attend, heads, together

HIDDEN, WIDTH, KV_HEADS, INTERMEDIATE, EPSILON = 2048, 64, 4, 5632, 1e-5


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


class Block(nn.Module):
    """Called with what the cache has (`past_k`, `past_v`) it sees one token; without, a whole prompt. It gives the new
    keys and values besides the result."""

    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.norm = nn.RMSNorm(HIDDEN, EPSILON), nn.RMSNorm(HIDDEN, EPSILON)
        self.q, self.o = nn.Linear(HIDDEN, HIDDEN, bias=False), nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.k = nn.Linear(HIDDEN, KV_HEADS * WIDTH, bias=False)
        self.v = nn.Linear(HIDDEN, KV_HEADS * WIDTH, bias=False)
        self.gate = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.up = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.down = nn.Linear(INTERMEDIATE, HIDDEN, bias=False)

    def forward(
        self,
        x: torch.Tensor,
        cos: torch.Tensor,
        sin: torch.Tensor,
        past_k: torch.Tensor | None = None,
        past_v: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        y = self.attention_norm(x)
        q = rotated(heads(self.q(y), WIDTH), cos, sin)
        k, v = rotated(heads(self.k(y), WIDTH), cos, sin), heads(self.v(y), WIDTH)
        if past_k is None:
            attended = attend(q, k, v, causal=True)
        else:
            attended = attend(q, torch.cat([past_k, k], 2), torch.cat([past_v, v], 2))
        x = x + self.o(together(attended))
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y)), k, v
