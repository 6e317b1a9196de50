"""GLM 4: a part of heads rotated, in neighbours; biases of queries, keys and values; gate and up in one tensor.

`glm` is GLM-4 9B, `glm4` that of April 2025, which also normalises what attention and MLP give.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["GLM", "GLM4"]


def _glm(settings: Settings, sizes: dict[str, Any], **choices: Any) -> DecoderConfig:
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"], partial=0.5)
    eps = settings.number("rms_norm_eps", 1.5625e-7)
    bias = settings.flag("attention_bias", True)
    return llama_config(settings, sizes, rope=(rope,), norm_eps=eps, qkv_bias=bias, out_bias=False, **choices)


def _glm4(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return _glm(settings, sizes, norms="sandwich")


def _hf(config: DecoderConfig) -> Naming:
    roles = {"gate_up": "model.layers.{i}.mlp.gate_up_proj"}
    if config.norms == "sandwich":
        roles |= {
            "attn_post_norm": "model.layers.{i}.post_self_attn_layernorm",
            "mlp_post_norm": "model.layers.{i}.post_mlp_layernorm",
        }
    return hf_naming(roles, gate_up="stacked", pairs=True)


def _gguf(_config: DecoderConfig) -> Naming:
    return gguf_naming({"gate_up": "blk.{i}.ffn_up"}, gate_up="stacked", pairs=True)


GLM = Architecture("glm", "GLM-4 9B", ("glm",), _glm, _hf, ("chatglm",), _gguf)
GLM4 = Architecture("glm4", "GLM-4-0414", ("glm4",), _glm4, _hf, ("glm4",), _gguf)
