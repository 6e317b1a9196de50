"""Multi-head latent attention (DeepSeek V2, arXiv 2405.04434): the cache has one vector a token for all heads.

Keys and values of all heads are products of a *latent* vector with weights. Scores are products of queries and keys, so
the keys' weights are multiplied to the queries instead, and the values' weights to what attention gives: attention is
that of many query heads over one head of keys, `[rotated part, latent]`, whose values are the latent itself.
"""

from __future__ import annotations

from typing import Any

from ...relax.frontend import nn
from ...relax.frontend.nn import Tensor, op
from ...relax.frontend.nn.llm.kv_cache import PagedKVCache
from .config import DecoderConfig
from .parts import Rotation, rotate

__all__ = ["LatentAttention"]

#: What the norms of latent vectors add to the mean of squares, whatever the other norms add.
EPSILON = 1e-6


class LatentAttention(nn.Module):
    """Attention over the cache: `[batch, tokens, hidden]` to the same shape.

    `kv_b_proj` is `[heads * (nope + value), kv_rank]`: the rows of each head's keys, then of its values.
    """

    def __init__(self, config: DecoderConfig, layer: int) -> None:
        latent = config.latent
        assert latent is not None
        self.config, self.latent, self.layer, self.heads = config, latent, layer, config.num_attention_heads
        width = self.heads * (latent.rope + latent.nope)
        if latent.q_rank:
            self.q_a_proj = nn.Linear(config.hidden_size, latent.q_rank, bias=False)
            self.q_a_layernorm = nn.RMSNorm(latent.q_rank, -1, EPSILON, bias=False)
            self.q_b_proj = nn.Linear(latent.q_rank, width, bias=False)
        else:
            self.q_proj = nn.Linear(config.hidden_size, width, bias=False)
        self.kv_a_proj = nn.Linear(config.hidden_size, latent.kv_rank + latent.rope, bias=False)
        self.kv_a_layernorm = nn.RMSNorm(latent.kv_rank, -1, EPSILON, bias=False)
        self.kv_b_proj = nn.Parameter((self.heads * (latent.nope + latent.value), latent.kv_rank))
        self.o_proj = nn.Linear(self.heads * latent.value, config.hidden_size, bias=False)

    def forward(self, x: Tensor, cache: PagedKVCache, rotations: dict[Any, Rotation]) -> Tensor:
        """What the tokens see, projected."""
        batch, tokens, _ = x.shape
        rows, latent, heads = batch * tokens, self.latent, self.heads
        q = self.q_b_proj(self.q_a_layernorm(self.q_a_proj(x))) if latent.q_rank else self.q_proj(x)
        q_rope, q_nope = op.split(op.reshape(q, (rows, heads, latent.rope + latent.nope)), [latent.rope], axis=-1)
        weight = op.reshape(self.kv_b_proj, (heads, latent.nope + latent.value, latent.kv_rank))
        of_keys, of_values = op.split(weight, [latent.nope], axis=1)
        q_latent = op.permute_dims(op.matmul(op.permute_dims(q_nope, [1, 0, 2]), of_keys), [1, 0, 2])
        vector, k_rope = op.split(self.kv_a_proj(x), [latent.kv_rank], axis=-1)
        vector = op.reshape(self.kv_a_layernorm(vector), (rows, 1, latent.kv_rank))
        k_rope = op.reshape(k_rope, (rows, 1, latent.rope))
        queries = op.concat([q_rope, q_latent], dim=-1)
        # The end of the values is not used; keys and values of the cache have one size.
        keys, values = op.concat([k_rope, vector], dim=-1), op.concat([vector, k_rope], dim=-1)
        size = self.config.head_dim
        qkv = op.reshape(op.concat([queries, keys, values], dim=1), (batch, tokens, heads + 2, size))
        rotation = rotations.get(self.config.layer_rope(self.layer))
        if rotation is not None:
            qkv = rotate(qkv, rotation, heads + 1)
        seen = cache.attention_with_fused_qkv(self.layer, qkv, heads, self.config.score_scale)
        seen, _ = op.split(op.reshape(seen, (rows, heads, size)), [latent.kv_rank], axis=-1)
        made = op.matmul(op.permute_dims(seen, [1, 0, 2]), op.permute_dims(of_values, [0, 2, 1]))
        return self.o_proj(op.reshape(op.permute_dims(made, [1, 0, 2]), (batch, tokens, heads * latent.value)))
