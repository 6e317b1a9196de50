"""From the files of a model to text: compiling into a folder, sequences, generation, the command line."""

import json
import subprocess
import sys

import llm_rwkv
import numpy as np
import pytest
from llm_codes import group_dequantize, group_quantize
from test_llm_loader import GATE_UP, QKV, SETTINGS, SHAPES, write_folder

import tilewright as tw
from tilewright.contrib.tvmjs import dump_ndarray_cache
from tilewright.llm.commands import open_compiled
from tilewright.llm.compile import compile_model, forms_of
from tilewright.llm.fit import weight_bytes
from tilewright.llm.generate import Chat, Generation, LanguageModel, Sampling
from tilewright.llm.loader import open_model
from tilewright.llm.quantization import BlockFormat
from tilewright.llm.quantization.quantize import MODES, quantize
from tilewright.llm.tokenizer import open_tokenizer

#: Characters as byte-level vocabularies write bytes: printable ones as they are, the others from 256 on.
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
BYTES = {byte: chr(byte) for byte in PRINTABLE} | {
    byte: chr(256 + at) for at, byte in enumerate(byte for byte in range(256) if byte not in PRINTABLE)
}
CONTROL = ["<|im_start|>", "<|im_end|>"]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
VOCAB = 258


def tokenizer_files(folder):
    vocab = {BYTES[byte]: byte for byte in range(256)}
    added = [
        {"id": 256 + at, "content": text, "special": True, "normalized": False, "single_word": False, "lstrip": False,
         "rstrip": False} for at, text in enumerate(CONTROL)
    ]  # fmt: skip
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    model = {"type": "BPE", "vocab": vocab | {text: 256 + at for at, text in enumerate(CONTROL)}, "merges": []}
    made = {"version": "1.0", "added_tokens": added, "pre_tokenizer": level, "decoder": level, "model": model}
    (folder / "tokenizer.json").write_text(json.dumps(made))
    config = {"eos_token": CONTROL[1], "chat_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    """A small Llama with weights of noise, that knows bytes."""
    folder, rng = tmp_path_factory.mktemp("model"), np.random.default_rng(7)
    shapes = {
        name: (VOCAB, *shape[1:]) if shape[0] == SETTINGS["vocab_size"] else shape for name, shape in SHAPES.items()
    }
    tensors = {name: (rng.standard_normal(shape) / 4).astype("float32") for name, shape in shapes.items()}
    write_folder(folder, tensors, SETTINGS | {"vocab_size": VOCAB})
    tokenizer_files(folder)
    return folder


@pytest.fixture(scope="module")
def model(model_folder, tmp_path_factory):
    made = compile_model(model_folder, tmp_path_factory.mktemp("compiled"), quantization="q8_0")
    return LanguageModel(made, open_tokenizer(model_folder))


def test_float_weights_become_blocks(model_folder):
    source = open_model(model_folder)
    assert forms_of(source) == {}
    forms = forms_of(source, "q4_0")
    assert set(forms.values()) == {BlockFormat(4, 32, 8)} and "model.norm.weight" not in forms
    assert {"model.embed_tokens.weight", "lm_head.weight", "model.layers.0.mlp.down_proj.weight"} <= set(forms)
    with pytest.raises(tw.TVMError, match="quantised as one of q8_0, q8_asym, q4_0, q4_1, q4f16_1, found 'q9'"):
        forms_of(source, "q9")


@pytest.mark.parametrize("mode", MODES)
def test_blocks_are_near_the_weights(mode):
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((40, 96)).astype("float32")
    weight[3, 32:64] = 0
    blocks = quantize(weight, mode)
    groups = weight.reshape(40, 3, 32)
    # Half a step of the group's greatest value, and what float16 rounds of the scale and the minimum.
    bound = {"q8_0": 0.52 / 127, "q8_asym": 0.75 / 127}.get(mode, 1.1 / 7)
    error = np.abs(blocks.dequantized().reshape(groups.shape) - groups).max(-1)
    assert (error <= np.abs(groups).max(-1) * bound + 1e-6).all()
    assert BlockFormat.of(blocks).group == 32 and (blocks.dequantized()[3, 32:64] == 0).all()
    with pytest.raises(tw.TVMError, match="NaN or infinite"):
        quantize(np.full((1, 32), np.nan, "float32"), mode)
    with pytest.raises(tw.TVMError, match="too large for the float16 scales"):
        quantize(np.full((1, 32), 1e8, "float32") * np.linspace(-1, 1, 32, dtype="float32"), mode)
    tiny = quantize(np.full((1, 32), 1e-39, "float32"), mode)
    assert np.isfinite(tiny.dequantized()).all()


def test_what_a_sequence_has_seen_is_not_computed_again(model):
    rng = np.random.default_rng(1)
    tokens = rng.integers(0, 256, 21).tolist()
    whole = model.sequence()
    expected = whole.replace(tokens).numpy()
    parts = model.sequence()
    parts.append(tokens[:9])
    np.testing.assert_array_equal(parts.append(tokens[9:]).numpy(), expected)
    assert parts.tokens == tokens
    other = [*tokens[:15], 1, 2, 3]
    after = parts.replace(other).numpy()
    fresh = model.sequence()
    np.testing.assert_array_equal(fresh.replace(other).numpy(), after)
    # All tokens are known: the last one alone gives the logits again.
    np.testing.assert_allclose(parts.replace(other[:16]).numpy(), fresh.replace(other[:16]).numpy(), rtol=0, atol=1e-5)
    assert parts.tokens == other[:16] and parts.room == model.context_window_size - 16


def test_logits_do_not_depend_on_the_activations_much(model, model_folder, tmp_path):
    exact = LanguageModel(compile_model(model_folder, tmp_path, activations="exact"), model.tokenizer)
    tokens = list(b"A sentence of bytes.")
    found, expected = model.sequence().replace(tokens).numpy(), exact.sequence().replace(tokens).numpy()
    difference = np.abs(found - expected).max() / np.abs(expected).max()
    assert 0 < difference < 0.05


@pytest.mark.parametrize(("cache_type", "bits"), [("f16", 11), ("bf16", 8)])
def test_logits_do_not_depend_on_the_type_of_the_cache_much(cache_type, bits, model, model_folder, tmp_path):
    """Keys and values are rounded to so many bits, nothing else is."""
    made = {}
    for kind in ("f32", cache_type):
        folder = compile_model(model_folder, tmp_path / kind, activations="exact", cache_type=kind)
        sequence = LanguageModel(folder, model.tokenizer).sequence()
        sequence.replace(list(b"A sentence of bytes"))
        made[kind] = sequence.append(list(b".")).numpy()
    difference = np.abs(made[cache_type] - made["f32"]).max() / np.abs(made["f32"]).max()
    assert 0 < difference < 8 * 2.0**-bits


def test_unknown_types_of_the_cache_are_refused(model_folder, tmp_path):
    with pytest.raises(tw.TVMError, match=r"one of f32, f16, bf16, found 'f8'"):
        compile_model(model_folder, tmp_path, cache_type="f8")


def test_a_folder_of_mlc_llm_gives_the_logits_of_its_weights(model_folder, tmp_path):
    source, params, weights = open_model(model_folder), {}, {}
    for name in source.names():
        values = source.read(name).astype("float16")
        name = name.replace("pre_feedforward", "post_attention")
        if values.ndim == 1:
            params[name], weights[name] = values, values.astype("float32")
            continue
        words, scales = group_quantize(values, 4, 32)
        weights[name] = group_dequantize(words, scales.astype("float32"), 4, 32, values.shape[1])
        stem = name.removesuffix("weight")
        params[stem + "q_weight"], params[stem + "q_scale"] = words, scales
    config = SETTINGS | {"vocab_size": VOCAB, "context_window_size": 128}
    settings = {"model_type": "llama", "quantization": "q4f16_1", "model_config": config}
    mlc, plain = tmp_path / "mlc", tmp_path / "plain"
    mlc.mkdir()
    plain.mkdir()
    (mlc / "mlc-chat-config.json").write_text(json.dumps(settings))
    dump_ndarray_cache(params, mlc, "raw")
    heads = np.cumsum([SHAPES[f"model.layers.0.self_attn.{own}_proj.weight"][0] for own in "qk"])
    parts = dict(zip("qkv", np.split(weights.pop(QKV), heads), strict=True))
    weights |= {f"model.layers.0.self_attn.{own}_proj.weight": part for own, part in parts.items()}
    halves = dict(zip(("gate", "up"), np.split(weights.pop(GATE_UP), 2), strict=True))
    weights |= {f"model.layers.0.mlp.{own}_proj.weight": half for own, half in halves.items()}
    write_folder(plain, weights, SETTINGS | {"vocab_size": VOCAB})
    tokens, logits = list(b"The same weights."), []
    for folder in (mlc, plain):
        tokenizer_files(folder)
        made = compile_model(folder, folder / "compiled", quantization=None, activations="exact")
        sequence = LanguageModel(made, open_tokenizer(folder)).sequence()
        logits.append(sequence.replace(tokens).numpy())
    # The folder's own codes are kept.
    assert set(forms_of(open_model(mlc)).values()) == {BlockFormat(4, 32, 7)} and forms_of(open_model(plain)) == {}
    np.testing.assert_allclose(logits[0], logits[1], rtol=0, atol=1e-4 * np.abs(logits[1]).max())


@pytest.mark.parametrize("quantization", [None, "q8_0"])
def test_a_recurrent_model_goes_back_to_its_beginning(quantization, model, tmp_path):
    tensors = llm_rwkv.random_tensors(np.random.default_rng(2))
    settings = {
        "model_type": "rwkv6", "vocab_size": 97, "hidden_size": 48, "num_hidden_layers": 2, "head_size": 12,
        "intermediate_size": 88, "time_mix_extra_dim": 5, "time_decay_extra_dim": 7,
    }  # fmt: skip
    write_folder(tmp_path, tensors, settings)
    made = compile_model(tmp_path, tmp_path / "compiled", quantization=quantization)
    sequence = LanguageModel(made, model.tokenizer).sequence()
    for tokens in ([5, 9, 1, 7, 7], [5, 9, 1, 7, 7, 30], [5, 9, 2], [5, 9, 2], [5]):
        found = sequence.replace(tokens).numpy()
        expected = llm_rwkv.logits(tensors, tokens)[-1]
        assert sequence.tokens == tokens
        limit = 1e-4 if quantization is None else 0.1
        np.testing.assert_allclose(found, expected, rtol=0, atol=limit * np.abs(expected).max())
    sequence.append([9, 1])
    sequence.truncate(2)
    found, expected = sequence.append([2]).numpy(), llm_rwkv.logits(tensors, [5, 9, 2])[-1]
    np.testing.assert_allclose(found, expected, rtol=0, atol=limit * np.abs(expected).max())


def test_a_sequence_refuses(model):
    sequence = model.sequence()
    with pytest.raises(tw.TVMError, match="a step needs a token at least"):
        sequence.append([])
    with pytest.raises(tw.TVMError, match="200 tokens do not fit the context of 128"):
        sequence.replace([1] * 200)
    sequence.append([1, 2])
    with pytest.raises(tw.TVMError, match="token 300 is none of the vocabulary's 258"):
        sequence.append([300])
    assert sequence.tokens == [1, 2]
    # One token is another kernel than several, which may sum in another order.
    expected = model.sequence().replace([1, 2, 3]).numpy()
    np.testing.assert_allclose(sequence.append([3]).numpy(), expected, rtol=0, atol=1e-4)


def test_generation_ends(model):
    tokens = list(b"Once upon")
    result = Generation()
    text = "".join(model.stream(tokens, result, 12, Sampling()))
    assert text == result.text and (result.finish_reason, result.prompt_tokens) == ("length", 9)
    assert len(result.tokens) == 12 and model.tokenizer.decode(result.tokens) == text
    # Greedily: each token is the likeliest one after those before it.
    seen = model.sequence()
    logits = seen.replace(tokens)
    for token in result.tokens:
        assert token == int(logits.numpy().argmax())
        logits = seen.append([token])
    stop = text[3:5]
    stopped = Generation()
    assert "".join(model.stream(tokens, stopped, 12, Sampling(), [stop])) == text[: text.index(stop)]
    assert stopped.finish_reason == "stop"


def test_draws_follow_the_seed(model):
    draws = ["".join(model.generate("Hello", 16, Sampling(temperature=1.0, top_k=40, seed=seed))) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_a_conversation_keeps_what_was_said(model):
    chat = Chat(model, "You answer.")
    first = "".join(chat.say("Hi", 6))
    assert [message["role"] for message in chat.messages] == ["system", "user", "assistant"]
    assert chat.messages[2]["content"] == first
    "".join(chat.say("More", 6))
    other = Chat(model, "You answer.")
    other.messages = chat.messages[:3]
    "".join(other.say("More", 6))
    assert other.messages == chat.messages
    chat.reset()
    assert chat.messages == chat.messages[:1] and "".join(chat.say("Hi", 6)) == first


def test_a_message_spells_no_control_token(model):
    tokens = model.tokenizer.chat([{"role": "user", "content": "a<|im_end|>b"}])
    assert tokens.count(257) == 1 and tokens.count(256) == 2
    assert model.tokenizer.encode("<|im_end|>", markup=True) == [257]


def run(*arguments, cache, given=""):
    environment = {"TILEWRIGHT_CACHE_DIR": str(cache), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-m", "tilewright", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, input=given, env=environment, timeout=600)


def test_the_command_line(model_folder, tmp_path):
    made = run("generate", model_folder, "Hello", "--max-tokens", 5, "--json", cache=tmp_path)
    assert made.returncode == 0, made.stderr
    report = json.loads(made.stdout)
    assert (report["prompt_tokens"], report["completion_tokens"], report["finish_reason"]) == (5, 5, "length")
    assert "compiling" in made.stderr
    again = run("generate", model_folder, "Hello", "--max-tokens", 5, cache=tmp_path)
    assert again.stdout == report["text"] + "\n" and "compiling" not in again.stderr
    talk = run("chat", model_folder, "--max-tokens", 5, cache=tmp_path, given="Hi\n/stats\n/reset\n/exit\n")
    assert talk.returncode == 0 and "a second" in talk.stdout and "the conversation begins anew" in talk.stdout
    for option, said in (("--top-k", "expected a number from 0 on"), ("--temperature", "temperature is -1")):
        wrong = run("generate", model_folder, "Hello", option, "-1", cache=tmp_path)
        assert wrong.returncode != 0 and said in wrong.stderr and "Traceback" not in wrong.stderr
    missing = run("chat", tmp_path / "none", cache=tmp_path)
    assert missing.returncode == 1 and "there is no such file or folder" in missing.stderr


def test_the_cache_knows_files_by_their_state(model_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    told = []
    open_compiled(model_folder, progress=told.append)
    assert "compiling" in told
    told.clear()
    opened = open_compiled(model_folder, context=64, progress=told.append)
    assert told == [""] and opened.context_window_size == 64


def test_experts_of_a_checkpoint_stay_in_blocks(tmp_path):
    """A small Mixtral, whose experts' weights become blocks: the logits are those of the floats that blocks are."""
    rng, count = np.random.default_rng(3), 4
    experts = [f"model.layers.0.block_sparse_moe.experts.{expert}." for expert in range(count)]
    shapes = {name: shape for name, shape in SHAPES.items() if ".mlp." not in name}
    shapes["model.layers.0.block_sparse_moe.gate.weight"] = (count, SETTINGS["hidden_size"])
    up, down = (SETTINGS["intermediate_size"], SETTINGS["hidden_size"]), SETTINGS["hidden_size"]
    for expert in experts:
        shapes |= {f"{expert}w1.weight": up, f"{expert}w3.weight": up, f"{expert}w2.weight": (down, up[0])}
    tensors = {name: (rng.standard_normal(shape) / 4).astype("float32") for name, shape in shapes.items()}

    def rounded(name, values):
        return quantize(values, "q8_0").dequantized() if values.ndim == 2 and "moe.gate" not in name else values

    settings = SETTINGS | {"model_type": "mixtral", "num_local_experts": count, "num_experts_per_tok": 2}
    logits = []
    for kind, mode in (("blocks", "q8_0"), ("floats", None)):
        (folder := tmp_path / kind).mkdir()
        write_folder(folder, {name: rounded(name, values) for name, values in tensors.items()}, settings)
        source = open_model(folder)
        made = compile_model(folder, folder / "made", quantization=mode, activations="exact", cache_type="f32")
        names = made.description["params"]
        assert ("model.layers.0.mlp.gate_up_proj.words" in names) == (mode is not None)
        assert source.shape("model.layers.0.mlp.gate_up_proj.weight") == (count, 2 * up[0], up[1])
        # Of four experts each token reads two; of the embedding a row.
        total, read = weight_bytes(source, mode)
        byte = 34 / 32 if mode else 4
        rows = -(-SETTINGS["vocab_size"] // 16) * 16 if mode else SETTINGS["vocab_size"]
        assert total - read == (count * 3 * up[0] * up[1] / 2 + rows * up[1]) * byte
        sequence = LanguageModel(made, None).sequence()
        logits.append([sequence.replace(list(range(1, 30))), sequence.append([5])])
    for blocks, floats in zip(*logits, strict=True):
        np.testing.assert_allclose(blocks, floats, rtol=0, atol=1e-4 * np.abs(floats).max())
