"""The first file of an architecture: `tilewright llm new NAME --from config.json`."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

from ..error import TVMError
from .loader.huggingface import model_type, read_json, text_settings
from .model import ARCHITECTURES

__all__ = ["starter_file"]

#: Settings that a Llama's configuration reads.
READ = {
    "attention_bias", "context_window_size", "head_dim", "hidden_act", "hidden_size", "intermediate_size",
    "max_position_embeddings", "mlp_bias", "model_type", "num_attention_heads", "num_experts", "num_experts_per_tok",
    "num_hidden_layers", "num_key_value_heads", "rms_norm_eps", "rope_parameters", "rope_scaling", "rope_theta",
    "tie_word_embeddings", "vocab_size",
}  # fmt: skip
#: Settings that say nothing about what is computed when text is generated.
IRRELEVANT = re.compile(
    r"_name_or_path|architectures|auto_map|.*dropout.*|.*_token_id|initializer_.*|torch_dtype|dtype|transformers_version"
    r"|use_cache|output_.*|pretraining_tp|router_aux_loss_coef|gradient_checkpointing|.*_prob|problem_type|return_dict"
)
#: Names of common settings by those that other models have for them.
ALIASES = {
    "hidden_size": ("n_embd", "d_model", "dim"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
    "num_attention_heads": ("n_head", "n_heads"),
    "num_key_value_heads": ("n_head_kv", "num_kv_heads", "n_kv_heads", "multi_query_group_num"),
    "intermediate_size": ("n_inner", "ffn_hidden_size", "ffn_dim", "d_ff"),
    "max_position_embeddings": ("n_positions", "n_ctx", "max_sequence_length", "max_seq_len", "seq_length"),
    "rms_norm_eps": ("layer_norm_epsilon", "layer_norm_eps", "norm_epsilon", "norm_eps", "layernorm_epsilon"),
    "hidden_act": ("activation_function", "hidden_activation", "hidden_act"),
}  # fmt: skip


def starter_file(name: str, config: Path) -> str:
    """The text of a file that defines the architecture `name` as a Llama with this configuration's settings.

    What the settings say of norms, biases and activations is filled in; those that a Llama does not read are listed.
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise TVMError(f"{name!r}: expected a name as Python has them, such as my_model")
    config = config / "config.json" if config.is_dir() else config
    if not config.is_file():
        raise TVMError(f"{config}: there is no such file")
    settings = text_settings(read_json(config))
    kind = model_type(settings, str(config))
    aliases = {
        usual: own for usual, others in ALIASES.items() if settings.get(usual) is None
        for own in others if settings.get(own) is not None
    }  # fmt: skip
    return _TEMPLATE.format(
        name=name, upper=name.upper(), kind=kind, known=_known(kind), choices=_choices(settings, aliases),
        aliases=f"\n    aliases={aliases!r}," if aliases else "",
        tied="\n    tied=True," if settings.get("tie_word_embeddings") is True else "",
        unread=_unread(settings, aliases),
    )  # fmt: skip


def _known(kind: str) -> str:
    known = next((own for own in ARCHITECTURES if kind in own.model_types), None)
    return f"\n\nThe package has this model type already: see its architecture `{known.name}`." if known else ""


def _choices(settings: dict[str, Any], aliases: dict[str, str]) -> str:
    """Arguments of `llama_config` that the settings ask for."""
    found: dict[str, str] = {}
    eps = aliases.get("rms_norm_eps", "")
    if eps.startswith("layer"):
        found["norm"], found["norm_bias"] = '"layer"', "True"
    if settings.get("use_qkv_bias") or settings.get("add_qkv_bias"):
        found["qkv_bias"] = "True"
    if settings.get("parallel_attn") or settings.get("use_parallel_residual"):
        found["parallel"] = '"one"' if settings.get("parallel_attn") else '"two"'
    if settings.get("use_qk_norm") or settings.get("qk_norm"):
        found["qk_norm"] = '"head"'
    if isinstance(settings.get("final_logit_softcapping"), (int, float)):
        found["logit_softcap"] = 'settings.number("final_logit_softcapping")'
    if isinstance(settings.get("attn_logit_softcapping"), (int, float)):
        found["attention_softcap"] = 'settings.number("attn_logit_softcapping")'
    if settings.get("sliding_window"):
        found["windows"] = 'windows_of(settings, sizes["num_hidden_layers"])'
    return "".join(f"\n        {key}={value}," for key, value in found.items())


def _unread(settings: dict[str, Any], aliases: dict[str, str]) -> str:
    used = READ | set(aliases.values())
    left = {key: value for key, value in settings.items() if key not in used and not IRRELEVANT.fullmatch(key)}
    lines = [f"#   {key} = {value!r:.70}" for key, value in sorted(left.items()) if value is not None]
    return "\n".join(lines) if lines else "#   none"


_TEMPLATE = '''"""{upper}: a decoder as Llama is one, until this file says otherwise.{known}

Try it: `tilewright.llm.open_model(folder, architectures=({upper}, *tilewright.llm.ARCHITECTURES))` opens a folder, and
says which tensors are missing, left over, or of another shape; `docs/book/model-architectures.md` has the choices.
"""

from __future__ import annotations

from typing import Any

from tilewright.llm.model.architecture import Architecture, windows_of
from tilewright.llm.model.config import DecoderConfig
from tilewright.llm.model.llama import llama_config
from tilewright.llm.model.names import gguf_naming, hf_naming
from tilewright.llm.model.settings import Settings

__all__ = ["{upper}", "windows_of"]

# Settings of the configuration that nothing here reads yet:
{unread}


def _config(settings: Settings, sizes: dict[str, Any]) -> DecoderConfig:
    return llama_config(
        settings,
        sizes,{choices}
    )


{upper} = Architecture(
    name={name!r},
    title={name!r},
    model_types=({kind!r},),
    config=_config,
    # Names that differ, by role: hf_naming({{"up": "model.layers.{{i}}.mlp.in"}}).
    hf=lambda config: hf_naming(),
    gguf=({kind!r},),
    gguf_names=lambda config: gguf_naming(),{aliases}{tied}
)
'''
