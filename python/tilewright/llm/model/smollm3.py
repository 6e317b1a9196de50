"""SmolLM 3: Llama in which every fourth layer leaves queries and keys unrotated."""

from __future__ import annotations

from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig
from .llama import llama_config
from .names import gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["SMOLLM3"]


def _config(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    layers = sizes["num_hidden_layers"]
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"], theta=2e6)
    every = settings.integer("no_rope_layer_interval", 4)
    rotated = settings.per_layer("no_rope_layers", layers) or [(layer + 1) % every for layer in range(layers)]
    windows = windows_of(settings, layers) if settings.flag("use_sliding_window", False) else (None,)
    return llama_config(settings, sizes, rope=tuple(rope if own else None for own in rotated), windows=windows)


SMOLLM3 = Architecture(
    name="smollm3",
    title="SmolLM 3",
    model_types=("smollm3",),
    config=_config,
    hf=lambda config: hf_naming(),
    gguf=("smollm3",),
    gguf_names=lambda config: gguf_naming(pairs=True),
    tied=True,
)
