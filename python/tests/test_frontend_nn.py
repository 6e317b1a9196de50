"""`relax.frontend.nn`: modules, what they export, operations, states, exchanged layers, compiled modules, mistakes."""

import subprocess
import sys

import numpy as np
import pytest

import tilewright as tw
from tilewright import ir, relax, te, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op
from tilewright.script import from_source
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T

F32 = "float32"


def tensor(*shape, dtype=F32):
    return nn.spec.Tensor(shape, dtype)


def random(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(F32)


def line_of(text):
    """The place of the line of this file that has the text, and no other one."""
    (line,) = [at for at, own in enumerate(open(__file__), 1) if text in own and "line_of(" not in own]
    return f"{__file__}:{line}"


def same_as_text(module, text):
    """The module is the one in the text, names included, and reads back."""
    expected = from_source(text)
    ir.assert_structural_equal(module, expected)
    assert module.script() == expected.script()
    ir.assert_structural_equal(from_source(module.script(show_meta=True)), module)


class Of(nn.Module):
    """A module of a function."""

    def __init__(self, function, **attributes):
        vars(self).update(attributes)
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def run(function, *arrays):
    """What the function computes of these arrays, compiled, with every dimension symbolic."""
    names = [f"x{at}" for at in range(len(arrays))]
    scope = {"function": function}
    exec(f"def forward({', '.join(names)}): return function({', '.join(names)})", scope)
    spec = {}
    sizes = {}
    for name, array in zip(names, arrays):
        spec[name] = tensor(*(sizes.setdefault(dim, f"n{dim}") for dim in array.shape), dtype=str(array.dtype))
    module = nn.Module()
    module.forward = scope["forward"]
    return module.jit({"forward": spec}, out_format="numpy")["forward"](*arrays)


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
    def forward(x: R.Tensor(("n", 6), "float32"), up_weight: R.Tensor((8, 6), "float32"), up_bias: R.Tensor((8,), "float32"), down_weight: R.Tensor((6, 8), "float32")) -> R.Tensor(("n", 6), "float32"):
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
    declared = line_of("the weight's own line")
    for wrong in (np.ones((3, 5), "float16"), np.ones((2,), "float16")):
        with pytest.raises(tw.TVMError) as error:
            weight.data = wrong
        assert declared in str(error.value) and str(list(wrong.shape)) in str(error.value)
        assert (error.value.file, error.value.line) == (__file__, error.traceback[0].lineno + 1)
    with pytest.raises(tw.TVMError, match="float16.*float32"):
        weight.data = np.ones((2, 5), F32)
    weight.to("float32")
    assert (weight.dtype, weight.data.dtype) == (F32, F32)


def test_loading_says_what_is_missing_and_unknown():
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


# Operations beside NumPy.


UNARY = {
    "abs": np.abs, "ceil": np.ceil, "cos": np.cos, "exp": np.exp, "floor": np.floor, "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0), "round": np.round, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)), "sin": np.sin, "softplus": lambda x: np.log1p(np.exp(x)),
    "square": np.square, "tanh": np.tanh,
}  # fmt: skip
POSITIVE = {"log": np.log, "rsqrt": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt}


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_unary_operations(name):
    x = random(3, 5)
    x = np.abs(x) + 0.1 if name in POSITIVE else x
    np.testing.assert_allclose(run(getattr(op, name), x), (UNARY | POSITIVE)[name](x), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", [
    "add", "divide", "equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "multiply",
    "not_equal", "power", "subtract",
])  # fmt: skip
def test_binary_operations(name):
    x, y = np.abs(random(3, 5)).round(1) + 0.5, np.abs(random(3, 5, seed=3)).round(1) + 0.5
    y[0] = x[0]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(getattr(op, name), x, y), getattr(np, name)(x, y), rtol=2e-6, atol=1e-6)


