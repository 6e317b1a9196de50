"""What a text must be (grammars), proposals by prompt lookup, and prompts that are kept, on a small model of noise."""

import json
import re

import json_schemas
import numpy as np
import pytest
from test_llm_generate import model_folder, run  # noqa: F401

import tilewright as tw
from tilewright.llm.compile import compile_model
from tilewright.llm.generate import Generation, Grammar, LanguageModel, Sampling
from tilewright.llm.prompt_cache import KeptPrompt
from tilewright.llm.tokenizer import open_tokenizer

#: Tokens of a sequence: the rotations of the model's positions have no limit of their own.
CONTEXT = 4096


@pytest.fixture(scope="module")
def model(model_folder, tmp_path_factory):  # noqa: F811
    made = compile_model(model_folder, tmp_path_factory.mktemp("compiled"), context_window_size=CONTEXT)
    return LanguageModel(made, open_tokenizer(model_folder))


@pytest.fixture(scope="module")
def exact(model_folder, tmp_path_factory):  # noqa: F811
    made = compile_model(
        model_folder, tmp_path_factory.mktemp("exact"), context_window_size=CONTEXT, activations="exact"
    )
    return LanguageModel(made, open_tokenizer(model_folder))


def said(model, grammar, seed=0, **sampling):
    result = Generation()
    given = Sampling(temperature=1.5, seed=seed, **sampling)
    text = "".join(model.stream(list(b"Say:"), result, 3000, given, grammar=grammar))
    assert result.finish_reason == "stop", (grammar, text)
    return text


def test_a_value_of_another_schema_is_told_apart():
    # The judge of the next test must be able to say no.
    kinds = {"type": "object", "properties": {"a": {"type": "integer", "multipleOf": 5}}, "required": ["a"],
             "additionalProperties": False}  # fmt: skip
    for value, expected in (({"a": 10}, True), ({"a": 7}, False), ({}, False), ({"a": 5, "b": 1}, False), ([], False)):
        assert json_schemas.matches(kinds, value, kinds) is expected
    assert not json_schemas.matches({"enum": [1]}, True, None)
    assert not json_schemas.matches({"oneOf": [True, {"type": "string"}]}, "x", None)
    assert not json_schemas.matches({"type": "string", "format": "ipv4"}, "1.2.3", None)
    assert json_schemas.matches({"type": "string", "format": "ipv4"}, "1.2.3.255", None)


@pytest.mark.parametrize("part", range(4))
def test_every_text_is_of_its_schema(part, model):
    made = list(json_schemas.schemas(240))[part::4]
    for number, schema in enumerate(made):
        text = said(model, Grammar("json_schema", json.dumps(schema)), number)
        assert json_schemas.matches(schema, json.loads(text), schema), (schema, text)


def test_a_text_is_of_its_expression_or_grammar(model):
    for seed in range(4):
        assert re.fullmatch(r"[a-f]{3}-\d{2,4}", said(model, Grammar("regex", r"[a-f]{3}-\d{2,4}"), seed))
        assert isinstance(json.loads(said(model, Grammar("json_object"), seed)), dict)
    sums = 'start: term ("+" term)~1..3\nterm: "(" start ")" | /[0-9]{1,2}/\n'
    text = said(model, Grammar("lark", sums), top_k=3, top_p=0.9)
    # Python reads sums too; it has no numbers that begin with zeros.
    assert isinstance(eval(re.sub(r"0+(\d)", r"\1", text)), int) and "+" in text


