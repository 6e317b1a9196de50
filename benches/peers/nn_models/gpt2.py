"""GPT-2, the smallest, with the scores of the next token; they share the table of the embedding."""

from __future__ import annotations

import math

from tilewright import te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op

VOCABULARY, POSITIONS, HIDDEN, HEADS, BLOCKS = 50257, 1024, 768, 12, 12
WIDTH = HIDDEN // HEADS


def causal(scores: te.Tensor) -> te.Tensor:
    """Scores (batch, heads, length, length), minus infinity where a token would look ahead."""

    def masked(b: tir.Var, h: tir.Var, i: tir.Var, j: tir.Var) -> tir.PrimExpr:
        return tir.if_then_else(j <= i, scores[b, h, i, j], tir.const(-math.inf, "float32"))

    return te.compute(scores.shape, masked, name="causal")


class Block(nn.Module):
    def __init__(self) -> None:
        self.attention_norm, self.norm = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv, self.output = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.up, self.down = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        parts = op.split(self.qkv(self.attention_norm(x)), 3, axis=-1)
        q, k, v = (op.permute_dims(op.reshape(part, (batch, length, HEADS, WIDTH)), [0, 2, 1, 3]) for part in parts)
        scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) / math.sqrt(WIDTH)
        weights = op.softmax(op.tensor_expr_op(causal, "causal", [scores]), axis=-1)
        attended = op.permute_dims(op.matmul(weights, v), [0, 2, 1, 3])
        x = x + self.output(op.reshape(attended, (batch, length, HIDDEN)))
        return x + self.down(op.gelu(self.up(self.norm(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self) -> None:
        self.embedding = nn.Embedding(VOCABULARY, HIDDEN)
        self.position_embedding = nn.Embedding(POSITIONS, HIDDEN)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.norm = nn.LayerNorm(HIDDEN)

    def main(self, x0: Tensor) -> Tensor:
        """Of tokens (batch, length)."""
        x = self.embedding(x0) + self.position_embedding(op.arange(0, x0.shape[1], 1, "int64"))
        for block in self.blocks:
            x = block(x)
        return op.matmul(self.norm(x), op.permute_dims(self.embedding.weight))
