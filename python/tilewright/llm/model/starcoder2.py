"""StarCoder 2: LayerNorm and biases, RoPE, an MLP without a gate."""

from __future__ import annotations

from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig
from .llama import llama_config
from .names import gguf_naming, hf_naming
from .settings import Settings

__all__ = ["STARCODER2"]


def _config(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    bias = settings.flag("use_bias", True)
    return llama_config(
        settings, sizes, norm="layer", norm_bias=True, norm_eps=settings.number("layer_norm_eps", 1e-5),
        qkv_bias=bias, out_bias=bias, mlp_bias=bias, gated=False, activation="gelu_tanh",
        windows=windows_of(settings, sizes["num_hidden_layers"]),
    )  # fmt: skip


STARCODER2 = Architecture(
    name="starcoder2",
    title="StarCoder 2",
    model_types=("starcoder2",),
    config=_config,
    hf=lambda config: hf_naming({"up": "model.layers.{i}.mlp.c_fc", "down": "model.layers.{i}.mlp.c_proj"}),
    gguf=("starcoder2",),
    gguf_names=lambda config: gguf_naming(),
    aliases={"layer_norm_eps": "norm_epsilon"},
    tied=True,
)
