"""`MLCEngine` and `ChatModule`: requests and answers in the shape of OpenAI's API, on a small model of noise."""

import json
import os
import subprocess
import sys

import pytest
from test_llm_generate import model_folder  # noqa: F401

import tilewright as tw
from tilewright.compat.mlc_llm import ChatModule, GenerationConfig, MLCEngine
from tilewright.llm.generate import Generation, Sampling

HELLO = [{"role": "user", "content": "Hello"}]


@pytest.fixture(scope="module")
def engine(model_folder, tmp_path_factory):  # noqa: F811
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield MLCEngine(str(model_folder))


def test_an_answer_is_that_of_the_model(engine):
    said = engine.chat.completions.create(messages=HELLO, temperature=0, max_tokens=8, model="mine")
    result = Generation()
    text = "".join(engine.model.stream(engine.model.tokenizer.chat(HELLO), result, 8, Sampling()))
    assert (said.object, said.model) == ("chat.completion", "mine")
    choice = said.choices[0]
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", text, "length")
    usage = said.usage
    prompt = result.prompt_tokens
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (prompt, 8, prompt + 8)
    assert json.loads(said.model_dump_json())["choices"][0]["message"]["content"] == text


def test_parts_make_the_answer(engine):
    given = {"messages": HELLO, "temperature": 1.0, "seed": 4, "max_tokens": 12}
    whole = engine.chat.completions.create(**given)
    parts = list(engine.chat.completions.create(**given, stream=True, stream_options={"include_usage": True}))
    assert {part.object for part in parts} == {"chat.completion.chunk"} and len({part.id for part in parts}) == 1
    assert "".join(part.choices[0].delta.content for part in parts[:-1]) == whole.choices[0].message.content
    assert parts[-2].choices[0].finish_reason == "length" and parts[-1].usage.completion_tokens == 12
    # Two answers at once do not disturb each other.
    two = [engine.chat.completions.create(**given, stream=True) for _ in range(2)]
    texts = ["", ""]
    for pair in zip(*two, strict=True):
        texts = [text + part.choices[0].delta.content for text, part in zip(texts, pair, strict=True)]
    assert texts == [whole.choices[0].message.content] * 2


def test_an_answer_is_of_its_schema(engine):
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}}, "required": ["n"],
              "additionalProperties": False}  # fmt: skip
    for form in (
        {"type": "json_object", "schema": json.dumps(schema)},
        {"type": "json_schema", "json_schema": {"name": "one", "schema": schema}},
    ):
        said = engine.chat.completions.create(messages=HELLO, response_format=form, seed=1)
        assert 1 <= json.loads(said.choices[0].message.content)["n"] <= 9
        assert said.choices[0].finish_reason == "stop"


def test_several_answers_and_their_probabilities(engine):
    said = engine.completions.create(prompt="ab", n=2, max_tokens=4, seed=2, logprobs=True, top_logprobs=3)
    assert [choice.index for choice in said.choices] == [0, 1]
    assert said.choices[0].text != said.choices[1].text and said.usage.completion_tokens == 8
    for choice in said.choices:
        assert len(choice.logprobs.content) == 4
        for token in choice.logprobs.content:
            assert token.logprob <= 0 and len(token.top_logprobs) == 3
            assert token.top_logprobs[0].logprob >= token.logprob
    only = engine.completions.create(prompt="ab", max_tokens=3, logit_bias={"98": 100.0})
    assert only.choices[0].text == "bbb"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tools": [{}]}, "`tools` is none of the arguments that are taken here"),
        ({"messages": []}, "`messages`: expected a list of messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "a `content` of text"),
        ({"max_tokens": 0}, "`max_tokens` above 0"),
        ({"response_format": {"type": "yaml"}}, "`response_format`: expected the type text"),
        ({"response_format": {"type": "json_schema"}}, "expected the schema in `json_schema`"),
        ({"temperature": -1}, "temperature is -1"),
    ],
)
def test_requests_that_cannot_be_are_refused(given, message, engine):
    with pytest.raises(tw.TVMError, match=message):
        engine.chat.completions.create(**{"messages": HELLO, **given})


def test_what_is_not_here_is_said(tmp_path):
    with pytest.raises(tw.TVMError, match="models run on the processor here, found the device 'cuda:0'"):
        MLCEngine(str(tmp_path), "cuda:0")
    with pytest.raises(tw.TVMError, match="models are not downloaded"):
        MLCEngine("HF://mlc-ai/model")


def test_a_conversation_goes_on(model_folder, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    chat, told = ChatModule(str(model_folder)), []
    config = GenerationConfig(temperature=0.0, max_gen_len=5)
    first = chat.generate("Hi", config, told.append)
    assert "".join(told) == first and "tok/s" in chat.stats()
    second = chat.generate("More", config)
    chat.reset_chat()
    assert chat.generate("Hi", config) == first
    messages = [("user", "Hi"), ("assistant", first), ("user", "More")]
    chat.reset_chat()
    assert chat.generate([{"role": role, "content": said} for role, said in messages], config) == second


SCRIPT = """
import sys
from mlc_llm import MLCEngine

engine = MLCEngine(sys.argv[1], mode="interactive")
messages = [{"role": "user", "content": "Hi"}]
for part in engine.chat.completions.create(messages=messages, max_tokens=3, stream=True, seed=1):
    for choice in part.choices:
        print(choice.delta.content, end="")
print("|", choice.finish_reason)
engine.terminate()
"""


def test_scripts_find_the_engine_by_its_name(model_folder, tmp_path):  # noqa: F811
    script = tmp_path / "talk.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"TILEWRIGHT_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "tilewright.compat", str(script), str(model_folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0 and done.stdout.endswith("| length\n"), done.stderr
    folder = tmp_path / "mlc"
    command = [sys.executable, "-m", "tilewright.compat.mlc_llm", "convert_weight", str(model_folder)]
    command += ["--quantization", "q4f16_1", "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0 and (folder / "ndarray-cache.json").is_file(), done.stderr
    done = subprocess.run([*command[:3], "serve"], capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 2 and "usage: mlc_llm" in done.stderr
