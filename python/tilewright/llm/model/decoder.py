"""The decoder that all architectures share, and the methods that an engine calls: a `DecoderConfig` says which.

Names of weights are those of Llama where it has them (`model.layers.0.self_attn.qkv_proj.weight`), with queries, keys
and values in one product, and gate and up in one.
"""

from __future__ import annotations

from typing import Any

from ... import tir
from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from ...relax.frontend.nn.llm.kv_cache import PagedKVCache, RopeMode
from .config import DecoderConfig
from .experts import MixtureOfExperts
from .latent import LatentAttention
from .parts import HeadNorm, Rotation, activation, cap, last_row, norm, rotate, scaled

__all__ = ["MLP", "Attention", "Decoder", "DecoderLayer", "DecoderModel"]


class Attention(nn.Module):
    """Attention over the cache: `[batch, tokens, hidden]` to the same shape."""

    def __init__(self, config: DecoderConfig, layer: int) -> None:
        self.layer, self.config = layer, config
        self.heads, self.kv_heads, self.head_dim = (
            config.num_attention_heads, config.num_key_value_heads, config.head_dim
        )  # fmt: skip
        width = (self.heads + 2 * self.kv_heads) * self.head_dim
        self.qkv_proj = nn.Linear(config.hidden_size, width, bias=config.qkv_bias)
        self.o_proj = nn.Linear(self.heads * self.head_dim, config.hidden_size, bias=config.out_bias)
        if config.qk_norm != "none":
            self.q_norm = HeadNorm(config, self.heads)
            self.k_norm = HeadNorm(config, self.kv_heads)

    def forward(self, x: Tensor, cache: PagedKVCache, rotations: dict[Any, Rotation]) -> Tensor:
        """What the tokens see, projected."""
        batch, tokens, _ = x.shape
        heads = self.heads + 2 * self.kv_heads
        qkv = op.reshape(self.qkv_proj(x), (batch, tokens, heads, self.head_dim))
        if self.config.qk_norm != "none":
            q, k, v = op.split(qkv, [self.heads, self.heads + self.kv_heads], axis=2)
            qkv = op.concat([self.q_norm(q), self.k_norm(k), v], dim=2)
        rotation = rotations.get(self.config.layer_rope(self.layer))
        if rotation is not None:
            qkv = rotate(qkv, rotation, self.heads + self.kv_heads)
        seen = cache.attention_with_fused_qkv(self.layer, qkv, self.heads, self.config.score_scale)
        return self.o_proj(op.reshape(seen, (batch, tokens, self.heads * self.head_dim)))


class MLP(nn.Module):
    """Two products with a function of the inner elements between them, or of half of them as a gate of the others."""

    def __init__(self, config: DecoderConfig, inner: int) -> None:
        self.gated, self.kind = config.gated, config.activation
        if self.gated:
            self.gate_up_proj = nn.Linear(config.hidden_size, 2 * inner, bias=config.mlp_bias)
        else:
            self.up_proj = nn.Linear(config.hidden_size, inner, bias=config.mlp_bias)
        self.down_proj = nn.Linear(inner, config.hidden_size, bias=config.mlp_bias)

    def forward(self, x: Tensor) -> Tensor:
        """The MLP of each token."""
        if not self.gated:
            return self.down_proj(activation(self.kind, self.up_proj(x)))
        gate, up = op.split(self.gate_up_proj(x), 2, axis=-1)
        return self.down_proj(activation(self.kind, gate) * up)


class DecoderLayer(nn.Module):
    """Attention and MLP, each added to the hidden states, with norms where the configuration has them."""

    def __init__(self, config: DecoderConfig, layer: int) -> None:
        self.config = config
        self.self_attn = Attention(config, layer) if config.latent is None else LatentAttention(config, layer)
        inner = config.intermediate_size
        self.mlp = MixtureOfExperts(config, MLP) if config.has_experts(layer) else MLP(config, inner)
        before, after = config.norms != "post", config.norms != "pre"
        self.input_layernorm = norm(config) if before else None
        self.pre_feedforward_layernorm = norm(config) if before and config.parallel != "one" else None
        self.post_attention_layernorm = norm(config) if after else None
        self.post_feedforward_layernorm = norm(config) if after else None

    def forward(self, x: Tensor, cache: PagedKVCache, rotations: dict[Any, Rotation]) -> Tensor:
        """The hidden states after this layer."""
        scale = self.config.residual_scale
        read = _optional(self.input_layernorm, x)
        attended = _optional(self.post_attention_layernorm, self.self_attn(read, cache, rotations))
        if self.config.parallel == "one":
            return x + scaled(attended + self.mlp(read), scale)
        if self.config.parallel == "two":
            return x + scaled(attended + self.mlp(_optional(self.pre_feedforward_layernorm, x)), scale)
        x = x + scaled(attended, scale)
        made = self.mlp(_optional(self.pre_feedforward_layernorm, x))
        return x + scaled(_optional(self.post_feedforward_layernorm, made), scale)


