"""Falcon 7B, 11B, 40B and 180B: LayerNorm, attention and MLP in parallel, few heads of keys."""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig
from .llama import ACTIVATIONS, llama_config
from .names import Naming, hf_naming
from .settings import Settings

__all__ = ["FALCON"]


def _config(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    """The larger models have groups of heads, and a norm each for attention and MLP."""
    grouped, heads = settings.flag("new_decoder_architecture", False), sizes["num_attention_heads"]
    if not grouped:
        sizes = {**sizes, "num_key_value_heads": 1 if settings.flag("multi_query", True) else heads}
    norms = settings.integer("num_ln_in_parallel_attn", 2 if grouped else 1, most=2)
    parallel = ("one" if norms == 1 else "two") if grouped or settings.flag("parallel_attn", True) else "no"
    bias = settings.flag("bias", False)
    return llama_config(
        settings, sizes, norm="layer", norm_bias=True, norm_eps=settings.number("layer_norm_epsilon", 1e-5),
        parallel=parallel, qkv_bias=bias, out_bias=bias, mlp_bias=bias, gated=False,
        activation=settings.choice("activation", ACTIVATIONS, "gelu"), alibi=settings.flag("alibi", False),
    )  # fmt: skip


def _names(config: DecoderConfig) -> Naming:
    layer = "transformer.h.{i}."
    two = config.parallel == "two"
    roles = {
        "embed": "transformer.word_embeddings",
        "norm": "transformer.ln_f",
        "input_norm": layer + ("ln_attn" if two else "input_layernorm"),
        "mlp_norm": layer + ("ln_mlp" if two else "post_attention_layernorm"),
        "qkv": layer + "self_attention.query_key_value",
        "o": layer + "self_attention.dense",
        "up": layer + "mlp.dense_h_to_4h",
        "down": layer + "mlp.dense_4h_to_h",
    }
    return hf_naming(roles, qkv="by_group")


FALCON = Architecture(
    name="falcon",
    title="Falcon 7B to 180B",
    model_types=("falcon",),
    config=_config,
    hf=_names,
    aliases={
        "num_key_value_heads": "num_kv_heads",
        "intermediate_size": "ffn_hidden_size",
        "num_hidden_layers": "n_layer",
        "num_attention_heads": "n_head",
    },
    tied=True,
    remarks="not those with ALiBi",
)
