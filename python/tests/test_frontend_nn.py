"""`relax.frontend.nn`: what modules export, weights and their names, tensors."""

import numpy as np
import pytest
from nn_checks import F32, Of, line_of, random, tensor

import tilewright as tw
from tilewright import ir, relax, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op
from tilewright.script import from_source


def same_as_text(module, text):
    """The module is the one in the text, names included, and reads back."""
    expected = from_source(text)
    ir.assert_structural_equal(module, expected)
    assert module.script() == expected.script()
    ir.assert_structural_equal(from_source(module.script(show_meta=True)), module)


# What is exported.


class MLP(nn.Module):
    def __init__(self, dtype=None):
        self.up = nn.Linear(6, 8, dtype=dtype)
        self.down = nn.Linear(8, 6, bias=False, dtype=dtype)

    def forward(self, x: nn.Tensor):
        return self.down(op.relu(self.up(x)))


def test_a_method_becomes_a_function_with_arguments_then_weights():
    module, params = MLP().export_tvm({"forward": {"x": tensor("n", 6)}})
    assert [name for name, _ in params] == ["up.weight", "up.bias", "down.weight"]
    same_as_text(
        module,
        """
@I.ir_module
class Module:
    @R.function
    def forward(
        x: R.Tensor(("n", 6), "float32"),
        up_weight: R.Tensor((8, 6), "float32"),
        up_bias: R.Tensor((8,), "float32"),
        down_weight: R.Tensor((6, 8), "float32"),
    ) -> R.Tensor(("n", 6), "float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            permute_dims = R.permute_dims(up_weight)
            matmul = R.matmul(x, permute_dims)
            add = R.add(matmul, up_bias)
            relu = R.nn.relu(add)
            permute_dims1 = R.permute_dims(down_weight)
            matmul1 = R.matmul(relu, permute_dims1)
            gv: R.Tensor((n, 6), "float32") = matmul1
            R.output(gv)
        return gv
""",
    )


def test_weights_and_states_come_packed_or_not_at_all():
    spec = {"x": tensor("n", 6), "$": {"param_mode": "packed", "effect_mode": "packed"}}
    module, _ = MLP().export_tvm({"forward": spec}, debug=True)
    main = module["forward"]
    assert [param.name_hint for param in main.params] == ["x", "packed_effects", "packed_params"]
    assert main.attrs["num_input"] == 2
    assert [len(param.struct_info.fields) for param in main.params[1:]] == [1, 3]
    assert 'up_weight: R.Tensor((8, 6), dtype="float32") = packed_params[0]' in module.script()
    spec["$"] = {"param_mode": "none", "effect_mode": "none"}
    module, _ = Of(lambda x: x + 1).export_tvm({"forward": {"x": tensor(2)} | {"$": spec["$"]}}, debug=True)
    assert [param.name_hint for param in module["forward"].params] == ["x"]


def test_with_debug_functions_hand_the_state_of_the_world_on():
    module, _ = Of(lambda x: x).export_tvm({"forward": {"x": tensor(2)}}, debug=True)
    same_as_text(
        module,
        """
@I.ir_module
class Module:
    @R.function
    def _initialize_effect() -> R.Tuple(R.Object):
        with R.dataflow():
            _io: R.Object = R.null_value()
            gv: R.Tuple(R.Object) = (_io,)
            R.output(gv)
        return gv

    @R.function
    def forward(x: R.Tensor((2,), "float32"), _io: R.Object) -> R.Tuple(R.Tensor((2,), "float32"), R.Tuple(R.Object)):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            gv: R.Tuple(R.Tensor((2,), "float32"), R.Tuple(R.Object)) = (x, (_io,))
            R.output(gv)
        return gv
""",
    )


