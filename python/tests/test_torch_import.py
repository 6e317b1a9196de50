"""Models of PyTorch that `torch.fx` has traced: whole ones, parameters, dimensions, results, faults."""

import operator
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import fx, nn  # noqa: E402
from torch_cases import IMAGE, SQUARE, X  # noqa: E402
from torch_checks import (  # noqa: E402
    TOLERANCE,
    Small,
    assert_close,
    check_call,
    draw,
    draw_again,
    info,
    machine,
    nd,
    torchvision_model,
)

import tilewright as tvm  # noqa: E402
from tilewright import relax  # noqa: E402
from tilewright.relax.frontend import detach_params  # noqa: E402
from tilewright.relax.frontend.torch import from_fx  # noqa: E402
from tilewright.relax.frontend.torch.recording import function_name  # noqa: E402

pytestmark = pytest.mark.torch

MODELS = {"resnet18": 64, "mobilenet_v2": 64, "squeezenet1_0": 64, "densenet121": 64}


@pytest.mark.parametrize("name", MODELS)
def test_model(name):
    model = torchvision_model(name)
    x = draw(1, 3, MODELS[name], MODELS[name])
    module = from_fx(fx.symbolic_trace(model), info([x]))
    expected = model(x).detach().numpy()
    found = machine(module)["main"](nd(x)).numpy()
    scale = np.abs(expected).max()
    assert scale > 1e-2
    assert np.abs(found - expected).max() <= TOLERANCE * scale
    # The comparison would see an error of a hundredth in one number of the first layer's weights.
    with torch.no_grad():
        weight = next(tensor for tensor in model.parameters() if tensor.ndim > 1)
        place = np.unravel_index(int(weight.abs().argmax()), weight.shape)
        weight[place] *= 1.01
    assert np.abs(found - model(x).detach().numpy()).max() > TOLERANCE * scale


def test_dimensions_may_be_symbolic():
    model = draw_again(torchvision_model("resnet18"))
    module = from_fx(fx.symbolic_trace(model), [(("n", 3, 32, 32), "float32")])
    runs = machine(module)
    for size in (1, 3):
        x = draw(size, 3, 32, 32)
        assert_close(runs["main"](nd(x)), model(x), TOLERANCE)


def test_dimensions_of_several_inputs_are_one_where_they_have_one_name():
    graph = fx.symbolic_trace(lambda x, y: (x + y).reshape(x.shape[0] * 2, -1))
    module = from_fx(graph, [(("n", 4, "m"), "float32"), (("n", 4, "m"), "float32")])
    assert_close(machine(module)["main"](nd(draw(3, 4, 5)), nd(draw(3, 4, 5))), 2 * draw(3, 4, 5).reshape(6, -1))
    n = tvm.tir.Var("n", "int64")
    again = from_fx(graph, [((n, 4, 6), "float32"), ((n, 4, 6), "float32")])
    assert_close(machine(again)["main"](nd(draw(3, 4, 6)), nd(draw(3, 4, 6))), 2 * draw(3, 4, 6).reshape(6, -1))


