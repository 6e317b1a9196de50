"""InternLM 2 and Baichuan: Llama whose checkpoints have queries, keys and values in one tensor."""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig, UnsupportedModel
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming
from .settings import Settings

__all__ = ["BAICHUAN", "INTERNLM2"]


def _internlm2(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    bias = settings.flag("bias", False)
    return llama_config(settings, sizes, qkv_bias=bias, out_bias=bias)


def _internlm2_names(_config: DecoderConfig) -> Naming:
    layer = "model.layers.{i}."
    roles = {
        "embed": "model.tok_embeddings",
        "head": "output",
        "qkv": layer + "attention.wqkv",
        "o": layer + "attention.wo",
        "gate": layer + "feed_forward.w1",
        "up": layer + "feed_forward.w3",
        "down": layer + "feed_forward.w2",
        "input_norm": layer + "attention_norm",
        "mlp_norm": layer + "ffn_norm",
    }
    return hf_naming(roles, qkv="by_group")


def _baichuan(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    """The model of 7 billion weights has RoPE; the larger one has 40 heads and ALiBi, and no setting says so."""
    config = llama_config(settings, sizes, alibi=sizes["num_attention_heads"] == 40)
    if config.vocab_size == 125696 and settings.file.endswith(".json"):
        raise UnsupportedModel(f"{settings.file}: Baichuan 2, whose head is normalised")
    return config


INTERNLM2 = Architecture(
    name="internlm2",
    title="InternLM 2 and 2.5",
    model_types=("internlm2",),
    config=_internlm2,
    hf=_internlm2_names,
    gguf=("internlm2",),
    gguf_names=lambda config: gguf_naming(pairs=True),
)

BAICHUAN = Architecture(
    name="baichuan",
    title="Baichuan 7B",
    model_types=("baichuan",),
    config=_baichuan,
    hf=lambda config: hf_naming({"qkv": "model.layers.{i}.self_attn.W_pack"}, qkv="stacked"),
    gguf=("baichuan",),
    gguf_names=lambda config: gguf_naming(pairs=True),
    aliases={"max_position_embeddings": "model_max_length"},
    remarks="not 13B, which has ALiBi, nor Baichuan 2",
)
