"""Layers of `relax.frontend.nn` beside PyTorch's, with the same weights and every dimension of the input symbolic."""

import math

import numpy as np
import pytest
from nn_checks import random, run, tensor

import tilewright as tw
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op

pytestmark = pytest.mark.torch


def weights_of(model):
    return {name: random(*parameter.shape, seed=at) for at, (name, parameter) in enumerate(model.named_parameters())}


def beside_torch(ours, theirs, spec, *inputs, rename=(), tolerance=1e-5):
    """Both give the same for random weights and these inputs."""
    import torch

    weights = weights_of(ours)
    ours.load_state_dict(weights)
    state = {}
    for name, value in weights.items():
        for old, new in rename:
            name = name.replace(old, new)
        state[name] = torch.from_numpy(value)
    theirs.load_state_dict(state)
    found = ours.jit({"forward": spec})["forward"](*map(torch.from_numpy, inputs))
    expected = theirs(*map(torch.from_numpy, inputs)).detach()
    assert found.dtype == expected.dtype and found.shape == expected.shape
    scale = max(expected.abs().max().item(), 1.0) if expected.numel() else 1.0
    torch.testing.assert_close(found, expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("bias", [True, False])
def test_linear(bias):
    import torch

    for shape in [(3, 5), (2, 3, 5), (0, 5)]:
        names = [f"d{at}" for at in range(len(shape) - 1)]
        beside_torch(nn.Linear(5, 7, bias), torch.nn.Linear(5, 7, bias), {"x": tensor(*names, 5)}, random(*shape))


def test_linear_with_a_type_of_its_own_for_sums():
    model = nn.Linear(64, 3, dtype="float16", out_dtype="float32")
    assert (model.weight.dtype, model.bias.dtype) == ("float16", "float32")
    weights = {"weight": random(3, 64).astype("float16"), "bias": random(3)}
    model.load_state_dict(weights)
    x = random(2, 64).astype("float16")
    found = model.jit({"forward": {"x": tensor("n", 64, dtype="float16")}}, out_format="numpy")["forward"](x)
    expected = x.astype("float32") @ weights["weight"].astype("float32").T + weights["bias"]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


CONVOLUTIONS = [
    {"kernel_size": 3},
    {"kernel_size": 3, "padding": 1, "bias": False},
    {"kernel_size": 2, "stride": 2, "groups": 2},
    {"kernel_size": 3, "padding": 2, "dilation": 2, "groups": 4},
]


@pytest.mark.parametrize("options", CONVOLUTIONS, ids=str)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolutions(rank, options):
    import torch

    ours, theirs = ((getattr(m, f"Conv{rank}{letter}")) for m, letter in ((nn, "D"), (torch.nn, "d")))
    sizes = [7, 6, 5][:rank]
    spec = {"x": tensor("n", 4, *("hwd"[:rank] if rank == 1 else sizes))}
    beside_torch(ours(4, 8, **options), theirs(4, 8, **options), spec, random(2, 4, *sizes), tolerance=2e-5)


def test_a_convolution_of_images_whose_channels_come_last():
    import torch

    class Last(torch.nn.Conv2d):
        def forward(self, x):
            return super().forward(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)

    ours = nn.Conv2D(4, 8, (3, 2), padding=(1, 0), stride=(2, 1), data_layout="NHWC")
    theirs = Last(4, 8, (3, 2), padding=(1, 0), stride=(2, 1))
    beside_torch(ours, theirs, {"x": tensor("n", 7, 6, 4)}, random(2, 7, 6, 4), tolerance=2e-5)


@pytest.mark.parametrize("options", [
    {"kernel_size": 3}, {"kernel_size": 4, "stride": 2, "padding": 1, "bias": False},
    {"kernel_size": 3, "stride": 3, "output_padding": 2, "groups": 2},
], ids=str)  # fmt: skip
def test_transposed_convolution(options):
    import torch

    ours, theirs = nn.ConvTranspose1D(4, 6, **options), torch.nn.ConvTranspose1d(4, 6, **options)
    beside_torch(ours, theirs, {"x": tensor("n", 4, 7)}, random(2, 4, 7), tolerance=2e-5)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", [6, (5, 6)])
def test_layer_norm(shape, affine):
    import torch

    ours, theirs = nn.LayerNorm(shape, 1e-3, affine), torch.nn.LayerNorm(shape, 1e-3, affine)
    beside_torch(ours, theirs, {"x": tensor("n", 5, 6)}, 3 + 5 * random(4, 5, 6))


def test_rms_norm():
    import torch

    ours = nn.RMSNorm(6, -1, 1e-3, bias=False)
    beside_torch(ours, torch.nn.RMSNorm(6, 1e-3), {"x": tensor("n", "m", 6)}, random(4, 5, 6))
    x, model = random(4, 6), nn.RMSNorm(6, [-1], 0.5)
    weights = weights_of(model)
    model.load_state_dict(weights)
    found = model.jit({"forward": {"x": tensor("n", 6)}}, out_format="numpy")["forward"](x)
    expected = x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.5) * weights["weight"] + weights["bias"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", [(3, 8, 5), (2, 8, 3, 4)])
def test_group_norm(shape, affine):
    import torch

    ours, theirs = nn.GroupNorm(4, 8, 1e-3, affine), torch.nn.GroupNorm(4, 8, 1e-3, affine)
    beside_torch(ours, theirs, {"x": tensor("n", 8, *shape[2:])}, random(*shape))


def test_embedding():
    import torch

    for shape in [(4,), (2, 3), (1, 0)]:
        indices = np.random.default_rng(0).integers(0, 7, shape).astype("int32")
        spec = {"x": tensor(*(f"d{at}" for at in range(len(shape))), dtype="int32")}
        beside_torch(nn.Embedding(7, 5), torch.nn.Embedding(7, 5), spec, indices)


def test_activations_and_lists_of_modules():
    import torch

    ours = nn.ModuleList([nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.SiLU(), nn.GELU(), nn.Identity()])
    layers = [torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4), torch.nn.SiLU(), torch.nn.GELU()]
    beside_torch(ours, torch.nn.Sequential(*layers), {"x": tensor("n", 4)}, random(9, 4))
    assert len(ours) == 6 and isinstance(ours[1], nn.ReLU) and [type(m) for m in ours][-1] is nn.Identity
    ours.append(nn.ReLU())
    ours[0] = nn.Identity()
    assert [name for name, _ in ours.named_parameters()] == ["2.weight", "2.bias"]
    named = nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.ReLU()})
    named["c"] = nn.Linear(4, 4, bias=False)
    assert (list(named.keys()), "c" in named, len(named)) == (["a", "b", "c"], True, 3)
    assert [name for name, _ in named.named_parameters("m")] == ["m.a.weight", "m.a.bias", "m.c.weight"]
    rename = [("a.", "0."), ("c.", "2.")]
    theirs = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4, bias=False))
    beside_torch(named, theirs, {"x": tensor("n", 4)}, random(9, 4), rename=rename)
    assert named.pop("b") is not None and named.get("b") is None and list(named.values()) == [named["a"], named["c"]]