def test_a_part_of_a_symbolic_dimension():
    graph = fx.symbolic_trace(lambda x: x[:, 1 : x.size(1) // 2].sum(1))
    module = from_fx(graph, [((2, "n"), "float32")])
    for size in (4, 9):
        assert_close(machine(module)["main"](nd(draw(2, size))), draw(2, size)[:, 1 : size // 2].sum(1))


def test_parameters_are_inputs_in_the_order_of_their_names():
    model, x = draw_again(Small()), draw(2, 5)
    module = from_fx(fx.symbolic_trace(model), info([x]), keep_params_as_input=True)
    names = [var.name_hint for var in module["main"].params]
    assert names == ["x", "first_bias", "first_weight", "scale", "second_weight"]
    assert module["main"].attrs["num_input"] == 1
    detached, params = detach_params(module)
    assert list(params) == ["main"] and "params" not in detached["main"].attrs
    held = dict(sorted(model.named_parameters()))
    for found, wanted in zip(params["main"], held.values(), strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted.detach().numpy())
    assert_close(machine(detached)["main"](nd(x), *params["main"]), model(x))
    # The text of the module has the values, too.
    again = tvm.script.from_source(module.script(show_meta=True))
    tvm.ir.assert_structural_equal(again, module)


def test_weights_are_snapshots():
    model, x = draw_again(Small()), draw(2, 5)
    module, expected = from_fx(fx.symbolic_trace(model), info([x])), model(x).detach().clone()
    with torch.no_grad():
        for tensor in model.parameters():
            tensor.zero_()
    assert_close(machine(module)["main"](nd(x)), expected)


def test_tied_weights_are_one_parameter():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(5, 5), nn.Linear(5, 5)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.a(x) * self.b(x)

    tied, x = draw_again(Tied()), draw(2, 5)
    module = from_fx(fx.symbolic_trace(tied), info([x]), keep_params_as_input=True)
    assert [var.name_hint for var in module["main"].params] == ["x", "a_bias", "a_weight", "b_bias"]
    detached, params = detach_params(module)
    assert_close(machine(detached)["main"](nd(x), *params["main"]), tied(x))


def test_tuples_of_results():
    graph, x = fx.symbolic_trace(lambda x: (x + 1,)), draw(2, 3)

    def result(**options):
        return machine(from_fx(graph, info([x]), **options))["main"](nd(x))

    assert_close(result(unwrap_unit_return_tuple=True), x + 1)
    assert isinstance(result(unwrap_unit_return_tuple=True), tvm.nd.NDArray)
    assert not isinstance(result(no_bind_return_tuple=True), tvm.nd.NDArray)
    assert_close(result(no_bind_return_tuple=True), (x + 1,))
    assert_close(result(), (x + 1,))


def test_changes_in_place_are_seen_by_every_name():
    def function(x):
        a = x * 2
        b = a.relu_()
        a.add_(1)
        return a + b, b

    check_call(function, X)


def windowed(x, sizes):
    """Sizes that are numbers, a view that is changed: nothing that a trace could look into."""
    batch, width = x.shape
    mask = x.new_zeros(sizes[0], sizes[0])
    for place in range(sizes[0] - 1):
        mask[place + 1 :, place] = place + 1
    return x.view(batch, width // sizes[0], sizes[0]) @ mask, batch


fx.wrap("windowed")


def test_functions_that_a_trace_does_not_look_into_are_exported_on_their_own():
    class Model(nn.Module):
        def forward(self, x):
            return windowed(torch.relu(x), [3])[0] + windowed(x * 2, [3])[0]

    runs = machine(from_fx(Model(), [(("n", 6), "float32")]))
    for size in (1, 4):
        x = draw(size, 6)
        assert_close(runs["main"](nd(x)), Model()(x))


def smallest(sizes, limits):
    """Sizes that are found in lists, which are changed."""
    for at, size in enumerate(sizes):
        if size < limits[at]:
            limits[at] = size
    return limits, len(limits)


def weighed(x, weights, power):
    """Changes what it is given, and gives it back."""
    x[:, 1:] *= weights[1:] ** power
    return x


fx.wrap("smallest")
fx.wrap("weighed")


def test_numbers_that_a_function_finds_are_constants():
    class Model(nn.Module):
        def forward(self, x):
            limits, count = smallest([x.shape[1], x.shape[2]], [4, 4])
            return windowed(x[:, :, 0] * count, [limits[0]])[0], x[:, : limits[1]]

    runs = machine(from_fx(Model(), [(("n", 3, 6), "float32")]))
    for size in (1, 4):
        x = draw(size, 3, 6)
        assert_close(runs["main"](nd(x)), Model()(x))


def test_changes_of_a_function_are_seen_by_every_alias():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = nn.Parameter(draw(5))

        def forward(self, x):
            y = x + 1
            before = y.sum(1)
            z = weighed(y, self.weights, 2)
            return before, y, z, y.t()

    model = Model()
    runs = machine(from_fx(model, [(("n", 5), "float32")]))
    for size in (1, 3):
        x = draw(size, 5)
        assert_close(runs["main"](nd(x)), model(x))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: weighed(x, x[0] * 2, 2) + x,
        lambda x: (lambda y: (y.t(), weighed(y, x[0], 2))[0])(x + 1),
        lambda x: (lambda y: (weighed(y[1:], x[0], 2), y)[1])(x + 1),
        lambda x: (lambda y, z: (z, y.add_(1))[0])(*(lambda y: (y, weighed(y, x[0], 2)))(x + 1)),
    ],
    ids=["an input", "seen by a view", "a view of it", "changed later under another name"],
)
def test_a_change_that_others_would_see_is_no_program_of_its_own(function):
    with pytest.raises(tvm.TVMError, match="weighed` has no rule"):
        from_fx(fx.symbolic_trace(function), info([SQUARE]))


def bumped(x):
    """Changes what it is given, and gives a number."""
    x.add_(1)
    return x.shape[1]


fx.wrap("bumped")


def twice_bumped(x):
    y = x * 2
    return y * bumped(y) + bumped(y)


def test_changes_of_a_function_are_seen_when_it_returns_a_number():
    runs = machine(from_fx(fx.symbolic_trace(twice_bumped), [(("n", 3), "float32")]))
    for size in (1, 2):
        x = draw(size, 3)
        assert_close(runs["main"](nd(x)), twice_bumped(x))


@pytest.mark.parametrize(
    "function",
    [lambda x: x * bumped(x), lambda x: (lambda y: (y.view(-1), bumped(y))[0])(x * 2)],
    ids=["an input", "seen by a view"],
)
def test_a_change_that_others_would_see_is_no_number(function):
    with pytest.raises(tvm.TVMError, match="bumped` has no rule"):
        from_fx(fx.symbolic_trace(function), info([SQUARE]))


def lowered(size, most=3):
    return min(size, most)


def scaled(x, factor):
    return x * factor


def two(_):
    return 2


def two_of_real(_):
    return 2.0


def true(_):
    return True


def halved(x):
    """What this does depends on the size."""
    return x[::2] if x.shape[0] % 2 else x * 3


def of_four(x):
    return x[:4].sum(0) * (1 if x.shape[0] > 4 else 2)


def tripled_alone(x):
    return x * 3 if x.shape[0] == 1 else x + 1


def squeezed(x):
    return x.squeeze(0) + 1


def squeezed_all(x):
    return x.squeeze() + 1


def squeezed_behind(x):
    return x[:, None].squeeze(1) + 1


def added(a, b):
    return a + b


def prod(x):
    """The name of a function of PyTorch, whose meaning it has not."""
    return x * 3


for own in ("halved", "of_four", "lowered", "prod", "scaled", "tripled_alone", "two", "two_of_real", "true"):
    fx.wrap(own)
for own in ("added", "squeezed", "squeezed_all", "squeezed_behind"):
    fx.wrap(own)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * (x.shape[0] > 4),
        lambda x: x * 3 + (x.shape[0] != 2),
        lambda x: x * (x.shape[0] & 1),
        lambda x: x * lowered(x.shape[0]),
        lambda x: x * lowered(x.shape[0] % 2),
        lambda x: x * lowered(lowered(x.shape[0]) + 1),
        lambda x: scaled(x, lowered(x.shape[0])),
    ],
    ids=["greater", "unequal", "odd", "the least", "of a remainder", "of a number found before", "an argument"],
)
def test_numbers_that_depend_on_a_symbolic_size_are_no_constants(function):
    with pytest.raises(tvm.TVMError, match=r"has no rule|depends on symbolic dimensions"):
        from_fx(fx.symbolic_trace(function), [(("n", 3), "float32")])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: halved(x),
        lambda x: of_four(x),
        lambda x: tripled_alone(x),
        lambda x: squeezed(x),
        lambda x: squeezed_all(x),
    ],
    ids=["of a remainder", "greater", "one", "dropped where it is 1", "all dropped"],
)
def test_a_function_that_branches_on_a_symbolic_size_is_refused(function):
    graph = fx.symbolic_trace(function)
    with pytest.raises(tvm.TVMError, match="has no rule"):
        from_fx(graph, [(("n", 3), "float32")])
    x = draw(3, 3)
    assert_close(machine(from_fx(graph, info([x])))["main"](nd(x)), function(x))


