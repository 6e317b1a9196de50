"""Structures of other architectures, in the manner of MLC LLM: learned positions, biases, parallel residuals, recurrent
states, a mixture of experts, attention over whole sequences."""

import dataclasses

from tilewright import te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import Tensor, op
from tilewright.relax.frontend.nn.llm import RNNState
from tilewright.relax.frontend.nn.llm.kv_cache import PagedKVCache, RopeMode, _attention_sequence_prefill

MODES = {"param_mode": "packed", "effect_mode": "none"}
NO_WEIGHTS = {"param_mode": "none", "effect_mode": "none"}
SIZES = ("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size", "support_sliding_window")


@dataclasses.dataclass
class GPT2Config:
    hidden: int = 32
    heads: int = 4
    layers: int = 2
    vocab_size: int = 41
    positions: int = 64
    eps: float = 1e-5


class GPT2Block(nn.Module):
    """Biases everywhere, LayerNorm before each part, GELU by tanh; scores are divided by the layer's number."""

    def __init__(self, config: GPT2Config):
        self.heads, self.size = config.heads, config.hidden // config.heads
        self.ln_1 = nn.LayerNorm(config.hidden, eps=config.eps)
        self.ln_2 = nn.LayerNorm(config.hidden, eps=config.eps)
        self.c_attn = nn.Linear(config.hidden, 3 * config.hidden, bias=True)
        self.c_proj = nn.Linear(config.hidden, config.hidden, bias=True)
        self.c_fc = nn.Linear(config.hidden, 4 * config.hidden, bias=True)
        self.mlp_proj = nn.Linear(4 * config.hidden, config.hidden, bias=True)

    def forward(self, x: Tensor, cache: PagedKVCache, layer: int):
        b, s, _ = x.shape
        qkv = op.reshape(self.c_attn(self.ln_1(x)), (b, s, 3 * self.heads, self.size))
        seen = cache.attention_with_fused_qkv(layer, qkv, self.heads, attn_score_scaling_factor=1 / (layer + 1))
        x = x + self.c_proj(op.reshape(seen, (b, s, self.heads * self.size)))
        return x + self.mlp_proj(op.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, config: GPT2Config):
        self.config = config
        self.wte = nn.Embedding("vocab_size", config.hidden)
        self.wpe = nn.Embedding(config.positions, config.hidden)
        self.h = nn.ModuleList([GPT2Block(config) for _ in range(config.layers)])
        self.ln_f = nn.LayerNorm(config.hidden, eps=config.eps)

    def embed(self, input_ids: Tensor):
        return self.wte(input_ids)

    def batch_verify(self, input_embeds: Tensor, paged_kv_cache: PagedKVCache):
        b, s, d = input_embeds.shape
        positions = paged_kv_cache.get_query_positions(b * s)
        x = input_embeds + op.reshape(self.wpe(positions), (b, s, d))
        for at, block in enumerate(self.h):
            x = block(x, paged_kv_cache, at)
        return op.matmul(self.ln_f(x), op.permute_dims(self.wte.weight), out_dtype="float32"), paged_kv_cache

    def create_paged_kv_cache(self, **sizes: tir.Var):
        config = self.config
        return PagedKVCache.create_generic(
            **sizes, num_hidden_layers=config.layers, num_attention_heads=config.heads, rope_mode=RopeMode.NONE,
            num_key_value_heads=config.heads, head_dim=config.hidden // config.heads, rope_scale=-1, rope_theta=1,
            dtype="float32",
        )  # fmt: skip

    def get_default_spec(self):
        embeds = nn.spec.Tensor([1, "seq_len", self.config.hidden], "float32")
        cache = nn.spec.Object(object_type=PagedKVCache)
        spec = {
            "embed": {"input_ids": nn.spec.Tensor(["seq_len"], "int32"), "$": MODES},
            "batch_verify": {"input_embeds": embeds, "paged_kv_cache": cache, "$": MODES},
            "create_paged_kv_cache": dict.fromkeys(SIZES, int) | {"$": NO_WEIGHTS},
        }
        return nn.spec.ModuleSpec.from_raw(spec, self)


