"""What a decoder of text is: the numbers and choices by which architectures differ.

`decoder.Decoder` computes whatever a `DecoderConfig` says; an architecture's own file makes one of the settings of a
model (`settings.Settings`). What the runtime's cache cannot do is refused here, in `check_runtime`, with the feature's
name, before any weight is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...error import TVMError

__all__ = ["DecoderConfig", "Experts", "Latent", "Rope", "UnsupportedModel"]


class UnsupportedModel(TVMError, NotImplementedError):
    """A model that needs what this package, or its runtime, does not have: the message names the feature."""


@dataclass(frozen=True)
class Rope:
    """Rotary position embedding: pairs of the first `size` elements of a head, one of each half, are rotated.

    The angle of pair `i` at position `p` is `p * theta^(-2 i / size) / factors[i]`, and rotated vectors are longer by
    `magnitude`. A linear or Llama-3 scaling is all factors.
    """

    theta: float
    size: int
    factors: tuple[float, ...] | None = None
    magnitude: float = 1.0

    def frequencies(self) -> list[float]:
        """Radians a position, for each pair."""
        pairs = range(self.size // 2)
        factors = self.factors or (1.0,) * len(pairs)
        return [self.theta ** (-2 * pair / self.size) / factors[pair] for pair in pairs]


@dataclass(frozen=True)
class Experts:
    """A mixture of experts: each token goes through `used` of `count` MLPs of `size` inner elements.

    The router's scores are a softmax over all experts, or sigmoids. `normalised` divides the weights of the chosen
    ones by their sum; `scale` multiplies them. Only experts of the `used_groups` best of `groups` are chosen, where a
    group counts by its `group_best` best experts; `corrected` adds a number of each expert to its score, for the
    choice only. All tokens also go through an MLP of `shared` inner elements, which with `shared_gate` counts by a
    sigmoid of its own. The first `dense_layers` layers have a plain MLP.
    """

    count: int
    used: int
    size: int
    normalised: bool
    score: Literal["softmax", "sigmoid"] = "softmax"
    scale: float = 1.0
    groups: int = 1
    used_groups: int = 1
    group_best: int = 1
    corrected: bool = False
    shared: int = 0
    shared_gate: bool = False
    dense_layers: int = 0


@dataclass(frozen=True)
class Latent:
    """Latent attention: ranks of queries (0 for none) and of keys with values, and the parts of a head.

    A head's queries and keys have `rope` rotated elements and `nope` others, its values have `value`.
    """

    q_rank: int
    kv_rank: int
    nope: int
    rope: int
    value: int


@dataclass(frozen=True)
class DecoderConfig:
    """A decoder: embedding, layers of attention and MLP, a norm, a head.

    `norms` says what of attention and MLP is normalised: inputs (`pre`), outputs (`post`), or both (`sandwich`). With
    `parallel`, MLP and attention read the same hidden states; `one` norm serves both, or each has its own (`two`).
    `qk_norm` normalises queries and keys before they are rotated: each head with the same weights (`head`) or with its
    own (`heads`), or all heads of a token together (`all`).

    Scores of attention are products times `attention_scale`, by default `head_dim ** -0.5`. `logit_scale` multiplies
    logits. A soft cap `c` makes `c * tanh(x / c)` of `x`. `rope` has one entry for all layers, or one for each, of
    which None leaves queries and keys as they are; `windows` likewise has the tokens that a layer sees.
    """

    architecture: str
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int
    context_window_size: int
    rope: tuple[Rope | None, ...] = (None,)
    norm: Literal["rms", "layer"] = "rms"
    norm_eps: float = 1e-5
    norm_bias: bool = False
    norm_weight: bool = True
    norms: Literal["pre", "post", "sandwich"] = "pre"
    parallel: Literal["no", "one", "two"] = "no"
    qk_norm: Literal["none", "head", "heads", "all"] = "none"
    qkv_bias: bool = False
    out_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    activation: Literal["silu", "gelu", "gelu_tanh", "relu", "relu_squared"] = "silu"
    gated: bool = True
    learned_positions: int = 0
    attention_scale: float | None = None
    attention_softcap: float = 0.0
    logit_softcap: float = 0.0
    embedding_scale: float = 1.0
    residual_scale: float = 1.0
    logit_scale: float = 1.0
    tied: bool = False
    windows: tuple[int | None, ...] = (None,)
    alibi: bool = False
    experts: Experts | None = None
    latent: Latent | None = None
    #: The settings that this was made of, for those who need more than a decoder does.
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def layer_rope(self, layer: int) -> Rope | None:
        """How a layer rotates queries and keys."""
        return self.rope[layer % len(self.rope)]

    def layer_window(self, layer: int) -> int | None:
        """The last tokens that a layer's tokens see; None for all."""
        return self.windows[layer % len(self.windows)]

    @property
    def one_rope(self) -> bool:
        """Whether all layers rotate alike, so that the cache can do it."""
        return len(set(self.rope)) == 1

    @property
    def sliding_window(self) -> int | None:
        """The tokens that each layer sees at most, for the engine to say of each sequence; None for all."""
        return self.windows[0] if len(self.windows) == 1 else None

    @property
    def score_scale(self) -> float:
        """What `attention_with_fused_qkv` multiplies scores with besides `head_dim ** -0.5`."""
        return 1.0 if self.attention_scale is None else self.attention_scale * math.sqrt(self.head_dim)

    def has_experts(self, layer: int) -> bool:
        """Whether a layer's MLP is a mixture of experts."""
        return self.experts is not None and layer >= self.experts.dense_layers

    def prepared(self) -> DecoderConfig:
        """The same without windows as long as the context, where the runtime can run it."""
        seen = [None if window is None or window >= self.context_window_size else window for window in self.windows]
        return replace(self, windows=tuple(seen[:1] if len(set(seen)) == 1 else seen)).check_runtime()

    def check_runtime(self) -> DecoderConfig:
        """The same, where the decoder can run it; else an `UnsupportedModel`."""
        heads, kv_heads = self.num_attention_heads, self.num_key_value_heads
        if heads % kv_heads:
            raise TVMError(f"{self.architecture}: {heads} query heads cannot share {kv_heads} kv heads equally")
        if self.alibi:
            feature = "ALiBi, biases of attention scores by distance"
            raise UnsupportedModel(f"{self.architecture}: the decoder does not have {feature}")
        return self
