"""A BERT encoder: embeddings and blocks of attention that sees both ways, for batches and sequences of any length.

python examples/nn/bert.py
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from llama import draw_weights

from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op


@dataclass(frozen=True)
class Config:
    vocabulary: int = 60
    positions: int = 32
    kinds: int = 2
    hidden: int = 32
    heads: int = 4
    intermediate: int = 64
    blocks: int = 2
    epsilon: float = 1e-12


class Embeddings(nn.Module):
    def __init__(self, config: Config) -> None:
        self.words = nn.Embedding(config.vocabulary, config.hidden)
        self.positions = nn.Embedding(config.positions, config.hidden)
        self.kinds = nn.Embedding(config.kinds, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, config.epsilon)

    def forward(self, tokens: Tensor, kinds: Tensor) -> Tensor:
        positions = self.positions(op.arange(0, tokens.shape[1], 1, "int32"))
        return self.norm(self.words(tokens) + positions + self.kinds(kinds))


class SelfAttention(nn.Module):
    def __init__(self, config: Config) -> None:
        self.heads, self.width = config.heads, config.hidden // config.heads
        self.query = nn.Linear(config.hidden, config.hidden)
        self.key = nn.Linear(config.hidden, config.hidden)
        self.value = nn.Linear(config.hidden, config.hidden)
        self.output = nn.Linear(config.hidden, config.hidden)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        q, k, v = (self.split(project(x)) for project in (self.query, self.key, self.value))
        scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) / math.sqrt(self.width)
        attended = op.matmul(op.softmax(scores + bias, axis=-1), v)
        return self.output(op.reshape(op.permute_dims(attended, [0, 2, 1, 3]), (batch, length, hidden)))

    def split(self, x: Tensor) -> Tensor:
        """The heads as a dimension: (batch, heads, length, width)."""
        batch, length, _ = x.shape
        return op.permute_dims(op.reshape(x, (batch, length, self.heads, self.width)), [0, 2, 1, 3])


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.hidden, config.epsilon)
        self.up = nn.Linear(config.hidden, config.intermediate)
        self.down = nn.Linear(config.intermediate, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, config.epsilon)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        x = self.attention_norm(x + self.attention(x, bias))
        return self.norm(x + self.down(op.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, config: Config) -> None:
        self.embeddings = Embeddings(config)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.blocks)])

    def forward(self, tokens: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """The encoding of each token in context; `mask` is 0 for tokens that are not attended to, else 1."""
        batch, length = tokens.shape
        bias = op.reshape((1 - op.astype(mask, "float32")) * -1e9, (batch, 1, 1, length))
        x = self.embeddings(tokens, kinds)
        for block in self.blocks:
            x = block(x, bias)
        return x


SPEC = {"forward": {name: nn.spec.Tensor(("batch", "length"), "int32") for name in ("tokens", "kinds", "mask")}}


def main() -> None:
    config = Config()
    model = Bert(config)
    module, _ = model.export_tvm(SPEC)
    module.show()
    model.load_state_dict(draw_weights(model))
    compiled = model.jit(SPEC, out_format="numpy")
    tokens = np.arange(12, dtype="int32").reshape(2, 6)
    states = compiled["forward"](tokens, tokens % config.kinds, np.ones_like(tokens))
    print(f"{tokens.shape} tokens become {states.shape} numbers, mean {states.mean():.4f}")


if __name__ == "__main__":
    main()
