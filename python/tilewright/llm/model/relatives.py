"""Relatives of Llama that differ in a line or two: from Arcee to Seed-OSS."""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig, UnsupportedModel
from .llama import llama_config
from .names import Naming, gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["ARCEE", "ERNIE4_5", "HELIUM", "INTERNLM", "NEMOTRON", "OLMO", "ORION", "SEED_OSS"]


def _arcee(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return llama_config(settings, sizes, gated=False, activation="relu_squared")


def _ernie(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    bias = settings.flag("use_bias", False)
    return llama_config(settings, sizes, qkv_bias=bias, out_bias=bias, mlp_bias=bias)


def _internlm(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    bias = settings.flag("bias", True)
    return llama_config(settings, sizes, qkv_bias=bias, out_bias=bias)


def _nemotron(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"], partial=0.5)
    return llama_config(
        settings, sizes, rope=(rope,), norm="layer", norm_bias=True, norm_eps=settings.number("layer_norm_eps", 1e-5),
        gated=False, activation="relu_squared",
    )  # fmt: skip


def _olmo(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    if settings.raw("clip_qkv") is not None:
        raise UnsupportedModel(f"{settings.file}: queries, keys and values that are clipped")
    return llama_config(settings, sizes, norm="layer", norm_weight=False, norm_eps=1e-5)


def _orion(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    eps = settings.number("rms_norm_eps", settings.number("layer_norm_eps", 1e-5))
    return llama_config(settings, sizes, norm="layer", norm_bias=True, norm_eps=eps)


def _seed(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return llama_config(
        settings, sizes, qkv_bias=settings.flag("attention_bias", True),
        out_bias=settings.flag("attention_out_bias", False),
    )  # fmt: skip


def _usual(_config: DecoderConfig) -> Naming:
    return hf_naming()


def _pairs(_config: DecoderConfig) -> Naming:
    return hf_naming(pairs=True)


def _gguf(_config: DecoderConfig) -> Naming:
    return gguf_naming()


def _gguf_pairs(_config: DecoderConfig) -> Naming:
    return gguf_naming(pairs=True)


def _offset(_config: DecoderConfig) -> Naming:
    return hf_naming(norm_offset=1.0)


ARCEE = Architecture("arcee", "Arcee AFM", ("arcee",), _arcee, _usual, ("arcee",), _gguf_pairs)
ERNIE4_5 = Architecture(
    "ernie4_5", "Ernie 4.5 (dense)", ("ernie4_5",), _ernie, _pairs, ("ernie4_5",), _gguf_pairs, tied=True
)
HELIUM = Architecture("helium", "Helium 1", ("helium",), llama_config, _pairs)
INTERNLM = Architecture("internlm", "InternLM 1", ("internlm",), _internlm, _usual)
NEMOTRON = Architecture(
    "nemotron", "Nemotron 3 and 4, Minitron", ("nemotron",), _nemotron, _offset, ("nemotron",), _gguf,
    {"layer_norm_eps": "norm_eps"},
)  # fmt: skip
OLMO = Architecture("olmo", "OLMo 1", ("olmo",), _olmo, _usual, ("olmo",), _gguf_pairs, {"clip_qkv": "clamp_kqv"})
ORION = Architecture("orion", "Orion 14B", ("orion",), _orion, _usual, ("orion",), _gguf)
SEED_OSS = Architecture("seed_oss", "Seed-OSS", ("seed_oss",), _seed, _usual, ("seed_oss",), _gguf)