CASES = {
    "where": (lambda x, y: op.where(x > y, x, y), np.maximum),
    "where of numbers": (lambda x, y: op.where((x > y).astype("int32"), x, 0), lambda x, y: np.where(x > y, x, 0)),
    "softmax": (lambda x, y: op.softmax(x, 0), lambda x, y: np.exp(x) / np.exp(x).sum(0)),
    "sum": (lambda x, y: op.sum(x, axis=0), lambda x, y: x.sum(0)),
    "sum of all": (lambda x, y: op.sum(x), lambda x, y: x.sum()),
    "max": (lambda x, y: op.max(x, axis=[1], keepdims=True), lambda x, y: x.max(1, keepdims=True)),
    "min": (lambda x, y: op.min(x, axis=-1), lambda x, y: x.min(-1)),
    "mean": (lambda x, y: op.mean(x, axis=1), lambda x, y: x.mean(1)),
    "cumsum": (lambda x, y: op.cumsum(x, 1), lambda x, y: x.cumsum(1)),
    "exclusive cumsum": (lambda x, y: op.cumsum(x, 1, exclusive=True), lambda x, y: x.cumsum(1) - x),
    "matmul": (lambda x, y: op.matmul(x, op.permute_dims(y)), lambda x, y: x @ y.T),
    "sort": (lambda x, y: op.sort(x, 0, descending=True), lambda x, y: -np.sort(-x, 0)),
    "argsort": (lambda x, y: op.argsort(x, -1), lambda x, y: np.argsort(x, -1).astype("int32")),
    "topk": (lambda x, y: op.topk(x, 2, ret_type="values"), lambda x, y: -np.sort(-x, -1)[:, :2]),
    "smallest": (lambda x, y: op.topk(x, 1, 0, "indices", largest=False), lambda x, y: x.argmin(0)[None].astype("int32")),
    "unsqueeze": (lambda x, y: op.unsqueeze(x, 1), lambda x, y: x[:, None]),
    "squeeze": (lambda x, y: op.squeeze(op.unsqueeze(x, -1)), lambda x, y: x),
    "concat": (lambda x, y: op.concat([x, y, x], 1), lambda x, y: np.concatenate([x, y, x], 1)),
    "reshape": (lambda x, y: op.reshape(x, [-1, 1]), lambda x, y: x.reshape(-1, 1)),
    "broadcast_to": (lambda x, y: op.broadcast_to(x, [2, *x.shape]), lambda x, y: np.stack([x, x])),
    "permute": (lambda x, y: op.permute(x, [1, 0]), lambda x, y: x.T),
    "repeat": (lambda x, y: op.repeat(x, 3), lambda x, y: x.repeat(3)),
    "take": (lambda x, y: op.take(x, nn.Tensor.from_const(np.array([2, 0], "int32")), 0), lambda x, y: x[[2, 0]]),
    "pad": (lambda x, y: op.pad(x, [1, 0, 0, 2], value=7), lambda x, y: np.pad(x, [(1, 0), (0, 2)], constant_values=7)),
    "triu": (lambda x, y: op.triu(x, 1), lambda x, y: np.triu(x, 1)),
    "tril": (lambda x, y: op.tril(x), lambda x, y: np.tril(x)),
    "full": (lambda x, y: op.full([2, x.shape[1]], 3, "int32"), lambda x, y: np.full((2, x.shape[1]), 3, "int32")),
    "zeros": (lambda x, y: op.zeros(x.shape), lambda x, y: np.zeros_like(x)),
    "ones": (lambda x, y: op.ones(x.shape, "int8"), lambda x, y: np.ones(x.shape, "int8")),
    "arange": (lambda x, y: op.arange(x.shape[0]), lambda x, y: np.arange(x.shape[0], dtype=F32)),
    "a range": (lambda x, y: op.arange(1, 2 * x.shape[1], 3, "int64"), lambda x, y: np.arange(1, 2 * x.shape[1], 3)),
    "astype": (lambda x, y: op.astype(op.astype(x, F32), "float64"), lambda x, y: x.astype("float64")),
    "split": (lambda x, y: op.split(x, [1, 3], axis=1)[1], lambda x, y: x[:, 1:3]),
    "rms_norm": (lambda x, y: op.rms_norm(x, op.max(y, 0), -1, 1e-3),
                 lambda x, y: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-3) * y.max(0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_operations(case):
    function, expected = CASES[case]
    x, y = random(3, 5), random(3, 5, seed=4)
    found, wanted = run(function, x, y), expected(x, y)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_parts_come_as_tuples():
    x = random(4, 6)
    for parts in (run(lambda x: op.chunk(op.reshape(x, [4, 6]), 3, 1), x), run(lambda x: op.split(x, [2, 4], 1), x)):
        np.testing.assert_array_equal(np.stack(parts), np.stack(np.split(x, 3, 1)))
    values, indices = run(lambda x: op.topk(x, 2, dtype="int64"), x)
    assert indices.dtype == "int64"
    np.testing.assert_array_equal(np.take_along_axis(x, indices, -1), values)


def test_operations_are_called_after_themselves_or_as_one_likes():
    model = nn.Module()
    model.forward = lambda x: op.exp(op.exp(op.relu(x), name="mine"))
    module, _ = model.export_tvm({"forward": {"x": tensor(2)}})
    bound = [binding.var.name_hint for binding in module["forward"].body.blocks[0].bindings]
    assert bound == ["relu", "mine", "exp", "gv"]
