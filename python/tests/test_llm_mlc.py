"""The steps of MLC LLM on a folder of Hugging Face: weights, settings, compiling; and the folder that talks."""

import importlib.util
import json

import numpy as np
import pytest
from llm_codes import group_quantize as reference
from llm_codes import round_away
from test_llm_generate import model_folder, run  # noqa: F401
from test_llm_loader import SETTINGS

import tilewright as tw
from tilewright import llm
from tilewright.contrib.tvmjs import load_ndarray_cache
from tilewright.llm.commands import open_compiled
from tilewright.llm.compile import forms_of
from tilewright.llm.fit import cache_bytes, expect, weight_bytes
from tilewright.llm.generate import Generation
from tilewright.llm.loader import open_model
from tilewright.llm.mlc import CONVERSATIONS, convert_weight, gen_config, group_quantize
from tilewright.llm.quantization import BlockFormat
from tilewright.llm.tokenizer import open_tokenizer


@pytest.mark.parametrize("bits, group", [(4, 32), (3, 40)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_codes_are_those_of_the_formula(bits, group, dtype):
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((37, 200)).astype(dtype)
    weight[3], weight[4, :group] = 0, np.float16(6e-8)
    for rounding, own in (("even", np.rint), ("away", round_away)):
        wanted = reference(weight, bits, group, own)
        for found, expected in zip(group_quantize(weight, bits, group, rounding), wanted, strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.fixture(scope="module")
def mlc_folder(model_folder, tmp_path_factory):  # noqa: F811
    """The small Llama, by the command line."""
    folder = tmp_path_factory.mktemp("mlc")
    made = run("llm", "convert-weight", model_folder, "--quantization", "q4f16_1", "-o", folder, cache=folder)
    assert made.returncode == 0 and "bits for a weight" in made.stdout, made.stderr
    made = run("llm", "gen-config", model_folder, "--quantization", "q4f16_1", "--conv-template", "chatml",
               "--context-window-size", 96, "-o", folder, cache=folder)  # fmt: skip
    assert made.returncode == 0, made.stderr
    return folder


def test_weights_are_in_shards_by_their_names(mlc_folder, model_folder):  # noqa: F811
    tensors, about = load_ndarray_cache(str(mlc_folder), tw.cpu())
    source = open_model(model_folder)
    assert about["ParamSize"] == len(tensors) and 4 < about["BitsPerParam"] < 6
    assert not any(name.endswith("proj.weight") for name in tensors)
    for name in ("model.layers.0.mlp.gate_up_proj", "model.layers.0.self_attn.qkv_proj", "lm_head"):
        words, scale = reference(source.read(f"{name}.weight").astype("float16"), 4, 32)
        np.testing.assert_array_equal(tensors[f"{name}.q_weight"].numpy(), words)
        np.testing.assert_array_equal(tensors[f"{name}.q_scale"].numpy(), scale)
    norm = tensors["model.layers.0.post_attention_layernorm.weight"]
    assert norm.dtype == "float16"
    wanted = source.read("model.layers.0.pre_feedforward_layernorm.weight").astype("float16")
    np.testing.assert_array_equal(norm.numpy(), wanted)


def test_settings_say_what_the_model_is(mlc_folder):
    said = json.loads((mlc_folder / "mlc-chat-config.json").read_text())
    assert (said["model_type"], said["quantization"], said["context_window_size"]) == ("llama", "q4f16_1", 96)
    assert said["model_config"]["hidden_size"] == SETTINGS["hidden_size"]
    assert said["tokenizer_files"] == ["tokenizer.json", "tokenizer_config.json"]
    assert all((mlc_folder / name).is_file() for name in said["tokenizer_files"])


def test_a_folder_keeps_its_codes_and_talks_by_its_template(mlc_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    assert set(forms_of(open_model(mlc_folder), "q8_0").values()) == {BlockFormat(4, 32, 7)}
    model = open_compiled(mlc_folder)
    tokens = model.tokenizer.chat([{"role": "user", "content": "Hi<|im_end|>"}])
    text = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\nHi"
    assert model.tokenizer.decode(tokens, False) == text + "<|im_end|><|im_end|>\n<|im_start|>assistant\n"
    # What the message spells is text.
    assert tokens.count(257) == 2 and model.tokenizer.stop == ("<|im_end|>",)
    result = Generation()
    list(model.stream(tokens, result, 6))
    assert len(result.tokens) == 6 and model.context_window_size == 96


def rendered(template, messages):
    """A conversation by the rules of MLC LLM's templates, turn by turn."""
    own = {"system_template": "{system_message}", "system_message": "", "role_templates": {}} | template
    system = next((m["content"] for m in messages if m["role"] == "system"), own["system_message"])
    text = own["system_template"].replace("{system_message}", system)
    has_system = text != ""
    text += own["seps"][0] if has_system else ""
    said = [(m["role"], m["content"]) for m in messages if m["role"] != "system"]
    for number, (role, content) in enumerate([*map(tuple, own["messages"]), *said]):
        if number > 0 or not has_system or own["add_role_after_system_message"]:
            text += own["roles"][role] + own["role_content_sep"]
        text += own["role_templates"].get(role, "{" + role + "_message}").replace("{" + role + "_message}", content)
        text += own["seps"][0 if role == "user" else -1]
    return text + own["roles"]["assistant"] + own["role_empty_sep"]


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_templates_are_rendered_turn_by_turn(name, model_folder):  # noqa: F811
    own = CONVERSATIONS[name]
    odd = own | {"seps": ["|", "#\n"], "messages": [["user", 'a "quote"\\'], ["assistant", "{{ m }}"]],
                 "role_templates": {"user": "<{user_message}>"}}  # fmt: skip
    talks = [
        [{"role": "user", "content": "Hello\n"}],
        [{"role": "system", "content": "Be {{ kind }}."}, {"role": "user", "content": "a"},
         {"role": "assistant", "content": "b"}, {"role": "user", "content": "{% c %}"}],
        [{"role": "system", "content": ""}, {"role": "user", "content": "äö 日本"}],
    ]  # fmt: skip
    for template in (own, odd):
        tokenizer = open_tokenizer(model_folder)
        tokenizer.use_conversation(template, "here")
        for messages in talks:
            tokens = tokenizer.chat(messages)
            prefix = template["system_prefix_token_ids"] or []
            assert tokens[: len(prefix)] == prefix
            assert tokenizer.decode(tokens[len(prefix) :], False) == rendered(template, messages)
        with pytest.raises(tw.TVMError, match="a message is of the roles user, assistant"):
            tokenizer.chat([{"role": "judge", "content": "x"}])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"roles": {"user": "U"}}, "`roles`: expected an object of texts, `user` and `assistant`"),
        ({"seps": []}, "`seps`: expected a list of one or two texts"),
        ({"messages": [["user"]]}, "`messages`: expected a list of pairs"),
        ({"system_template": 3}, "`system_template`: expected a text"),
        ({"add_role_after_system_message": "no"}, "expected true or false"),
        ({"stop_token_ids": [-1]}, "`stop_token_ids`: expected numbers of tokens"),
        ({"stop_str": [1]}, "`stop_str`: expected a list of str"),
    ],
)
def test_templates_that_are_none_are_refused(change, message, model_folder):  # noqa: F811
    tokenizer = open_tokenizer(model_folder)
    with pytest.raises(tw.TVMError, match=f"here: conv_template: .*{message}"):
        tokenizer.use_conversation(CONVERSATIONS["chatml"] | change, "here")


