"""Llama 1, 2 and 3 (to 3.3), and what has their architecture: SmolLM 1 and 2, Falcon 3, TinyLlama, Yi, Vicuna.

RMSNorm, RoPE (scaled as `llama3` from 3.1 on), grouped-query attention, a SiLU-gated MLP. GGUF files of this
architecture have the rows of queries and keys in RoPE's pairs.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig, Experts
from .names import gguf_naming, hf_naming, mlc_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["ACTIVATIONS", "LLAMA", "llama_config"]

#: `hidden_act` of configurations.
ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "relu2": "relu_squared",
}


def llama_config(settings: Settings, sizes: dict[str, Any], **choices: Any) -> DecoderConfig:
    """A Llama; `choices` are what a relative does differently."""
    bias = settings.flag("attention_bias", False)
    usual = {
        "rope": (rope_of(settings, sizes["head_dim"], sizes["context_window_size"]),),
        "norm_eps": settings.number("rms_norm_eps", 1e-6),
        "activation": settings.choice("hidden_act", ACTIVATIONS, "silu"),
        "qkv_bias": bias,
        "out_bias": bias,
        "mlp_bias": settings.flag("mlp_bias", False),
    }
    if settings.raw("num_experts") is not None and "experts" not in choices:
        usual["experts"] = mixture_of(settings, sizes)
    return DecoderConfig(**{**sizes, **usual, **choices})


def mixture_of(settings: Settings, sizes: dict[str, Any]) -> Experts | None:
    """The experts of Mixtral, which GGUF files call a Llama too."""
    count = settings.integer("num_experts", least=0, most=1 << 10)
    if count == 0:
        return None
    used = settings.integer("num_experts_per_tok", 2, most=count)
    return Experts(count, used, sizes["intermediate_size"], normalised=True)


LLAMA = Architecture(
    name="llama",
    title="Llama 1 to 3.3, SmolLM 2, Falcon 3, TinyLlama, Yi",
    model_types=("llama",),
    config=llama_config,
    hf=lambda config: hf_naming(),
    gguf=("llama",),
    gguf_names=lambda config: gguf_naming(pairs=True),
    mlc=lambda config: mlc_naming(),
)
