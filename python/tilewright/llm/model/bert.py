"""Encoders of the BERT family, which embed texts: BERT, RoBERTa, XLM-RoBERTa.

Names of weights are those of Hugging Face's checkpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from .config import UnsupportedModel
from .settings import MAX_LAYERS, MAX_SIZE, Settings

__all__ = ["MODEL_TYPES", "Bert", "BertConfig"]

#: The `model_type` of models that are read, and from which number on positions count: RoBERTa's from after padding's.
MODEL_TYPES = {"bert": False, "roberta": True, "xlm-roberta": True}
#: Functions between the products of the MLP by the names of `config.json`.
ACTIVATIONS = {"gelu": op.gelu, "gelu_new": lambda x: op.gelu(x, "tanh"), "relu": op.relu, "silu": op.silu}


@dataclass(frozen=True)
class BertConfig:
    """Sizes of an encoder."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    vocab_size: int
    type_vocab_size: int
    max_position_embeddings: int
    layer_norm_eps: float
    activation: Callable[[Tensor], Tensor]
    #: The position of the first token.
    first_position: int = 0

    @staticmethod
    def from_dict(values: Mapping[str, Any], file: str = "config.json") -> BertConfig:
        """Of the settings of a `config.json`."""
        settings = Settings(dict(values), file)
        kind = settings.raw("model_type")
        if kind not in MODEL_TYPES:
            known = ", ".join(MODEL_TYPES)
            raise UnsupportedModel(f"{file}: texts are embedded by models of the types {known}, found {kind!r:.80}")
        if settings.raw("position_embedding_type") not in (None, "absolute"):
            raise UnsupportedModel(f"{file}: positions that are not absolute are not there for encoders")
        activation = settings.choice("hidden_act", ACTIVATIONS, "gelu")
        hidden, heads = settings.integer("hidden_size"), settings.integer("num_attention_heads", most=1 << 16)
        if hidden % heads:
            raise settings.wrong("num_attention_heads", f"a divisor of the hidden size {hidden}")
        first = settings.integer("pad_token_id", 1, least=0) + 1 if MODEL_TYPES[kind] else 0
        longest = settings.integer("max_position_embeddings", 512, most=1 << 24)
        if longest <= first:
            raise settings.wrong("max_position_embeddings", f"more than {first}")
        return BertConfig(
            hidden, settings.integer("num_hidden_layers", most=MAX_LAYERS), heads,
            settings.integer("intermediate_size", 4 * hidden, most=MAX_SIZE), settings.integer("vocab_size"),
            settings.integer("type_vocab_size", 2, most=1 << 16), longest,
            settings.number("layer_norm_eps", 1e-12), activation, first,
        )  # fmt: skip

    @property
    def longest(self) -> int:
        """Tokens of a text at most."""
        return self.max_position_embeddings - self.first_position


class BertEmbeddings(nn.Module):
    """The sum of embeddings of tokens, positions, and the type of the text, normalised."""

    def __init__(self, config: BertConfig) -> None:
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, tokens: Tensor, positions: Tensor, types: Tensor) -> Tensor:
        """Hidden states of the tokens, `[tokens, hidden]`."""
        x = self.word_embeddings(tokens) + self.token_type_embeddings(types)
        return self.LayerNorm(x + self.position_embeddings(positions))


class BertSelfAttention(nn.Module):
    """What each token sees of all tokens."""

    def __init__(self, config: BertConfig) -> None:
        self.heads, self.size = config.num_attention_heads, config.hidden_size // config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        """The values that the tokens see, `[tokens, hidden]`."""
        tokens, hidden = x.shape
        shape = (1, tokens, self.heads, self.size)
        q, k, v = (op.reshape(layer(x), shape) for layer in (self.query, self.key, self.value))
        return op.reshape(op.scaled_dot_product_attention(q, k, v), (tokens, hidden))


class BertOutput(nn.Module):
    """A product, added to what was there before, and normalised."""

    def __init__(self, config: BertConfig, inner: int) -> None:
        self.dense = nn.Linear(inner, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, x: Tensor, before: Tensor) -> Tensor:
        """The normalised sum."""
        return self.LayerNorm(self.dense(x) + before)


class _Named(nn.Module):
    """Modules under names that Python has no class for."""

    def __init__(self, modules: Mapping[str, nn.Module]) -> None:
        for name, module in modules.items():
            setattr(self, name, module)


class BertLayer(nn.Module):
    """Attention and MLP."""

    def __init__(self, config: BertConfig) -> None:
        inner = config.intermediate_size
        own = {"self": BertSelfAttention(config), "output": BertOutput(config, config.hidden_size)}
        self.attention = _Named(own)
        self.intermediate = _Named({"dense": nn.Linear(config.hidden_size, inner)})
        self.output = BertOutput(config, inner)
        self.activation = config.activation

    def forward(self, x: Tensor) -> Tensor:
        """The hidden states after this layer."""
        attention: Any = self.attention
        intermediate: Any = self.intermediate
        x = attention.output(attention.self(x), x)
        return self.output(self.activation(intermediate.dense(x)), x)


class Bert(nn.Module):
    """An encoder of one text."""

    def __init__(self, config: BertConfig) -> None:
        self.embeddings = BertEmbeddings(config)
        layers = nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])
        self.encoder: Any = _Named({"layer": layers})

    def forward(self, tokens: Tensor, positions: Tensor, types: Tensor) -> Tensor:
        """The last hidden states, `[tokens, hidden]`; `tokens`, `positions` and `types` are `[tokens]` of int32."""
        x = self.embeddings(tokens, positions, types)
        for layer in self.encoder.layer:
            x = layer(x)
        return x

    def get_default_spec(self) -> nn.spec.ModuleSpec:
        """Shapes and types of the arguments."""
        numbers = nn.spec.Tensor(["tokens"], "int32")
        given = {"tokens": numbers, "positions": numbers, "types": numbers}
        modes = {"param_mode": "packed", "effect_mode": "none"}
        return nn.spec.ModuleSpec.from_raw({"forward": {**given, "$": modes}}, self)
