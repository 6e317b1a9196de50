"""GGUF files: their metadata becomes settings by the names of `config.json`.

Keys are `<architecture>.block_count` and so on, as the specification of GGUF lists them; an architecture reads the same
settings from both kinds of files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ... import checkpoint
from ...error import TVMError
from ...runtime.ndarray import NDArray
from ..model import ARCHITECTURES, Architecture, architecture_of_gguf
from ..model.config import DecoderConfig, UnsupportedModel
from ..model.names import Naming
from .source import Source, source_of
from .tensors import Tensors

__all__ = ["open_gguf", "settings_of"]

#: Keys after the architecture's name, and the settings that they are.
KEYS = {
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "block_count": "num_hidden_layers",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.layer_norm_epsilon": "layer_norm_eps",
    "attention.sliding_window": "sliding_window",
    "attention.scale": "attention_multiplier",
    "attention.clamp_kqv": "clip_qkv",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
    "expert_count": "num_experts",
    "expert_used_count": "num_experts_per_tok",
    "expert_feed_forward_length": "moe_intermediate_size",
    "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
    "leading_dense_block_count": "first_k_dense_replace",
    "expert_weights_scale": "routed_scaling_factor",
    "expert_weights_norm": "norm_topk_prob",
    "logit_scale": "logit_scale",
    "residual_scale": "residual_multiplier",
    "embedding_scale": "embedding_multiplier",
    "use_parallel_residual": "use_parallel_residual",
    "vocab_size": "vocab_size",
    "rope.freq_base": "rope_theta",
}
#: The same of RoPE's scaling.
SCALING = {
    "rope.scaling.factor": "factor",
    "rope.scaling.original_context_length": "original_max_position_embeddings",
    "rope.scaling.attn_factor": "attention_factor",
    "rope.scaling.yarn_beta_fast": "beta_fast",
    "rope.scaling.yarn_beta_slow": "beta_slow",
}


def open_gguf(
    file: Path, context_window_size: int | None = None, architectures: Sequence[Architecture] = ARCHITECTURES
) -> Source:
    """Opens a GGUF file."""
    weights = checkpoint.open(file)
    metadata = weights.metadata
    name = metadata.get("general.architecture")
    if weights.format != "gguf" or not isinstance(name, str):
        found = f"{weights.format} with {name!r:.80}"
        raise TVMError(f"{file}: expected a GGUF file with `general.architecture`, found {found}")
    architecture = architecture_of_gguf(name, architectures)
    if architecture.gguf_names is None:
        raise UnsupportedModel(f"{file}: GGUF files of {name} are not read")
    values = settings_of(metadata, name, weights)
    config = architecture.from_dict(values, str(file), context_window_size)
    naming, tensors = architecture.gguf_names(config), Tensors(weights)
    config = replace(config, **_optional(config, naming, tensors))
    return source_of(file, "gguf", architecture, config, naming, tensors, metadata)


def _optional(config: DecoderConfig, naming: Naming, tensors: Tensors) -> dict[str, Any]:
    """What files say by tensors alone: biases, and norms of queries and keys."""

    def has(*roles: str, suffix: str = ".bias") -> bool:
        return any(naming.roles[role].format(i=0) + suffix in tensors for role in roles)

    found: dict[str, Any] = {"qkv_bias": has("q", "qkv"), "out_bias": has("o"), "head_bias": has("head")}
    if not config.has_experts(0):
        found["mlp_bias"] = has("down")
    if config.qk_norm == "none" and has("q_norm", suffix=".weight"):
        shape = tensors.stored(naming.roles["q_norm"].format(i=0) + ".weight").shape
        found["qk_norm"] = "heads" if len(shape) == 2 else "head"
    return found


def settings_of(metadata: Mapping[str, Any], name: str, weights: checkpoint.Checkpoint) -> dict[str, Any]:
    """The settings of an architecture by the names of `config.json`."""
    own = {key[len(name) + 1 :]: _plain(value, key) for key, value in metadata.items() if key.startswith(name + ".")}
    values = {setting: own[key] for key, setting in KEYS.items() if key in own}
    values["general.architecture"] = name
    if "token_embd.weight" in weights:
        shape = weights.entry("token_embd.weight").shape
        values.setdefault("hidden_size", shape[-1])
        values["vocab_size"] = shape[0]
    if "rope.dimension_count" in own:
        values["rotary_dim"] = own["rope.dimension_count"]
    scaling = {setting: own[key] for key, setting in SCALING.items() if key in own}
    kind = own.get("rope.scaling.type", "linear" if scaling else "none")
    if kind != "none":
        values["rope_scaling"] = {"rope_type": kind, **scaling}
    _add_factors(values, weights)
    return values


def _add_factors(values: dict[str, Any], weights: checkpoint.Checkpoint) -> None:
    """Factors of RoPE that a file has as tensors: for all contexts, or for long and short ones."""
    found = {}
    for key, name in (("short_factor", "rope_factors_short"), ("long_factor", "rope_factors_long")):
        if f"{name}.weight" in weights:
            found[key] = weights[f"{name}.weight"].numpy().astype("float64").ravel().tolist()
    if found:
        values["rope_scaling"] = {**values.get("rope_scaling", {}), "rope_type": "longrope", **found}
    elif "rope_freqs.weight" in weights:
        factors = weights["rope_freqs.weight"].numpy().astype("float64").ravel().tolist()
        values["rope_scaling"] = {"rope_type": "factors", "factors": factors}


def _plain(value: Any, key: str) -> Any:
    """A number, a text, or a list of a few of them; what says the same of each layer becomes one number."""
    if isinstance(value, NDArray):
        listed = value.numpy().ravel().tolist()
        if len(listed) > 1 << 16:
            raise TVMError(f"{key}: a list of {len(listed)} settings")
        return listed[0] if len(set(listed)) == 1 else listed
    return value
