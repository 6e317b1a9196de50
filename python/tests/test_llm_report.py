"""What a quantisation costs, and how fast a model is."""

import json

import numpy as np
import pytest
from test_llm_generate import model_folder, run  # noqa: F401

import tilewright as tw
from tilewright.llm.bench import measure
from tilewright.llm.compile import compile_model
from tilewright.llm.generate import LanguageModel
from tilewright.llm.loader import open_model
from tilewright.llm.report import judge, weight_errors
from tilewright.llm.tokenizer import open_tokenizer

TEXT = "A text of ninety bytes or so, which both of the models read and which neither understands."


def logs(folder, tokenizer, tokens, quantization, activations, made):
    """Logarithms of the probabilities of each token after those before it, one step after another."""
    model = LanguageModel(compile_model(folder, made, quantization=quantization, activations=activations), tokenizer)
    sequence = model.sequence()
    rows = np.stack([sequence.append([token]).numpy() for token in tokens[:-1]]).astype("float64")
    rows -= rows.max(-1, keepdims=True)
    return rows - np.log(np.exp(rows).sum(-1, keepdims=True))


@pytest.mark.parametrize("activations", ["exact", "int8"])
def test_a_report_is_that_of_single_steps(activations, model_folder, tmp_path):  # noqa: F811
    tokenizer = open_tokenizer(model_folder)
    tokens = tokenizer.encode(TEXT)
    found = judge(model_folder, "q4_0", TEXT, tokenizer, activations)
    plain = logs(model_folder, tokenizer, tokens, None, "exact", tmp_path / "plain")
    other = logs(model_folder, tokenizer, tokens, "q4_0", activations, tmp_path / "other")
    rows, following = np.arange(len(tokens) - 1), tokens[1:]
    assert found.tokens == len(tokens) - 1
    kl = (np.exp(plain) * (plain - other)).sum(-1).mean()
    # Bytes of activations may differ between one row and several.
    limit = 1e-4 if activations == "exact" else 0.02
    np.testing.assert_allclose(found.perplexity_before, np.exp(-plain[rows, following].mean()), rtol=1e-4)
    np.testing.assert_allclose(found.perplexity_after, np.exp(-other[rows, following].mean()), rtol=limit)
    np.testing.assert_allclose(found.kl, kl, rtol=10 * limit)
    assert found.kl > 1e-5 and found.bytes_after < found.bytes_before / 5


def test_errors_of_weights_are_relative_and_sorted(model_folder):  # noqa: F811
    source = open_model(model_folder)
    coarse, fine = weight_errors(source, "q4_0"), weight_errors(source, "q8_0")
    assert list(coarse.values()) == sorted(coarse.values(), reverse=True) and set(coarse) == set(fine)
    # Of normal values in groups of 32, 4 bits leave about 9 %, 8 bits a half per cent.
    assert all(0.04 < error < 0.15 for error in coarse.values())
    assert all(0.002 < error < 0.01 for error in fine.values())


def test_the_commands_report(model_folder, tmp_path):  # noqa: F811
    text = tmp_path / "text"
    text.write_text(TEXT)
    made = run("llm", "quantize", model_folder, "--to", "q8_0", "--report", text, cache=tmp_path)
    assert made.returncode == 0 and "worst weights" in made.stdout and "perplexity" in made.stdout, made.stderr
    wrong = run("llm", "quantize", model_folder, "--to", "q8_0", "--report", tmp_path / "none", cache=tmp_path)
    assert wrong.returncode == 1 and "expected a text of" in wrong.stderr
    timed = run("llm", "bench", model_folder, "--prompt", 20, "--prompt", 40, "--tokens", 4, "--runs", 2, "--json",
                cache=tmp_path)  # fmt: skip
    assert [one["prompt"] for one in json.loads(timed.stdout)] == [20, 40], timed.stderr
    assert all(one["decode_best"] >= one["decode"] > 0 < one["prefill"] for one in json.loads(timed.stdout))


def test_a_measurement_fits_the_context(model_folder, tmp_path):  # noqa: F811
    model = LanguageModel(compile_model(model_folder, tmp_path), open_tokenizer(model_folder))
    with pytest.raises(tw.TVMError, match="128 together at most"):
        measure(model, 120, 9)
