"""Command R and R+ (`cohere`), Command R7B and A (`cohere2`): LayerNorm without bias, attention and MLP in parallel.

RoPE rotates neighbours. `cohere2` rotates only in layers with a window; the others see all, without positions.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture, windows_of
from .config import DecoderConfig
from .llama import llama_config
from .names import gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["COHERE", "COHERE2"]


def _cohere(settings: Settings, sizes: dict[str, Any], **choices: Any) -> DecoderConfig:
    usual = {
        "norm": "layer",
        "norm_eps": settings.number("layer_norm_eps", 1e-5),
        "parallel": "one",
        "logit_scale": settings.number("logit_scale", 0.0625),
        "qk_norm": "heads" if settings.flag("use_qk_norm", False) else "none",
    }
    return llama_config(settings, sizes, **{**usual, **choices})


def _cohere2(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    layers = sizes["num_hidden_layers"]
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"])
    windows = windows_of(settings, layers, lambda layer: (layer + 1) % 4 != 0)
    rotated = tuple(rope if windows[layer % len(windows)] else None for layer in range(layers))
    return _cohere(settings, sizes, windows=windows, rope=rotated)


COHERE = Architecture(
    name="cohere",
    title="Command R, Command R+, Aya",
    model_types=("cohere",),
    config=_cohere,
    hf=lambda config: hf_naming(pairs=True),
    gguf=("command-r",),
    gguf_names=lambda config: gguf_naming(pairs=True),
    tied=True,
)

COHERE2 = Architecture(
    name="cohere2",
    title="Command R7B, Command A",
    model_types=("cohere2",),
    config=_cohere2,
    hf=lambda config: hf_naming(pairs=True),
    gguf=("cohere2",),
    gguf_names=lambda config: gguf_naming(pairs=True),
    tied=True,
)
