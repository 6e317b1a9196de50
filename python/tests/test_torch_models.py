"""Models as users write them: results in dicts and dataclasses, layers of transformers, changes in place."""

import dataclasses
import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402
from torch import fx, nn  # noqa: E402
from torch_checks import assert_close, check_call, draw, draw_again, flat, info, machine, nd  # noqa: E402

from tilewright.relax.frontend.torch import from_exported_program, from_fx, relax_dynamo  # noqa: E402

pytestmark = pytest.mark.torch

ROWS, IMAGE, SQUARE = draw(2, 5, 8), draw(2, 4, 9, 7), draw(4, 4)
MISSING = torch.tensor([[1.0, float("nan"), 3], [4, 5, float("nan")]])
ENDS = torch.tensor([-math.inf, -2.5, -0.0, 0.0, 1.5, 40.0, math.inf, math.nan])

CALLS = {
    "places of the largest": (lambda x: F.max_pool2d(x, (3, 2), (2, 3), 1, (2, 1), True, return_indices=True), IMAGE),
    "places in one dimension": (lambda x: F.max_pool1d(x, 2, return_indices=True), ROWS),
    "places in windows that divide": (lambda x: F.adaptive_max_pool2d(x, (4, 3), return_indices=True), IMAGE),
    "windows that divide": (lambda x: F.adaptive_max_pool3d(x, (2, 3, 2)), draw(1, 2, 4, 5, 6)),
    "smaller": (lambda x: F.interpolate(x, size=(4, 3), mode="bilinear", antialias=True), IMAGE),
    "larger": (lambda x: F.interpolate(x, size=(14, 9), mode="bicubic", antialias=True), IMAGE),
    "by factors": (lambda x: F.interpolate(x, scale_factor=(0.5, 0.7), mode="bicubic", antialias=True), IMAGE),
    "cummax": (lambda x: torch.cummax(x, -1), ROWS),
    "cummin of what is missing": (lambda x: torch.cummin(x, 1), MISSING),
    "cummax of equals": (lambda x: torch.cummax(x.round(), 1), ROWS),
    "cummax of nothing": (lambda x: torch.cummax(x, 0), torch.zeros(0, 3)),
    "logcumsumexp": (lambda x: torch.logcumsumexp(x * 100, 1), ROWS),
    "logcumsumexp of infinities": (lambda x: torch.logcumsumexp(x, 0), ENDS),
    "erfc": (torch.erfc, torch.linspace(-8, 12, 401)),
    "erfc in double": (torch.special.erfc, torch.linspace(-8, 28, 401).double()),
    "erfc of ends": (torch.erfc, ENDS),
    "lgamma": (torch.lgamma, torch.linspace(-8, 40, 977)),
    "lgamma of ends": (torch.special.gammaln, ENDS),
    "signs": (torch.signbit, ENDS),
    "put": (lambda x: x.put(torch.tensor([0, 5]), torch.tensor([1.0, 2])), SQUARE),
    "splits": (lambda x: torch.hsplit(x, 2), SQUARE),
    "added in place": (lambda x: (x * 0).index_add_(0, torch.tensor([0, 0, 3]), x[:3], alpha=2), SQUARE),
    "copied in place": (lambda x: (x * 2).index_copy_(1, torch.tensor([2, 0]), x[:, :2]), SQUARE),
    "filled": (lambda x: x.index_fill(1, torch.tensor([0, 2]), -1.0), SQUARE),
    "of bytes": (lambda x: ((x.abs() * 3).byte().any(1), (x > 0).amax(1), torch.isnan(x.int())), SQUARE),
    "alone": (lambda x: (x.sum().sort(), x.sum().topk(1), x.sum().median()), SQUARE),
    "a copy that is changed": (lambda x: x + x.clone().add_(1), SQUARE),
    "a copy of a copy": (lambda x: (lambda y: y.zero_() + x * y)(torch.clone(x.contiguous())), SQUARE),
    "by Python": (lambda x: x / math.sqrt(x.shape[0]) + math.floor(2.5), SQUARE),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_call(name):
    function, x = CALLS[name]
    check_call(function, x)


REDUCTIONS = [(how, itself) for how in ("sum", "prod", "amax", "amin", "mean") for itself in (True, False)]


@pytest.mark.parametrize(("how", "itself"), REDUCTIONS)
def test_values_of_one_place_are_combined(how, itself):
    places = torch.tensor([[0, 2, 1, 1], [2, 2, 0, 1], [0, 0, 0, 0], [1, 3, 3, 2]])
    check_call(lambda x: torch.ones(4, 4).scatter_reduce(1, places, x, how, include_self=itself), SQUARE)
    if how != "sum":
        check_call(lambda x: x.index_reduce(1, torch.tensor([0, 0]), x[:, :2] * 2, how, include_self=itself), SQUARE)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)

    def forward(self, x, missing):
        return {"hidden": self.encoder(x, src_key_padding_mask=missing), "mean": [x.mean(), None]}


def test_layers_of_transformers_and_results_in_a_dict():
    model, missing = draw_again(Layers()), torch.zeros(2, 5, dtype=torch.bool)
    missing[0, 3:] = True
    module = from_fx(fx.symbolic_trace(model), info([ROWS, missing]))
    hidden, (mean, nothing) = machine(module)["main"](nd(ROWS), nd(missing))
    expected = model(ROWS, missing)
    assert nothing is None
    # PyTorch's own kernel has zeros where there is nothing to see.
    assert_close(hidden.numpy()[~missing.numpy()], expected["hidden"].detach().numpy()[~missing.numpy()])
    assert_close(mean, expected["mean"][0])


@dataclasses.dataclass
class Given:
    logits: torch.Tensor
    loss: torch.Tensor | None = None


class InADataclass(nn.Module):
    def forward(self, x):
        return Given(x * 2, x.sum())


def test_results_in_a_dataclass():
    module = from_fx(fx.symbolic_trace(InADataclass()), info([SQUARE]))
    assert_close(machine(module)["main"](nd(SQUARE)), [SQUARE * 2, SQUARE.sum()])


class Assigned(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.count += 1
        y = x.clone()
        y[:, 0] = 0
        y[1:, 2] += 5
        y[y < -1] = -1
        y[0] = x[1]
        return y * self.count


def test_a_compiled_model_keeps_its_changes():
    model, torch_s = Assigned(), Assigned()
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=relax_dynamo())
    for _ in range(3):
        assert_close(compiled(SQUARE), torch_s(SQUARE))
    assert flat(model.count) == flat(torch_s.count)


class Chosen(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))


def test_operators_without_a_rule_are_named_with_their_location():
    program = torch.export.export(Chosen(), (SQUARE,))
    with pytest.raises(Exception, match=r"cond` has no rule") as caught:
        from_exported_program(program)
    assert caught.value.diagnostics[0].spans[0].file == __file__