def test_gelu_by_tanh():
    import torch

    x = 3 * random(50)
    for approximate in (None, "tanh"):
        found = run(lambda x, how=approximate: op.gelu(x, how), x)
        expected = torch.nn.functional.gelu(torch.from_numpy(x), approximate=approximate or "none").numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


# PyTorch takes one of a mask and the causal one.
@pytest.mark.parametrize(("causal", "masked"), [(False, False), (True, False), (False, True)])
def test_scaled_dot_product_attention(causal, masked):
    import torch

    q, k, v = random(2, 5, 3, 4), random(2, 6, 3, 4), random(2, 6, 3, 4, seed=1)
    bias = [random(2, 3, 5, 6)] if masked else []
    for scale in (None, 0.3):
        given = dict(is_causal=causal, scale=scale)

        def attend(q, k, v, *bias, given=given):
            return op.scaled_dot_product_attention(q, k, v, *bias, **given)

        model = nn.Module()
        if masked:
            model.forward = lambda q, k, v, b, f=attend: f(q, k, v, b)
        else:
            model.forward = lambda q, k, v, f=attend: f(q, k, v)
        spec = {"q": tensor("b", "n", 3, 4), "k": tensor("b", "m", 3, 4), "v": tensor("b", "m", 3, 4)}
        spec |= {"b": tensor("b", 3, "n", "m")} if masked else {}
        found = model.jit({"forward": spec}, out_format="numpy")["forward"](q, k, v, *bias)
        tq, tk, tv = (torch.from_numpy(t).transpose(1, 2) for t in (q, k, v))
        mask = torch.from_numpy(bias[0]) if masked else None
        expected = torch.nn.functional.scaled_dot_product_attention(tq, tk, tv, mask, **given).transpose(1, 2).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def torch_attention(weights, x, source, heads, scale, groups=None):
    import torch

    w = {name: torch.from_numpy(value) for name, value in weights.items()}
    x = torch.from_numpy(x)
    if groups:
        norm = w["group_norm.weight"], w["group_norm.bias"]
        x = torch.nn.functional.group_norm(x.transpose(1, 2), groups, *norm).transpose(1, 2)
    source = x if source is None else torch.from_numpy(source)

    def split(t, name):
        return (t @ w[f"{name}.weight"].T).unflatten(-1, (heads, -1)).transpose(1, 2)

    attended = torch.nn.functional.scaled_dot_product_attention(
        split(x, "to_q"), split(source, "to_k"), split(source, "to_v"), scale=scale
    )
    return (attended.transpose(1, 2).flatten(2) @ w["to_out.0.weight"].T + w["to_out.0.bias"]).numpy()