def _optional(layer: nn.Module | None, x: Tensor) -> Tensor:
    return x if layer is None else layer(x)


class DecoderModel(nn.Module):
    """Embedding, layers and the last norm."""

    def __init__(self, config: DecoderConfig) -> None:
        self.config = config
        self.embed_tokens = nn.Embedding("vocab_size", config.hidden_size)
        self.embed_positions = (
            nn.Embedding(config.learned_positions, config.hidden_size) if config.learned_positions else None
        )
        self.layers = nn.ModuleList([DecoderLayer(config, layer) for layer in range(config.num_hidden_layers)])
        self.norm = norm(config)

    def forward(self, x: Tensor, cache: PagedKVCache) -> Tensor:
        """Hidden states of the step's tokens, of their embeddings."""
        batch, tokens, _ = x.shape
        positions, rotations = None, {}
        if self.embed_positions is not None or not self.cache_rotates:
            positions = cache.get_query_positions(batch * tokens)
        if self.embed_positions is not None:
            x = x + op.reshape(self.embed_positions(positions), x.shape)
        if not self.cache_rotates:
            ropes = dict.fromkeys(rope for rope in self.config.rope if rope is not None)
            rotations = {rope: Rotation.of(positions, rope) for rope in ropes}
        for layer in self.layers:
            x = layer(x, cache, rotations)
        return self.norm(x)

    @property
    def cache_rotates(self) -> bool:
        """Whether the cache rotates queries and keys: it does so with one embedding for all layers."""
        rope = self.config.rope[0]
        return self.config.one_rope and (rope is None or rope.magnitude >= 1)


