"""A small Llama: blocks of attention with rotary embeddings and a cache that grows, for sequences of any length.

    python examples/nn/llama.py

The same functions read a prompt and continue it: each call gets the tokens that are new and how many there are with
those of the calls before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from rotary import RotaryEmbedding

import tilewright
from tilewright import te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op


@dataclass(frozen=True)
class Config:
    vocabulary: int = 50
    hidden: int = 32
    heads: int = 4
    kv_heads: int = 2
    intermediate: int = 48
    blocks: int = 2
    epsilon: float = 1e-5

    @property
    def width(self) -> int:
        return self.hidden // self.heads


def causal(scores: te.Tensor, total: tir.PrimExpr) -> te.Tensor:
    """The scores (batch, heads, new, total), minus infinity where a token would look ahead."""
    new = scores.shape[2]

    def masked(b: tir.Var, h: tir.Var, i: tir.Var, j: tir.Var) -> tir.PrimExpr:
        return tir.if_then_else(j <= i + (total - new), scores[b, h, i, j], tir.const(-math.inf, "float32"))

    return te.compute(scores.shape, masked, name="causal")


class Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        self.config = config
        self.rotary = RotaryEmbedding(config.width)
        self.q = nn.Linear(config.hidden, config.heads * config.width, bias=False)
        self.k = nn.Linear(config.hidden, config.kv_heads * config.width, bias=False)
        self.v = nn.Linear(config.hidden, config.kv_heads * config.width, bias=False)
        self.o = nn.Linear(config.heads * config.width, config.hidden, bias=False)
        self.k_cache = nn.KVCache(4, [config.kv_heads, config.width])
        self.v_cache = nn.KVCache(4, [config.kv_heads, config.width])

    def forward(self, x: Tensor, total: tir.Var) -> Tensor:
        config, new = self.config, x.shape[1]
        q = self.rotary(op.reshape(self.q(x), (1, new, config.heads, config.width)), total - new)
        k = self.rotary(op.reshape(self.k(x), (1, new, config.kv_heads, config.width)), total - new)
        v = op.reshape(self.v(x), (1, new, config.kv_heads, config.width))
        self.k_cache.append(op.squeeze(k, 0))
        self.v_cache.append(op.squeeze(v, 0))
        k, v = (self.every_head(cache.view(total)) for cache in (self.k_cache, self.v_cache))
        scores = op.matmul(op.permute_dims(q, [0, 2, 1, 3]), op.permute_dims(k, [0, 2, 3, 1])) / math.sqrt(config.width)
        weights = op.softmax(op.tensor_expr_op(causal, "causal", [scores, total]), axis=-1)
        attended = op.permute_dims(op.matmul(weights, op.permute_dims(v, [0, 2, 1, 3])), [0, 2, 1, 3])
        return self.o(op.reshape(attended, (1, new, config.heads * config.width)))

    def every_head(self, rows: Tensor) -> Tensor:
        """Keys or values (total, kv_heads, width) as each head sees them: (1, total, heads, width)."""
        return op.repeat(op.unsqueeze(rows, 0), self.config.heads // self.config.kv_heads, axis=2)


class MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        self.gate_up = nn.Linear(config.hidden, 2 * config.intermediate, bias=False)
        self.down = nn.Linear(config.intermediate, config.hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = op.split(self.gate_up(x), 2, axis=-1)
        return self.down(op.silu(gate) * up)


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        self.attention, self.mlp = Attention(config), MLP(config)
        self.attention_norm = nn.RMSNorm(config.hidden, -1, config.epsilon, bias=False)
        self.mlp_norm = nn.RMSNorm(config.hidden, -1, config.epsilon, bias=False)

    def forward(self, x: Tensor, total: tir.Var) -> Tensor:
        x = x + self.attention(self.attention_norm(x), total)
        return x + self.mlp(self.mlp_norm(x))


class Llama(nn.Module):
    def __init__(self, config: Config) -> None:
        self.embedding = nn.Embedding(config.vocabulary, config.hidden)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.blocks)])
        self.norm = nn.RMSNorm(config.hidden, -1, config.epsilon, bias=False)
        self.head = nn.Linear(config.hidden, config.vocabulary, bias=False)

    def forward(self, tokens: Tensor, total: tir.Var) -> Tensor:
        """Scores (1, new, vocabulary) for what follows each of the new tokens (1, new), of `total` in all."""
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, total)
        return self.head(self.norm(x))


SPEC = {"forward": {"tokens": nn.spec.Tensor((1, "new"), "int32"), "total": int}}


def draw_weights(model: nn.Module, seed: int = 0) -> dict[str, np.ndarray]:
    """Random weights with which every layer matters: those of norms around 1, the others by what they sum over.

    Those of queries and keys are larger, so that attention chooses.
    """
    random = np.random.default_rng(seed)
    weights = {}
    for name, parameter in model.named_parameters():
        values = random.standard_normal(parameter.shape)
        if "norm" in name and name.endswith("weight"):
            values = 1 + 0.3 * values
        elif len(parameter.shape) > 1 and "embedding" not in name:
            chooses = name.split(".")[-2] in ("q", "k", "query", "key")
            values *= (3 if chooses else 1) / math.sqrt(parameter.shape[-1])
        weights[name] = values.astype("float32")
    return weights


def main() -> None:
    model = Llama(Config())
    module, _ = model.export_tvm(SPEC)
    module.show()
    model.load_state_dict(draw_weights(model))
    compiled = model.jit(SPEC, out_format="numpy")
    tokens = [7, 3, 9]
    scores = compiled["forward"](np.array([tokens], "int32"), len(tokens))
    for _ in range(8):
        tokens.append(int(scores[0, -1].argmax()))
        scores = compiled["forward"](np.array([tokens[-1:]], "int32"), len(tokens))
    print(f"tilewright {tilewright.__version__} continues 7, 3, 9 with {tokens[3:]}")


if __name__ == "__main__":
    main()
