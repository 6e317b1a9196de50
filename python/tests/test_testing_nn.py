"""`relax.testing.nn`: modules that write functions with the builder of the caller."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, te, tir
from tilewright.relax.testing import nn


def function(model, *inputs):
    """A module whose `main` is what the model makes of the inputs."""
    builder = relax.BlockBuilder()
    with builder.function("main"):
        with builder.dataflow():
            output = builder.emit_output(model(*inputs))
        builder.emit_func_output(output, [*inputs, *model.parameters()])
    return builder.finalize()


def run(module, *arrays):
    machine = relax.VirtualMachine(relax.build(module, target="llvm"), tw.cpu())
    return machine["main"](*map(tw.nd.array, arrays)).numpy()


def random(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape).astype("float32")


def test_weights_come_in_the_order_of_attributes_each_once():
    class Part(nn.Module):
        def __init__(self, name):
            self.weight = nn.Parameter((2,), name=name)

    class Whole(nn.Module):
        def __init__(self):
            self.a = nn.Parameter((1,), name="a")
            self.part = Part("b")
            self.nothing = None
            self.number = 3
            self.listed = [Part("c"), (nn.Parameter((1,), name="d"), "text")]
            self.by_name = {"y": Part("e"), "x": nn.Parameter((1,), name="f")}
            self.input = nn.Placeholder((1,), name="input")
            self.variable = relax.Var("v", relax.TensorStructInfo((1,), "float32"))
            self.again = self.part

    assert [p.name_hint for p in Whole().parameters()] == list("abcdef")
    assert nn.Module().parameters() == []


def test_parameters_and_placeholders_are_variables_of_their_own_class():
    n = tir.Var("n", "int64")
    weight, data = nn.Parameter((n, 3), "float16", name="w"), nn.Placeholder([n, 3], dtype="int32")
    assert type(weight) is nn.Parameter and type(data) is nn.Placeholder
    assert isinstance(weight, relax.Var) and not isinstance(weight, nn.Placeholder)
    assert (weight.name_hint, data.name_hint) == ("w", "data")
    assert weight.struct_info == relax.TensorStructInfo((n, 3), "float16")
    assert data.struct_info == relax.TensorStructInfo((n, 3), "int32")
    assert nn.Parameter((1,)) != nn.Parameter((1,))


def test_ready_made_layers_compute_their_formulas():
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3, bias=False), nn.LogSoftmax())
    n = tir.Var("n", "int64")
    module = function(model, nn.Placeholder((n, 4), name="data"))
    assert [p.name_hint for p in model.parameters()] == ["linear_weight", "linear_bias", "linear_weight"]
    x, w0, b0, w1 = random(5, 4), random(4, 6), random(6), random(6, 3)
    scores = np.maximum(x @ w0 + b0, 0) @ w1
    expected = scores - np.log(np.exp(scores).sum(-1, keepdims=True))
    np.testing.assert_allclose(run(module, x, w0, b0, w1), expected, rtol=1e-5, atol=1e-5)


def test_tensor_expressions_are_emitted():
    class Scale(nn.Module):
        def __init__(self):
            self.factor = nn.Parameter((3,), name="factor")

        def forward(self, x):
            def scale(x, factor, offset):
                return te.compute(x.shape, lambda i, j: x[i, j] * factor[j] + offset, name="scaled")

            return nn.emit_te(scale, x, self.factor, 2.0, primfunc_name_hint="times")

    module = function(Scale(), nn.Placeholder((2, 3)))
    assert "times" in {var.name_hint for var in module.get_global_vars()}
    x, factor = random(2, 3), random(3)
    np.testing.assert_allclose(run(module, x, factor), x * factor + 2, rtol=1e-6)


def test_random_weights_fit_their_parameters():
    module = function(nn.Linear(4, 6), nn.Placeholder((2, 4), name="data"))
    weights = nn.init_params(module)
    assert [(w.shape, w.dtype) for w in weights] == [((4, 6), "float32"), ((6,), "float32")]
    values = weights[0].numpy()
    assert values.min() < 0 < values.max() and abs(values).max() <= 1
    np.testing.assert_array_equal(values, nn.init_params(module)[0].numpy())
    assert not np.array_equal(values, nn.init_params(module, seed=1)[0].numpy())
    counted = module.with_attr("note", 1)
    counted["main"] = counted["main"].with_attr("num_input", 2)
    assert [w.shape for w in nn.init_params(counted)] == [(6,)]


@pytest.mark.parametrize("call", [lambda x: nn.emit(x), lambda x: nn.emit_te(lambda A: A, x)])
def test_emitting_outside_of_a_function_is_an_error(call):
    with pytest.raises(tw.TVMError, match="no function is being written"):
        call(nn.Placeholder((2,)))


def test_a_module_without_forward_says_so():
    class Empty(nn.Module):
        pass

    with pytest.raises(NotImplementedError, match="Empty has no `forward`"):
        Empty()(1)


def test_an_input_that_a_weight_does_not_fit_is_an_error():
    model = nn.Linear(4, 6)
    with pytest.raises(tw.TVMError, match="matmul"):
        function(model, nn.Placeholder((2, 5)))
