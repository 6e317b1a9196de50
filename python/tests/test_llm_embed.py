"""Vectors of texts by an encoder, against a NumPy model."""

import json
from math import erf

import numpy as np
import pytest
from test_llm_generate import run, tokenizer_files
from test_llm_loader import write_folder

import tilewright as tw
from tilewright import llm
from tilewright.llm.embedding import open_embedder

SETTINGS = {
    "model_type": "bert", "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
    "vocab_size": 258, "max_position_embeddings": 48, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}  # fmt: skip


def shapes(settings):
    hidden, inner = settings["hidden_size"], settings["intermediate_size"]
    linear = lambda name, rows, columns: {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}  # noqa: E731
    norm = lambda name: {f"{name}.weight": (hidden,), f"{name}.bias": (hidden,)}  # noqa: E731
    found = {
        "embeddings.word_embeddings.weight": (settings["vocab_size"], hidden),
        "embeddings.position_embeddings.weight": (settings["max_position_embeddings"], hidden),
        "embeddings.token_type_embeddings.weight": (settings["type_vocab_size"], hidden),
    } | norm("embeddings.LayerNorm")
    for layer in range(settings["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        for name in ("query", "key", "value"):
            found |= linear(f"{at}attention.self.{name}", hidden, hidden)
        found |= linear(f"{at}attention.output.dense", hidden, hidden) | norm(f"{at}attention.output.LayerNorm")
        found |= linear(f"{at}intermediate.dense", inner, hidden)
        found |= linear(f"{at}output.dense", hidden, inner) | norm(f"{at}output.LayerNorm")
    return found


def weights_of(settings, seed=3):
    rng = np.random.default_rng(seed)
    return {name: (rng.standard_normal(shape) / 3).astype("float32") for name, shape in shapes(settings).items()}


def expected(weights, settings, tokens, first=0, pooling="mean", normalize=True):
    """The vector of a text in float64."""
    w = {name: value.astype("float64") for name, value in weights.items()}

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return (
            x / np.sqrt((x * x).mean(-1, keepdims=True) + settings["layer_norm_eps"]) * w[name + ".weight"]
            + w[name + ".bias"]
        )

    linear = lambda x, name: x @ w[name + ".weight"].T + w[name + ".bias"]  # noqa: E731
    gelu = np.vectorize(lambda x: x * (1 + erf(x / np.sqrt(2))) / 2)
    positions = np.arange(first, first + len(tokens))
    x = w["embeddings.word_embeddings.weight"][tokens] + w["embeddings.position_embeddings.weight"][positions]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    heads = settings["num_attention_heads"]
    for layer in range(settings["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        q, k, v = (
            linear(x, f"{at}attention.self.{name}").reshape(len(tokens), heads, -1)
            for name in ("query", "key", "value")
        )
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        seen = np.einsum("hqk,khd->qhd", scores / scores.sum(-1, keepdims=True), v).reshape(len(tokens), -1)
        x = norm(linear(seen, at + "attention.output.dense") + x, at + "attention.output.LayerNorm")
        inner = gelu(linear(x, at + "intermediate.dense"))
        x = norm(linear(inner, at + "output.dense") + x, at + "output.LayerNorm")
    vector = {"mean": x.mean(0), "cls": x[0], "max": x.max(0)}[pooling]
    return vector / np.linalg.norm(vector) if normalize else vector


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("bert")
    write_folder(made, weights_of(SETTINGS), SETTINGS)
    tokenizer_files(made)
    return made


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "embed"))


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_vectors_are_those_of_a_numpy_model(pooling, folder):
    texts = ["Hello", "a", "Ein längerer Text, mit 日本語 darin."]
    for normalize in (True, False):
        found = llm.embed(folder, texts, pooling, normalize)
        weights = weights_of(SETTINGS)
        for text, vector in zip(texts, found, strict=True):
            wanted = expected(weights, SETTINGS, list(text.encode()), 0, pooling, normalize)
            np.testing.assert_allclose(vector, wanted, rtol=0, atol=1e-5)


def test_positions_of_roberta_count_from_after_padding(tmp_path):
    settings = SETTINGS | {"model_type": "roberta", "pad_token_id": 1, "type_vocab_size": 1}
    weights = weights_of(settings)
    write_folder(tmp_path, {f"roberta.{name}": value for name, value in weights.items()}, settings)
    tokenizer_files(tmp_path)
    found = llm.embed(tmp_path, ["text"])[0]
    np.testing.assert_allclose(found, expected(weights, settings, list(b"text"), 2), rtol=0, atol=1e-5)


def test_the_folder_says_how_vectors_are_pooled(tmp_path):
    write_folder(tmp_path, weights_of(SETTINGS), SETTINGS)
    tokenizer_files(tmp_path)
    kinds = ["sentence_transformers.models.Transformer", "sentence_transformers.models.Pooling"]
    (tmp_path / "modules.json").write_text(json.dumps([{"type": kind} for kind in kinds]))
    (tmp_path / "1_Pooling").mkdir()
    pooling = tmp_path / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}))
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": 8}')
    embedder = open_embedder(tmp_path)
    assert (embedder.pooling, embedder.normalize, embedder.longest) == ("cls", False, 8)
    # A text that is too long loses its end, but for the token that ends it.
    assert embedder.tokens("0123456789") == list(b"01234569")
    pooling.write_text(json.dumps({"pooling_mode_weightedmean_tokens": True}))
    with pytest.raises(tw.TVMError, match="found pooling_mode_weightedmean_tokens"):
        open_embedder(tmp_path)
    kinds.append("sentence_transformers.models.Dense")
    (tmp_path / "modules.json").write_text(json.dumps([{"type": kind} for kind in kinds]))
    with pytest.raises(tw.TVMError, match="modules of the type Dense"):
        open_embedder(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "llama"}, "bert, roberta, xlm-roberta, found 'llama'"),
        ({"num_attention_heads": 5}, "a divisor of the hidden size 24"),
        ({"intermediate_size": 41}, r"expected \[41, 24\] of floats, found \[40, 24\]"),
        ({"num_hidden_layers": 3}, 'missing "encoder.layer.2.attention.self.query.weight"'),
        ({"position_embedding_type": "relative_key"}, "positions that are not absolute"),
        ({"hidden_act": "swish?"}, "expected one of gelu"),
    ],
)
def test_settings_that_do_not_fit_are_refused(change, message, tmp_path):
    write_folder(tmp_path, weights_of(SETTINGS), SETTINGS | change)
    tokenizer_files(tmp_path)
    with pytest.raises(tw.TVMError, match=message):
        open_embedder(tmp_path)


def test_the_command_prints_vectors(folder, tmp_path):
    made = run("embed", folder, "one", "-", "--json", cache=tmp_path, given="two\nthree\n")
    assert made.returncode == 0, made.stderr
    found = json.loads(made.stdout)
    assert found["size"] == 24
    np.testing.assert_allclose(found["embeddings"], llm.embed(folder, ["one", "two", "three"]), rtol=0, atol=1e-6)
    lines = run("embed", folder, "one", cache=tmp_path).stdout.splitlines()
    np.testing.assert_allclose([float(own) for own in lines[0].split()], found["embeddings"][0], rtol=0, atol=1e-6)
    wrong = run("embed", tmp_path, "one", cache=tmp_path)
    assert wrong.returncode == 1 and "expected a folder of Hugging Face with config.json" in wrong.stderr