def test_steps_refuse_what_they_cannot_do(model_folder, tmp_path):  # noqa: F811
    with pytest.raises(tw.TVMError, match="weights are converted to q0f16"):
        convert_weight(model_folder, tmp_path, "q9")
    with pytest.raises(tw.TVMError, match="a conversation is one of chatml"):
        gen_config(model_folder, tmp_path, "q4f16_1", "none")
    with pytest.raises(tw.TVMError, match=r"expected a folder with config\.json"):
        gen_config(tmp_path, tmp_path, "q4f16_1", "chatml")
    wrong = run("llm", "gen-config", model_folder, "--quantization", "q4f16_1", "--conv-template", "chatml",
                "--max-batch-size", -1, "-o", tmp_path, cache=tmp_path)  # fmt: skip
    assert wrong.returncode == 1 and "--max-batch-size: expected a number above 0" in wrong.stderr


def test_a_model_is_compiled_into_a_folder(mlc_folder, tmp_path):
    made = run("llm", "compile", mlc_folder / "mlc-chat-config.json", "-o", tmp_path / "out", cache=tmp_path)
    assert made.returncode == 0, made.stderr
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "model.json",
        "model.twx",
        "weights.safetensors",
    ]
    wrong = run("llm", "compile", mlc_folder, cache=tmp_path)
    assert wrong.returncode == 1 and "--output: expected the folder" in wrong.stderr


def test_what_to_expect_of_a_model(model_folder, monkeypatch):  # noqa: F811
    source = open_model(model_folder)
    total, read = weight_bytes(source, "q8_0")
    # Codes of a byte with a scale of float16 for each 32, rows in panels of 16; norms are float32.
    shapes = {name: source.shape(name) for name in source.names()}
    panels = {name: -(-shape[0] // 16) * 16 * shape[1] for name, shape in shapes.items() if len(shape) == 2}
    norms = sum(shape[0] * 4 for shape in shapes.values() if len(shape) == 1)
    assert total == sum(panels.values()) * 34 // 32 + norms
    assert total - read == panels["model.embed_tokens.weight"] * 34 // 32
    config = source.config
    elements = 100 * 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim
    assert [cache_bytes(config, 100, kind) for kind in ("f16", "bf16", "f32")] == [2 * elements] * 2 + [4 * elements]
    found = expect(source)
    assert found.fits and found.decode > found.decode_full > 0 and "fits" in str(found)
    monkeypatch.setattr("tilewright.llm.fit._available", lambda: 1000)
    assert not expect(source).fits and "does not fit" in str(expect(source))


def test_a_started_file_is_an_architecture(model_folder, tmp_path):  # noqa: F811
    settings = json.loads((model_folder / "config.json").read_text())
    names = {"hidden_size": "n_embd", "num_hidden_layers": "n_layer", "num_attention_heads": "n_head"}
    own = {names.get(key, key): value for key, value in settings.items()} | {"model_type": "fresh", "novelty": 3}
    (tmp_path / "config.json").write_text(json.dumps(own))
    for file in model_folder.glob("*.safetensors"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    made = run("llm", "new", "fresh", "--from", tmp_path / "config.json", "-o", tmp_path / "fresh.py", cache=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "#   novelty = 3" in (tmp_path / "fresh.py").read_text()
    spec = importlib.util.spec_from_file_location("fresh", tmp_path / "fresh.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    source = llm.open_model(tmp_path, architectures=(module.FRESH,))
    usual = open_model(model_folder)
    assert source.names() == usual.names() and source.config.hidden_size == usual.config.hidden_size
    again = run("llm", "new", "fresh", "--from", tmp_path / "config.json", "-o", tmp_path / "fresh.py", cache=tmp_path)
    assert again.returncode == 1 and "there is such a file already" in again.stderr
    wrong = run("llm", "new", "no name", "--from", tmp_path / "config.json", cache=tmp_path)
    assert wrong.returncode == 1 and "expected a name as Python has them" in wrong.stderr