def test_every_kind_of_argument():
    class Kinds(nn.Module):
        def forward(self, x, n, pair, thing, number, size, text, scale=2.0):
            assert isinstance(n, tir.Var) and n.dtype == "int64" and x.shape[0].same_as(n)
            assert isinstance(pair, tuple) and pair[0].shape == [3] and isinstance(pair[1], list)
            assert type(thing) is Thing and thing._name == "thing" and scale == 2.0
            assert [type(own) for own in (number, size, text)] == [nn.Object] * 3
            return [x * 2, (pair[0], pair[1][0])], thing

    class Thing(nn.Object):
        pass

    spec = {
        "x": tensor("n", 4), "n": int, "pair": (tensor(3), [tensor("n")]), "thing": nn.spec.Object(Thing),
        "number": float, "size": nn.spec.ConstInt("int32"), "text": str,
    }  # fmt: skip
    module, params = Kinds().export_tvm({"forward": spec})
    assert params == []
    main = module["forward"]
    n = main.params[0].struct_info.shape[0]
    expected = [
        relax.TensorStructInfo((n, 4), F32), relax.ShapeStructInfo([n]),
        relax.TupleStructInfo([relax.TensorStructInfo((3,), F32),
                               relax.TupleStructInfo([relax.TensorStructInfo((n,), F32)])]),
        relax.ObjectStructInfo(), relax.PrimStructInfo(F32), relax.PrimStructInfo("int32"), relax.ObjectStructInfo(),
    ]  # fmt: skip
    assert [param.struct_info for param in main.params] == expected
    assert str(main.ret_struct_info) == str(
        relax.TupleStructInfo([
            relax.TupleStructInfo([
                expected[0],
                relax.TupleStructInfo([relax.TensorStructInfo((3,), F32), relax.TensorStructInfo((n,), F32)]),
            ]),
            relax.ObjectStructInfo(),
        ])
    )  # fmt: skip


