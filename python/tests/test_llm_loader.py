"""Models from files and folders: which rows a weight is made of, blocks as they are, and files that are wrong."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gguf_writer import pairs_of_halves, q8_0, write_gguf
from llm_codes import group_dequantize, group_quantize

from tilewright import TVMError, llm
from tilewright.contrib.tvmjs import dump_ndarray_cache
from tilewright.llm.model import architecture_of_type

HIDDEN, HEADS, KV_HEADS, SIZE, INNER, VOCAB = 64, 4, 2, 16, 96, 50
SETTINGS = {
    "model_type": "llama",
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "num_hidden_layers": 1,
    "vocab_size": VOCAB,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
}
METADATA = {
    "general.architecture": "llama",
    "llama.block_count": 1,
    "llama.embedding_length": HIDDEN,
    "llama.feed_forward_length": INNER,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": KV_HEADS,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
}
SHAPES = {
    "model.embed_tokens.weight": (VOCAB, HIDDEN),
    "model.layers.0.input_layernorm.weight": (HIDDEN,),
    "model.layers.0.self_attn.q_proj.weight": (HEADS * SIZE, HIDDEN),
    "model.layers.0.self_attn.k_proj.weight": (KV_HEADS * SIZE, HIDDEN),
    "model.layers.0.self_attn.v_proj.weight": (KV_HEADS * SIZE, HIDDEN),
    "model.layers.0.self_attn.o_proj.weight": (HIDDEN, HEADS * SIZE),
    "model.layers.0.post_attention_layernorm.weight": (HIDDEN,),
    "model.layers.0.mlp.gate_proj.weight": (INNER, HIDDEN),
    "model.layers.0.mlp.up_proj.weight": (INNER, HIDDEN),
    "model.layers.0.mlp.down_proj.weight": (HIDDEN, INNER),
    "model.norm.weight": (HIDDEN,),
    "lm_head.weight": (VOCAB, HIDDEN),
}
QKV, GATE_UP = "model.layers.0.self_attn.qkv_proj.weight", "model.layers.0.mlp.gate_up_proj.weight"


@pytest.fixture
def tensors(rng):
    return {name: rng.standard_normal(shape).astype("float32") for name, shape in SHAPES.items()}


def write_folder(folder, tensors, settings=SETTINGS):
    """`config.json` and one file of safetensors."""
    (folder / "config.json").write_text(json.dumps(settings))
    header, at = {}, 0
    for name, values in tensors.items():
        dtype = {"float32": "F32", "float16": "F16", "int32": "I32"}[str(values.dtype)]
        header[name] = {"dtype": dtype, "shape": list(values.shape), "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header).encode()
    data = b"".join(values.tobytes() for values in tensors.values())
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def gguf_tensors(tensors, quantise=lambda values: values):
    """The tensors by llama.cpp's names, with the rows of queries and keys in pairs."""
    layer, names = "model.layers.0.", {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output"}
    made = {
        "token_embd.weight": tensors["model.embed_tokens.weight"],
        "output_norm.weight": tensors["model.norm.weight"],
        "output.weight": tensors["lm_head.weight"],
        "blk.0.attn_norm.weight": tensors[layer + "input_layernorm.weight"],
        "blk.0.ffn_norm.weight": tensors[layer + "post_attention_layernorm.weight"],
    }
    for own, name in names.items():
        values = tensors[f"{layer}self_attn.{own}_proj.weight"]
        heads = {"q": HEADS, "k": KV_HEADS}.get(own)
        made[f"blk.0.{name}.weight"] = quantise(pairs_of_halves(values, heads) if heads else values)
    for own in ("gate", "up", "down"):
        made[f"blk.0.ffn_{own}.weight"] = quantise(tensors[f"{layer}mlp.{own}_proj.weight"])
    return made


def test_a_folder_gives_weights_of_several_tensors(tmp_path, tensors):
    write_folder(tmp_path, tensors)
    source = llm.open_model(tmp_path)
    attention = "model.layers.0.self_attn."
    expected = np.concatenate([tensors[f"{attention}{own}_proj.weight"] for own in "qkv"])
    np.testing.assert_array_equal(source.read(QKV), expected)
    assert source.read(QKV, "float16").dtype == np.float16
    assert source.shape(GATE_UP) == (2 * INNER, HIDDEN)
    assert repr(source) == f"<Source of {tmp_path}: huggingface, llama, 9 weights>"


def packed(rng, n, k, method, bits, group, act_order=False):
    """The tensors of a weight in codes, by the names after its own, and its elements, one by one."""
    each, groups = 32 // bits, -(-k // group)
    codes, zeros = rng.integers(0, 2**bits, (k, n)), rng.integers(0, 2**bits - 1, (groups, n))
    scales = (rng.random((groups, n)) / 8).astype("float16")
    of_row = rng.permutation(np.arange(k) // group) if act_order else np.arange(k) // group

    def words(values, place):
        made = np.zeros((len(values), values.shape[1] // each), "uint32")
        for at in range(values.shape[1]):
            made[:, at // each] |= values[:, at].astype("uint32") << np.uint32(bits * place(at % each))
        return made.view("int32")

    if method == "awq":
        place = lambda e: e % 2 * 4 + e // 2  # noqa: E731
        made = {"qweight": words(codes, place), "qzeros": words(zeros, place), "scales": scales}
    else:
        plain = lambda e: e  # noqa: E731
        made = {"qweight": words(codes.T, plain).T.copy(), "qzeros": words(zeros, plain), "scales": scales}
        made["g_idx"] = of_row.astype("int32")
        zeros = zeros + 1
    values = [[(int(codes[i, j]) - int(zeros[of_row[i], j])) * float(scales[of_row[i], j]) for i in range(k)]
              for j in range(n)]  # fmt: skip
    return made, np.array(values, "float32")


@pytest.mark.parametrize(("method", "bits", "group", "act_order"), [
    ("awq", 4, 32, False), ("awq", 4, 24, False), ("gptq", 4, 32, False), ("gptq", 4, 16, True), ("gptq", 8, 64, False),
    ("gptq", 2, 32, True),
])  # fmt: skip
def test_weights_in_codes_of_awq_and_gptq(method, bits, group, act_order, tmp_path, tensors, rng):
    stored, expected = {}, dict(tensors)
    for name, values in tensors.items():
        if "_proj" not in name:
            stored[name] = values
            continue
        parts, expected[name] = packed(rng, *values.shape, method, bits, group, act_order)
        stored |= {name.removesuffix("weight") + part: own for part, own in parts.items()}
    config = {"quant_method": method, "bits": bits, "group_size": group, "desc_act": act_order}
    write_folder(tmp_path, stored, SETTINGS | {"quantization_config": config})
    source = llm.open_model(tmp_path)
    attention = "model.layers.0.self_attn."
    np.testing.assert_array_equal(
        source.read(QKV), np.concatenate([expected[f"{attention}{p}_proj.weight"] for p in "qkv"])
    )
    down = "model.layers.0.mlp.down_proj.weight"
    np.testing.assert_array_equal(source.read(down), expected[down])
    assert source.stored(down) == [method] and len(source) == 9


@pytest.mark.parametrize(("change", "said"), [
    ({"bits": 3}, "gptq with 3 bits is not read"),
    ({"quant_method": "aqlm"}, "quantised by 'aqlm' are not read"),
    ({"group_size": "all"}, "expected the rows of a group as `group_size`"),
    ({"group_size": 16}, r"expected .*qzeros. of int32 \[4, 12\], found int32 \[2, 12\]"),
    ({"g_idx": 9}, "names a group that is none of 2"),
    ({"missing": "scales"}, 'expected "model.layers.0.mlp.up_proj.scales" with it, found none'),
])  # fmt: skip
def test_wrong_codes_of_gptq_are_errors(change, said, tmp_path, tensors, rng):
    name = "model.layers.0.mlp.up_proj.weight"
    parts, _ = packed(rng, INNER, HIDDEN, "gptq", 4, 32)
    if "g_idx" in change:
        parts["g_idx"][5] = change.pop("g_idx")
    parts.pop(change.pop("missing", ""), None)
    stored = {own: values for own, values in tensors.items() if own != name}
    stored |= {name.removesuffix("weight") + part: own for part, own in parts.items()}
    config = {"quant_method": "gptq", "bits": 4, "group_size": 32} | change
    write_folder(tmp_path, stored, SETTINGS | {"quantization_config": config})
    with pytest.raises(TVMError, match=said):
        llm.open_model(tmp_path).read(GATE_UP)


def test_blocks_of_gguf_move_as_rows(tmp_path, tensors):
    file = tmp_path / "model.gguf"
    write_gguf(file, METADATA, gguf_tensors(tensors, q8_0))
    source = llm.open_model(file)
    blocks = source.blocks(QKV)
    _, shape, raw = q8_0(np.concatenate([tensors[f"model.layers.0.self_attn.{own}_proj.weight"] for own in "qkv"]))
    assert (blocks.type, blocks.columns, shape) == ("Q8_0", HIDDEN, source.shape(QKV))
    np.testing.assert_array_equal(blocks.rows, np.frombuffer(raw, "uint8").reshape(shape[0], -1))
    groups = blocks.rows.reshape(-1, 34)
    values = groups[:, :2].copy().view("float16").astype("float32") * groups[:, 2:].view("int8")
    np.testing.assert_array_equal(source.read(QKV), values.reshape(shape))


def test_parts_of_several_types_are_no_blocks_together(tmp_path, tensors):
    made = gguf_tensors(tensors)
    made["blk.0.attn_v.weight"] = q8_0(made["blk.0.attn_v.weight"])
    write_gguf(tmp_path / "model.gguf", METADATA, made)
    source = llm.open_model(tmp_path)
    assert source.blocks(QKV) is None
    assert [part.type for part in source.parts(QKV)] == source.stored(QKV) == ["float32", "float32", "Q8_0"]
    assert source.blocks(GATE_UP).rows.shape == (2 * INNER, 4 * HIDDEN)


def test_gguf_says_the_vocabulary_by_its_embedding_and_a_missing_head_is_the_embedding(tmp_path, tensors):
    made = gguf_tensors(tensors)
    del made["output.weight"]
    write_gguf(tmp_path / "model.gguf", METADATA, made)
    config = llm.open_model(tmp_path).config
    assert (config.vocab_size, config.tied, config.norm_eps) == (VOCAB, True, 1e-5)


@pytest.mark.parametrize("mode", ["q4f16_1", "q4f32_1", "q4f16_0", "q3f16_1"])
def test_a_folder_of_mlc_llm_is_dequantised(mode, tmp_path, tensors):
    bits, group, dtype = int(mode[1]), {"3": 40, "4": 32}[mode[1]], "float32" if "f32" in mode else "float16"
    fused = {
        QKV: np.concatenate([tensors[f"model.layers.0.self_attn.{own}_proj.weight"] for own in "qkv"]),
        GATE_UP: np.concatenate([tensors[f"model.layers.0.mlp.{own}_proj.weight"] for own in ("gate", "up")]),
    }
    params, expected = {}, {}
    for name, values in {**tensors, **fused}.items():
        if name.split(".")[-2] in ("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"):
            continue
        if values.ndim == 1:
            params[name] = expected[name] = values.astype(dtype)
            continue
        words, scales = group_quantize(values.astype(dtype), bits, group)
        expected[name] = group_dequantize(words, scales, bits, group, values.shape[1])
        transposed = mode.endswith("_0") and "embed" not in name
        stem = name.removesuffix("weight")
        params[stem + "q_weight"], params[stem + "q_scale"] = (words.T, scales.T) if transposed else (words, scales)
    settings = {
        "model_type": "llama",
        "quantization": mode,
        "model_config": {**SETTINGS, "context_window_size": 64, "position_embedding_base": 5e5},
    }
    (tmp_path / "mlc-chat-config.json").write_text(json.dumps(settings))
    dump_ndarray_cache({name: np.ascontiguousarray(own) for name, own in params.items()}, tmp_path, "raw")
    source = llm.open_model(tmp_path)
    assert (source.config.context_window_size, source.config.rope[0].theta) == (64, 5e5)
    for name in source:
        named = name.replace("pre_feedforward", "post_attention")
        np.testing.assert_array_equal(source.read(name, dtype), expected[named], err_msg=name)
    blocks = source.blocks(QKV)
    assert (blocks.type, blocks.scales.shape) == (mode, (len(fused[QKV]), -(-HIDDEN // group)))


LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1, "high_freq_factor": 4,
    "original_max_position_embeddings": 32,
}  # fmt: skip
SAME = {
    "llama": (
        {"rope_theta": 5e5, "rope_scaling": LLAMA3},
        {"rope_parameters": {"rope_theta": 5e5, **LLAMA3}},
    ),
    "phi": ({"partial_rotary_factor": 0.25}, {"rope_parameters": {"partial_rotary_factor": 0.25}}),
    "gpt_neox": (
        {"rotary_pct": 0.5, "rotary_emb_base": 500},
        {"rope_parameters": {"partial_rotary_factor": 0.5, "rope_theta": 500.0}},
    ),
    "gemma3_text": (
        {"sliding_window": 2048, "rope_scaling": {"rope_type": "linear", "factor": 8.0}},
        {
            "sliding_window": 4096,
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
            },
            "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
        },
    ),
}


@pytest.mark.parametrize("kind", SAME)
def test_settings_of_older_files_mean_the_same(kind):
    architecture, layers = architecture_of_type(kind), {"num_hidden_layers": 6}
    old, new = (architecture.from_dict({**SETTINGS, **layers, **own}) for own in SAME[kind])
    assert old == new
    assert old != architecture.from_dict({**SETTINGS, **layers})


@pytest.mark.parametrize("prefix", ["language_model.", "model.language_model."])
def test_a_model_that_also_sees_is_read_by_its_text(prefix, tmp_path, tensors):
    """The second form of names has its prefix instead of `model.`, and none for the head."""

    def renamed(name):
        if prefix == "language_model.":
            return prefix + name
        return name if name.startswith("lm_head") else prefix + name.removeprefix("model.")

    own = {renamed(name): values for name, values in tensors.items()}
    settings = {"model_type": "llava", "text_config": SETTINGS}
    write_folder(tmp_path, {**own, "vision_tower.w": np.zeros(3, "float32")}, settings)
    source = llm.open_model(tmp_path)
    for name in ("lm_head.weight", "model.norm.weight"):
        np.testing.assert_array_equal(source.read(name), tensors[name])


WRONG_SETTINGS = [
    ({"quantization_config": {"quant_method": "hqq"}}, r"weights that are quantised by 'hqq' are not read"),
    ({"hidden_size": "64"}, r"config.json: `hidden_size`: expected an integer from 1 to \d+, found '64'"),
    ({"hidden_size": None}, r"missing `hidden_size`"),
    ({"num_hidden_layers": 10**9}, r"`num_hidden_layers`: expected an integer from 1 to 1024"),
    ({"num_attention_heads": 5}, r"`num_attention_heads`: expected a divisor of the hidden size 64, found 5"),
    ({"num_attention_heads": 65536, "head_dim": 65536}, r"`num_attention_heads`: expected at most 64 heads"),
    ({"num_key_value_heads": 3}, r"4 query heads cannot share 3 kv heads equally"),
    ({"hidden_act": "mish"}, r"`hidden_act`: expected one of gelu, .*, found 'mish'"),
    ({"rms_norm_eps": float("nan")}, r"`rms_norm_eps`: expected a number from 0 to 1e\+30, found nan"),
    (
        {"model_type": "perceptron"},
        r"no architecture is known for the model type 'perceptron': known are arcee",
    ),
    ({"model_type": 3}, r"expected `model_type`, the name of an architecture, found 3"),
    ({"rope_scaling": {"rope_type": "spiral"}}, r"unknown scaling of RoPE `spiral`: known are"),
    ({"rope_scaling": {"rope_type": "llama3", "factor": 8}}, r"`rope_scaling`: missing `original_max_position_emb"),
    ({"rope_theta": 1}, r"`rope_theta`: expected a number from 1.001 to 1e\+30, found 1"),
    ({"partial_rotary_factor": 1e308}, r"`partial_rotary_factor`: expected a number from 0 to 1, found 1e\+308"),
    ({"partial_rotary_factor": 0.2}, r"RoPE rotates an even number of up to 16 elements, found 3"),
    ({"rope_scaling": [1]}, r"`rope_scaling`: expected an object, found \[1\]"),
    ({"rope_scaling": {"type": "longrope", "short_factor": [1.0]}}, r"`short_factor`: expected 8 numbers above 0"),
    ({"vocab_size": 49}, r'embed_tokens.weight" of model.safetensors: expected \[49, 64\], found \[50, 64\]'),
    ({"num_hidden_layers": 2}, r'missing "model.layers.1.input_layernorm.weight", expected \[64\]'),
    ({"attention_bias": True}, r'missing "model.layers.0.self_attn.q_proj.bias", expected \[64\]'),
]


@pytest.mark.parametrize(("settings", "said"), WRONG_SETTINGS, ids=lambda given: str(given)[:40])
def test_wrong_settings_are_errors_that_name_them(settings, said, tmp_path, tensors):
    write_folder(tmp_path, tensors, {**SETTINGS, **settings})
    with pytest.raises(TVMError, match=said):
        llm.open_model(tmp_path)


def test_wrong_tensors_are_errors_that_name_them(tmp_path, tensors):
    write_folder(tmp_path, {**tensors, "model.layers.0.extra": np.zeros(3, "float32")})
    with pytest.raises(TVMError, match=r'unexpected "model.layers.0.extra" of model.safetensors: \[3\] of float32'):
        llm.open_model(tmp_path)
    write_folder(tmp_path, {**tensors, "model.norm.weight": np.zeros(HIDDEN, "int32")})
    with pytest.raises(TVMError, match=r"model.norm.weight.*elements of int32 are not read"):
        llm.open_model(tmp_path)
    del tensors["model.embed_tokens.weight"]
    write_folder(tmp_path, tensors)
    with pytest.raises(TVMError, match=r'expected the embedding "model.embed_tokens.weight" or .* among 11 tensors'):
        llm.open_model(tmp_path)


def test_what_is_no_model_is_said(tmp_path):
    with pytest.raises(TVMError, match="no such file or folder"):
        llm.open_model(tmp_path / "absent")
    with pytest.raises(TVMError, match=r"expected config.json, mlc-chat-config.json or one GGUF file, found none"):
        llm.open_model(tmp_path)
    write_gguf(tmp_path / "a.gguf", {"general.architecture": "perceptron"}, {"w": np.zeros(3, "float32")})
    with pytest.raises(llm.UnsupportedModel, match=r"no architecture is known for GGUF files of 'perceptron'"):
        llm.open_model(tmp_path)
    for text, said in (("[1]", "expected an object of JSON, found list"), ("{", "no JSON"), ("[" * 10**5, "no JSON")):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(TVMError, match=said):
            llm.open_model(tmp_path)


def test_wrong_codes_of_mlc_llm_are_errors(tmp_path, tensors):
    settings = {"model_type": "llama", "quantization": "q4f16_1", "model_config": SETTINGS}
    file = tmp_path / "mlc-chat-config.json"
    file.write_text(json.dumps(settings))
    words, scales = np.zeros((VOCAB, 8), "uint32"), np.zeros((VOCAB, 3), "float16")
    params = {"model.embed_tokens.q_weight": words, "model.embed_tokens.q_scale": scales}
    dump_ndarray_cache(params, tmp_path, "raw")
    with pytest.raises(TVMError, match=r"embed_tokens.q_weight.*expected words and scales of \(50, 8\) and \(50, 2\)"):
        llm.open_model(tmp_path)
    file.write_text(json.dumps({**settings, "quantization": "q4f16_ft"}))
    with pytest.raises(llm.UnsupportedModel, match=r"mode 'q4f16_ft' are not read"):
        llm.open_model(tmp_path)
    file.write_text(json.dumps({**settings, "model_type": "phi3"}))
    with pytest.raises(llm.UnsupportedModel, match="folders of MLC LLM with a phi3 are not read"):
        llm.open_model(tmp_path)


def test_the_table_of_architectures_is_up_to_date():
    script = Path(__file__).parents[2] / "scripts" / "llm_architectures.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