class Decoder(nn.Module):
    """A language model. Its methods are those that engines of MLC LLM call.

    Each takes embeddings of tokens (`embed` gives them), `[1, tokens, hidden]` of one or several sequences after each
    other, and the cache, in which an engine has begun a step; `batch_decode` takes `[sequences, 1, hidden]`. Logits
    are float32.
    """

    def __init__(self, config: DecoderConfig) -> None:
        self.config, self.dtype = config.check_runtime(), "float32"
        #: The type of keys and values in the cache; by default that of the weights.
        self.cache_dtype: str | None = None
        self.model = DecoderModel(config)
        if not config.tied:
            self.lm_head = nn.Linear(config.hidden_size, "vocab_size", bias=config.head_bias)

    def to(self, dtype: str | None = None) -> None:
        """Changes the type of weights, hidden states and the cache."""
        super().to(dtype=dtype)
        self.dtype = dtype or self.dtype

    def get_logits(self, hidden_states: Tensor) -> Tensor:
        """Logits of hidden states, `[..., vocab_size]` of float32."""
        table = self.model.embed_tokens
        if self.config.tied and hasattr(table, "lm_head_forward"):
            logits = table.lm_head_forward(hidden_states)
        elif self.config.tied:
            weight = op.permute_dims(self.model.embed_tokens.weight)
            logits = op.matmul(hidden_states, weight, out_dtype="float32")
        else:
            logits = self.lm_head(hidden_states)
            logits = logits if logits.dtype == "float32" else logits.astype("float32")
        return cap(scaled(logits, self.config.logit_scale), self.config.logit_softcap)

    def embed(self, input_ids: Tensor) -> Tensor:
        """Embeddings of tokens, `[tokens, hidden]`."""
        return scaled(self.model.embed_tokens(input_ids), self.config.embedding_scale)

    def prefill(self, input_embed: Tensor, paged_kv_cache: PagedKVCache) -> tuple[Tensor, PagedKVCache]:
        """Logits of the last token of one sequence, `[1, 1, vocab_size]`."""
        return self.get_logits(last_row(self.model(input_embed, paged_kv_cache))), paged_kv_cache

    def decode(self, input_embed: Tensor, paged_kv_cache: PagedKVCache) -> tuple[Tensor, PagedKVCache]:
        """Logits of the only token, `[1, 1, vocab_size]`."""
        return self.get_logits(self.model(input_embed, paged_kv_cache)), paged_kv_cache

    def batch_prefill(
        self, input_embeds: Tensor, logit_positions: Tensor, paged_kv_cache: PagedKVCache
    ) -> tuple[Tensor, PagedKVCache]:
        """Logits of the tokens at `logit_positions` of the step, `[1, positions, vocab_size]`."""
        hidden_states = op.take(self.model(input_embeds, paged_kv_cache), logit_positions, axis=1)
        return self.get_logits(hidden_states), paged_kv_cache

    def batch_decode(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache) -> tuple[Tensor, PagedKVCache]:
        """Logits of a token of each sequence, `[sequences, 1, vocab_size]`."""
        return self.get_logits(self.model(input_embeds, paged_kv_cache)), paged_kv_cache

    def batch_verify(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache) -> tuple[Tensor, PagedKVCache]:
        """Logits of all tokens, `[1, tokens, vocab_size]`."""
        return self.get_logits(self.model(input_embeds, paged_kv_cache)), paged_kv_cache

    def create_paged_kv_cache(
        self,
        max_batch_size: tir.Var,
        max_total_seq_len: tir.Var,
        prefill_chunk_size: tir.Var,
        page_size: tir.Var,
        support_sliding_window: tir.Var,
    ) -> PagedKVCache:
        """The cache of the model's layers and heads."""
        config = self.config
        sizes = (max_batch_size, max_total_seq_len, prefill_chunk_size, page_size, support_sliding_window)
        shape = (config.num_hidden_layers, config.num_attention_heads, config.num_key_value_heads, config.head_dim)
        rope, caps, dtype = config.rope[0], {}, self.cache_dtype or self.dtype
        if config.attention_softcap:
            caps["attn_logit_softcapping"] = config.attention_softcap
        if any(config.windows):
            caps["sliding_windows"] = [config.layer_window(layer) for layer in range(config.num_hidden_layers)]
        if rope is None or not self.model.cache_rotates:
            return PagedKVCache.create_generic(*sizes, *shape, RopeMode.NONE, 1.0, 10000.0, dtype, rope_scaling=caps)
        scaling, factors = _scaling_of(rope)
        return PagedKVCache.create_generic(
            *sizes, *shape, RopeMode.NORMAL, 1.0, rope.theta, dtype, rotary_dim=rope.size,
            rope_scaling=scaling | caps, rope_ext_factors=factors,
        )  # fmt: skip

    def get_default_spec(self) -> nn.spec.ModuleSpec:
        """Shapes and types of the methods' arguments."""
        hidden, modes = self.config.hidden_size, {"param_mode": "packed", "effect_mode": "none"}
        cache = {"paged_kv_cache": nn.spec.Object(object_type=PagedKVCache), "$": modes}

        def embeds(*shape: Any) -> nn.spec.Tensor:
            return nn.spec.Tensor([*shape, hidden], self.dtype)

        sizes = ("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size", "support_sliding_window")
        positions = nn.spec.Tensor(["batch_size"], "int32")
        spec = {
            "embed": {"input_ids": nn.spec.Tensor(["seq_len"], "int32"), "$": modes},
            "get_logits": {"hidden_states": embeds("seq_len"), "$": modes},
            "prefill": {"input_embed": embeds(1, "seq_len"), **cache},
            "decode": {"input_embed": embeds(1, 1), **cache},
            "batch_prefill": {"input_embeds": embeds(1, "seq_len"), "logit_positions": positions, **cache},
            "batch_decode": {"input_embeds": embeds("batch_size", 1), **cache},
            "batch_verify": {"input_embeds": embeds(1, "seq_len"), **cache},
            "create_paged_kv_cache": dict.fromkeys(sizes, int) | {"$": {"param_mode": "none", "effect_mode": "none"}},
        }
        return nn.spec.ModuleSpec.from_raw(spec, self)


def _scaling_of(rope: Any) -> tuple[dict[str, Any], tuple[float, ...] | None]:
    """The scaling and factors of `create_generic` for those of a RoPE, as a `longrope` that has its magnitude.

    It takes `sqrt(1 + ln(factor) / ln(original))` for the magnitude.
    """
    if rope.factors is None and rope.magnitude == 1:
        return {}, None
    import math

    scaling = {
        "rope_type": "longrope",
        "original_max_position_embeddings": math.e,
        "factor": math.exp(rope.magnitude**2 - 1),
    }
    return scaling, rope.factors or (1.0,) * (rope.size // 2)
