"""Folders of Hugging Face as GGUF files, by the rules of llama.cpp's converter: names, order of rows, added ones."""

import re

import numpy as np
from gguf_writer import pairs_of_halves, write_gguf

USUAL = {
    r"model\.embed_tokens": "token_embd",
    r"model\.(norm|final_layernorm)": "output_norm",
    r"lm_head": "output",
    r"model\.layers\.(\d+)\.": r"blk.\1.",
    r"self_attn\.([qkv])_proj": r"attn_\1",
    r"self_attn\.(o_proj|dense)": "attn_output",
    r"self_attn\.([qk])_norm": r"attn_\1_norm",
    r"mlp\.(gate|up|down)_proj": r"ffn_\1",
    r"input_layernorm": "attn_norm",
    r"post_attention_layernorm": "ffn_norm",
}
#: Norms before and after attention and MLP.
SANDWICH = {
    r"pre_feedforward_layernorm": "ffn_norm",
    r"post_attention_layernorm": "post_attention_norm",
    r"post_feedforward_layernorm": "post_ffw_norm",
}
MOE = {
    r"mlp\.gate\.": "ffn_gate_inp.",
    r"mlp\.shared_expert_gate": "ffn_gate_inp_shexp",
    r"mlp\.shared_expert\.(\w+)_proj": r"ffn_\1_shexp",
    r"mlp\.experts\.(\w+)_proj": r"ffn_\1_exps",
}
GPT2 = {
    r"transformer\.wte": "token_embd",
    r"transformer\.wpe": "position_embd",
    r"transformer\.ln_f": "output_norm",
    r"transformer\.h\.(\d+)\.": r"blk.\1.",
    r"ln_1": "attn_norm",
    r"ln_2": "ffn_norm",
    r"attn\.c_attn": "attn_qkv",
    r"attn\.c_proj": "attn_output",
    r"mlp\.c_fc": "ffn_up",
    r"mlp\.c_proj": "ffn_down",
}
NEOX = {
    r"gpt_neox\.embed_in": "token_embd",
    r"gpt_neox\.final_layer_norm": "output_norm",
    r"embed_out": "output",
    r"gpt_neox\.layers\.(\d+)\.": r"blk.\1.",
    r"attention\.query_key_value": "attn_qkv",
    r"attention\.dense": "attn_output",
    r"mlp\.dense_h_to_4h": "ffn_up",
    r"mlp\.dense_4h_to_h": "ffn_down",
}
#: By the model type: the name in GGUF, rules before the usual ones, and whether rows of q and k are in pairs.
RULES = {
    "llama": ("llama", {}, True),
    "mistral": ("llama", {}, True),
    "mixtral": (
        "llama",
        {r"block_sparse_moe\.gate": "ffn_gate_inp", r"block_sparse_moe\.experts\.w(\d)": r"expert_w\1"},
        True,
    ),
    "qwen2": ("qwen2", {}, False),
    "qwen2_moe": ("qwen2moe", MOE, False),
    "qwen3": ("qwen3", {}, False),
    "qwen3_moe": ("qwen3moe", MOE, False),
    "gemma": ("gemma", {}, False),
    "gemma2": ("gemma2", SANDWICH, False),
    "gemma3_text": ("gemma3", SANDWICH, False),
    "phi": ("phi2", {r"mlp\.fc1": "ffn_up", r"mlp\.fc2": "ffn_down"}, False),
    "phi3": ("phi3", {r"self_attn\.qkv_proj": "attn_qkv", r"mlp\.gate_up_proj": "ffn_up"}, False),
    "smollm3": ("smollm3", {}, True),
    "olmo2": ("olmo2", SANDWICH, False),
    "granite": ("granite", {}, True),
    "stablelm": ("stablelm", {r"self_attn\.([qk])_layernorm\.norms": r"attn_\1_norm"}, False),
    "starcoder2": ("starcoder2", {r"mlp\.c_fc": "ffn_up", r"mlp\.c_proj": "ffn_down"}, False),
    "cohere": ("command-r", {}, False),
    "cohere2": ("cohere2", {}, False),
    "gpt2": ("gpt2", GPT2, False),
    "gpt_neox": ("gptneox", NEOX, False),
    "gpt_bigcode": ("starcoder", GPT2, False),
    "olmo": ("olmo", {}, True),
    "olmoe": ("olmoe", MOE, False),
    "arcee": ("arcee", {}, True),
    "ernie4_5": ("ernie4_5", {}, False),
    "nemotron": ("nemotron", {}, False),
    "seed_oss": ("seed_oss", {}, False),
    "glm": ("chatglm", {r"mlp\.gate_up_proj": "ffn_up"}, False),
    "glm4": (
        "glm4",
        {
            r"mlp\.gate_up_proj": "ffn_up",
            r"post_self_attn_layernorm": "post_attention_norm",
            r"post_mlp_layernorm": "post_ffw_norm",
        },
        False,
    ),
}
EXPERT = {"w1": "ffn_gate_exps", "w2": "ffn_down_exps", "w3": "ffn_up_exps"}


