"""GPT-2, GPT-J, GPT-NeoX (Pythia) and GPTBigCode (StarCoder 1): LayerNorm and biases, an MLP without a gate.

GPT-2 and GPTBigCode have learned embeddings of positions. GPT-2's checkpoints have weights with inputs as rows;
GPT-NeoX has the queries, keys and values of a head after each other.
"""

from __future__ import annotations

from typing import Any

from .architecture import Architecture
from .config import DecoderConfig, UnsupportedModel
from .llama import ACTIVATIONS, llama_config
from .names import Naming, gguf_naming, hf_naming
from .rope import rope_of
from .settings import Settings

__all__ = ["GPT2", "GPTJ", "GPT_BIGCODE", "GPT_NEOX"]

#: The names of GPT-2's settings.
ALIASES = {
    "hidden_size": "n_embd",
    "num_hidden_layers": "n_layer",
    "num_attention_heads": "n_head",
    "max_position_embeddings": "n_positions",
    "intermediate_size": "n_inner",
    "hidden_act": "activation_function",
    "layer_norm_eps": "layer_norm_epsilon",
}


def _gpt(settings: Settings, sizes: dict[str, Any], default_act: str = "gelu_new", **choices: Any) -> DecoderConfig:
    usual = {
        "norm": "layer",
        "norm_bias": True,
        "norm_eps": settings.number("layer_norm_eps", 1e-5),
        "qkv_bias": True,
        "out_bias": True,
        "mlp_bias": True,
        "gated": False,
        "activation": settings.choice("hidden_act", ACTIVATIONS, default_act),
    }
    if choices.get("learned_positions"):
        usual["rope"] = (None,)
    return llama_config(settings, sizes, **{**usual, **choices})


def _gpt2(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    if settings.flag("scale_attn_by_inverse_layer_idx", False) or not settings.flag("scale_attn_weights", True):
        raise UnsupportedModel(f"{settings.file}: scores of attention that are scaled by layers, or not at all")
    return _gpt(settings, sizes, learned_positions=settings.integer("max_position_embeddings", 1024))


def _bigcode(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    if settings.flag("multi_query", True):
        sizes = {**sizes, "num_key_value_heads": 1}
    return _gpt(settings, sizes, learned_positions=settings.integer("max_position_embeddings", 1024))


def _gptj(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return _gpt(settings, sizes, qkv_bias=False, out_bias=False, head_bias=True, parallel="one")


def _neox(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    rope = rope_of(settings, sizes["head_dim"], sizes["context_window_size"], partial=0.25)
    bias = settings.flag("attention_bias", True)
    parallel = "two" if settings.flag("use_parallel_residual", True) else "no"
    return _gpt(settings, sizes, "gelu", rope=(rope,), qkv_bias=bias, out_bias=bias, parallel=parallel)


_LAYER = "transformer.h.{i}."


def _gpt2_names(_config: DecoderConfig, transposed: bool = True) -> Naming:
    roles = {
        "embed": "wte",
        "positions": "wpe",
        "norm": "ln_f",
        "input_norm": "h.{i}.ln_1",
        "mlp_norm": "h.{i}.ln_2",
        "qkv": "h.{i}.attn.c_attn",
        "o": "h.{i}.attn.c_proj",
        "up": "h.{i}.mlp.c_fc",
        "down": "h.{i}.mlp.c_proj",
    }
    ignored = (r"(transformer\.)?h\.\d+\.attn\.(masked_)?bias",)
    return hf_naming(
        roles, qkv="stacked", transposed=transposed, prefixes=("transformer.", ""), own_prefix=("head",),
        ignored=ignored,
    )  # fmt: skip


def _gptj_names(_config: DecoderConfig) -> Naming:
    roles = {
        "embed": "transformer.wte",
        "norm": "transformer.ln_f",
        "input_norm": _LAYER + "ln_1",
        **{own: f"{_LAYER}attn.{own}_proj" for own in "qkv"},
        "o": _LAYER + "attn.out_proj",
        "up": _LAYER + "mlp.fc_in",
        "down": _LAYER + "mlp.fc_out",
    }
    return hf_naming(roles, pairs=True, ignored=(r"transformer\.h\.\d+\.attn\.(masked_bias|bias|embed_positions)",))


def _neox_names(_config: DecoderConfig) -> Naming:
    layer = "gpt_neox.layers.{i}."
    roles = {
        "embed": "gpt_neox.embed_in",
        "norm": "gpt_neox.final_layer_norm",
        "head": "embed_out",
        "input_norm": layer + "input_layernorm",
        "mlp_norm": layer + "post_attention_layernorm",
        "qkv": layer + "attention.query_key_value",
        "o": layer + "attention.dense",
        "up": layer + "mlp.dense_h_to_4h",
        "down": layer + "mlp.dense_4h_to_h",
    }
    return hf_naming(roles, qkv="by_group", ignored=(r"gpt_neox\.layers\.\d+\.attention\.(masked_)?bias",))


def _gguf(_config: DecoderConfig) -> Naming:
    return gguf_naming()


GPT2 = Architecture("gpt2", "GPT-2", ("gpt2",), _gpt2, _gpt2_names, ("gpt2",), _gguf, ALIASES, tied=True)
GPTJ = Architecture("gptj", "GPT-J", ("gptj",), _gptj, _gptj_names, aliases=ALIASES)
GPT_NEOX = Architecture(
    "gpt_neox", "GPT-NeoX, Pythia", ("gpt_neox",), _neox, _neox_names, ("gptneox",), _gguf,
    {"partial_rotary_factor": "rotary_pct", "rope_theta": "rotary_emb_base"},
)  # fmt: skip
GPT_BIGCODE = Architecture(
    "gpt_bigcode", "StarCoder 1, SantaCoder", ("gpt_bigcode",), _bigcode,
    lambda config: _gpt2_names(config, transposed=False), ("starcoder",), _gguf, ALIASES, tied=True,
)  # fmt: skip
