"""Phi of Microsoft: 1, 1.5 and 2 (`phi`), and 3, 3.5 and 4 (`phi3`).

`phi` has LayerNorm, attention and MLP in parallel under one norm, biases everywhere, and rotates a part of heads.
`phi3` is a Llama whose checkpoints have queries, keys and values in one tensor, and gate and up in one; long contexts
have a factor of RoPE for each pair.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig, UnsupportedModel
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["PHI", "PHI3"]


def _phi(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    if settings.flag("qk_layernorm", False):
        raise UnsupportedModel(f"{settings.file}: norms of heads with biases")
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"], partial=0.5)
    return llama_config(
        settings, sizes, rope=(rope,), norm="layer", norm_bias=True, norm_eps=settings.number("layer_norm_eps", 1e-5),
        parallel="one", qkv_bias=True, out_bias=True, mlp_bias=True, head_bias=True, gated=False,
        activation="gelu_tanh",
    )  # fmt: skip


def _phi_names(_config: DecoderConfig) -> Naming:
    return hf_naming(
        {
            "norm": "model.final_layernorm",
            "o": "model.layers.{i}.self_attn.dense",
            "up": "model.layers.{i}.mlp.fc1",
            "down": "model.layers.{i}.mlp.fc2",
        }
    )


def _phi3(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    windows = windows_of(settings, sizes["num_hidden_layers"])
    return llama_config(settings, sizes, norm_eps=settings.number("rms_norm_eps", 1e-5), windows=windows)


def _phi3_names(_config: DecoderConfig) -> Naming:
    roles = {
        "qkv": "model.layers.{i}.self_attn.qkv_proj",
        "gate_up": "model.layers.{i}.mlp.gate_up_proj",
    }
    return hf_naming(roles, qkv="stacked", gate_up="stacked")


PHI = Architecture(
    name="phi",
    title="Phi 1, 1.5 and 2",
    model_types=("phi",),
    config=_phi,
    hf=_phi_names,
    gguf=("phi2",),
    gguf_names=lambda config: gguf_naming(),
)

PHI3 = Architecture(
    name="phi3",
    title="Phi 3, 3.5 and 4",
    model_types=("phi3",),
    config=_phi3,
    hf=_phi3_names,
    gguf=("phi3",),
    gguf_names=lambda config: gguf_naming({"gate_up": "blk.{i}.ffn_up"}, gate_up="stacked"),
)
