"""Architectures of language models give what `transformers` computes from the same folder: prompts, and tokens."""

import copy
import dataclasses
import json

import llm_rwkv
import numpy as np
import pytest
from llm_engine import Engine

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from llm_architectures import GPT_SIZES, SIZES, logits_of, rewritten, saved, tensors_of, worst, write_tensors
from llm_gguf import RULES, gguf_of

from tilewright import llm
from tilewright.llm.model import ARCHITECTURES
from tilewright.relax.frontend import nn

pytestmark = pytest.mark.torch

#: Sums of float32 in another order, as a part of the greatest logit; the worst found is 3e-6.
TOLERANCE = 2e-5
PROMPTS = (5, 12, 1)
IDS = np.random.default_rng(1).integers(3, 97, (3, 14)).tolist()
MIXED = {"layer_types": ["sliding_attention", "full_attention"]}
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 1e4, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}  # fmt: skip
YARN = {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "original_max_position_embeddings": 16}
LINEAR = {"rope_type": "linear", "rope_theta": 500.0, "factor": 3.0}
LONG = {
    "rope_type": "longrope", "rope_theta": 1e4, "factor": 8.0, "original_max_position_embeddings": 2,
    "short_factor": [1.0] * 6, "long_factor": [1.0, 1.5, 2.0, 3.0, 4.0, 5.0],
}  # fmt: skip
SCALES = {
    "embedding_multiplier": 3.0, "logits_scaling": 2.0, "residual_multiplier": 0.5, "attention_multiplier": 0.2
}  # fmt: skip
YARN_ALL = {**YARN, "mscale": 0.7, "mscale_all_dim": 0.9}
LATENT = {
    "num_key_value_heads": 4, "head_dim": 8, "q_lora_rank": 20, "kv_lora_rank": 24, "qk_nope_head_dim": 12,
    "qk_rope_head_dim": 8, "v_head_dim": 10, "n_routed_experts": 8, "num_experts_per_tok": 3, "n_shared_experts": 2,
    "moe_intermediate_size": 24, "routed_scaling_factor": 1.5, "first_k_dense_replace": 0,
}  # fmt: skip
GPT = {"sizes": GPT_SIZES}
EXPERTS = {"num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 24}

CASES = {
    "llama": ("llama", {"rope_parameters": LLAMA3}),
    "llama with biases": ("llama", {"attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    "llama, linear RoPE": ("llama", {"rope_parameters": LINEAR, "head_dim": 20}),
    "llama, yarn": ("llama", {"rope_parameters": YARN}),
    "mistral": ("mistral", {"sliding_window": 8, "head_dim": 16}),
    "mixtral": ("mixtral", {"num_local_experts": 4}),
    "qwen2": ("qwen2", {}),
    "qwen2_moe": ("qwen2_moe", {**EXPERTS, "shared_expert_intermediate_size": 40}),
    "qwen3": ("qwen3", {"head_dim": 16}),
    "qwen3_moe": ("qwen3_moe", {**EXPERTS, "num_local_experts": 6, "head_dim": 16, "norm_topk_prob": True}),
    "gemma": ("gemma", {"head_dim": 16}),
    "gemma2": (
        "gemma2",
        {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0, "query_pre_attn_scalar": 24, "head_dim": 16},
    ),
    "gemma3": (
        "gemma3_text",
        {"head_dim": 16, **MIXED, "rope_parameters": {"sliding_attention": YARN, "full_attention": LINEAR}},
    ),
    "phi": ("phi", {}),
    "phi3": ("phi3", {}),
    "phi3, long": ("phi3", {"original_max_position_embeddings": 2, "rope_parameters": LONG}),
    "smollm3": ("smollm3", {"no_rope_layers": [1, 0]}),
    "olmo2": ("olmo2", {}),
    "olmo3": ("olmo3", {**MIXED, "rope_parameters": {"sliding_attention": LINEAR, "full_attention": YARN}}),
    "granite": ("granite", SCALES),
    "stablelm": ("stablelm", {"partial_rotary_factor": 0.5}),
    "stablelm, parallel": (
        "stablelm",
        {"partial_rotary_factor": 0.5, "use_parallel_residual": True, "qk_layernorm": True, "use_qkv_bias": True},
    ),
    "starcoder2": ("starcoder2", {}),
    "cohere": ("cohere", {}),
    "cohere with norms of heads": ("cohere", {"use_qk_norm": True}),
    "cohere2": ("cohere2", {"head_dim": 12, **MIXED}),
    "gpt2": ("gpt2", GPT),
    "gptj": ("gptj", {**GPT, "rotary_dim": 8}),
    "gpt_neox": ("gpt_neox", {"num_key_value_heads": 4, "rotary_pct": 0.5}),
    "gpt_bigcode": ("gpt_bigcode", GPT),
    "deepseek_v2": ("deepseek_v2", {**LATENT, "q_lora_rank": None, "topk_method": "greedy"}),
    "deepseek_v2, groups": (
        "deepseek_v2",
        {**LATENT, "topk_method": "group_limited_greedy", "n_group": 4, "topk_group": 2, "first_k_dense_replace": 1},
    ),
    "deepseek_v3": ("deepseek_v3", {**LATENT, "n_group": 4, "topk_group": 2, "rope_parameters": YARN_ALL}),
    "olmo": ("olmo", {}),
    "olmoe": ("olmoe", {"num_experts": 6, "num_experts_per_tok": 3}),
    "falcon": ("falcon", {"num_kv_heads": 2, "new_decoder_architecture": True, "ffn_hidden_size": 88}),
    "falcon, one head of keys": ("falcon", {"multi_query": True, "bias": True, "ffn_hidden_size": 88}),
    "arcee": ("arcee", {"head_dim": 12}),
    "ernie4_5": ("ernie4_5", {"head_dim": 12, "use_bias": True}),
    "helium": ("helium", {"head_dim": 12}),
    "nemotron": ("nemotron", {"head_dim": 12}),
    "seed_oss": ("seed_oss", {"head_dim": 12, "attention_bias": True}),
    "glm": ("glm", {"head_dim": 12}),
    "glm4": ("glm4", {"head_dim": 12}),
}
#: Architectures that `transformers` does not have: tests of their own have their checkpoints made of a relative's.
OF_RELATIVES = {"internlm", "internlm2", "baichuan", "minicpm", "orion", "qwen", "chatglm"}


def engine_of(source, methods):
    """The decoder of a source, built with some of its methods."""
    module = source.module()
    spec = module.get_default_spec()
    own = [at for at, name in enumerate(spec.method_names) if name in (*methods, "embed", "create_paged_kv_cache")]
    names, specs = ([listed[at] for at in own] for listed in (spec.method_names, spec.method_specs))
    mod, params = module.export_tvm(nn.spec.ModuleSpec(module, names, specs))
    assert {name for name, _ in params} == set(source)
    engine = Engine(mod, [source.read(name) for name, _ in params], sizes=(4, 256, 64, 16, 0))
    engine.add(0, 1, 2)
    return engine


def check(source, model):
    """Three prompts in one step, and two tokens of each after it, against whole sequences."""
    engine = engine_of(source, ("batch_prefill", "batch_decode"))
    expected = [logits_of(model, ids[: length + 2]) for ids, length in zip(IDS, PROMPTS, strict=True)]
    prompts = {own: IDS[own][:length] for own, length in enumerate(PROMPTS)}
    found = [engine.batch_prefill(prompts)]
    for step in range(2):
        found.append(engine.batch_decode({own: IDS[own][length + step] for own, length in enumerate(PROMPTS)}))
    for step, logits in enumerate(found):
        rows = [whole[length - 1 + step] for whole, length in zip(expected, PROMPTS, strict=True)]
        assert worst(logits, np.array(rows)) < TOLERANCE


@pytest.mark.parametrize("case", CASES)
def test_an_architecture_gives_the_logits_of_transformers(case, tmp_path):
    kind, settings = CASES[case]
    model = saved(tmp_path, kind, **settings)
    source = llm.open_model(tmp_path)
    assert kind in source.architecture.model_types
    check(source, model)


def test_each_architecture_has_a_case():
    tested = {kind for kind, _ in CASES.values()}
    left = {own.name for own in ARCHITECTURES if not tested & set(own.model_types)}
    assert left == OF_RELATIVES | {"mamba2", "rwkv6"}


def test_a_name_is_that_of_one_architecture():
    for names in ([name for own in ARCHITECTURES for name in listed(own)] for listed in (
        lambda own: [own.name], lambda own: own.model_types, lambda own: own.gguf,
    )):  # fmt: skip
        assert len(names) == len(set(names))


def check_recurrent(source, model, logits_of=logits_of):
    """Three prompts, each in two steps, and a token of each in one step, against whole sequences."""
    module = source.module()
    mod, params = module.export_tvm(module.get_default_spec())
    assert {name for name, _ in params} == set(source)
    weights = [source.read(name) for name, _ in params]
    engine = Engine(mod, weights, create="create_rnn_state", sizes=(4, 1))
    engine.add(0, 1, 2)
    expected = [logits_of(model, ids) for ids in IDS]
    for own, length in enumerate(PROMPTS):
        if length > 2:
            engine.step("batch_verify", {own: length - 2}, engine.embed(IDS[own][: length - 2])[None])
        logits = engine.prefill(own, IDS[own][max(length - 2, 0) : length])
        assert worst(logits, expected[own][length - 1]) < TOLERANCE
    found = engine.batch_decode({own: IDS[own][length] for own, length in enumerate(PROMPTS)})
    rows = [whole[length] for whole, length in zip(expected, PROMPTS, strict=True)]
    assert worst(found, np.array(rows)) < TOLERANCE


@pytest.mark.parametrize("limit", [(0.0, float("inf")), (0.3, 0.9)])
def test_mamba2_gives_the_logits_of_transformers(limit, tmp_path):
    sizes = {"vocab_size": 97, "hidden_size": 48, "num_hidden_layers": 2, "num_heads": 8, "head_dim": 12}
    model = saved(tmp_path, "mamba2", sizes, state_size=10, n_groups=2, time_step_limit=limit)
    check_recurrent(llm.open_model(tmp_path), model)


def test_rwkv6_gives_what_its_formulas_give(rng, tmp_path):
    tensors = llm_rwkv.random_tensors(rng)
    settings = {
        "model_type": "rwkv6", "vocab_size": 97, "hidden_size": 48, "num_hidden_layers": 2, "head_size": 12,
        "intermediate_size": 88, "time_mix_extra_dim": 5, "time_decay_extra_dim": 7,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(settings))
    write_tensors(tmp_path, tensors)
    check_recurrent(llm.open_model(tmp_path), tensors, llm_rwkv.logits)


def test_the_methods_of_a_model_agree(tmp_path):
    model = saved(tmp_path, "llama")
    engine = engine_of(llm.open_model(tmp_path), ("prefill", "decode", "batch_verify", "get_logits"))
    expected = logits_of(model, IDS[0])
    assert worst(engine.prefill(0, IDS[0][:9]), expected[8]) < TOLERANCE
    assert worst(engine.decode(0, IDS[0][9]), expected[9]) < TOLERANCE
    draft = engine.step("batch_verify", {0: 4}, engine.embed(IDS[0][10:])[None])
    assert worst(draft[0], expected[10:]) < TOLERANCE


#: Settings that GGUF files can say, where those of the case are others.
NOT_IN_GGUF = {
    "cohere2": {"head_dim": 12},
    "mistral": {},
    "smollm3": {},
    "gemma2": {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0},
    "gemma3_text": {},
}


@pytest.mark.parametrize("kind", RULES)
def test_a_gguf_file_has_the_same_weights_and_settings(kind, tmp_path):
    settings = NOT_IN_GGUF.get(kind, next(own for name, own in CASES.values() if name == kind))
    saved(tmp_path, kind, **{key: value for key, value in settings.items() if key != "rope_parameters"})
    expected = llm.open_model(tmp_path)
    gguf_of(tmp_path / "model.gguf", kind, expected.config, tensors_of(tmp_path))
    found = llm.open_model(tmp_path / "model.gguf")
    names = {"architecture": found.config.architecture, "experts": found.config.experts}
    assert dataclasses.replace(expected.config, **names) == found.config
    assert (found.config.experts is None) == (expected.config.experts is None)
    assert found.names() == expected.names()
    for name in found:
        np.testing.assert_array_equal(found.read(name), expected.read(name), err_msg=name)


def test_weights_of_bfloat16_in_several_files(tmp_path):
    model = saved(tmp_path, "qwen2", tie_word_embeddings=True)
    for weight in model.parameters():
        weight.data = weight.data.bfloat16().float()
    (tmp_path / "model.safetensors").unlink()
    copy.deepcopy(model).bfloat16().save_pretrained(tmp_path, max_shard_size="40KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    source = llm.open_model(tmp_path)
    assert source.stored("model.norm.weight") == ["bfloat16"]
    check(source, model)


def repack(folder, stacked, name="", renamed=(), **settings):
    """Puts queries, keys and values of a saved model into one tensor, renames tensors, and changes settings."""
    rewritten(folder, **settings)
    tensors = tensors_of(folder)
    for layer in range(SIZES["num_hidden_layers"]):
        for suffix in ("weight", "bias"):
            parts = [tensors.pop(f"model.layers.{layer}.self_attn.{own}_proj.{suffix}", None) for own in "qkv"]
            if parts[0] is not None:
                tensors[f"model.layers.{layer}.{name}.{suffix}"] = stacked(*parts)
    for old, new in dict(renamed).items():
        tensors = {own.replace(old, new): values for own, values in tensors.items()}
    write_tensors(folder, tensors)


def after_each_other(*parts):
    return np.concatenate(parts)


def test_internlm2_has_groups_of_queries_with_their_keys_and_values(tmp_path):
    model = saved(tmp_path, "llama")
    renamed = {
        "self_attn.o_proj": "attention.wo",
        "mlp.gate_proj": "feed_forward.w1",
        "mlp.up_proj": "feed_forward.w3",
        "mlp.down_proj": "feed_forward.w2",
        "input_layernorm": "attention_norm",
        "post_attention_layernorm": "ffn_norm",
        "embed_tokens": "tok_embeddings",
        "lm_head": "output",
    }

    def in_groups(q, k, v):
        groups = [q.reshape(2, 2, 12, 48), k.reshape(2, 1, 12, 48), v.reshape(2, 1, 12, 48)]
        return np.concatenate(groups, 1).reshape(-1, 48)

    repack(tmp_path, in_groups, "attention.wqkv", renamed, model_type="internlm2", bias=False)
    check(llm.open_model(tmp_path), model)


def test_baichuan_has_queries_keys_and_values_in_one_tensor(tmp_path):
    model = saved(tmp_path, "llama", num_key_value_heads=4)
    repack(tmp_path, after_each_other, "self_attn.W_pack", model_type="baichuan", num_key_value_heads=None)
    check(llm.open_model(tmp_path), model)


def test_qwen_has_a_gate_of_half_the_intermediate_size(tmp_path):
    model = saved(tmp_path, "qwen2", num_key_value_heads=4)
    renamed = {
        "model.embed_tokens": "transformer.wte",
        "model.norm": "transformer.ln_f",
        "model.layers": "transformer.h",
        "self_attn.o_proj": "attn.c_proj",
        "mlp.gate_proj": "mlp.w2",
        "mlp.up_proj": "mlp.w1",
        "mlp.down_proj": "mlp.c_proj",
        "input_layernorm": "ln_1",
        "post_attention_layernorm": "ln_2",
    }
    settings = {"model_type": "qwen", "intermediate_size": 2 * SIZES["intermediate_size"], "num_key_value_heads": None}
    repack(tmp_path, after_each_other, "attn.c_attn", renamed, **settings)
    check(llm.open_model(tmp_path), model)


def test_chatglm_is_glm_by_other_names(tmp_path):
    model = saved(tmp_path, "glm", head_dim=12)
    renamed = {
        "model.embed_tokens": "transformer.embedding.word_embeddings",
        "model.norm": "transformer.encoder.final_layernorm",
        "lm_head": "transformer.output_layer",
        "model.layers": "transformer.encoder.layers",
        "self_attn.o_proj": "self_attention.dense",
        "mlp.gate_up_proj": "mlp.dense_h_to_4h",
        "mlp.down_proj": "mlp.dense_4h_to_h",
    }
    settings = {
        "num_layers": 2, "multi_query_group_num": 2, "ffn_hidden_size": 88, "kv_channels": 12, "seq_length": 64,
        "padded_vocab_size": 97, "layernorm_epsilon": 1.5625e-7,
    }  # fmt: skip
    old = ("num_hidden_layers", "num_key_value_heads", "intermediate_size", "head_dim", "max_position_embeddings")
    settings |= {"model_type": "chatglm", **dict.fromkeys((*old, "vocab_size", "rms_norm_eps", "rope_parameters"))}
    repack(tmp_path, after_each_other, "self_attention.query_key_value", renamed, **settings)
    check(llm.open_model(tmp_path), model)


def test_internlm_has_biases_and_orion_has_layer_norms(tmp_path):
    model = saved(tmp_path, "llama", attention_bias=True)
    rewritten(tmp_path, model_type="internlm", bias=True, attention_bias=None)
    check(llm.open_model(tmp_path), model)
    model = saved(tmp_path, "stablelm", partial_rotary_factor=1.0)
    rewritten(tmp_path, model_type="orion", rms_norm_eps=1e-5)
    check(llm.open_model(tmp_path), model)


def test_minicpm_says_its_multipliers_in_other_words(tmp_path):
    scales = {"embedding_multiplier": 3.0, "logits_scaling": 48 / 16, "residual_multiplier": 0.7 / 2**0.5}
    model = saved(tmp_path, "granite", **scales, attention_multiplier=12**-0.5)
    settings = {"model_type": "minicpm", "scale_emb": 3, "scale_depth": 0.7, "dim_model_base": 16}
    rewritten(tmp_path, **dict.fromkeys(SCALES), **settings)
    check(llm.open_model(tmp_path), model)


#: Layers with a window of a few tokens; those of RoPE differ by kind where the architecture has that.
WINDOWED = {
    "mistral": ("mistral", {"sliding_window": 5, "head_dim": 16}),
    "gemma2": ("gemma2", {"head_dim": 16, "sliding_window": 4, **MIXED}),
    "gemma3": (
        "gemma3_text",
        {
            "head_dim": 16, "sliding_window": 4, **MIXED,
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                "full_attention": LINEAR,
            },
        },
    ),
    "olmo3": (
        "olmo3",
        {"sliding_window": 3, **MIXED, "rope_parameters": {"sliding_attention": LINEAR, "full_attention": YARN}},
    ),
    "cohere2": ("cohere2", {"head_dim": 12, "sliding_window": 4, **MIXED}),
}  # fmt: skip


@pytest.mark.parametrize("case", WINDOWED)
def test_layers_have_windows_of_their_own(case, tmp_path):
    """Prompts and tokens after them that are longer than the window of some layers."""
    kind, settings = WINDOWED[case]
    model = saved(tmp_path, kind, **settings)
    source = llm.open_model(tmp_path)
    assert any(source.config.windows)
    check(source, model)