def test_the_mask_comes_before_what_the_sampler_does(model):
    # A bias and a penalty cannot bring back what the grammar forbids.
    other = model.tokenizer.encode("z")[0]
    text = said(model, Grammar("regex", "[ab]{12}"), logit_bias={other: 100.0}, repetition_penalty=1.3)
    assert re.fullmatch("[ab]{12}", text)
    only = model.tokenizer.encode("b")[0]
    assert said(model, Grammar("regex", "[ab]{12}"), logit_bias={only: 100.0}) == "b" * 12
    # Of equal chances, penalties take turns: what was said is less likely by far.
    turns = said(model, Grammar("regex", "[ab]{12}"), frequency_penalty=100.0)
    assert turns in ("ab" * 6, "ba" * 6) or turns.count("a") == 6


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        (Grammar("regex", "(a"), "unclosed group"),
        (Grammar("json_schema", "{"), "the schema is no JSON"),
        (Grammar("json_schema", '{"type": "integer", "minimum": 5, "maximum": 4}'), "Unsatisfiable schema"),
        (Grammar("json_schema", '{"type": "number or so"}'), "number or so"),
        (Grammar("json_schema", '{"$ref": "#/$defs/none"}'), "none"),
        (Grammar("json_schema", '{"$ref": "https://example.com/schema"}'), "ref"),
        (Grammar("lark", "start: other"), "other"),
        (Grammar("lark", "x" * (1 << 20) + "y"), "over the limit"),
        (Grammar("yaml", ""), "a grammar is json_schema, json_object, regex or lark, found yaml"),
    ],
)
def test_a_grammar_that_cannot_be_is_refused(grammar, message, model):
    with pytest.raises(tw.TVMError, match=re.escape(message)):
        list(model.generate("Say:", 4, grammar=grammar))


def test_a_constraint_is_of_one_generation(model):
    constraint = Grammar("regex", "a").constraint(model.tokenizer)
    settings = {"temperature": 0.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "repetition_penalty": 1.0,
                "presence_penalty": 0.0, "frequency_penalty": 0.0, "logit_bias": [], "seed": 0, "top_logprobs": None,
                "ends": [], "max_tokens": 1, "speculate": False}  # fmt: skip
    tw._core.Generator(settings, constraint)
    with pytest.raises(tw.TVMError, match="a constraint is of one generation"):
        tw._core.Generator(settings, constraint)


def test_log_probabilities_are_those_of_the_logits(model):
    result, sampling = Generation(), Sampling(temperature=1.0, seed=3, top_logprobs=2)
    list(model.stream(list(b"Once"), result, 5, sampling))
    sequence = model.sequence()
    logits = sequence.replace(list(b"Once")).numpy().astype("float64")
    for token, (logprob, top) in zip(result.tokens, result.logprobs, strict=True):
        logs = logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
        assert abs(logs[token] - logprob) < 1e-4
        assert [own for own, _ in top] == np.argsort(-logs, kind="stable")[:2].tolist()
        logits = sequence.append([token]).numpy().astype("float64")


#: A text that says the same again and again.
COPIES = b"one two three four five six seven. " * 6


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=0.9, top_k=20, seed=5, repetition_penalty=1.1)])
def test_proposals_do_not_change_the_text(sampling, exact):
    texts = []
    for speculate in (False, True):
        # Biases make the model of noise copy: what it proposes is accepted now and then.
        given = Sampling(**{**vars(sampling), "logit_bias": {own: 4.0 for own in set(b"one tw")}})
        result = Generation()
        list(exact.stream(list(COPIES), result, 400, given, speculate=speculate))
        texts.append(result.tokens)
        assert len(result.tokens) == 400 or result.finish_reason == "stop"
        assert (result.proposals[0] > 0) == speculate and result.proposals[1] <= result.proposals[0]
    assert texts[0] == texts[1]


def test_a_copy_is_verified_several_tokens_at_once(exact):
    # The grammar allows one text only, which repeats itself: all that is proposed is accepted.
    grammar = Grammar("regex", "(abcdefgh){20}")
    result = Generation()
    text = "".join(exact.stream(list(b"x"), result, 500, grammar=grammar, speculate=True))
    assert text == "abcdefgh" * 20 and result.finish_reason == "stop"
    proposed, accepted = result.proposals
    # One sees the period once, then copies it; the last proposal may reach beyond the end.
    assert accepted > 120 and proposed - accepted < 16


