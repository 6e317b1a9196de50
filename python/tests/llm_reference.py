"""Language models in NumPy, in float64, over whole sequences: no cache, no pages, no steps."""

import numpy as np


def rms_norm(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def silu(x):
    return x / (1 + np.exp(-x))


def rope(x, positions, theta, frequencies=None):
    """`x` is `[tokens, heads, size]`; halves are rotated."""
    half = x.shape[-1] // 2
    if frequencies is None:
        frequencies = theta ** (-np.arange(half) / half)
    angles = np.asarray(positions, "float64")[:, None, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def attention(q, k, v, mask, scale=None):
    """`q` is `[queries, h_q, size]`, `k` and `v` `[keys, h_kv, size]`; `mask` says which keys a query sees."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = np.einsum("qhd,khd->hqk", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = np.where(mask[None], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hqk,khd->qhd", weights / weights.sum(-1, keepdims=True), v)


def causal(tokens):
    return np.tril(np.ones((tokens, tokens), bool))


def llama(config, weights, ids):
    """The logits of each token of a sequence; weights by their paths."""
    w = {name: np.asarray(value, "float64") for name, value in weights.items()}
    heads, kv, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
    x, tokens = w["model.embed_tokens.weight"][ids], len(ids)
    for layer in range(config.num_hidden_layers):
        at = f"model.layers.{layer}."
        normal = rms_norm(x, w[at + "input_layernorm.weight"], config.rms_norm_eps)
        qkv = (normal @ w[at + "self_attn.qkv_proj.weight"].T).reshape(tokens, heads + 2 * kv, size)
        q, k, v = np.split(qkv, [heads, heads + kv], 1)
        q, k = (rope(own, range(tokens), config.position_embedding_base) for own in (q, k))
        seen = attention(q, k, v, causal(tokens)).reshape(tokens, heads * size)
        x = x + seen @ w[at + "self_attn.o_proj.weight"].T
        normal = rms_norm(x, w[at + "post_attention_layernorm.weight"], config.rms_norm_eps)
        gate, up = np.split(normal @ w[at + "mlp.gate_up_proj.weight"].T, 2, -1)
        x = x + (silu(gate) * up) @ w[at + "mlp.down_proj.weight"].T
    x = rms_norm(x, w["model.norm.weight"], config.rms_norm_eps)
    head = "model.embed_tokens.weight" if config.tie_word_embeddings else "lm_head.weight"
    return x @ w[head].T
