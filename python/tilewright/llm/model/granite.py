"""Granite 3 and MiniCPM: Llama with multipliers of embeddings, residuals, scores and logits."""

from __future__ import annotations

import math
from typing import Any

from .architecture import Architecture
from .config import DecoderConfig
from .llama import llama_config
from .names import gguf_naming, hf_naming
from .settings import Settings

__all__ = ["GRANITE", "MINICPM"]


def _granite(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return llama_config(
        settings, sizes,
        embedding_scale=settings.number("embedding_multiplier", 1.0),
        residual_scale=settings.number("residual_multiplier", 1.0),
        attention_scale=settings.number("attention_multiplier", 1.0, least=1e-9),
        logit_scale=1 / settings.number("logits_scaling", 1.0, least=1e-9),
    )  # fmt: skip


def _minicpm(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    """GGUF files have the multipliers themselves, `config.json` has what they are made of."""
    hidden, layers = sizes["hidden_size"], sizes["num_hidden_layers"]
    base = settings.integer("dim_model_base", 256)
    depth = settings.number("scale_depth", 1.4)
    return llama_config(
        settings, sizes,
        embedding_scale=settings.number("embedding_multiplier", settings.number("scale_emb", 12.0)),
        residual_scale=settings.number("residual_multiplier", depth / math.sqrt(layers)),
        logit_scale=1 / settings.number("logits_scaling", hidden / base, least=1e-9),
    )  # fmt: skip


GRANITE = Architecture(
    name="granite",
    title="Granite 3 and 3.3 (dense)",
    model_types=("granite",),
    config=_granite,
    hf=lambda config: hf_naming(),
    gguf=("granite",),
    gguf_names=lambda config: gguf_naming(pairs=True),
    aliases={"logits_scaling": "logit_scale"},
)

MINICPM = Architecture(
    name="minicpm",
    title="MiniCPM 1 and 2",
    model_types=("minicpm",),
    config=_minicpm,
    hf=lambda config: hf_naming(),
    gguf=("minicpm",),
    gguf_names=lambda config: gguf_naming(pairs=True),
    aliases={"logits_scaling": "logit_scale"},
)