class ParallelBlock(nn.Module):
    """As GPT-NeoX: attention and MLP of the same input, a part of each head rotated; or a window, as Mistral."""

    def __init__(self, heads: int = 4, kv_heads: int = 2, size: int = 16, rotary_dim: int = 4, window: int = 0):
        self.heads, self.kv_heads, self.size, self.rotary_dim, self.window = heads, kv_heads, size, rotary_dim, window
        hidden = heads * size
        self.input_layernorm = nn.LayerNorm(hidden)
        self.post_attention_layernorm = nn.LayerNorm(hidden)
        self.query_key_value = nn.Linear(hidden, (heads + 2 * kv_heads) * size, bias=True)
        self.dense = nn.Linear(hidden, hidden, bias=True)
        self.up = nn.Linear(hidden, 2 * hidden, bias=True)
        self.down = nn.Linear(2 * hidden, hidden, bias=True)

    def batch_verify(self, x: Tensor, paged_kv_cache: PagedKVCache):
        b, s, _ = x.shape
        qkv = self.query_key_value(self.input_layernorm(x))
        qkv = op.reshape(qkv, (b, s, self.heads + 2 * self.kv_heads, self.size))
        seen = paged_kv_cache.attention_with_fused_qkv(0, qkv, self.heads)
        attended = self.dense(op.reshape(seen, (b, s, self.heads * self.size)))
        return x + attended + self.down(op.gelu(self.up(self.post_attention_layernorm(x)))), paged_kv_cache

    def create_paged_kv_cache(self, **sizes: tir.Var):
        return PagedKVCache.create_generic(
            **sizes, num_hidden_layers=1, num_attention_heads=self.heads, num_key_value_heads=self.kv_heads,
            head_dim=self.size, rope_mode=RopeMode.NORMAL, rope_scale=1, rope_theta=10000, dtype="float32",
            rotary_dim=self.rotary_dim,
        )  # fmt: skip

    def get_default_spec(self):
        x = nn.spec.Tensor([1, "seq_len", self.heads * self.size], "float32")
        cache = nn.spec.Object(object_type=PagedKVCache)
        spec = {
            "batch_verify": {"x": x, "paged_kv_cache": cache, "$": MODES},
            "create_paged_kv_cache": dict.fromkeys(SIZES, int) | {"$": NO_WEIGHTS},
        }
        return nn.spec.ModuleSpec.from_raw(spec, self)


class TimeMix(nn.Module):
    """As RWKV: the token before, which is a state, is mixed in, and sums decay from token to token."""

    def __init__(self, hidden: int = 12, layers: int = 2):
        self.hidden, self.layers = hidden, layers
        self.mix = nn.Parameter((hidden,), "float32")
        self.decay = nn.Parameter((hidden,), "float32")
        self.key = nn.Linear(hidden, hidden, bias=False)

    def _layer(self, x: Tensor, state: RNNState, layer: int):
        batch, _, hidden = x.shape
        last = op.reshape(state.get(layer, 0, (batch, hidden), "float32"), (batch, 1, hidden))
        sums = state.get(layer, 1, (batch, hidden), "float32")

        def shifted(x: te.Tensor, last: te.Tensor):
            return te.compute(
                x.shape, lambda b, t, d: tir.if_then_else(t == 0, last[b, 0, d], x[b, t - 1, d]), name="shifted"
            )

        before = op.tensor_expr_op(shifted, "shifted", [x, last])
        keys = self.key(x * self.mix + before * (1.0 - self.mix))

        def decayed(keys: te.Tensor, sums: te.Tensor, decay: te.Tensor):
            b, t, d = keys.shape
            k = te.reduce_axis((0, t), "k")

            def weight(steps):
                return tir.power(decay[steps[1]], (steps[0]).astype("float32"))

            own = te.compute(
                (b, t, d),
                lambda i, j, e: te.sum(
                    tir.if_then_else(k <= j, keys[i, k, e] * weight((j - k, e)), tir.const(0, "float32")), axis=k
                ),
                name="own",
            )
            return te.compute((b, t, d), lambda i, j, e: own[i, j, e] + sums[i, e] * weight((j + 1, e)), name="decayed")

        out = op.tensor_expr_op(decayed, "decayed", [keys, sums, self.decay])

        def last_of(x: te.Tensor):
            b, t, d = x.shape
            return te.compute((b, d), lambda i, e: x[i, t - 1, e], name="last")

        state = state.set(layer, 0, op.tensor_expr_op(last_of, "last", [x]))
        return out, state.set(layer, 1, op.tensor_expr_op(last_of, "last", [out]))

    def forward(self, x: Tensor, state: RNNState):
        for layer in range(self.layers):
            x, state = self._layer(x, state, layer)
        return x, state

    def create_rnn_state(self, max_batch_size: tir.Var, max_history: tir.Var):
        first = [op.zeros((self.hidden,), "float32"), op.zeros((self.hidden,), "float32")]
        return RNNState.create(max_batch_size, self.layers, max_history, first)

    def get_default_spec(self):
        x = nn.spec.Tensor(["batch_size", "seq_len", self.hidden], "float32")
        spec = {
            "forward": {"x": x, "state": nn.spec.Object(object_type=RNNState), "$": MODES},
            "create_rnn_state": {"max_batch_size": int, "max_history": int, "$": NO_WEIGHTS},
        }
        return nn.spec.ModuleSpec.from_raw(spec, self)


class WholeSequences(nn.Module):
    """As BERT and vision towers: every token sees all others, or those before it."""

    def __init__(self, heads: int, kv_heads: int, size: int, causal: int, dtype: str):
        self.heads, self.kv_heads, self.size, self.causal, self.dtype = heads, kv_heads, size, causal, dtype

    def forward(self, q: Tensor, k: Tensor, v: Tensor):
        b, s, _, _ = q.shape
        function = _attention_sequence_prefill(
            h_kv=self.kv_heads, h_q=self.heads, d=self.size, dtype=self.dtype, target=None, causal=self.causal
        )
        out = [
            Tensor.placeholder((b, s, self.heads, self.size), self.dtype),
            Tensor.placeholder((b, s, self.heads), self.dtype),
        ]
        return op.tensor_ir_op(function, "sequence_prefill", [q, k, v], out)
