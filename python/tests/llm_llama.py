"""A Llama in the manner of MLC LLM: a configuration, modules, the methods that an engine calls, their specification.

The decoder is the one of Llama 2 and 3: RMSNorm, grouped-query attention with RoPE over a paged cache, SwiGLU.
"""

import dataclasses
from typing import Any

from tilewright import te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op
from tilewright.relax.frontend.nn.llm.kv_cache import PagedKVCache, RopeMode


@dataclasses.dataclass
class LlamaConfig:
    hidden_size: int = 48
    intermediate_size: int = 80
    num_attention_heads: int = 4
    num_hidden_layers: int = 2
    rms_norm_eps: float = 1e-5
    vocab_size: int = 97
    position_embedding_base: float = 10000.0
    rope_scaling: dict[str, Any] | None = None
    num_key_value_heads: int = 2
    head_dim: int = 0
    tie_word_embeddings: bool = False
    context_window_size: int = 128
    prefill_chunk_size: int = 64
    tensor_parallel_shards: int = 1
    max_batch_size: int = 4

    def __post_init__(self):
        self.head_dim = self.head_dim or self.hidden_size // self.num_attention_heads


class LlamaEmbedding(nn.Embedding):
    """The embedding, which also gives logits where the model ties both."""

    def lm_head_forward(self, x: Tensor):
        return nn.op.matmul(x, op.permute_dims(self.weight), out_dtype="float32")


class LlamaFFN(nn.Module):
    def __init__(self, config: LlamaConfig):
        self.intermediate_size = config.intermediate_size // config.tensor_parallel_shards
        self.gate_up_proj = nn.Linear(config.hidden_size, 2 * self.intermediate_size, bias=False)
        self.down_proj = nn.Linear(self.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor):
        gate, up = op.split(self.gate_up_proj(x), 2, axis=-1)
        return self.down_proj(op.silu(gate) * up)


class LlamaAttention(nn.Module):
    def __init__(self, config: LlamaConfig):
        self.head_dim = config.head_dim
        self.num_q_heads = config.num_attention_heads // config.tensor_parallel_shards
        self.num_kv_heads = config.num_key_value_heads // config.tensor_parallel_shards
        width = (self.num_q_heads + 2 * self.num_kv_heads) * self.head_dim
        self.qkv_proj = nn.Linear(config.hidden_size, width, bias=False)
        self.o_proj = nn.Linear(self.num_q_heads * self.head_dim, config.hidden_size, bias=False)

    def forward(self, hidden_states: Tensor, paged_kv_cache: PagedKVCache, layer_id: int):
        b, s, _ = hidden_states.shape
        heads = self.num_q_heads + 2 * self.num_kv_heads
        qkv = op.reshape(self.qkv_proj(hidden_states), (b, s, heads, self.head_dim))
        output = paged_kv_cache.attention_with_fused_qkv(layer_id, qkv, self.num_q_heads)
        return self.o_proj(op.reshape(output, (b, s, self.num_q_heads * self.head_dim)))


class LlamaDecoderLayer(nn.Module):
    def __init__(self, config: LlamaConfig):
        self.self_attn = LlamaAttention(config)
        self.mlp = LlamaFFN(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, -1, config.rms_norm_eps, bias=False)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, -1, config.rms_norm_eps, bias=False)

    def forward(self, hidden_states: Tensor, paged_kv_cache: PagedKVCache, layer_id: int):
        hidden_states = hidden_states + self.self_attn(self.input_layernorm(hidden_states), paged_kv_cache, layer_id)
        return hidden_states + self.mlp(self.post_attention_layernorm(hidden_states))


class LlamaModel(nn.Module):
    def __init__(self, config: LlamaConfig):
        self.embed_tokens = LlamaEmbedding("vocab_size", config.hidden_size)
        self.layers = nn.ModuleList([LlamaDecoderLayer(config) for _ in range(config.num_hidden_layers)])
        self.norm = nn.RMSNorm(config.hidden_size, -1, config.rms_norm_eps, bias=False)

    def forward(self, inputs: Tensor, paged_kv_cache: PagedKVCache):
        hidden_states = inputs
        for layer_id, layer in enumerate(self.layers):
            hidden_states = layer(hidden_states, paged_kv_cache, layer_id)
        return self.norm(hidden_states)


