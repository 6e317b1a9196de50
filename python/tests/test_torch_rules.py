"""Every rule for PyTorch's functions and modules, against PyTorch itself."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import nn  # noqa: E402
from torch_cases import CASES, IMAGE, INTS, LOOSE, X, Y  # noqa: E402
from torch_checks import check, check_call, draw, draw_again  # noqa: E402

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", CASES)
def test_operator(name):
    function, *inputs = CASES[name]
    check_call(function, *inputs, tolerance=1e-4 if name in LOOSE else 1e-5)


MODULES = {
    "Linear": (nn.Linear(5, 7), X),
    "Linear without bias": (nn.Linear(5, 7, bias=False), X),
    "Conv1d": (nn.Conv1d(4, 6, 3, padding=1), draw(2, 4, 9)),
    "Conv2d": (nn.Conv2d(4, 6, (3, 2), stride=2, padding=(1, 0), dilation=(1, 2), groups=2), IMAGE),
    "Conv2d reflect": (nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect"), IMAGE),
    "Conv3d": (nn.Conv3d(2, 3, 2), draw(1, 2, 5, 4, 3)),
    "ConvTranspose1d": (nn.ConvTranspose1d(4, 3, 3, stride=2), draw(2, 4, 5)),
    "ConvTranspose2d": (nn.ConvTranspose2d(4, 6, 3, 2, 1, output_padding=1, groups=2, dilation=2), IMAGE),
    "MaxPool2d": (nn.MaxPool2d(3, 2, 1), IMAGE),
    "AvgPool2d": (nn.AvgPool2d(2), IMAGE),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d(2), IMAGE),
    "BatchNorm1d": (nn.BatchNorm1d(4), draw(2, 4, 9)),
    "BatchNorm2d": (nn.BatchNorm2d(4), IMAGE),
    "BatchNorm2d plain": (nn.BatchNorm2d(4, affine=False), IMAGE),
    "BatchNorm2d of the batch": (nn.BatchNorm2d(4, track_running_stats=False), IMAGE),
    "LayerNorm": (nn.LayerNorm((3, 5)), X),
    "LayerNorm plain": (nn.LayerNorm(5, elementwise_affine=False), X),
    "GroupNorm": (nn.GroupNorm(2, 4), IMAGE),
    "InstanceNorm2d": (nn.InstanceNorm2d(4, affine=True), IMAGE),
    "InstanceNorm2d tracked": (nn.InstanceNorm2d(4, track_running_stats=True), IMAGE),
    "RMSNorm": (nn.RMSNorm(5), X),
    "Embedding": (nn.Embedding(10, 6), INTS.abs()),
    "Bilinear": (nn.Bilinear(5, 5, 3), X, Y),
    "PReLU": (nn.PReLU(4), IMAGE),
    "Flatten": (nn.Flatten(), IMAGE),
    "Unflatten": (nn.Unflatten(1, (2, 2)), IMAGE),
    "Upsample": (nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE),
    "ZeroPad2d": (nn.ZeroPad2d((1, 2, 0, 1)), IMAGE),
    "ConstantPad1d": (nn.ConstantPad1d(2, 3.5), draw(2, 4, 9)),
    "ReflectionPad2d": (nn.ReflectionPad2d(2), IMAGE),
    "ReplicationPad1d": (nn.ReplicationPad1d(2), draw(2, 4, 9)),
    "PixelShuffle": (nn.PixelShuffle(2), IMAGE),
    "CrossEntropyLoss": (nn.CrossEntropyLoss(), draw(6, 5), draw(6, dtype="int64", low=0, high=5)),
    "MSELoss": (nn.MSELoss(), X, Y),
    "Softmax": (nn.Softmax(1), X),
    "LogSoftmax": (nn.LogSoftmax(-1), X),
    "Dropout": (nn.Dropout(), X),
    "Identity": (nn.Identity(), X),
    **{
        name: (getattr(nn, name)(), X)
        for name in [
            "ReLU",
            "ReLU6",
            "LeakyReLU",
            "GELU",
            "SiLU",
            "Sigmoid",
            "Tanh",
            "Hardswish",
            "Hardsigmoid",
            "Hardtanh",
            "ELU",
            "SELU",
            "CELU",
            "Mish",
            "Softplus",
            "Softsign",
            "LogSigmoid",
            "Hardshrink",
            "Softshrink",
            "Tanhshrink",
        ]
    },
}


class Around(nn.Module):
    """The module inside another one, as models have it."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class AroundTwo(Around):
    def forward(self, x, y):
        return self.inner(x, y)


NEAR_POLES = [-1e-20, -1e-17, -1e-38, -0.0, 0.0, -1.0, -2.0000002, -2.5, -170.3, -1e30, float("-inf"), float("nan")]


@pytest.mark.parametrize(("dtype", "more"), [(torch.float32, [-1e-42]), (torch.float64, [-1e-300, -1e-307])])
def test_the_logarithm_of_the_gamma_function_close_to_its_poles(dtype, more):
    for value in NEAR_POLES + more:
        check_call(torch.lgamma, torch.tensor([value], dtype=dtype), tolerance=1e-6)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_weights_of_images_have_their_precision(mode):
    image = draw(1, 2, 9, 7, dtype="float64")
    check_call(lambda x: nn.functional.interpolate(x, size=(4, 3), mode=mode, antialias=True), image, tolerance=1e-13)


@pytest.mark.parametrize("batch_first", [False, True])
def test_attention_of_several_heads(batch_first):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, batch_first=batch_first)

        def forward(self, q, k, mask):
            plain, weights = self.attention(q, k, k)
            found, _ = self.attention(q, k, k, attn_mask=mask, need_weights=False)
            return plain, weights, found

    mask = draw(7, 5, dtype="bool") & (torch.arange(5) > 0)
    shapes = [(3, 7, 8), (3, 5, 8)] if batch_first else [(7, 3, 8), (5, 3, 8)]
    check(draw_again(Model()), *[draw(*shape) for shape in shapes], mask)


@pytest.mark.parametrize("name", MODULES)
def test_module(name):
    module, *inputs = MODULES[name]
    around = Around if len(inputs) == 1 else AroundTwo
    check(around(draw_again(module)), *inputs)
