"""The examples of modules in Python: a rotary embedding, a small Llama and a BERT encoder, beside PyTorch.

Agreement is within 1e-4 of the output's scale: products sum over up to 64 numbers in float32, in other orders. That an
error in a weight of a hundredth is seen shows that every weight matters.
"""

import numpy as np
import pytest
from conftest import HERE

from tilewright.relax.frontend import nn

EXAMPLES = HERE.parent.parent / "examples" / "nn"
pytestmark = [pytest.mark.torch, pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not here")]
CLOSE = 1e-4


@pytest.fixture(autouse=True)
def path(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


def difference(found, expected):
    """The largest difference beside the scale of what is expected."""
    assert found.shape == expected.shape and found.dtype == expected.dtype
    return np.abs(found - expected).max() / np.abs(expected).max()


def turned(x, offset, theta=10000.0):
    """The rotary embedding of (…, sequence, heads, width), each pair as a complex number."""
    import torch

    half = x.shape[-1] // 2
    angles = torch.outer(torch.arange(offset, offset + x.shape[-3]), theta ** -(torch.arange(half) / half)).double()
    pairs = torch.complex(x[..., :half].double(), x[..., half:].double())
    pairs = pairs * torch.polar(torch.ones_like(angles), angles)[:, None]
    return torch.cat([pairs.real, pairs.imag], -1).float()


@pytest.mark.parametrize(("length", "offset"), [(1, 0), (5, 0), (1, 7), (3, 1000), (0, 2)])
def test_rotary_embedding(length, offset):
    import torch
    from rotary import RotaryEmbedding

    spec = {"forward": {"x": nn.spec.Tensor((1, "n", 2, 8), "float32"), "offset": int}}
    x = np.random.default_rng(length).standard_normal((1, length, 2, 8)).astype("float32")
    found = RotaryEmbedding(8).jit(spec, out_format="numpy")["forward"](x, offset)
    expected = turned(torch.from_numpy(x), offset).numpy()
    assert found.shape == expected.shape
    # The angle is rounded to float32 before its sine is taken.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 + offset * 2e-7)


def torch_llama(weights, tokens, config):
    """The scores of all tokens, without a cache."""
    import torch
    from torch.nn import functional as F

    w = {name: torch.from_numpy(value) for name, value in weights.items()}

    def normed(x, weight):
        return F.rms_norm(x, x.shape[-1:], weight, config.epsilon)

    def heads(x, count):
        return x.reshape(1, -1, count, config.width)

    x = w["embedding.weight"][torch.tensor([tokens])]
    for at in range(config.blocks):
        p = f"blocks.{at}"
        y = normed(x, w[f"{p}.attention_norm.weight"])
        q = turned(heads(y @ w[f"{p}.attention.q.weight"].T, config.heads), 0)
        k = turned(heads(y @ w[f"{p}.attention.k.weight"].T, config.kv_heads), 0)
        v = heads(y @ w[f"{p}.attention.v.weight"].T, config.kv_heads)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2).flatten(2)
        x = x + y @ w[f"{p}.attention.o.weight"].T
        gate, up = (normed(x, w[f"{p}.mlp_norm.weight"]) @ w[f"{p}.mlp.gate_up.weight"].T).chunk(2, -1)
        x = x + (F.silu(gate) * up) @ w[f"{p}.mlp.down.weight"].T
    return (normed(x, w["norm.weight"]) @ w["head.weight"].T).numpy()


@pytest.fixture(scope="module")
def llama():
    import sys

    sys.path.insert(0, str(EXAMPLES))
    from llama import SPEC, Config, Llama, draw_weights

    config = Config()
    model = Llama(config)
    weights = draw_weights(model)
    model.load_state_dict(weights)
    yield config, weights, model.jit(SPEC, out_format="numpy")
    sys.path.remove(str(EXAMPLES))


TOKENS = [7, 3, 9, 0, 49, 12, 12, 30, 1, 8, 44]


@pytest.mark.parametrize("steps", [[11], [1] * 11, [5, 1, 1, 3, 1], [2, 9], [4, 4, 3]], ids=str)
def test_llama_with_a_cache_that_grows_step_by_step(llama, steps):
    config, weights, compiled = llama
    expected = torch_llama(weights, TOKENS, config)
    compiled.reset()
    done = 0
    for new in steps:
        tokens = np.array([TOKENS[done : done + new]], "int32")
        scores = compiled["forward"](tokens, done + new)
        assert difference(scores, expected[:, done : done + new]) < CLOSE
        done += new


def test_llama_reads_its_cache(llama):
    config, weights, _ = llama
    other = [*TOKENS[:3], 20, *TOKENS[4:]]
    ours, theirs = torch_llama(weights, TOKENS, config), torch_llama(weights, other, config)
    assert difference(theirs[:, :3], ours[:, :3]) == 0
    assert difference(theirs[:, 4:], ours[:, 4:]) > 100 * CLOSE


def seen(compiled, expected, run, where=lambda name, values: ...):
    """How far off the results are for each weight that is a hundredth larger, or where it is."""
    found = {}
    names = [name for name, _ in compiled.spec.module.named_parameters()]
    for at, name in enumerate(names):
        kept = compiled.params[at]
        values = kept.numpy().copy()
        values[where(name, values)] *= np.float32(1.01)
        compiled.params[at] = type(kept).from_dlpack(values)
        found[name] = difference(run(), expected)
        compiled.params[at] = kept
    return found


def test_llama_with_an_error_in_any_weight_is_off(llama):
    config, weights, compiled = llama
    expected = torch_llama(weights, TOKENS, config)

    def run():
        compiled.reset()
        return compiled["forward"](np.array([TOKENS], "int32"), len(TOKENS))

    assert difference(run(), expected) < CLOSE
    for name, off in seen(compiled, expected, run).items():
        assert off > 2 * CLOSE, (name, off)


def test_llama_with_an_error_in_a_single_number_is_off(llama):
    config, weights, compiled = llama
    expected = torch_llama(weights, TOKENS, config)

    def largest(name, values):
        # Of the embedding, among the rows that are used.
        used = np.isin(np.arange(len(values)), TOKENS) if name == "embedding.weight" else np.ones(len(values), bool)
        sizes = np.abs(values) * used.reshape(-1, *[1] * (values.ndim - 1))
        return np.unravel_index(sizes.argmax(), values.shape)

    def run():
        compiled.reset()
        return compiled["forward"](np.array([TOKENS], "int32"), len(TOKENS))

    for name, off in seen(compiled, expected, run, largest).items():
        assert off > CLOSE, (name, off)


def test_a_cache_of_another_length_than_is_said_is_an_error(llama):
    import tilewright as tw

    _, _, compiled = llama
    compiled.reset()
    with pytest.raises(tw.TVMError, match=r"\[3, 2, 8\].*\[9, 2, 8\]"):
        compiled["forward"](np.array([TOKENS[:3]], "int32"), 9)


def torch_bert(weights, tokens, kinds, mask, config):
    """PyTorch's own encoder layers with these weights."""
    import torch

    w = {name: torch.from_numpy(value) for name, value in weights.items()}
    layers = []
    for at in range(config.blocks):
        p = f"blocks.{at}"
        layer = torch.nn.TransformerEncoderLayer(
            config.hidden, config.heads, config.intermediate, dropout=0, activation="gelu", batch_first=True,
            layer_norm_eps=config.epsilon,
        ).eval()  # fmt: skip
        state = {
            "self_attn.in_proj_weight": torch.cat([w[f"{p}.attention.{n}.weight"] for n in ("query", "key", "value")]),
            "self_attn.in_proj_bias": torch.cat([w[f"{p}.attention.{n}.bias"] for n in ("query", "key", "value")]),
        }
        pairs = {"self_attn.out_proj": "attention.output", "linear1": "up", "linear2": "down",
                 "norm1": "attention_norm", "norm2": "norm"}  # fmt: skip
        for theirs, ours in pairs.items():
            state |= {f"{theirs}.{part}": w[f"{p}.{ours}.{part}"] for part in ("weight", "bias")}
        layer.load_state_dict(state)
        layers.append(layer)
    tokens, kinds = torch.from_numpy(tokens), torch.from_numpy(kinds)
    x = w["embeddings.words.weight"][tokens.long()] + w["embeddings.kinds.weight"][kinds.long()]
    x = x + w["embeddings.positions.weight"][: tokens.shape[1]]
    norm = w["embeddings.norm.weight"], w["embeddings.norm.bias"]
    x = torch.nn.functional.layer_norm(x, x.shape[-1:], *norm, config.epsilon)
    with torch.no_grad():
        for layer in layers:
            # Training mode keeps PyTorch off its shortcut, which leaves out hidden tokens.
            x = layer.train()(x, src_key_padding_mask=torch.from_numpy(mask == 0))
    return x.numpy()


@pytest.fixture(scope="module")
def bert():
    import sys

    sys.path.insert(0, str(EXAMPLES))
    from bert import SPEC, Bert, Config
    from llama import draw_weights

    config = Config()
    model = Bert(config)
    weights = draw_weights(model, seed=5)
    model.load_state_dict(weights)
    yield config, weights, model.jit(SPEC, out_format="numpy")
    sys.path.remove(str(EXAMPLES))


def inputs(config, batch, length):
    random = np.random.default_rng(length)
    tokens = random.integers(0, config.vocabulary, (batch, length)).astype("int32")
    kinds = random.integers(0, config.kinds, (batch, length)).astype("int32")
    mask = np.ones((batch, length), "int32")
    mask[0, length - length // 3 :] = 0
    return tokens, kinds, mask


@pytest.mark.parametrize(("batch", "length"), [(1, 1), (1, 7), (3, 12), (2, 32)])
def test_bert_of_any_batch_and_length(bert, batch, length):
    config, weights, compiled = bert
    given = inputs(config, batch, length)
    assert difference(compiled["forward"](*given), torch_bert(weights, *given, config)) < CLOSE


def test_bert_with_an_error_in_any_weight_is_off(bert):
    config, weights, compiled = bert
    given = inputs(config, 3, 12)
    expected = torch_bert(weights, *given, config)
    for name, off in seen(compiled, expected, lambda: compiled["forward"](*given)).items():
        if name.endswith("key.bias"):
            # It adds the same to a query's product with every key, which the softmax takes out again.
            assert off < CLOSE, (name, off)
        else:
            assert off > 2 * CLOSE, (name, off)


@pytest.mark.parametrize("name", ["rotary", "llama", "bert"])
def test_the_examples_run(python, name):
    done = python(EXAMPLES / f"{name}.py")
    assert done.returncode == 0, done.stderr
    assert "class Module:" in done.stdout