def test_a_dimension_that_is_always_1_is_dropped_with_a_symbolic_one_left():
    runs = machine(from_fx(fx.symbolic_trace(lambda x: squeezed_behind(x)), [(("n", 3), "float32")]))
    for size in (1, 4):
        x = draw(size, 3)
        assert_close(runs["main"](nd(x)), squeezed_behind(x))


def test_dimensions_of_two_names_that_have_to_be_the_same_are_refused():
    graph = fx.symbolic_trace(lambda a, b: added(a, b))
    with pytest.raises(tvm.TVMError, match="has no rule"):
        from_fx(graph, [(("n", 3), "float32"), (("m", 3), "float32")])
    runs = machine(from_fx(graph, [(("n", 3), "float32"), (("n", 3), "float32")]))
    a, b = draw(4, 3), draw(4, 3, seed=3)
    assert_close(runs["main"](nd(a), nd(b)), a + b)


def test_a_function_of_the_users_that_is_called_as_one_of_pytorch():
    check_call(lambda x: prod(x), draw(2, 3))


def test_a_function_of_no_module_is_not_one_of_python():
    def prod(x):
        return x * 3

    prod.__module__ = None
    assert function_name(prod) not in ("prod", "builtins.prod")
    assert function_name(torch.prod) == "prod"
    assert function_name(torch.Tensor.prod) == "prod"
    assert function_name(operator.add) == "add"


def test_fixed_sizes_are_constants_with_a_symbolic_one_left():
    def function(x):
        rank, width = x.dim(), x.shape[-1]
        return x * lowered(width, 7) + lowered(x.size(1) + 1) - lowered(rank) * (x.shape[1] > 2) + scaled(x, width % 2)

    runs = machine(from_fx(fx.symbolic_trace(function), [(("n", 5), "float32")]))
    for size in (1, 6):
        x = draw(size, 5)
        assert_close(runs["main"](nd(x)), function(x))


