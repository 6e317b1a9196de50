"""StableLM 2 and Zephyr: LayerNorm, a part of heads rotated, perhaps attention and MLP in parallel."""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["STABLELM"]


def _config(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"], partial=0.25)
    return llama_config(
        settings, sizes, rope=(rope,), norm="layer", norm_bias=True, norm_eps=settings.number("layer_norm_eps", 1e-5),
        parallel="one" if settings.flag("use_parallel_residual", False) else "no",
        qk_norm="heads" if settings.flag("qk_layernorm", False) else "none",
        qkv_bias=settings.flag("use_qkv_bias", False),
    )  # fmt: skip


def _hf(_config: DecoderConfig) -> Naming:
    # Each head's norm is a tensor of its own.
    names = {own: f"model.layers.{{i}}.self_attn.{own[0]}_layernorm.norms.{{e}}" for own in ("q_norm", "k_norm")}
    return hf_naming(names, head_norms="each")


STABLELM = Architecture(
    name="stablelm",
    title="StableLM 2, StableLM Zephyr",
    model_types=("stablelm",),
    config=_config,
    hf=_hf,
    gguf=("stablelm",),
    gguf_names=lambda config: gguf_naming(),
    aliases={"partial_rotary_factor": "rope_pct"},
)
