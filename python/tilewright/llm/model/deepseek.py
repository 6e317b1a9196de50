"""DeepSeek V2 and V3 (and R1): latent attention, experts in groups, experts that all tokens go through."""

from __future__ import annotations

import math
from typing import Any

from ...error import TVMError
from .architecture import Architecture
from .config import DecoderConfig, Experts, Latent, UnsupportedModel
from .llama import llama_config
from .names import Naming, hf_naming
from .rope import rope_of, rope_parameters
from .settings import MAX_LAYERS, MAX_SIZE, Settings

__all__ = ["DEEPSEEK_V2", "DEEPSEEK_V3"]


def _deepseek(settings: Settings, sizes: dict[str, Any], experts: Experts | None) -> DecoderConfig:
    if settings.flag("attention_bias", False):
        raise UnsupportedModel(f"{settings.file}: latent attention with biases")
    latent = Latent(
        q_rank=settings.integer("q_lora_rank", 0, least=0),
        kv_rank=settings.integer("kv_lora_rank", most=1 << 16),
        nope=settings.integer("qk_nope_head_dim", most=1 << 16),
        rope=settings.integer("qk_rope_head_dim", most=1 << 16),
        value=settings.integer("v_head_dim", most=1 << 16),
    )
    heads = sizes["num_attention_heads"]
    if heads * max(latent.nope + latent.rope, latent.nope + latent.value, latent.kv_rank) > MAX_SIZE:
        raise settings.wrong("num_attention_heads", f"heads of at most {MAX_SIZE} elements together")
    scale = (latent.nope + latent.rope) ** -0.5
    given = rope_parameters(settings)
    whole = given.number("mscale_all_dim", 0.0)
    if whole and given.text("rope_type", given.text("type", "default")) != "default":
        factor = given.number("factor", least=1.0)
        scale *= (0.1 * whole * math.log(factor) + 1) ** 2 if factor > 1 else 1
    rope = rope_of(settings, latent.rope, sizes["context_window_size"])
    sizes = {**sizes, "head_dim": latent.kv_rank + latent.rope, "num_key_value_heads": 1}
    return llama_config(settings, sizes, rope=(rope,), latent=latent, attention_scale=scale, experts=experts)


def _experts(settings: Settings, sizes: dict[str, Any], **choices: Any) -> Experts | None:
    """The experts of the layers after the first dense ones."""
    dense = settings.integer("first_k_dense_replace", 0, least=0, most=MAX_LAYERS)
    if dense >= sizes["num_hidden_layers"] or settings.raw("n_routed_experts") is None:
        return None
    if settings.integer("moe_layer_freq", 1) != 1:
        raise UnsupportedModel(f"{settings.file}: experts in some of the layers only")
    count, size = settings.integer("n_routed_experts", most=1 << 10), settings.integer("moe_intermediate_size")
    groups = settings.integer("n_group", 1, most=count)
    if count % groups:
        raise TVMError(f"{settings.file}: {count} experts are not divided into {groups} groups")
    usual = {
        "normalised": settings.flag("norm_topk_prob", False),
        "scale": settings.number("routed_scaling_factor", 1.0),
        "groups": groups,
        "used_groups": settings.integer("topk_group", groups, most=groups),
    }
    used = settings.integer("num_experts_per_tok", most=count // groups * usual["used_groups"])
    shared = settings.integer("n_shared_experts", 0, least=0, most=1 << 10) * size
    return Experts(count, used, size, shared=shared, dense_layers=dense, **{**usual, **choices})


def _v2(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    method = settings.choice("topk_method", {"greedy": 1, "group_limited_greedy": 0}, "greedy")
    choices = {"groups": 1, "used_groups": 1} if method else {}
    # What DeepSeek's own program and transformers do: weights are not divided by their sum.
    return _deepseek(settings, sizes, _experts(settings, sizes, normalised=False, **choices))


def _v3(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    experts = _experts(settings, sizes, score="sigmoid", group_best=2, corrected=True)
    return _deepseek(settings, sizes, experts)


def _names(config: DecoderConfig) -> Naming:
    attention, mlp = "model.layers.{i}.self_attn.", "model.layers.{i}.mlp."
    own = ("q_a_proj", "q_a_layernorm", "q_b_proj", "kv_a_layernorm", "kv_b_proj")
    return hf_naming(
        {
            **{name: attention + name for name in own},
            "kv_a_proj": attention + "kv_a_proj_with_mqa",
            "router": mlp + "gate",
            "router_correction": mlp + "gate.e_score_correction_bias",
            **{f"expert_{name}": f"{mlp}experts.{{e}}.{name}_proj" for name in ("gate", "up", "down")},
            **{f"shared_{name}": f"{mlp}shared_experts.{name}_proj" for name in ("gate", "up", "down")},
        },
        pairs=config.settings.get("rope_interleave") is not False,
        # Layers after the last predict further tokens.
        ignored=(rf"model\.layers\.{config.num_hidden_layers}\..*",),
    )


DEEPSEEK_V2 = Architecture("deepseek_v2", "DeepSeek V2 and V2.5", ("deepseek_v2",), _v2, _names)
DEEPSEEK_V3 = Architecture("deepseek_v3", "DeepSeek V3 and R1, Moonlight", ("deepseek_v3",), _v3, _names)