class LlamaForCausalLM(nn.Module):
    def __init__(self, config: LlamaConfig):
        self.model = LlamaModel(config)
        if not config.tie_word_embeddings:
            self.lm_head = nn.Linear(config.hidden_size, "vocab_size", bias=False)
        self.config = config
        self.dtype = "float32"

    def to(self, dtype: str | None = None):
        super().to(dtype=dtype)
        if dtype is not None:
            self.dtype = dtype

    def get_logits(self, hidden_states: Tensor):
        if self.config.tie_word_embeddings:
            return self.model.embed_tokens.lm_head_forward(hidden_states)
        logits = self.lm_head(hidden_states)
        return logits if logits.dtype == "float32" else logits.astype("float32")

    def batch_forward(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache, logit_positions: Tensor | None = None):
        hidden_states = self.model(input_embeds, paged_kv_cache)
        if logit_positions is not None:
            hidden_states = op.take(hidden_states, logit_positions, axis=1)
        return self.get_logits(hidden_states)

    def embed(self, input_ids: Tensor):
        return self.model.embed_tokens(input_ids)

    def prefill(self, input_embed: Tensor, paged_kv_cache: PagedKVCache):
        def _index(x: te.Tensor):
            b, s, d = x.shape
            return te.compute((b, 1, d), lambda i, _, k: x[i, s - 1, k], name="index")

        hidden_states = self.model(input_embed, paged_kv_cache)
        hidden_states = op.tensor_expr_op(_index, name_hint="index", args=[hidden_states])
        return self.get_logits(hidden_states), paged_kv_cache

    def decode(self, input_embed: Tensor, paged_kv_cache: PagedKVCache):
        return self.get_logits(self.model(input_embed, paged_kv_cache)), paged_kv_cache

    def batch_prefill(self, input_embeds: Tensor, logit_positions: Tensor, paged_kv_cache: PagedKVCache):
        return self.batch_forward(input_embeds, paged_kv_cache, logit_positions), paged_kv_cache

    def batch_decode(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache):
        return self.batch_forward(input_embeds, paged_kv_cache), paged_kv_cache

    def batch_verify(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache):
        return self.batch_forward(input_embeds, paged_kv_cache), paged_kv_cache

    def create_paged_kv_cache(
        self,
        max_batch_size: tir.Var,
        max_total_seq_len: tir.Var,
        prefill_chunk_size: tir.Var,
        page_size: tir.Var,
        support_sliding_window: tir.Var,
    ) -> PagedKVCache:
        config = self.config
        return PagedKVCache.create_generic(
            max_batch_size=max_batch_size,
            max_total_seq_len=max_total_seq_len,
            prefill_chunk_size=prefill_chunk_size,
            page_size=page_size,
            support_sliding_window=support_sliding_window,
            num_hidden_layers=config.num_hidden_layers,
            num_attention_heads=config.num_attention_heads // config.tensor_parallel_shards,
            num_key_value_heads=config.num_key_value_heads // config.tensor_parallel_shards,
            head_dim=config.head_dim,
            rope_mode=RopeMode.NORMAL,
            rope_scale=1,
            rope_theta=config.position_embedding_base,
            rope_scaling=config.rope_scaling,
            dtype=self.dtype,
        )

    def get_default_spec(self):
        hidden, modes = self.config.hidden_size, {"param_mode": "packed", "effect_mode": "none"}
        cache = nn.spec.Object(object_type=PagedKVCache)

        def tensor(*shape):
            return nn.spec.Tensor(list(shape), self.dtype)

        sizes = ("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size", "support_sliding_window")
        spec = {
            "embed": {"input_ids": nn.spec.Tensor(["seq_len"], "int32"), "$": modes},
            "get_logits": {"hidden_states": tensor("seq_len", hidden), "$": modes},
            "prefill": {"input_embed": tensor(1, "seq_len", hidden), "paged_kv_cache": cache, "$": modes},
            "decode": {"input_embed": tensor(1, 1, hidden), "paged_kv_cache": cache, "$": modes},
            "batch_prefill": {
                "input_embeds": tensor(1, "seq_len", hidden),
                "logit_positions": nn.spec.Tensor(["batch_size"], "int32"),
                "paged_kv_cache": cache,
                "$": modes,
            },
            "batch_decode": {"input_embeds": tensor("batch_size", 1, hidden), "paged_kv_cache": cache, "$": modes},
            "batch_verify": {"input_embeds": tensor(1, "seq_len", hidden), "paged_kv_cache": cache, "$": modes},
            "create_paged_kv_cache": dict.fromkeys(sizes, int) | {"$": {"param_mode": "none", "effect_mode": "none"}},
        }
        return nn.spec.ModuleSpec.from_raw(spec, self)
