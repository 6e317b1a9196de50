"""Elements in places that indices and masks name, taken and put, through a trace and through an exported program."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import nn  # noqa: E402
from torch_checks import assert_close, check_call, draw, info, machine, nd, traced  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.relax.frontend.torch import from_exported_program, from_fx  # noqa: E402
from tilewright.relax.frontend.torch.decomposition import taken_apart  # noqa: E402

pytestmark = pytest.mark.torch

X = draw(4, 5, 3)
ROWS, PLACES = torch.tensor([True, False, True, True]), torch.tensor([0, 2, 1])
CHANNELS = torch.tensor([True, False, True])
SOME, ALL = draw(4, 5, dtype="bool"), draw(4, 5, 3, dtype="bool")
MANY = int(SOME.sum())

TAKEN = {
    "a mask beside indices": lambda x: x[ROWS, PLACES],
    "a mask behind": lambda x: x[:, :, CHANNELS],
    "a mask of two dimensions beside a number": lambda x: x[SOME, 0],
    "a mask beside a slice": lambda x: x[ROWS, 1:3],
    "a mask behind a number": lambda x: x[0, :, CHANNELS],
    "a mask before an ellipsis": lambda x: x[ROWS, ..., 0],
    "a mask behind a new dimension": lambda x: x[None, ROWS],
    "a mask beside two tensors": lambda x: x[ROWS, PLACES, PLACES],
    "a mask of everything": lambda x: x[ALL],
    "a list of truths": lambda x: x[[True, False, True, True]],
    "truths behind an ellipsis": lambda x: x[..., [True, False, True]],
    "lists in a list": lambda x: x[:, [[0, 1], [2, 3]]],
    "a truth": lambda x: x[True],
    "indices apart": lambda x: x[PLACES, :, PLACES],
    "a mask and indices apart": lambda x: x[ROWS, :, PLACES],
    "a mask that is broadcast": lambda x: torch.masked_select(x, CHANNELS),
    "places of each dimension": lambda x: torch.where(x > 0),
    "a diagonal of other dimensions": lambda x: x.diagonal(1, 0, 2),
    "a diagonal of nothing": lambda x: torch.diagonal(x, -5, 1, 2),
    "windows of nothing": lambda x: x.unfold(1, 0, 2),
    "none of the largest": lambda x: x.topk(0, dim=1),
    "the largest of one number": lambda x: x[0, 0, 0].topk(0),
}


@pytest.mark.parametrize("name", TAKEN)
def test_elements_are_taken(name):
    check_call(TAKEN[name], X)


def put(places, values, accumulate=False):
    return lambda x: x.clone().index_put_(places, values, accumulate)


PUT = {
    "one value beside a mask": put((ROWS, PLACES), torch.tensor(1.5)),
    "rows beside a mask": put((ROWS, PLACES), draw(3, 3)),
    "sums beside a mask": put((ROWS, PLACES), draw(3), accumulate=True),
    "values for a mask": put((SOME,), draw(MANY, 3)),
    "one row for a mask": put((SOME,), draw(1, 3)),
    "a row of a mask": put((SOME,), draw(3)),
    "values for everything": put((ALL,), draw(int(ALL.sum()))),
    "where it is counted": lambda x: x.index_put((ROWS.nonzero().squeeze(1), PLACES), draw(3, 3)),
    "elements of the source": lambda x: x.masked_scatter(CHANNELS, draw(4, 5, 3, seed=3)),
    "elements for bytes": lambda x: x.masked_scatter(CHANNELS, draw(4, 5, 3, seed=3)),
    "elements of an empty source": lambda x: x.masked_scatter(CHANNELS & False, torch.zeros(0)),
    "all elements of the source": lambda x: x.masked_scatter(SOME[..., None], draw(MANY, 3, seed=3)),
    "a diagonal": lambda x: torch.diagonal_scatter(x, draw(5, 2), 1, 0, 2),
    "a diagonal below": lambda x: torch.diagonal_scatter(x, draw(5, 3), -1, 0, 2),
    "one number in one": lambda x: x.sum().scatter(0, torch.tensor(0), x[0, 0, 0]),
    **{
        f"{how} of one number": lambda x, how=how: x.sum().scatter_reduce(0, torch.tensor(0), x[0, 0, 0], how)
        for how in ["sum", "prod", "amax", "amin", "mean"]
    },
}


@pytest.mark.parametrize("name", PUT)
def test_values_are_put(name):
    check_call(PUT[name], X)


def test_a_source_with_too_few_elements():
    few = draw(3 * MANY - 1)
    runs = machine(from_fx(traced(lambda x: x.masked_scatter(SOME[..., None], few), 1), info([X])))
    with pytest.raises(tvm.TVMError, match=f"dimension 0 is {3 * MANY - 1}, but count is {3 * MANY}"):
        runs["main"](nd(X))


def test_a_mask_with_indices_of_another_shape():
    machine_ = machine(from_fx(traced(lambda x: x[torch.tensor([True] * 4), PLACES], 1), info([X])))
    with pytest.raises(tvm.TVMError, match="dimension 0 is 3, but count is 4"):
        machine_["main"](nd(X))


@pytest.mark.parametrize("call", [lambda x, mask: x.masked_select(mask), lambda x, mask: x.masked_scatter(mask, X)])
def test_a_mask_of_numbers(call):
    bytes_ = CHANNELS.to(torch.uint8) * 2
    with pytest.raises(RuntimeError, match=r"(?i)bool"):
        call(X, bytes_)
    with pytest.raises(tvm.TVMError, match="expected a mask of bool, found one of uint8"):
        from_fx(traced(lambda x: call(x, bytes_), 1), info([X]))


def test_places_of_a_mask_are_counted_in_one_dimension():
    module = from_fx(traced(lambda x: x.masked_scatter(ALL, X), 1), info([X]))
    assert "R.match_cast(lv" in module.script() and "R.Tensor((1, count)" in module.script()


@pytest.mark.parametrize("function", [lambda x: x[ALL[:, :, :2]], lambda x: x[PLACES > 0], put((ALL[:2],), draw(1))])
def test_a_mask_of_another_shape(function):
    with pytest.raises(tvm.TVMError, match=r"a mask of shape .* for \("):
        from_fx(traced(function, 1), info([X]))


@pytest.mark.parametrize("k", [-1, 0, 6])
def test_a_place_in_an_order_that_is_none(k):
    with pytest.raises(tvm.TVMError, match="`k` must be from 1"):
        from_fx(traced(lambda x: x.kthvalue(k, 1), 1), info([X]))


def test_fewer_than_none_of_the_largest():
    with pytest.raises(tvm.TVMError, match="found -1"):
        from_fx(traced(lambda x: x.topk(-1), 1), info([X]))


CHANGED = {
    "a diagonal": lambda x: x.diagonal().fill_(1),
    "windows": lambda x: x.unfold(0, 2, 1).mul_(2),
    "what is turned": lambda x: x.mT.add_(1),
    "a part by a function without a rule": lambda x: torch.vsplit(x, 2)[0].add_(1),
    "a diagonal by a function without a rule": lambda x: torch.linalg.diagonal(x).add_(1),
    "what may be a copy": lambda x: x.contiguous().add_(1),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_that_another_name_shows_is_not_lost(name):
    def function(x):
        y = x + 0
        CHANGED[name](y)
        return y

    with pytest.raises(tvm.TVMError, match=r"shares its memory|has no rule"):
        from_fx(traced(function, 1), info([X[:, :4]]))


def test_a_change_of_the_data_of_a_tensor():
    def function(x):
        y = x + 0
        y.data.add_(y.shape[0])
        return y, torch.vsplit(y, 2)[0]

    check_call(function, X)


class Diagonals(nn.Module):
    def forward(self, x):
        y = x.clone()
        y.diagonal().fill_(9)
        y.diagonal(1, 0, 2).mul_(2)
        return y


def test_changes_of_diagonals_in_an_exported_program():
    module = from_exported_program(torch.export.export(Diagonals(), (X,)))
    assert_close(machine(module)["main"](nd(X)), (Diagonals()(X),))


def test_operators_that_pytorch_does_not_decompose_stay_whole():
    # PyTorch writes it in a change of a diagonal in place, which it does not follow there.
    operator = torch.ops.aten.diagonal_scatter.default
    program = taken_apart(torch.export.export(Diagonals(), (X,)), refused=[operator])
    assert operator in {node.target for node in program.graph.nodes}


def test_sizes_of_windows_and_diagonals_that_are_symbolic():
    module = from_fx(traced(lambda x: (x.unfold(0, 3, 2), x.diagonal(1)), 1), [(("n", "m"), "float32")])
    runs = machine(module)
    for shape in ((5, 4), (4, 9)):
        x = draw(*shape)
        assert_close(runs["main"](nd(x)), (x.unfold(0, 3, 2), x.diagonal(1)))


class Assigned(nn.Module):
    """Assignments, which a trace does not take, but an exported program does."""

    def forward(self, x, y):
        x = x.clone()
        x[SOME] = x[SOME] * 2
        x[:, :, CHANNELS] = draw(4, 5, 2)
        x[0, :, CHANNELS] = draw(5, 2)
        x[ROWS, :, PLACES] = draw(3, 5)
        x[:, [0, 2], CHANNELS] = 0.0
        x[:, PLACES[:2]] += 1
        x[..., CHANNELS] *= draw(1, 2)
        x[1:3, ::2] = y[1:3, 1::2].repeat(1, 2, 1)[:, :3]
        x[x > 1] = 7
        x[-1] = y[0]
        return x


def test_assignments():
    inputs = (X, draw(4, 5, 3, seed=1))
    module = from_exported_program(torch.export.export(Assigned(), inputs))
    assert_close(machine(module)["main"](*map(nd, inputs)), (Assigned()(*inputs),))
