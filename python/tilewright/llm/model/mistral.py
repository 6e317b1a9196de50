"""Mistral, Ministral and Mixtral: Llama with a sliding window, which all layers share, and with experts.

GGUF files have them as `llama`.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig
from .llama import llama_config
from .names import hf_naming, mlc_naming
from .settings import Settings

__all__ = ["MISTRAL", "MIXTRAL"]


def mistral_config(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    """Llama that sees the last `sliding_window` tokens."""
    return llama_config(settings, sizes, windows=windows_of(settings, sizes["num_hidden_layers"]))


MISTRAL = Architecture(
    name="mistral",
    title="Mistral 7B, Nemo and Small, Ministral",
    model_types=("mistral", "ministral"),
    config=mistral_config,
    hf=lambda config: hf_naming(),
    mlc=lambda config: mlc_naming(),
    remarks="GGUF files have it as `llama`",
)

_EXPERTS = "model.layers.{i}.block_sparse_moe.experts.{e}."

MIXTRAL = Architecture(
    name="mixtral",
    title="Mixtral 8x7B and 8x22B",
    model_types=("mixtral",),
    config=mistral_config,
    hf=lambda config: hf_naming(
        {
            "router": "model.layers.{i}.block_sparse_moe.gate",
            "expert_gate": _EXPERTS + "w1",
            "expert_up": _EXPERTS + "w3",
            "expert_down": _EXPERTS + "w2",
        }
    ),
    aliases={"num_experts": "num_local_experts"},
    remarks="GGUF files have it as `llama`",
)
