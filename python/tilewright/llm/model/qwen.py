"""Qwen 2, 2.5 and 3, with and without experts: Llama with biases of queries, keys and values, or norms of heads (3)."""

from __future__ import annotations

from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig, Experts, UnsupportedModel
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming, mlc_naming
from .settings import Settings

__all__ = ["QWEN2", "QWEN2_MOE", "QWEN3", "QWEN3_MOE"]


def _windows(settings: Settings, sizes: dict[str, Any]) -> tuple[int | None, ...]:
    """The first `max_window_layers` see all, where windows are used at all."""
    layers = sizes["num_hidden_layers"]
    if not settings.flag("use_sliding_window", False):
        return (None,)
    first = settings.integer("max_window_layers", layers, least=0)
    return windows_of(settings, layers, lambda layer: layer >= first)


def _qwen2(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    bias = settings.flag("qkv_bias", True)
    return llama_config(settings, sizes, qkv_bias=bias, windows=_windows(settings, sizes))


def _qwen3(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return llama_config(settings, sizes, qk_norm="head", windows=_windows(settings, sizes))


def _experts(settings: Settings, _sizes: dict[str, Any], shared: bool) -> Experts:
    """A mixture of experts in every layer."""
    if settings.integer("decoder_sparse_step", 1) != 1 or settings.raw("mlp_only_layers"):
        raise UnsupportedModel(f"{settings.file}: experts in some of the layers only")
    inner = settings.integer("shared_expert_intermediate_size", 0, least=0) if shared else 0
    count = settings.integer("num_experts", most=1 << 10)
    return Experts(
        count=count,
        used=settings.integer("num_experts_per_tok", most=count),
        size=settings.integer("moe_intermediate_size"),
        normalised=settings.flag("norm_topk_prob", not shared and "general.architecture" in settings),
        shared=inner,
        shared_gate=bool(inner),
    )


def _qwen2_moe(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    bias = settings.flag("qkv_bias", True)
    return llama_config(settings, sizes, qkv_bias=bias, experts=_experts(settings, sizes, True))


def _qwen3_moe(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return llama_config(settings, sizes, qk_norm="head", experts=_experts(settings, sizes, False))


def _moe_naming(_config: DecoderConfig) -> Naming:
    one = {own: f"model.layers.{{i}}.mlp.experts.{{e}}.{own}_proj" for own in ("gate", "up", "down")}
    shared = {own: f"model.layers.{{i}}.mlp.shared_expert.{own}_proj" for own in ("gate", "up", "down")}
    return hf_naming(
        {
            "router": "model.layers.{i}.mlp.gate",
            **{f"expert_{own}": name for own, name in one.items()},
            **{f"shared_{own}": name for own, name in shared.items()},
            "shared_router": "model.layers.{i}.mlp.shared_expert_gate",
        }
    )


QWEN2 = Architecture(
    name="qwen2",
    title="Qwen 2 and 2.5, QwQ",
    model_types=("qwen2",),
    config=_qwen2,
    hf=lambda config: hf_naming(),
    gguf=("qwen2",),
    gguf_names=lambda config: gguf_naming(),
    mlc=lambda config: mlc_naming("c_attn"),
)

QWEN3 = Architecture(
    name="qwen3",
    title="Qwen 3",
    model_types=("qwen3",),
    config=_qwen3,
    hf=lambda config: hf_naming(),
    gguf=("qwen3",),
    gguf_names=lambda config: gguf_naming(),
    mlc=lambda config: mlc_naming("c_attn"),
)

QWEN2_MOE = Architecture(
    name="qwen2_moe",
    title="Qwen 1.5 and 2 with experts",
    model_types=("qwen2_moe",),
    config=_qwen2_moe,
    hf=_moe_naming,
    gguf=("qwen2moe",),
    gguf_names=lambda config: gguf_naming(),
)

QWEN3_MOE = Architecture(
    name="qwen3_moe",
    title="Qwen 3 with experts",
    model_types=("qwen3_moe",),
    config=_qwen3_moe,
    hf=_moe_naming,
    gguf=("qwen3moe",),
    gguf_names=lambda config: gguf_naming(),
    aliases={"num_experts": "num_local_experts"},
)
