"""OLMo 2 and 3: norms of what attention and MLP give, and of all queries and all keys of a token together.

OLMoE has the latter and experts, and norms of what goes in.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig, Experts, UnsupportedModel
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming
from .rope import rope_of, rope_parameters
from .settings import Settings

__all__ = ["OLMO2", "OLMO3", "OLMOE"]


def _olmo2(settings: Settings, sizes: dict[str, Any], **choices: Any) -> DecoderConfig:
    eps = settings.number("rms_norm_eps", 1e-5)
    return llama_config(settings, sizes, norms="post", qk_norm="all", norm_eps=eps, **choices)


def _olmo3(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    layers, head, context = sizes["num_hidden_layers"], sizes["head_dim"], sizes["context_window_size"]
    windows = windows_of(settings, layers, lambda layer: (layer + 1) % 4 != 0)
    full = rope_of(settings, head, context, theta=5e5, parameters=rope_parameters(settings, "full_attention"))
    local = rope_of(settings, head, context, theta=5e5, parameters=rope_parameters(settings, "sliding_attention"))
    rope = tuple(local if windows[layer % len(windows)] else full for layer in range(layers))
    return _olmo2(settings, sizes, windows=windows, rope=rope)


def _olmoe(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    if settings.raw("clip_qkv") is not None:
        raise UnsupportedModel(f"{settings.file}: queries, keys and values that are clipped")
    count = settings.integer("num_experts", most=1 << 10)
    used = settings.integer("num_experts_per_tok", most=count)
    experts = Experts(count, used, sizes["intermediate_size"], settings.flag("norm_topk_prob", False))
    eps = settings.number("rms_norm_eps", 1e-5)
    return llama_config(settings, sizes, qk_norm="all", norm_eps=eps, experts=experts)


def _olmoe_names(_config: DecoderConfig) -> Naming:
    experts = {f"expert_{own}": f"model.layers.{{i}}.mlp.experts.{{e}}.{own}_proj" for own in ("gate", "up", "down")}
    return hf_naming({"router": "model.layers.{i}.mlp.gate", **experts})


def _hf(_config: DecoderConfig) -> Naming:
    return hf_naming(
        {
            "attn_post_norm": "model.layers.{i}.post_attention_layernorm",
            "mlp_post_norm": "model.layers.{i}.post_feedforward_layernorm",
        }
    )


OLMO2 = Architecture(
    name="olmo2",
    title="OLMo 2",
    model_types=("olmo2",),
    config=_olmo2,
    hf=_hf,
    gguf=("olmo2",),
    gguf_names=lambda config: gguf_naming(),
)

OLMO3 = Architecture(
    name="olmo3",
    title="OLMo 3",
    model_types=("olmo3",),
    config=_olmo3,
    hf=_hf,
)

OLMOE = Architecture(
    name="olmoe",
    title="OLMoE",
    model_types=("olmoe",),
    config=_olmoe,
    hf=_olmoe_names,
    gguf=("olmoe",),
    gguf_names=lambda config: gguf_naming(),
)
