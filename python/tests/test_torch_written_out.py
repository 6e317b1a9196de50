"""Operators of PyTorch that PyTorch itself writes in others, and results that data decide."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402
from torch import fx, nn  # noqa: E402
from torch_checks import assert_close, check, draw, draw_again, info, machine, nd  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.relax.frontend.torch import from_exported_program, from_fx  # noqa: E402

pytestmark = pytest.mark.torch

ROWS, IMAGE, SQUARE = draw(2, 5, 8), draw(2, 4, 9, 7), draw(4, 4)
PLACES = torch.tensor([[1, 4, 2], [0, 3, 3]])


class Function(nn.Module):
    """A function as a model."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x):
        return self.function(self, x)


def of(function, **parts):
    return Function(function, **parts)


def bagged(**options):
    """Bags of places in a row, of which one is empty."""
    begins, table = torch.tensor([0, 2, 2, 6][: 4 if "include_last_offset" in options else 3]), draw(5, 4)
    return of(lambda m, x: F.embedding_bag(x.flatten(), table, begins, **options))


MODELS = {
    "lstm": (of(lambda m, x: m.layer(x), layer=nn.LSTM(8, 3, 2, batch_first=True, bidirectional=True)), ROWS),
    "gru": (of(lambda m, x: m.layer(x)[0][:, -1], layer=nn.GRU(8, 3)), ROWS),
    "rnn": (of(lambda m, x: m.layer(x)[1], layer=nn.RNN(8, 3, nonlinearity="relu")), ROWS),
    "cell": (of(lambda m, x: m.cell(x[0])[0], cell=nn.LSTMCell(8, 3)), ROWS),
    "decoder": (of(lambda m, x: m.layer(x, x * 2), layer=nn.TransformerDecoderLayer(8, 2, 16)), ROWS),
    "attention of other sizes": (
        of(lambda m, x: m.layer(x, x[..., :4], x[..., :3])[0], layer=nn.MultiheadAttention(8, 2, kdim=4, vdim=3)), ROWS
    ),
    "weight norm": (of(lambda m, x: m.layer(x), layer=nn.utils.parametrizations.weight_norm(nn.Linear(8, 3))), ROWS),
    "bags": (of(lambda m, x: m.bags(x), bags=nn.EmbeddingBag(6, 5, mode="mean")), PLACES),
    "largest of bags": (of(lambda m, x: m.bags(x), bags=nn.EmbeddingBag(6, 5, mode="max", padding_idx=3)), PLACES),
    "largest of even bags": (of(lambda m, x: m.bags(x), bags=nn.EmbeddingBag(6, 5, mode="max")), PLACES),
    "bags that begin anywhere": (bagged(mode="mean", padding_idx=2), PLACES),
    "sums of bags": (bagged(mode="sum", per_sample_weights=draw(6)), PLACES),
    "largest of bags that begin anywhere": (bagged(mode="max"), PLACES),
    "bags to the last offset": (bagged(mode="mean", include_last_offset=True), PLACES),
    "unfold": (nn.Sequential(nn.Unfold((3, 2), padding=1, stride=2)), IMAGE),
    "fold": (of(lambda m, x: F.fold(x, (3, 5), (2, 2))), draw(2, 8, 8)),
    "windows": (of(lambda m, x: x.unfold(2, 3, 2)), IMAGE),
    "windows of different sizes": (nn.Sequential(nn.AdaptiveMaxPool2d((4, 3))), IMAGE),
    "another divisor": (nn.Sequential(nn.AvgPool2d(2, divisor_override=3)), IMAGE),
    "half the size": (of(lambda m, x: F.interpolate(x, scale_factor=0.5, mode="bilinear")), IMAGE),
    "by a factor": (of(lambda m, x: F.interpolate(x, scale_factor=1.7, mode="bicubic")), IMAGE),
    "one dimension": (of(lambda m, x: F.interpolate(x, scale_factor=2, mode="linear")), ROWS),
    "area": (of(lambda m, x: F.interpolate(x, size=(3, 3), mode="area")), IMAGE),
    "label smoothing": (of(lambda m, x: F.cross_entropy(x, PLACES[0] % 3, label_smoothing=0.1)), draw(3, 4)),
    "sum of losses": (of(lambda m, x: F.nll_loss(x, PLACES[0] % 3, reduction="sum")), draw(3, 4)),
    "similarity": (of(lambda m, x: F.cosine_similarity(x, x.flip(0), dim=1)), ROWS),
    "distances": (of(lambda m, x: torch.cdist(x, x * 2)), ROWS),
    "tensordot": (of(lambda m, x: torch.tensordot(x, x, dims=([1], [1]))), ROWS),
    "kron": (of(lambda m, x: torch.kron(x, x)), SQUARE),
    "diagonal": (of(lambda m, x: torch.diagonal(x, 1, 2, 3)), IMAGE),
    "diagonal below": (of(lambda m, x: x.diagonal(-2)), draw(5, 3)),
    "median": (of(lambda m, x: (x.median(), x.median(dim=1))), ROWS),
    "kthvalue": (of(lambda m, x: torch.kthvalue(x, 3, dim=1, keepdim=True)), ROWS),
    "values by name": (of(lambda m, x: (x.max(1).values, x.topk(2).indices)), ROWS),
    "nonzero": (of(lambda m, x: torch.nonzero(x > 0)), SQUARE),
    "masked": (of(lambda m, x: (x[x > 0], torch.masked_select(x, x < 0))), SQUARE),
    "rows of a mask": (of(lambda m, x: x[x[:, 0] > 0]), SQUARE),
    "unique": (of(lambda m, x: torch.unique(x, return_inverse=True, return_counts=True)), PLACES),
    "index_add": (of(lambda m, x: x.index_add(1, PLACES[0], x[:, :3])), ROWS),
    "searchsorted": (of(lambda m, x: torch.searchsorted(torch.tensor([-1.0, 0, 1]), x, right=True)), ROWS),
    "grouped queries": (
        of(lambda m, x: F.scaled_dot_product_attention(x, x[:, :2], x[:, :2], enable_gqa=True)), IMAGE
    ),
    "of a type by place": (of(lambda m, x: torch.softmax(x, 1, torch.float64)), ROWS),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_traced_model(name):
    model, x = MODELS[name]
    check(draw_again(model), x, tolerance=2e-5)


EXPORTED = ["lstm", "bags", "by a factor", "label smoothing", "sum of losses", "similarity", "masked", "fold"]


@pytest.mark.parametrize("name", EXPORTED)
def test_an_exported_model(name):
    model, x = MODELS[name]
    model = draw_again(model)
    module = from_exported_program(torch.export.export(model, (x,)))
    found = machine(module)["main"](nd(x))
    expected = model(x)
    assert_close(found, expected if isinstance(expected, tuple) else (expected,), 2e-5)


def test_weights_of_a_layer_that_is_written_out_are_inputs_by_their_names():
    model = draw_again(of(lambda m, x: m.layer(x)[0], layer=nn.GRU(8, 3)))
    module = from_fx(fx.symbolic_trace(model), info([ROWS]), keep_params_as_input=True)
    names = [var.name_hint for var in module["main"].params]
    assert names == ["x", *(name.replace(".", "_") for name, _ in sorted(model.named_parameters()))]


def test_a_change_in_place_is_not_written_out_on_its_own():
    def function(x):
        y = x * 2
        y.erfinv_()
        return y

    with pytest.raises(tvm.TVMError, match=r"`Tensor\.erfinv_` has no rule"):
        from_fx(fx.symbolic_trace(function), info([ROWS]))


def test_a_factor_of_a_symbolic_size():
    model = of(lambda m, x: F.interpolate(x, scale_factor=0.5, mode="bilinear"))
    runs = machine(from_fx(fx.symbolic_trace(model), [((1, 2, "h", "w"), "float32")]))
    for rows, columns in ((4, 6), (7, 5)):
        x = draw(1, 2, rows, columns)
        assert_close(runs["main"](nd(x)), model(x))
