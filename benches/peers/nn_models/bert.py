"""The encoder of BERT-base, with a mask of the tokens that are not attended to."""

from __future__ import annotations

import math

from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op

VOCABULARY, POSITIONS, KINDS, HIDDEN, HEADS, INTERMEDIATE, BLOCKS, EPSILON = 30522, 512, 2, 768, 12, 3072, 12, 1e-12
WIDTH = HIDDEN // HEADS


class Embeddings(nn.Module):
    def __init__(self) -> None:
        self.word_embedding = nn.Embedding(VOCABULARY, HIDDEN)
        self.position_embedding = nn.Embedding(POSITIONS, HIDDEN)
        self.kind_embedding = nn.Embedding(KINDS, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, EPSILON)

    def forward(self, tokens: Tensor, kinds: Tensor) -> Tensor:
        positions = self.position_embedding(op.arange(0, tokens.shape[1], 1, "int64"))
        return self.norm(self.word_embedding(tokens) + positions + self.kind_embedding(kinds))


class Block(nn.Module):
    def __init__(self) -> None:
        self.query, self.key = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.value, self.output = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.attention_norm, self.norm = nn.LayerNorm(HIDDEN, EPSILON), nn.LayerNorm(HIDDEN, EPSILON)
        self.up, self.down = nn.Linear(HIDDEN, INTERMEDIATE), nn.Linear(INTERMEDIATE, HIDDEN)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = (heads(project(x)) for project in (self.query, self.key, self.value))
        scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) / math.sqrt(WIDTH)
        attended = op.permute_dims(op.matmul(op.softmax(scores + bias, axis=-1), v), [0, 2, 1, 3])
        x = self.attention_norm(x + self.output(op.reshape(attended, (batch, length, HIDDEN))))
        return self.norm(x + self.down(op.gelu(self.up(x))))


def heads(x: Tensor) -> Tensor:
    """(batch, length, HIDDEN) as (batch, HEADS, length, WIDTH)."""
    batch, length, _ = x.shape
    return op.permute_dims(op.reshape(x, (batch, length, HEADS, WIDTH)), [0, 2, 1, 3])


class Bert(nn.Module):
    def __init__(self) -> None:
        self.embeddings = Embeddings()
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])

    def main(self, x0: Tensor, x1: Tensor, x2: Tensor) -> Tensor:
        """Of tokens, their kinds and the mask."""
        batch, length = x0.shape
        bias = op.reshape((1 - op.astype(x2, "float32")) * -1e9, (batch, 1, 1, length))
        x = self.embeddings(x0, x1)
        for block in self.blocks:
            x = block(x, bias)
        return x