def test_calls_of_equal_numbers_of_different_types_are_different_calls():
    def function(x):
        return scaled(x, two(x)), scaled(x, two_of_real(x)), scaled(x, lowered(x.dim(), 1)), scaled(x, true(x))

    check_call(function, draw(2, 3, dtype="int32"))


def test_a_change_of_a_view_is_refused():
    def function(x):
        a = x * 2
        view = a.view(-1)
        a.add_(1)
        return view

    with pytest.raises(tvm.TVMError, match="shares its memory"):
        from_fx(fx.symbolic_trace(function), info([X]))


class Unknown(nn.Module):
    """A model with operators that have no rule."""

    def forward(self, x):
        y = torch.linalg.det(x)  # the first
        z = x + 1
        return torch.linalg.matrix_exp(z) * y  # the second


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Unknown()

    def forward(self, x):
        return self.inner(x) - torch.special.i1(x)  # the third


def test_all_missing_rules_are_named_with_their_lines():
    with pytest.raises(tvm.TVMError) as caught:
        from_fx(fx.symbolic_trace(Outer()), info([SQUARE]))
    found = caught.value.diagnostics
    assert [one.code for one in found] == ["TW0801"] * 3
    lines = Path(__file__).read_text().split("\n")
    marks = ["# the first", "# the second", "# the third"]
    for diagnostic, mark in zip(found, marks, strict=True):
        [span] = diagnostic.spans
        assert span.file == __file__
        assert lines[span.line - 1].endswith(mark), lines[span.line - 1]
    assert "custom_convert_map" in str(caught.value)


def test_rules_of_the_user_s():
    def det(node, importer):
        x = importer.env[node.args[0]]
        assert importer.shape_of(x)[0] == 4
        return importer.block_builder.emit(relax.op.sum(x))

    def linear(node, importer):
        module = importer.named_modules[node.target]
        weight = relax.const(module.weight.detach().numpy())
        [x] = importer.retrieve_args(node)
        return relax.op.linear(x, weight)

    model = nn.Sequential(nn.Linear(4, 4), Unknown())
    graph = fx.symbolic_trace(model)
    rules = {
        "linalg_det": det,
        nn.Linear: linear,
        "linalg_matrix_exp": lambda node, importer: importer.retrieve_args(node)[0],
    }
    module = from_fx(graph, info([SQUARE]), custom_convert_map=rules)
    linear_only = SQUARE @ model[0].weight.T
    assert_close(machine(module)["main"](nd(SQUARE)), (linear_only + 1) * linear_only.sum())


def test_an_error_in_a_rule_of_the_user_s_stays_itself():
    def wrong(node, importer):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        from_fx(fx.symbolic_trace(lambda x: x + 1), info([X]), custom_convert_map={"add": wrong})
    with pytest.raises(tvm.TVMError, match="gives a value of the graph"):
        from_fx(
            fx.symbolic_trace(lambda x: x + 1), info([X]), custom_convert_map={"add": lambda node, importer: object()}
        )


def test_arguments_that_do_not_fit_are_errors():
    graph = fx.symbolic_trace(lambda x: x.softmax(7) + x.view(7, 7))
    with pytest.raises(tvm.TVMError) as caught:
        from_fx(graph, info([X]))
    assert [one.code for one in caught.value.diagnostics] == ["TW0802"] * 2
    with pytest.raises(ValueError, match="also needs `y`"):
        from_fx(fx.symbolic_trace(lambda x, y: x + y), info([X]))
    with pytest.raises(ValueError, match="says 2 inputs, the graph has 1"):
        from_fx(fx.symbolic_trace(lambda x: x), info([X, X]))


class Branches(nn.Module):
    def forward(self, x):
        if x.sum() > 0:  # what decides
            return x
        return -x


def test_control_flow_that_depends_on_data_is_an_error_at_its_line():
    with pytest.raises(tvm.TVMError, match="depends on the values of tensors") as caught:
        from_fx(Branches(), info([X]))
    assert "# what decides" in str(caught.value)


def test_a_model_is_traced_where_it_is_not_yet():
    model, x = draw_again(Small()), draw(2, 5)
    assert_close(machine(from_fx(model, info([x])))["main"](nd(x)), model(x))


def test_training_mode_is_told():
    with pytest.warns(UserWarning, match="training mode"):
        from_fx(fx.symbolic_trace(nn.Sequential(nn.BatchNorm2d(4)).train()), info([IMAGE]))