def metadata_of(kind, config):
    """The metadata of a decoder's configuration."""
    rope, experts = config.rope[0], config.experts
    said = {
        "block_count": config.num_hidden_layers,
        "context_length": config.context_window_size,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.key_length": config.head_dim,
        f"attention.layer_norm{'_rms' if config.norm == 'rms' else ''}_epsilon": config.norm_eps,
        "use_parallel_residual": config.parallel != "no",
    }
    if rope:
        said |= {"rope.freq_base": rope.theta, "rope.dimension_count": rope.size}
    if experts:
        said |= {"expert_count": experts.count, "expert_used_count": experts.used}
        said |= {"expert_feed_forward_length": experts.size, "expert_shared_feed_forward_length": experts.shared}
    if kind == "granite":
        said |= {"embedding_scale": config.embedding_scale, "residual_scale": config.residual_scale}
        said |= {"attention.scale": config.attention_scale, "logit_scale": 1 / config.logit_scale}
    if kind in ("cohere", "cohere2"):
        said |= {"logit_scale": config.logit_scale, "attention.sliding_window": 4096}
    if kind == "gemma2":
        said["final_logit_softcapping"] = config.logit_softcap
        said["attn_logit_softcapping"] = config.attention_softcap
    own = RULES[kind][0]
    return {"general.architecture": own, **{f"{own}.{key}": value for key, value in said.items()}}


def gguf_of(file, kind, config, tensors):
    """Writes the tensors of a saved model of `kind` as a GGUF file."""
    _, rules, pairs = RULES[kind]
    made = {}
    for name, values in stacked(tensors).items():
        new = name
        for pattern, by in [*rules.items(), *USUAL.items()]:
            new = re.sub(pattern, by, new)
        new = re.sub(r"expert_(w\d)", lambda found: EXPERT[found[1]], new)
        heads = {"q": config.num_attention_heads, "k": config.num_key_value_heads}
        role = re.search(r"attn_([qk])\.", new)
        if pairs and role:
            values = pairs_of_halves(values, heads[role[1]])
        if kind == "gpt2" and re.search(r"(attn_qkv|attn_output|ffn_up|ffn_down)\.weight", new):
            values = values.T
        if kind == "gpt_neox" and "attn_qkv" in new:
            shape = (config.num_attention_heads, 3, config.head_dim, *values.shape[1:])
            values = values.reshape(shape).swapaxes(0, 1).reshape(values.shape)
        if kind.startswith(("gemma", "nemotron")) and new.endswith("norm.weight"):
            values = values + np.float32(1)
        made[new] = np.ascontiguousarray(values[0] if new.endswith("inp_shexp.weight") else values)
    write_gguf(file, metadata_of(kind, config), made)


def stacked(tensors):
    """Tensors of which there is one for each expert, or each head, as one."""
    listed = {}
    for name, values in tensors.items():
        found = re.fullmatch(r"(.*(?:experts|norms))\.(\d+)(\..*)", name)
        listed.setdefault(found[1] + found[3] if found else name, []).append((int(found[2]) if found else -1, values))
    ordered = {name: sorted(parts, key=lambda part: part[0]) for name, parts in listed.items()}
    return {
        name: np.stack([values for _, values in parts]) if parts[0][0] >= 0 else parts[0][1]
        for name, parts in ordered.items()
    }
