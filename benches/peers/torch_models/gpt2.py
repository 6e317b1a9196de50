"""GPT-2, the smallest, with the scores of the next token; they share the table of the embedding."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from .attention import attend, heads, together

VOCABULARY, POSITIONS, HIDDEN, WIDTH, BLOCKS = 50257, 1024, 768, 64, 12


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.norm = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv, self.output = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.up, self.down = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (heads(part, WIDTH) for part in self.qkv(self.attention_norm(x)).chunk(3, -1))
        x = x + self.output(together(attend(q, k, v, causal=True)))
        return x + self.down(F.gelu(self.up(self.norm(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, HIDDEN)
        # The scores are products with all of its rows.
        self.embedding.read_whole = True
        self.position_embedding = nn.Embedding(POSITIONS, HIDDEN)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.norm = nn.LayerNorm(HIDDEN)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens) + self.position_embedding(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.embedding.weight)