def test_several_rows_are_those_of_single_steps(exact):
    tokens = list(b"A sentence of bytes.")
    sequence, single = exact.sequence(), exact.sequence()
    sequence.append(tokens[:10])
    single.append(tokens[:10])
    rows = sequence.append_all(tokens[10:]).numpy()
    expected = np.stack([single.append([token]).numpy() for token in tokens[10:]])
    # One row is another kernel than several, which may sum in another order.
    np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
    assert sequence.tokens == tokens
    with pytest.raises(tw.TVMError, match="a step needs a token at least"):
        sequence.append_all([])
    with pytest.raises(tw.TVMError, match="600 tokens do not fit"):
        sequence.append_all([1] * 600)


def test_a_kept_prompt_gives_the_same_logits(model, exact, tmp_path):
    tokens = list(b"What was said before, and is not computed again.")
    first = model.sequence()
    first.replace(tokens)
    kept = KeptPrompt(tmp_path / "prompt", model)
    assert kept.restore(model.sequence()) == 0
    kept.save(first)
    second = model.sequence()
    assert kept.restore(second) == len(tokens) and second.tokens == tokens
    np.testing.assert_array_equal(second.append([9, 8]).numpy(), first.append([9, 8]).numpy())
    # Another prompt that begins alike.
    third, other = model.sequence(), [*tokens[:20], 1, 2, 3]
    kept.restore(third)
    np.testing.assert_array_equal(third.replace(other).numpy(), first.replace(other).numpy())
    with pytest.raises(tw.TVMError, match="kept by another model"):
        KeptPrompt(tmp_path / "prompt", exact).restore(exact.sequence())


def test_a_file_that_is_no_kept_prompt_is_refused(model, tmp_path):
    sequence, file = model.sequence(), tmp_path / "prompt"
    sequence.append([1, 2, 3])
    KeptPrompt(file, model).save(sequence)
    whole = file.read_bytes()
    for data, message in (
        (b"", "a kept prompt has 72 bytes or more, found 0"),
        (b"x" * 100, "this is no kept prompt"),
        (whole[:-1], "3 tokens were kept"),
        (whole[:-1] + bytes([whole[-1] ^ 1]), "the kept prompt was changed"),
        (whole[:44] + b"\xff" * 4 + whole[48:], "4294967295 tokens were kept"),
    ):
        file.write_bytes(data)
        with pytest.raises(tw.TVMError, match=f"prompt: {message}.*remove the file"):
            KeptPrompt(file, model).restore(sequence)
    with pytest.raises(tw.TVMError, match="expected a kept prompt"):
        KeptPrompt(tmp_path, model).restore(sequence)


def test_options_of_the_command_line(model_folder, tmp_path):  # noqa: F811
    call = lambda *options: run("generate", model_folder, "Hi", "--max-tokens", 40, *options, cache=tmp_path)  # noqa: E731
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "integer", "minimum": 3, "maximum": 5}')
    assert call("--json-schema", schema).stdout.strip() in ("3", "4", "5")
    assert call("--json-schema", '{"const": "x"}').stdout.strip() == '"x"'
    assert re.fullmatch("[xy]{4}", call("--regex", "[xy]{4}", "--speculate").stdout.strip())
    grammar = tmp_path / "grammar"
    grammar.write_text('start: "left" | "right"')
    assert call("--grammar", grammar).stdout.strip() in ("left", "right")
    first, again = (call("--prompt-cache", tmp_path / "kept", "--json") for _ in range(2))
    assert json.loads(first.stdout)["prompt_tokens"] == json.loads(again.stdout)["prompt_tokens"] == 2
    assert (tmp_path / "kept").is_file()
    for options, message in (
        (("--regex", "(a"), "unclosed group"),
        (("--grammar", tmp_path / "none"), "--grammar: there is no file"),
        (("--json-schema", "none.json"), "--json-schema: there is no file none.json"),
        (("--regex", "a", "--json-schema", "{}"), "not allowed with argument"),
        (("--prompt-cache", schema), "a kept prompt has 72 bytes or more"),
    ):
        wrong = call(*options)
        assert wrong.returncode != 0 and message in wrong.stderr and "Traceback" not in wrong.stderr, wrong.stderr
