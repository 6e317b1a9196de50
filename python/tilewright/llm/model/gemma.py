"""Gemma 1, 2 and 3 (text): norms with 1 + weight, scaled embeddings, a tanh-GELU gate.

Gemma 2 and 3 also normalise what attention and MLP give, and have windows in some layers; Gemma 2 caps scores and
logits; Gemma 3 normalises heads, and layers with a window have a base of RoPE of their own. GGUF files have the 1 added
to the weights of norms.
"""

from __future__ import annotations

import math
from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig, UnsupportedModel
from .llama import ACTIVATIONS, llama_config
from .names import Naming, gguf_naming, hf_naming, mlc_naming
from .rope import rope_of, rope_parameters
from .settings import Settings

__all__ = ["GEMMA", "GEMMA2", "GEMMA3"]


def _gemma(settings: Settings, sizes: dict[str, Any], **choices: Any) -> DecoderConfig:
    if settings.flag("use_bidirectional_attention", False):
        raise UnsupportedModel(f"{settings.file}: attention to later tokens")
    # Gemma's first configurations say `gelu` of what was trained with the approximation by tanh.
    act = settings.raw("hidden_activation")
    choices["activation"] = ACTIVATIONS.get(act, "gelu_tanh") if isinstance(act, str) else "gelu_tanh"
    return llama_config(settings, sizes, embedding_scale=math.sqrt(sizes["hidden_size"]), **choices)


def _gemma2(settings: Settings, sizes: dict[str, Any], **choices: Any) -> DecoderConfig:
    # The models of 27 billion weights divide by other numbers than the size of a head, which GGUF files do not say.
    largest = sizes["num_hidden_layers"] in (46, 62)
    scalar = sizes["hidden_size"] / sizes["num_attention_heads"] if largest else sizes["head_dim"]
    scalar = settings.number("query_pre_attn_scalar", float(scalar), least=1e-6)
    usual = {
        "norms": "sandwich",
        "attention_scale": scalar**-0.5,
        "attention_softcap": settings.number("attn_logit_softcapping", 0.0),
        "logit_softcap": settings.number("final_logit_softcapping", 0.0),
        "windows": windows_of(settings, sizes["num_hidden_layers"], lambda layer: layer % 2 == 0),
    }
    return _gemma(settings, sizes, **{**usual, **choices})


def _gemma3(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    layers, every = sizes["num_hidden_layers"], settings.integer("sliding_window_pattern", 6, least=1)
    windows = windows_of(settings, layers, lambda layer: (layer + 1) % every != 0)
    head, context = sizes["head_dim"], sizes["context_window_size"]
    full = rope_of(settings, head, context, theta=1e6, parameters=rope_parameters(settings, "full_attention"))
    # Older configurations have a base of layers with a window of its own, and scale the other layers only.
    local = rope_parameters(settings, "sliding_attention")
    if local.raw("rope_theta") is None or local.file == rope_parameters(settings).file:
        base = settings.number("rope_local_base_freq", 10000.0, least=1.0)
        local = Settings({"rope_theta": base}, settings.file)
    sliding = rope_of(settings, head, context, parameters=local)
    rope = tuple(sliding if own else full for own in _each(windows, layers))
    return _gemma2(settings, sizes, qk_norm="head", windows=windows, rope=rope)


def _each(windows: tuple[int | None, ...], layers: int) -> list[int | None]:
    return [windows[layer % len(windows)] for layer in range(layers)]


def _hf(config: DecoderConfig) -> Naming:
    names = {}
    if config.norms == "sandwich":
        names = {
            "attn_post_norm": "model.layers.{i}.post_attention_layernorm",
            "mlp_norm": "model.layers.{i}.pre_feedforward_layernorm",
            "mlp_post_norm": "model.layers.{i}.post_feedforward_layernorm",
        }
    return hf_naming(names, norm_offset=1.0)


def _gguf(_config: DecoderConfig) -> Naming:
    return gguf_naming()


_DEFAULTS_2 = {
    "head_dim": 256,
    "sliding_window": 4096,
    "attn_logit_softcapping": 50.0,
    "final_logit_softcapping": 30.0,
}
_DEFAULTS_3 = {
    "head_dim": 256,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 262208,
    "max_position_embeddings": 131072,
    "sliding_window": 4096,
}

GEMMA = Architecture(
    name="gemma",
    title="Gemma 1",
    model_types=("gemma",),
    config=_gemma,
    hf=_hf,
    gguf=("gemma",),
    gguf_names=_gguf,
    tied=True,
    mlc=lambda config: mlc_naming(),
    defaults={"head_dim": 256},
)

GEMMA2 = Architecture(
    name="gemma2",
    title="Gemma 2",
    model_types=("gemma2",),
    config=_gemma2,
    hf=_hf,
    gguf=("gemma2",),
    gguf_names=_gguf,
    tied=True,
    defaults=_DEFAULTS_2,
)

GEMMA3 = Architecture(
    name="gemma3",
    title="Gemma 3 (text)",
    model_types=("gemma3_text", "gemma3"),
    config=_gemma3,
    hf=_hf,
    gguf=("gemma3",),
    gguf_names=_gguf,
    tied=True,
    defaults=_DEFAULTS_3,
)
