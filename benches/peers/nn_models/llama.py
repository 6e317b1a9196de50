"""One block of a Llama of 1.1 billion weights: grouped heads, rotary embeddings, and a cache of keys and values."""

from __future__ import annotations

import math

from tilewright import te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op

HIDDEN, WIDTH, KV_HEADS, INTERMEDIATE, EPSILON = 2048, 64, 4, 5632, 1e-5
HEADS = HIDDEN // WIDTH


def causal(scores: te.Tensor) -> te.Tensor:
    """Scores (batch, heads, length, length), minus infinity where a token would look ahead."""

    def masked(b: tir.Var, h: tir.Var, i: tir.Var, j: tir.Var) -> tir.PrimExpr:
        return tir.if_then_else(j <= i, scores[b, h, i, j], tir.const(-math.inf, "float32"))

    return te.compute(scores.shape, masked, name="causal")


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = op.split(x, 2, axis=-1)
    return x * cos + op.concat([op.negative(second), first], -1) * sin


def heads(x: Tensor, count: int) -> Tensor:
    """(batch, length, count * WIDTH) as (batch, count, length, WIDTH)."""
    batch, length, _ = x.shape
    return op.permute_dims(op.reshape(x, (batch, length, count, WIDTH)), [0, 2, 1, 3])


class Block(nn.Module):
    def __init__(self) -> None:
        self.attention_norm = nn.RMSNorm(HIDDEN, -1, EPSILON, bias=False)
        self.norm = nn.RMSNorm(HIDDEN, -1, EPSILON, bias=False)
        self.q, self.o = nn.Linear(HIDDEN, HIDDEN, bias=False), nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.k = nn.Linear(HIDDEN, KV_HEADS * WIDTH, bias=False)
        self.v = nn.Linear(HIDDEN, KV_HEADS * WIDTH, bias=False)
        self.gate = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.up = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.down = nn.Linear(INTERMEDIATE, HIDDEN, bias=False)

    def projected(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = self.attention_norm(x)
        q, k, v = heads(self.q(y), HEADS), heads(self.k(y), KV_HEADS), heads(self.v(y), KV_HEADS)
        return rotated(q, cos, sin), rotated(k, cos, sin), v

    def attend(self, q: Tensor, k: Tensor, v: Tensor, ahead: bool) -> Tensor:
        """(batch, length, HIDDEN); with `ahead`, there are keys that a token must not see."""
        batch, _, length, _ = q.shape
        k, v = (op.repeat(x, HEADS // KV_HEADS, axis=1) for x in (k, v))
        scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) / math.sqrt(WIDTH)
        if ahead:
            scores = op.tensor_expr_op(causal, "causal", [scores])
        attended = op.permute_dims(op.matmul(op.softmax(scores, axis=-1), v), [0, 2, 1, 3])
        return op.reshape(attended, (batch, length, HIDDEN))

    def rest(self, x: Tensor, attended: Tensor) -> Tensor:
        x = x + self.o(attended)
        y = self.norm(x)
        return x + self.down(op.silu(self.gate(y)) * self.up(y))


class Prefill(Block):
    def main(self, x0: Tensor, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Of a whole prompt with its cosines and sines."""
        q, k, v = self.projected(x0, x1, x2)
        return self.rest(x0, self.attend(q, k, v, ahead=True)), k, v


class Decode(Block):
    def main(self, x0: Tensor, x1: Tensor, x2: Tensor, x3: Tensor, x4: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Of one token with its cosines and sines, and the keys and values before it."""
        q, k, v = self.projected(x0, x1, x2)
        attended = self.attend(q, op.concat([x3, k], 2), op.concat([x4, v], 2), ahead=False)
        return self.rest(x0, attended), k, v
