"""Checkpoints of ChatGLM 2 and 3, of GLM-4 as it was first published, and of Qwen 1: one tensor for q, k and v.

`chatglm` is `glm` by other names; Qwen 1 is Qwen 2 by other names.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig, UnsupportedModel
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["CHATGLM", "QWEN"]


def _chatglm(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    if settings.flag("post_layer_norm", True) is False or not settings.flag("rmsnorm", True):
        raise UnsupportedModel(f"{settings.file}: a ChatGLM without a last norm, or with LayerNorm")
    theta = 10000.0 * settings.number("rope_ratio", 1.0, least=1e-6)
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"], theta=theta, partial=0.5)
    bias = settings.flag("add_qkv_bias", True)
    if not settings.flag("multi_query_attention", True):
        sizes = {**sizes, "num_key_value_heads": sizes["num_attention_heads"]}
    eps = settings.number("rms_norm_eps", 1e-5)
    return llama_config(settings, sizes, rope=(rope,), norm_eps=eps, qkv_bias=bias, out_bias=False)


def _chatglm_names(_config: DecoderConfig) -> Naming:
    layer = "transformer.encoder.layers.{i}."
    return hf_naming(
        {
            "embed": "transformer.embedding.word_embeddings",
            "norm": "transformer.encoder.final_layernorm",
            "head": "transformer.output_layer",
            "input_norm": layer + "input_layernorm",
            "mlp_norm": layer + "post_attention_layernorm",
            "qkv": layer + "self_attention.query_key_value",
            "o": layer + "self_attention.dense",
            "gate_up": layer + "mlp.dense_h_to_4h",
            "down": layer + "mlp.dense_4h_to_h",
        },
        qkv="stacked",
        gate_up="stacked",
        pairs=True,
        ignored=(r"transformer\.rotary_pos_emb\.inv_freq",),
    )


def _qwen(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    """A gate and its other half have half of the `intermediate_size` each."""
    sizes = {**sizes, "intermediate_size": sizes["intermediate_size"] // 2}
    eps = settings.number("rms_norm_eps", settings.number("layer_norm_epsilon", 1e-6))
    return llama_config(settings, sizes, qkv_bias=True, norm_eps=eps)


def _qwen_names(_config: DecoderConfig) -> Naming:
    layer = "transformer.h.{i}."
    return hf_naming(
        {
            "embed": "transformer.wte",
            "norm": "transformer.ln_f",
            "input_norm": layer + "ln_1",
            "mlp_norm": layer + "ln_2",
            "qkv": layer + "attn.c_attn",
            "o": layer + "attn.c_proj",
            "gate": layer + "mlp.w2",
            "up": layer + "mlp.w1",
            "down": layer + "mlp.c_proj",
        },
        qkv="stacked",
    )


CHATGLM = Architecture(
    name="chatglm",
    title="ChatGLM 2 and 3, GLM-4 (first form)",
    model_types=("chatglm",),
    config=_chatglm,
    hf=_chatglm_names,
    aliases={
        "num_hidden_layers": "num_layers",
        "num_key_value_heads": "multi_query_group_num",
        "intermediate_size": "ffn_hidden_size",
        "head_dim": "kv_channels",
        "max_position_embeddings": "seq_length",
        "vocab_size": "padded_vocab_size",
        "rms_norm_eps": "layernorm_epsilon",
    },
)

QWEN = Architecture(
    name="qwen",
    title="Qwen 1",
    model_types=("qwen",),
    config=_qwen,
    hf=_qwen_names,
    gguf=("qwen",),
    gguf_names=lambda config: gguf_naming(),
    aliases={"max_position_embeddings": "seq_length", "rope_theta": "rotary_emb_base"},
)