@pytest.mark.parametrize("options", [{}, {"scale_qk": False}, {"norm_num_groups": 2}], ids=str)
def test_attention_of_a_sequence_to_itself(options):
    model = nn.Attention(6, heads=3, dim_head=4, **options)
    weights = weights_of(model)
    model.load_state_dict(weights)
    x = random(2, 5, 6) / 2
    found = model.jit({"forward": {"hidden_states": tensor("b", "n", 6)}}, out_format="numpy")["forward"](x)
    expected = torch_attention(
        weights, x, None, 3, None if options.get("scale_qk", True) else 1.0, options.get("norm_num_groups")
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-4)


def test_attention_to_another_sequence():
    model = nn.Attention(6, cross_attention_dim=8, heads=3, dim_head=4)
    assert [name for name, _ in model.named_parameters()] == [
        "to_q.weight", "to_k.weight", "to_v.weight", "to_out.0.weight", "to_out.0.bias",
    ]  # fmt: skip
    weights = weights_of(model)
    model.load_state_dict(weights)
    x, source = random(2, 5, 6) / 2, random(2, 4, 8)
    spec = {"hidden_states": tensor("b", "n", 6), "encoder_hidden_states": tensor("b", "m", 8)}
    found = model.jit({"forward": spec}, out_format="numpy")["forward"](x, source)
    np.testing.assert_allclose(found, torch_attention(weights, x, source, 3, None), rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(("width", "shift"), [(8, 1), (8, 0), (7, 1)])
def test_embeddings_of_steps(width, shift, flip):
    steps = np.array([0, 1, 17, 999], "int64")
    model = nn.Timesteps(width, flip, shift)
    found = model.jit({"forward": {"x": tensor("n", dtype="int64")}}, out_format="numpy")["forward"](steps)
    half = width // 2
    frequencies = np.exp(-math.log(10000) * np.arange(half) / (half - shift))
    angles = steps[:, None] * frequencies
    parts = [np.cos(angles), np.sin(angles)] if flip else [np.sin(angles), np.cos(angles)]
    expected = np.concatenate([*parts, np.zeros((4, width % 2))], 1)
    assert found.shape == expected.shape and found.dtype == np.float32
    # Angles up to 999 are rounded to float32 before their sines are taken.
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-4)


def test_a_projection_of_embeddings_of_steps():
    model = nn.TimestepEmbedding(4, 6, out_dim=5, post_act_fn="relu", cond_proj_dim=3)
    weights = weights_of(model)
    model.load_state_dict(weights)
    x, condition = random(2, 4), random(2, 3)
    spec = {"sample": tensor("n", 4), "condition": tensor("n", 3)}
    found = model.jit({"forward": spec}, out_format="numpy")["forward"](x, condition)
    y = x + condition @ weights["cond_proj.weight"].T
    y = y @ weights["linear_1.weight"].T + weights["linear_1.bias"]
    y = (y / (1 + np.exp(-y))) @ weights["linear_2.weight"].T + weights["linear_2.bias"]
    np.testing.assert_allclose(found, np.maximum(y, 0), rtol=1e-5, atol=1e-5)
    with pytest.raises(tw.TVMError, match="takes no condition"):
        nn.TimestepEmbedding(4, 6).export_tvm({"forward": spec})
    with pytest.raises(tw.TVMError, match="an activation is one of"):
        nn.TimestepEmbedding(4, 6, act_fn="none")


@pytest.mark.parametrize(("mode", "options"), [
    ("nearest", {"size": (7, 5)}), ("nearest", {"scale_factor": 2}), ("bilinear", {"size": (7, 9)}),
    ("bilinear", {"size": (7, 9), "align_corners": True}), ("bicubic", {"scale_factor": (2, 3)}),
])  # fmt: skip
def test_interpolation(mode, options):
    import torch

    x = random(2, 3, 4, 5)
    model = nn.Module()
    model.forward = lambda x: op.interpolate(x, mode=mode, **options)
    found = model.jit({"forward": {"x": tensor("n", 3, 4, 5)}}, out_format="numpy")["forward"](x)
    expected = torch.nn.functional.interpolate(torch.from_numpy(x), mode=mode, **options).numpy()
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
