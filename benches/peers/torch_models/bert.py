"""The encoder of BERT-base, with a mask of the tokens that are not attended to."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from .attention import attend, heads, together

VOCABULARY, POSITIONS, KINDS, HIDDEN, WIDTH, INTERMEDIATE, BLOCKS, EPSILON = 30522, 512, 2, 768, 64, 3072, 12, 1e-12


class Embeddings(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word_embedding = nn.Embedding(VOCABULARY, HIDDEN)
        self.position_embedding = nn.Embedding(POSITIONS, HIDDEN)
        self.kind_embedding = nn.Embedding(KINDS, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, EPSILON)

    def forward(self, tokens: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        positions = self.position_embedding(torch.arange(tokens.shape[1]))
        return self.norm(self.word_embedding(tokens) + positions + self.kind_embedding(kinds))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.value, self.output = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.attention_norm, self.norm = nn.LayerNorm(HIDDEN, EPSILON), nn.LayerNorm(HIDDEN, EPSILON)
        self.up, self.down = nn.Linear(HIDDEN, INTERMEDIATE), nn.Linear(INTERMEDIATE, HIDDEN)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        q, k, v = (heads(project(x), WIDTH) for project in (self.query, self.key, self.value))
        x = self.attention_norm(x + self.output(together(attend(q, k, v, bias))))
        return self.norm(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embeddings = Embeddings()
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])

    def forward(self, tokens: torch.Tensor, kinds: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.embeddings(tokens, kinds)
        bias = ((1 - mask).to(x.dtype) * -1e9)[:, None, None, :]
        for block in self.blocks:
            x = block(x, bias)
        return x
