"""Sizes that only a run tells: parts of symbolic dimensions, from programs that are traced and from exported ones."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import fx, nn  # noqa: E402
from torch.export import Dim  # noqa: E402
from torch_checks import assert_close, draw, machine, nd  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.relax.frontend.torch import from_exported_program, from_fx  # noqa: E402

pytestmark = pytest.mark.torch


def assigned(x):
    y = x + 1
    y[:, -1] = 7.0
    return y


PARTS = {
    "the last": lambda x: x[:, -1] * 2,
    "the last behind an ellipsis": lambda x: x[..., -1, :] + 1,
    "the third last": lambda x: x[:, -3],
    "the last as a part": lambda x: x[:, -1:].squeeze(1),
    "the last part without dimensions of 1": lambda x: x[:, -1:].squeeze() * x[:, 0],
    "beside its first": lambda x: x * x[:, :1],
    "beside its last": lambda x: x - x[:, -1:],
    "differences": lambda x: torch.diff(x, dim=1),
    "neighbours": lambda x: x[:, 1:] * x[:, :-1],
    "by its size": lambda x: x[:, x.shape[1] - 2] + x[:, x.shape[1] - 3 :].sum(1),
}


def exported(function, inputs, dims):
    class Model(nn.Module):
        def forward(self, *inputs):
            return function(*inputs)

    program = torch.export.export(Model(), inputs, dynamic_shapes=(dims,))
    return from_exported_program(program, unwrap_unit_return_tuple=True)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_a_symbolic_dimension_that_is_traced(name):
    function = PARTS[name]
    runs = machine(from_fx(fx.symbolic_trace(function), [((3, "n", 4), "float32")]))
    for size in (3, 4, 9):
        x = draw(3, size, 4)
        assert_close(runs["main"](nd(x)), function(x))


@pytest.mark.parametrize("name", [*PARTS, "assigned"])
def test_a_part_of_a_symbolic_dimension_that_is_exported(name):
    function = PARTS.get(name, assigned)
    runs = machine(exported(function, (draw(3, 5, 4),), ({1: Dim("n", min=4, max=400)},)))
    for size in (4, 5, 9):
        x = draw(3, size, 4)
        assert_close(runs["main"](nd(x)), function(x))


@pytest.mark.parametrize("at", [-3, 2])
def test_an_element_that_is_not_there_is_an_error_of_the_run(at):
    runs = machine(from_fx(fx.symbolic_trace(lambda x: x[:, at]), [((3, "n", 4), "float32")]))
    for size in (0, 1, 2):
        with pytest.raises(tvm.TVMError, match="TW0763"):
            runs["main"](nd(draw(3, size, 4)))


def test_a_named_dimension_is_squeezed_only_where_it_is_1():
    runs = machine(from_fx(fx.symbolic_trace(lambda x: x.squeeze(1)), [((3, "n"), "float32")]))
    assert_close(runs["main"](nd(draw(3, 1))), draw(3, 1).squeeze(1))
    with pytest.raises(tvm.TVMError, match="TW0763"):
        runs["main"](nd(draw(3, 2)))


def test_an_exported_dimension_that_is_squeezed_stays_where_it_is_not_1():
    runs = machine(exported(lambda x: x.squeeze(1) + 1, (draw(3, 5),), ({1: Dim("n", min=2)},)))
    assert_close(runs["main"](nd(draw(3, 4))), draw(3, 4) + 1)


def joined_where(x, y):
    both = torch.cat([x, y])
    return torch.where(torch.arange(x.shape[0] + y.shape[0]) > 2, both, 0.0)


def masked_sums(x, y, mask):
    both = torch.cat([x, y])
    return both.masked_fill(mask, 0.0).cumsum(0) + torch.where(mask, 1.0, both)


def test_numbers_as_many_as_two_symbolic_dimensions_have():
    runs = machine(exported(joined_where, (draw(3), draw(4)), ({0: Dim("n")}, {0: Dim("m")})))
    for n, m in ((2, 3), (7, 5)):
        x, y = draw(n), draw(m, seed=1)
        assert_close(runs["main"](nd(x), nd(y)), joined_where(x, y))


def test_an_input_as_long_as_two_others():
    dims = ({0: Dim("n")}, {0: Dim("m")}, {0: Dim.AUTO})
    inputs = (draw(3), draw(4), draw(7, dtype="bool"))
    runs = machine(exported(masked_sums, inputs, dims))
    for n, m in ((2, 3), (7, 5)):
        inputs = (draw(n), draw(m, seed=1), draw(n + m, dtype="bool"))
        assert_close(runs["main"](*map(nd, inputs)), masked_sums(*inputs))
    with pytest.raises(tvm.TVMError, match="TW0763"):
        runs["main"](nd(draw(2)), nd(draw(3)), nd(draw(6, dtype="bool")))


def test_an_input_of_a_size_that_no_other_tells():
    n = Dim("n", min=2, max=100)
    runs = machine(exported(lambda x: x[:, -1] * x.sum(1), (draw(3, 8),), ({1: 2 * n},)))
    for size in (4, 10):
        x = draw(3, size)
        assert_close(runs["main"](nd(x)), x[:, -1] * x.sum(1))