def test_several_methods_have_dimensions_of_their_own():
    class Two(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(("width", 3))

        def forward(self, x):
            return op.matmul(x, self.weight)

        def back(self, x):
            return op.matmul(x, op.permute_dims(self.weight))

    model = Two()
    module, params = model.export_tvm({"forward": {"x": tensor("n", "width")}, "back": {"x": tensor("n", 3)}})
    assert [name for name, _ in params] == ["weight"]
    text = module.script()
    assert 'weight: R.Tensor(("width", 3), dtype="float32")' in text
    assert '-> R.Tensor(("n", "width"), dtype="float32")' in text
    model.load_state_dict({"weight": random(5, 3)})
    compiled = model.jit({"forward": {"x": tensor("n", "width")}, "back": {"x": tensor("n", 3)}}, out_format="numpy")
    x, y = random(2, 5), random(4, 3)
    np.testing.assert_allclose(compiled["forward"](x), x @ random(5, 3), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(compiled["back"](y), y @ random(5, 3).T, rtol=1e-5, atol=1e-5)
    with pytest.raises(tw.TVMError, match="width"):
        compiled["forward"](random(2, 6))


def test_dimensions_may_be_integer_expressions():
    n = tir.Var("n", "int64")
    model = nn.Module()
    model.weight = nn.Parameter((n, 2 * n))
    model.forward = lambda x: op.matmul(x, model.weight)
    model.back = lambda x: op.matmul(x, op.permute_dims(model.weight))
    spec = {"forward": {"x": tensor(3, n)}, "back": {"x": tensor("m", n * 2)}}
    module, _ = model.export_tvm(spec)
    assert relax.analysis.well_formed(module)
    ir.assert_structural_equal(from_source(module.script()), module)
    model.load_state_dict({"weight": random(4, 8)})
    compiled, x, y = model.jit(spec, out_format="numpy"), random(3, 4), random(5, 8)
    np.testing.assert_allclose(compiled["forward"](x), x @ random(4, 8), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(compiled["back"](y), y @ random(4, 8).T, rtol=1e-5, atol=1e-5)


def test_models_are_imported_when_they_are_asked_for(python):
    program = """
import sys
import tilewright
assert "tilewright.relax.frontend.nn" not in sys.modules
from tilewright import relax
relax.frontend.nn.Module
assert "tilewright.relax.frontend.nn" in sys.modules and "numpy" not in sys.modules
try:
    relax.frontend.nothing
except AttributeError as error:
    assert "nothing" in str(error)
"""
    done = python("-c", program)
    assert done.returncode == 0, done.stderr


# Weights.


def test_names_of_weights_are_paths_and_a_shared_weight_is_one():
    class Tied(nn.Module):
        def __init__(self):
            self.embedding = nn.Embedding(7, 4)
            self.layers = nn.ModuleList([nn.Linear(4, 4), nn.RMSNorm(4, -1, bias=False)])
            self.by_name = nn.ModuleDict({"a": nn.Linear(4, 4, bias=False)})
            self.head = nn.Linear(4, 7, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, x):
            return self.head(self.by_name["a"](self.layers(self.embedding(x))))

    model = Tied()
    names = ["embedding.weight", "layers.0.weight", "layers.0.bias", "layers.1.weight", "by_name.a.weight"]
    assert [name for name, _ in model.named_parameters()] == names
    assert list(model.state_dict()) == [*names, "head.weight"]
    assert [name for name, _ in model.named_parameters("model")] == [f"model.{name}" for name in names]
    assert len(list(model.parameters())) == 5
    _, params = model.export_tvm({"forward": {"x": tensor("n", dtype="int32")}})
    assert [name for name, _ in params] == names
    weights = {name: random(*parameter.shape) for name, parameter in model.named_parameters()}
    missing, unknown = model.load_state_dict(weights, strict=False)
    assert (missing, unknown) == (["head.weight"], [])
    compiled = model.jit({"forward": {"x": tensor("n", dtype="int32")}}, out_format="numpy")
    x = np.array([3, 0, 6], "int32")
    y = weights["embedding.weight"][x] @ weights["layers.0.weight"].T + weights["layers.0.bias"]
    y = y / np.sqrt((y * y).mean(-1, keepdims=True) + 1e-5) * weights["layers.1.weight"]
    expected = y @ weights["by_name.a.weight"].T @ weights["embedding.weight"].T
    np.testing.assert_allclose(compiled["forward"](x), expected, rtol=1e-4, atol=1e-4)


def test_weights_take_values_of_their_shape_and_type():
    weight = nn.Parameter((2, "n"), "float16")  # the weight's own line
    assert weight.data is None
    weight.data = np.ones((2, 5), "float16")
    assert weight.data.shape == (2, 5)
    weight.data = tw.nd.array(np.ones((2, 3), "float16"))
    declared = line_of(__file__, "the weight's own line")
    for wrong in (np.ones((3, 5), "float16"), np.ones((2,), "float16")):
        with pytest.raises(tw.TVMError) as error:
            weight.data = wrong
        assert declared in str(error.value) and str(list(wrong.shape)) in str(error.value)
        assert (error.value.file, error.value.line) == (__file__, error.traceback[0].lineno + 1)
    with pytest.raises(tw.TVMError, match=r"float16.*float32"):
        weight.data = np.ones((2, 5), F32)
    weight.to("float32")
    assert (weight.dtype, weight.data.dtype) == (F32, F32)


def test_loading_names_missing_and_unknown_weights():
    model = MLP()
    weights = {"up.weight": random(8, 6), "up.bias": random(8), "other": random(1)}
    with pytest.raises(tw.TVMError, match=r"no values are given for down.weight; no weight is called other"):
        model.load_state_dict(weights)
    assert model.load_state_dict(weights, strict=False) == (["down.weight"], ["other"])
    with pytest.raises(tw.TVMError, match=r"up.bias: .*\[8\].*\[9\]"):
        model.load_state_dict({"up.bias": random(9)}, strict=False)
    other = MLP()
    other.load_state_dict({"down.weight": random(6, 8)} | {k: model.state_dict()[k] for k in ("up.weight", "up.bias")})
    np.testing.assert_array_equal(other.up.weight.data.numpy(), random(8, 6))
    with pytest.raises(tw.TVMError, match="has no values"):
        MLP().load_state_dict(MLP().state_dict())


def test_one_dimension_in_two_sizes_is_an_error_that_names_both():
    class Two(nn.Module):
        def __init__(self):
            self.a, self.b = nn.Parameter(("n", 2)), nn.Parameter(("n", 3))

        def forward(self):
            return op.concat([self.a, self.b], 1)

    model = Two()
    model.load_state_dict({"a": random(4, 2), "b": random(5, 3)})
    with pytest.raises(tw.TVMError, match="dimension `n` is 4 in the weight a and 5 in b"):
        model.jit({"forward": {}})
    model.b.data = random(4, 3)
    np.testing.assert_array_equal(
        model.jit({"forward": {}}, out_format="numpy")["forward"](), np.hstack([random(4, 2), random(4, 3)])
    )


def test_the_data_type_of_a_model_changes():
    model = MLP()
    model.cache = nn.KVCache(2, [3])
    model.up.out_dtype = "float32"
    model.to("float16")
    assert [p.dtype for p in model.parameters()] == ["float16", "float32", "float16"]
    assert model.cache.dtype == "float16"
    nn.set_default_dtype("float16")
    try:
        assert nn.get_default_dtype() == "float16" and nn.Linear(2, 3).weight.dtype == "float16"
    finally:
        nn.set_default_dtype("float32")


# Tensors.


def test_tensors_have_pythons_operators():
    def every(x, y):
        assert (x.ndim, x.dtype) == (2, F32)
        return [
            x + y, x - y, x * y, x / y, -x, 2 + x, 2 - x, 2 * x, 2 / x, x + 1, x - 1, x * 3, x / 4,
            x < y, x <= 0, x > y, x >= 0.5, x.maximum(y), x.minimum(0), x @ x.permute_dims(1, 0), x.astype("int32"),
            x.reshape(-1), x.reshape([3, 2]), x.permute_dims(), x.repeat(2, axis=1),
        ]  # fmt: skip

    x, y = random(2, 3), random(2, 3, seed=9)
    with np.errstate(invalid="ignore"):
        expected = [
            x + y, x - y, x * y, x / y, -x, 2 + x, 2 - x, 2 * x, 2 / x, x + 1, x - 1, x * 3, x / 4,
            x < y, x <= 0, x > y, x >= 0.5, np.maximum(x, y), np.minimum(x, 0), x @ x.T, x.astype("int32"),
            x.reshape(-1), x.reshape(3, 2), x.T, x.repeat(2, 1),
        ]  # fmt: skip
    model = Of(None)
    model.forward = lambda x, y: every(x, y)
    results = model.jit({"forward": {"x": tensor(2, 3), "y": tensor(2, 3)}}, out_format="numpy")["forward"](x, y)
    for found, wanted in zip(results, expected, strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


def test_constants_scalars_and_placeholders():
    assert nn.Tensor.from_const(np.array([1, 2], "int8")).dtype == "int8"
    scalar = nn.Tensor.from_scalar(1.5, "float16")
    assert (scalar.shape, scalar.dtype, scalar.ndim) == ([], "float16", 0)
    made = nn.Tensor.from_struct_info(relax.TensorStructInfo((2, tir.Var("m", "int64")), "int32"), "named")
    assert made.shape[0] == 2 and type(made.shape[0]) is int and made._expr.name_hint == "named"
    assert nn.Tensor.placeholder(["n", "n", 3], F32).shape[0].same_as is not None
    dims = nn.Tensor.placeholder(["n", "n", 3], F32).shape
    assert dims[0].same_as(dims[1]) and dims[2] == 3
    with pytest.raises(tw.TVMError, match="a symbolic dimension has a name"):
        nn.Tensor.placeholder(["n + 1"], F32)
    with pytest.raises(tw.TVMError, match="not known when the module is written"):
        _ = nn.Tensor.from_struct_info(relax.TensorStructInfo(ndim=2, dtype=F32)).shape
    with pytest.raises(tw.TVMError, match="stands for a tensor"):
        nn.Tensor(_expr=relax.PrimValue(1))
