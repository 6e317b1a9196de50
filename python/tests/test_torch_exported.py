"""Programs of `torch.export`, and PyTorch's compiler with us behind it."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import nn  # noqa: E402
from torch_cases import CASES, LOOSE, SQUARE, X  # noqa: E402
from torch_checks import TOLERANCE, Small, assert_close, draw, draw_again, machine, nd, torchvision_model  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.relax.frontend import detach_params  # noqa: E402
from tilewright.relax.frontend.torch import (  # noqa: E402
    dynamo_capture_subgraphs,
    from_exported_program,
    relax_dynamo,
)

pytestmark = pytest.mark.torch


def exported(model, *inputs, **options):
    return torch.export.export(model.eval(), inputs, **options)


@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v2", "densenet121"])
def test_an_exported_model(name):
    model, x = torchvision_model(name), draw(1, 3, 64, 64)
    module = from_exported_program(exported(model, x), unwrap_unit_return_tuple=True)
    assert_close(machine(module)["main"](nd(x)), model(x), TOLERANCE)


def test_an_exported_program_keeps_parameters_and_dimensions():
    model, x = draw_again(Small()), draw(3, 5)
    batch = torch.export.Dim("batch", min=2)
    program = exported(model, x, dynamic_shapes={"x": {0: batch}})
    module = from_exported_program(program, keep_params_as_input=True, unwrap_unit_return_tuple=True)
    detached, params = detach_params(module)
    for size in (2, 7):
        x = draw(size, 5)
        assert_close(machine(detached)["main"](nd(x), *params["main"]), model(x))


def test_regions_of_a_model():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(5, 4)

        def forward(self, x):
            with torch.no_grad():
                held = self.layer(x)
                one = held.relu()
            with torch.autocast("cpu", enabled=False):
                two = self.layer(x * 2)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                three = self.layer(x)
                with torch.no_grad():
                    three = three + nn.functional.hardswish(three)
            return held + two, one, three

    model, x = draw_again(Model()), draw(3, 5)
    found = machine(from_exported_program(exported(model, x)))["main"](nd(x))
    for own, expected, tolerance in zip(found, model(x), [TOLERANCE, TOLERANCE, 2e-2], strict=True):
        own = torch.from_dlpack(own)
        assert own.dtype == expected.dtype
        assert torch.allclose(own.float(), expected.float(), tolerance, tolerance)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.norm = nn.BatchNorm1d(3)


CHANGES = {
    "a buffer": (lambda own, x: own.total.add_(x[0]) * 2, "its buffer `total`.*: return function.*as an argument"),
    "a part of a buffer": (lambda own, x: own.total[1:].mul_(0) + x[0, 1:], "its buffer `total`"),
    "one of several parts": (lambda own, x: own.total.unbind()[1].sub_(1) + x, "its buffer `total`"),
    "places of a buffer": (lambda own, x: own.total.index_copy_(0, torch.tensor([1]), x[0, :1]) + x, "its buffer"),
    "a buffer by assignment": (lambda own, x: setattr(own, "total", own.total + 1) or own.total + x, "its buffer"),
    "an input": (lambda own, x: x.add_(1) * 2, r"its input `x`.*clone\(\)"),
    "a row of an input": (lambda own, x: x[0].zero_() + x, "its input `x`"),
    "an input that is told to hold it": (lambda own, x: torch.add(x, 1, out=x) * 2, "its input `x`"),
    "statistics": (lambda own, x: own.norm(x), r"buffer `norm.num_batches_tracked`.*model.eval\(\)"),
    "statistics of a function": (
        lambda own, x: nn.functional.batch_norm(x, own.total, own.norm.running_var, training=True),
        "its buffer `total`",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_not_dropped_unless_that_is_asked_for(name):
    function, message = CHANGES[name]

    class Model(Counter):
        def forward(self, x):
            return function(self, x)

    model, x = Model(), draw(2, 3)
    program = torch.export.export(model, (x.clone(),))
    with pytest.raises(tvm.TVMError, match=f"(?s){message}"):
        from_exported_program(program)
    module = from_exported_program(program, drop_changes=True)
    assert_close(machine(module)["main"](nd(x)), (model(x.clone()),), 1e-5)


def test_changes_of_tensors_made_by_the_model():
    class Model(Counter):
        def forward(self, x):
            total = self.total.clone()
            total[0] = 1
            return total.add_(x[0]).mul_(2), self.norm(x)

    model, x = Model(), draw(2, 3)
    assert_close(machine(from_exported_program(exported(model, x)))["main"](nd(x)), model(x), 1e-5)


def test_rules_of_the_user_s_for_exported_operators():
    class Model(nn.Module):
        def forward(self, x):
            return torch.linalg.matrix_exp(x) + 1

    program = exported(Model(), SQUARE)
    with pytest.raises(tvm.TVMError, match="linalg_matrix_exp"):
        from_exported_program(program)
    rules = {"linalg_matrix_exp": lambda node, importer: importer.retrieve_args(node)[0]}
    module = from_exported_program(program, custom_convert_map=rules, unwrap_unit_return_tuple=True)
    assert_close(machine(module)["main"](nd(SQUARE)), SQUARE + 1)


EXPORTED = [
    "add alpha", "sub alpha", "div floor", "where", "masked_fill", "gelu tanh", "softmax", "sum dims kept", "mean dims",
    "max dim", "std", "var", "cumsum", "view of sizes", "transpose", "expand", "repeat", "cat", "stack", "split sizes",
    "pad value", "pad reflect", "tril", "getitem slices", "getitem tensor", "getitem tensor behind", "index_select",
    "gather", "embedding", "full_like", "arange", "to", "linear", "addmm scaled", "baddbmm", "conv2d options",
    "conv_transpose2d", "max_pool2d", "avg_pool2d ceil", "adaptive_avg_pool2d", "batch_norm", "layer_norm",
    "group_norm",
    "attention mask", "interpolate bilinear", "einsum", "clamp min", "leaky_relu", "elu alpha", "logsumexp", "any",
]  # fmt: skip


@pytest.mark.parametrize("name", EXPORTED)
def test_an_exported_operator(name):
    function, *inputs = CASES[name]
    names = ", ".join(f"x{at}" for at in range(len(inputs)))
    scope = {"nn": nn, "function": function}
    exec(f"class Model(nn.Module):\n    def forward(self, {names}):\n        return function({names})", scope)
    program = exported(scope["Model"](), *[value.clone() for value in inputs])
    module = from_exported_program(program, unwrap_unit_return_tuple=True)
    assert_close(machine(module)["main"](*map(nd, inputs)), function(*inputs), 1e-4 if name in LOOSE else 1e-5)


def test_a_backend_of_torch_compile():
    model, x = draw_again(Small()), draw(3, 5)
    compiled = torch.compile(model, backend=relax_dynamo())
    assert_close(compiled(x), model(x))


def test_a_compiled_model_called_with_several_shapes():
    def function(x, y):
        y.add_(x.shape[0])
        return x * x.shape[0] + y, x.reshape(-1)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=relax_dynamo())
    for rows in (2, 4, 5, 2):
        x, own, torch_s = draw(rows, 3), draw(3), draw(3)
        assert_close(compiled(x, own), function(x, torch_s))
        assert_close(own, torch_s)
        assert not torch.equal(own, draw(3))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float64", "bool", "int8"])
def test_a_compiled_model_of_another_type(dtype):
    def function(x, y):
        if y.is_floating_point():
            y.add_(1)
        return x[1:].mT, y[0] | y[1] if dtype == "bool" else y[0] + y[1], x.to(torch.bfloat16), x[:0]

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=relax_dynamo())
    x = draw(4, 3).to(getattr(torch, dtype))
    own, torch_s = x.clone().mT[1:], x.clone().mT[1:]
    found, expected = compiled(x, own), function(x.clone(), torch_s)
    assert [one.dtype for one in found] == [one.dtype for one in expected]
    for one, wanted in zip((*found, own), (*expected, torch_s), strict=True):
        assert torch.equal(one, wanted)


def test_a_compiled_layer_of_bfloat16():
    torch._dynamo.reset()
    layer, x = draw_again(nn.Linear(5, 4)).to(torch.bfloat16), draw(3, 5).to(torch.bfloat16)
    found = torch.compile(layer, backend=relax_dynamo())(x)
    assert found.dtype == torch.bfloat16
    assert torch.allclose(found.float(), layer(x).float(), 2e-2, 2e-2)


def test_a_compiled_model_called_with_several_floats():
    def function(x, k):
        half = k / 2
        return x * k + half, torch.clamp(x, max=half), x.to(torch.int32) * k

    torch._dynamo.reset()
    compiled, x = torch.compile(function, backend=relax_dynamo()), draw(3, 5)
    for k in (2.5, 3.5, -1.0, 3.5, float("inf")):
        assert_close(compiled(x, k), function(x, k))


@pytest.mark.parametrize("layer", [nn.BatchNorm1d(3), nn.InstanceNorm1d(3, track_running_stats=True)])
def test_running_statistics_are_not_forgotten(layer):
    x, torch_s = draw(2, 3, 4), copy.deepcopy(layer)
    for training in (True, False):
        torch._dynamo.reset()
        compiled = torch.compile(layer.train(training), backend=relax_dynamo())
        assert_close(compiled(x), torch_s.train(training)(x))
        for own, wanted in zip(layer.buffers(), torch_s.buffers(), strict=True):
            assert_close(own, wanted)


def test_captured_graphs_are_functions():
    def model(x):
        y = torch.sin(x)
        torch._dynamo.graph_break()
        return torch.cos(y)

    module = dynamo_capture_subgraphs(model, X)
    names = sorted(name.name_hint for name in module.functions)
    assert names == ["subgraph_0", "subgraph_1"]
