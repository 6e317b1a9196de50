"""A model layer by layer against another one: the first tensor that differs is named."""

import numpy as np
import pytest
from test_llm_generate import VOCAB, tokenizer_files
from test_llm_loader import SETTINGS, SHAPES, write_folder

import tilewright as tw
from tilewright.llm.check import architectures_of, check, compare, outputs
from tilewright.llm.loader import open_model

TOKENS = [5, 80, 3, 200, 7]


def tensors(**changed):
    rng = np.random.default_rng(11)
    found = {}
    for name, shape in SHAPES.items():
        shape = (VOCAB, *shape[1:]) if shape[0] == SETTINGS["vocab_size"] else shape
        found[name] = (rng.standard_normal(shape) / 4).astype("float32")
    return {name: value * np.float32(changed.get(name.replace(".", "_"), 1)) for name, value in found.items()}


def written(folder, **changed):
    folder.mkdir()
    write_folder(folder, tensors(**changed), SETTINGS | {"vocab_size": VOCAB})
    tokenizer_files(folder)
    return folder


def test_outputs_are_those_of_a_forward(tmp_path):
    source = open_model(written(tmp_path / "model"))
    found = outputs(source, TOKENS)
    table = source.read("model.embed_tokens.weight")
    np.testing.assert_array_equal(found["embed"], table[TOKENS])
    # Without norms after them, what attention and the MLP give is added to the hidden states.
    before = found["embed"]
    for layer in range(source.config.num_hidden_layers):
        before = before + found[f"layer {layer}: attention"] + found[f"layer {layer}: MLP"]
        np.testing.assert_allclose(found[f"layer {layer}"], before, rtol=0, atol=1e-4 * np.abs(before).max())
    head = source.read("lm_head.weight")
    np.testing.assert_allclose(
        found["logits"], found["norm"] @ head.T, rtol=0, atol=1e-4 * np.abs(found["logits"]).max()
    )


@pytest.mark.parametrize(
    ("changed", "first"),
    [
        ({}, None),
        ({"model_layers_0_self_attn_o_proj_weight": 1.01}, "layer 0: attention"),
        ({"model_layers_0_mlp_down_proj_weight": 1.01}, "layer 0: MLP"),
        ({"model_norm_weight": 1.01}, "norm"),
        ({"lm_head_weight": 1.01}, "logits"),
    ],
)
def test_the_first_difference_is_named(changed, first, tmp_path):
    own, other = written(tmp_path / "own"), written(tmp_path / "other", **changed)
    reference = lambda path, source, tokens: outputs(open_model(other), tokens)  # noqa: E731
    found = check(own, TOKENS, reference)
    assert next((one.name for one in found if one.differs), None) == first
    assert [one.name for one in found][-1] == "logits" and len(found) == 3 + 3 * SETTINGS["num_hidden_layers"]


def test_other_shapes_and_numbers_that_are_none_differ():
    ours = {"a": np.zeros((2, 2), "float32"), "b": np.full((1, 1), np.nan, "float32")}
    found = compare(ours, {"a": np.zeros((2, 3), "float32"), "b": np.ones((1, 1), "float32")})
    assert all(one.differs for one in found)


def test_a_file_brings_its_architecture(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("from tilewright.llm.model.llama import LLAMA\n")
    assert [own.name for own in architectures_of(file)] == ["llama"]
    for text, message in (("x = 1", "expected an `Architecture`, found none"), ("1 / 0", "ZeroDivisionError")):
        file.write_text(text)
        with pytest.raises(tw.TVMError, match=message):
            architectures_of(file)
    with pytest.raises(tw.TVMError, match="there is no such file"):
        architectures_of(tmp_path / "none.py")
