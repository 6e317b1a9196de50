"""Of `relax.frontend.nn` what is beside layers: operations of one's own, states, modules that become functions,
exchanged parts, external code, compiled modules."""

import shutil

import numpy as np
import pytest
from conftest import HERE
from nn_checks import F32, Of, line_of, random, run, tensor

import tilewright as tw
from tilewright import relax, te
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op
from tilewright.script import tir as T


def compiled(function, **spec):
    model = nn.Module()
    model.forward = function
    return model.jit({"forward": spec}, out_format="numpy")["forward"]


# Operations of one's own.


def test_tensor_expressions_with_captured_values_and_dimensions():
    factor = 3

    def forward(x, offset):
        def shifted(x, offset, scale):
            return te.compute(x.shape, lambda i, j: x[i, j] * factor + (offset + i) * scale, name="shifted")

        return op.tensor_expr_op(shifted, "shift", [x, offset, 2], attrs={"note": 1})

    x = random(2, 3)
    call = compiled(forward, x=tensor("n", 3), offset=int)
    np.testing.assert_allclose(call(x, 5), x * 3 + (5 + np.arange(2)[:, None]) * 2, rtol=1e-6)
    model = nn.Module()
    model.forward = forward
    module, _ = model.export_tvm({"forward": {"x": tensor("n", 3), "offset": int}})
    assert module["shift"].attrs["note"] == 1 and "tir_vars=R.shape([" in module.script()


def test_tensor_expressions_with_several_results():
    def both(x):
        plus = te.compute(x.shape, lambda i: x[i] + 1, name="plus")
        return plus, te.compute(x.shape, lambda i: plus[i] * x[i], name="times")

    x = random(4)
    plus, times = run(lambda x: op.tensor_expr_op(both, "both", [x]), x)
    np.testing.assert_allclose(plus, x + 1)
    np.testing.assert_allclose(times, (x + 1) * x, rtol=1e-6)


def test_tensor_ir_that_a_function_makes():
    def kernel(scale):
        @T.prim_func(private=True)
        def scaled(a: T.handle, b: T.handle, offset: T.int64):
            n = T.int64()
            A = T.match_buffer(a, (n, 4), "float32")
            B = T.match_buffer(b, (n, 4), "float32")
            for i, j in T.grid(n, 4):
                with T.block("scaled"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] * T.float32(scale) + T.Cast("float32", offset)

        return scaled

    def forward(x, offset):
        out = nn.Tensor.placeholder(x.shape, F32)
        first = op.tensor_ir_op(kernel(2.0), "scaled", [x, offset], out)
        return op.tensor_ir_op(kernel(0.5), "scaled", [first, offset], out)

    x = random(3, 4)
    call = compiled(forward, x=tensor("n", 4), offset=int)
    np.testing.assert_allclose(call(x, 7), (2 * x + 7) / 2 + 7, rtol=1e-6)


@T.prim_func(private=True)
def add_to(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("add"):
            vi = T.axis.spatial(4, i)
            b[vi] = b[vi] + a[vi]


def test_tensor_ir_in_place():
    def forward(x, y):
        y = y * 1
        return op.tensor_ir_inplace_op(add_to, "add_to", [x, y], 1, nn.Tensor.placeholder([4], F32))

    x, y = random(4), random(4, seed=1)
    np.testing.assert_allclose(compiled(forward, x=tensor(4), y=tensor(4))(x, y), x + y, rtol=1e-6)


def test_functions_of_the_process():
    @tw.register_func("test.nn.scaled", override=True)
    def scaled(x, factor, name, sizes, out):
        assert name == "by" and tuple(sizes) == (1, 2)
        np.from_dlpack(out)[...] = x.numpy() * factor

    def forward(x):
        return op.extern("test.nn.scaled", [x, 2.5, "by", [1, 2]], nn.Tensor.placeholder(x.shape, F32))

    x = random(3, 2)
    np.testing.assert_allclose(compiled(forward, x=tensor("n", 2))(x), x * 2.5)
    with pytest.raises(tw.TVMError, match="a tensor that the function fills"):
        compiled(lambda x: op.extern("f", [x], relax.ObjectStructInfo()), x=tensor(2))
    with pytest.raises(tw.TVMError, match=r"described by nn.Tensor.placeholder"):
        compiled(lambda x: op.extern("f", [x], 3), x=tensor(2))
    with pytest.raises(tw.TVMError, match="tensors come before integers"):
        compiled(lambda x: op.tensor_ir_op(add_to, "f", [1, x], x), x=tensor(4))


def test_values_are_wrapped():
    def forward(x):
        pair = op.wrap_nested(relax.Tuple([x._expr, relax.Tuple([x._expr])]), "pair")
        assert isinstance(pair, tuple) and isinstance(pair[1], tuple) and isinstance(pair[1][0], nn.Tensor)
        return pair[0] + nn.wrap_nested(relax.op.exp(pair[1][0]._expr), "e")

    x = random(3)
    np.testing.assert_allclose(compiled(forward, x=tensor("n"))(x), x + np.exp(x), rtol=1e-6)


# Looks at values.


def test_a_model_is_looked_at_while_it_runs(capfd):
    seen = []
    tw.register_func("test.nn.look", lambda place, x, n: seen.append((place, x.numpy().tolist(), n)), override=True)

    def forward(x):
        y = x + 1
        op.debug_func("test.nn.look", y, 3)  # looks
        op.print_(y)  # prints
        return y * 2

    model = Of(forward)
    spec = {"forward": {"x": tensor("n")}}
    call = model.jit(spec, out_format="numpy", debug=True)["forward"]
    np.testing.assert_array_equal(call(np.array([1, 2], F32)), [4, 6])
    assert seen == [(line_of(__file__, "# looks"), [2.0, 3.0], 3)]
    assert f"[{line_of(__file__, '# prints')}]" in capfd.readouterr().out
    call(np.array([5], F32))
    assert [own[1] for own in seen] == [[2.0, 3.0], [6.0]]
    with pytest.raises(tw.TVMError, match="export the module with `debug=True`"):
        model.export_tvm(spec)
    with pytest.raises(tw.TVMError, match='`effect_mode` "none"'):
        model.export_tvm({"forward": spec["forward"] | {"$": {"effect_mode": "none"}}}, debug=True)


# States.


class Counting(nn.Module):
    """Keeps rows, and sums all of them."""

    def __init__(self, dtype=F32):
        self.rows = nn.KVCache(2, [3], dtype)

    def add(self, x, total):
        self.rows.append(x)
        return op.sum(self.rows.view(total), axis=0)

    def size(self, x):
        return x


def counting_spec(mode="plain", **more):
    return {"add": {"x": tensor("n", 3), "total": int, "$": {"effect_mode": mode}}} | more


@pytest.mark.parametrize("mode", ["plain", "packed"])
def test_states_go_from_call_to_call(mode):
    spec = counting_spec(mode, size={"x": tensor(1), "$": {"effect_mode": "none"}})
    machine = Counting().jit(spec, out_format="numpy")
    for _ in range(2):
        done = np.zeros((0, 3), F32)
        for count in (1, 4, 2):
            x = random(count, 3)
            done = np.concatenate([done, x])
            np.testing.assert_allclose(machine["add"](x, len(done)), done.sum(0), rtol=1e-5, atol=1e-5)
            assert machine["size"](np.zeros(1, F32)).shape == (1,)
        machine.reset()


def test_functions_with_states_take_and_give_them():
    module, _ = Counting().export_tvm(counting_spec())
    assert module["_initialize_effect"].params.__len__() == 0
    machine = relax.VirtualMachine(relax.build(module, target="llvm"), tw.cpu())
    (first,), (second,) = machine["_initialize_effect"](), machine["_initialize_effect"]()
    x = random(2, 3)
    total, (first,) = machine["add"](tw.nd.array(x), (2,), first)
    np.testing.assert_allclose(total.numpy(), x.sum(0), rtol=1e-6)
    total, (first,) = machine["add"](tw.nd.array(x), (4,), first)
    np.testing.assert_allclose(total.numpy(), 2 * x.sum(0), rtol=1e-6)
    # Another state knows nothing of it.
    total, _ = machine["add"](tw.nd.array(x), (2,), second)
    np.testing.assert_allclose(total.numpy(), x.sum(0), rtol=1e-6)


def test_optimisation_keeps_states_apart():
    class Two(nn.Module):
        def __init__(self):
            self.a, self.b = nn.KVCache(2, [3]), nn.KVCache(2, [3])

        def forward(self, x, total):
            self.a.append(x)
            self.b.append(x * 2)
            return self.a.view(total), self.b.view(total)

    module, _ = Two().export_tvm({"forward": {"x": tensor("n", 3), "total": int}})
    for name in ("EliminateCommonSubexpr", "DeadCodeElimination", "CanonicalizeBindings", "FoldConstant"):
        module = getattr(relax.transform, name)()(module)
    machine = relax.VirtualMachine(relax.build(relax.get_pipeline()(module), target="llvm"), tw.cpu())
    states, x = machine["_initialize_effect"](), random(2, 3)
    for count in (2, 4):
        (a, b), states = machine["forward"](tw.nd.array(x), (count,), *states)
        np.testing.assert_array_equal(a.numpy(), np.tile(x, (count // 2, 1)))
        np.testing.assert_array_equal(b.numpy(), 2 * np.tile(x, (count // 2, 1)))


def test_misused_states_are_errors():
    with pytest.raises(tw.TVMError, match="does not get states"):
        Counting().export_tvm(counting_spec("none"))
    with pytest.raises(tw.TVMError, match="of float16 gets rows of float32"):
        Counting("float16").export_tvm(counting_spec())
    wrong = Counting()
    wrong.rows = nn.KVCache(2, [4])
    with pytest.raises(tw.TVMError, match=r"rows of \[4\] gets a tensor of \[n, 3\]"):
        wrong.export_tvm(counting_spec())
    hidden = Counting()
    hidden.rows, hidden.listed = None, [nn.KVCache(2, [3])]
    hidden.add = lambda x, total: hidden.listed[0].append(x)
    with pytest.raises(tw.TVMError, match="no attribute of the exported module"):
        hidden.export_tvm(counting_spec())


# Modules that become functions.


def test_modules_that_are_functions_of_their_own():
    class Scale(nn.Module):
        define_subroutine = True

        def __init__(self, size, power=1):
            self.weight, self.power = nn.Parameter((size,)), power

        def forward(self, x, plus=0):
            for _ in range(self.power):
                x = x * self.weight
            return x + plus, x

    class Model(nn.Module):
        def __init__(self):
            self.layers = nn.ModuleList([Scale(3), Scale(3), Scale(3, power=2)])

        def forward(self, x):
            for layer in self.layers:
                x, _ = layer(x, plus=1)
            return x

    model = Model()
    module, params = model.export_tvm({"forward": {"x": tensor(2, 3)}})
    names = sorted(var.name_hint for var in module.get_global_vars())
    assert names == ["forward", "scale", "scale1"] and len(params) == 3
    assert module.script().count("cls.scale(") == 2 and module.script().count("cls.scale1(") == 1
    weights = {name: random(3, seed=at) for at, name in enumerate(model.state_dict())}
    model.load_state_dict(weights)
    expected = x = random(2, 3)
    for weight, power in zip(weights.values(), (1, 1, 2), strict=True):
        expected = expected * weight**power + 1
    found = model.jit({"forward": {"x": tensor(2, 3)}}, out_format="numpy")["forward"](x)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_function_of_its_own_for_any_length():
    class Twice(nn.Module):
        define_subroutine = True

        def forward(self, x):
            return op.concat([x, x], 0)

    class Model(nn.Module):
        def __init__(self):
            self.twice = Twice()

        def forward(self, x):
            return self.twice(x) + 1

    x = random(3, 2)
    found = Model().jit({"forward": {"x": tensor("n", 2)}}, out_format="numpy")["forward"](x)
    np.testing.assert_allclose(found, np.concatenate([x, x]) + 1)


def test_functions_of_their_own_call_others():
    class Inner(nn.Module):
        define_subroutine = True

        def __init__(self):
            self.weight = nn.Parameter((2,))

        def forward(self, pair):
            return pair[0] * self.weight - pair[1]

    class Middle(nn.Module):
        define_subroutine = True

        def __init__(self):
            self.inner, self.other = Inner(), Inner()

        def forward(self, x):
            op.tensor_expr_op(lambda A: te.compute(A.shape, lambda i, j: A[i, j] + 1, name="more"), "more", [x])
            return self.other([self.inner([x, x * 2]), x])

    class Outer(nn.Module):
        def __init__(self):
            self.middle = Middle()

        def forward(self, x):
            return self.middle(x) + self.middle(x * 2)

    model = Outer()
    module, _ = model.export_tvm({"forward": {"x": tensor("n", 2)}})
    assert sorted(var.name_hint for var in module.get_global_vars()) == ["forward", "inner", "middle", "more"]
    assert relax.analysis.well_formed(module)
    weights = {name: random(2, seed=at) for at, name in enumerate(model.state_dict())}
    model.load_state_dict(weights)
    a, b = weights.values()
    x = random(3, 2)
    found = model.jit({"forward": {"x": tensor("n", 2)}}, out_format="numpy")["forward"](x)
    np.testing.assert_allclose(found, 3 * ((x * a - 2 * x) * b - x), rtol=1e-5, atol=1e-5)
    seen = []
    tw.register_func("test.nn.inside", lambda place, x: seen.append(x.numpy().tolist()), override=True)
    model.middle.inner.forward = lambda pair: (op.debug_func("test.nn.inside", pair[0]), pair[0])[1]
    model.jit({"forward": {"x": tensor("n", 2)}}, out_format="numpy", debug=True)["forward"](x)
    assert seen == [x.tolist(), (2 * x).tolist()]


# Exchanged parts.


def test_parts_of_a_module_are_exchanged():
    class Half(nn.Module):
        def __init__(self, linear):
            self.weight = nn.Parameter(linear.weight.shape, "float16")
            self.bias = linear.bias

        def forward(self, x):
            return op.matmul(x, op.permute_dims(op.astype(self.weight, F32))) + self.bias

    class Model(nn.Module):
        def __init__(self):
            self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
            self.named = nn.ModuleDict({"a": nn.Linear(4, 2)})
            self.scale, self.cache = nn.Parameter((2,)), nn.KVCache(1, [2])
            self.number = 3

        def forward(self, x):
            return self.named["a"](self.layers(x)) * self.scale

    class Quantise(nn.Mutator):
        def __init__(self):
            self.seen = []

        def visit_module(self, name, node):
            self.seen.append(name)
            return Half(node) if isinstance(node, nn.Linear) else self.visit(name, node)

        def visit_param(self, name, node):
            self.seen.append(name)
            return nn.Parameter(node.shape, "float16")

        def visit_effect(self, name, node):
            self.seen.append(name)
            return nn.KVCache(1, [2], "float16")

    class Scaled(Model):
        def forward(self, x):
            return self.named["a"](self.layers(x)) * op.astype(self.scale, F32)

    mutator, model = Quantise(), Scaled()
    assert mutator.visit("model", model) is model
    assert mutator.seen == [
        "model.layers.0", "model.layers.1", "model.named.a", "model.scale", "model.cache",
    ]  # fmt: skip
    assert isinstance(model.layers[0], Half) and isinstance(model.named["a"], Half)
    assert (model.scale.dtype, model.cache.dtype) == ("float16", "float16")
    weights = {name: random(*p.shape).astype(p.dtype) for name, p in model.named_parameters()}
    model.load_state_dict(weights)
    x = random(3, 4)
    found = model.jit({"forward": {"x": tensor("n", 4)}}, out_format="numpy")["forward"](x)
    w = {name: value.astype(F32) for name, value in weights.items()}
    hidden = np.maximum(x @ w["layers.0.weight"].T + w["layers.0.bias"], 0)
    expected = (hidden @ w["named.a.weight"].T + w["named.a.bias"]) * w["scale"]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    untouched = Model()
    before = untouched.state_dict()
    nn.Mutator().visit("", untouched)
    assert untouched.state_dict() == before


# External code.


SOURCE = r"""
#include <dlpack/dlpack.h>

extern "C" int scaled_sum(DLTensor *a, DLTensor *b, double scale, DLTensor *out) {
  if (a->ndim != 1 || a->dtype.code != kDLFloat || a->shape[0] != b->shape[0]) return 7;
  const float *x = (const float *)((char *)a->data + a->byte_offset);
  const float *y = (const float *)((char *)b->data + b->byte_offset);
  for (int64_t i = 0; i < a->shape[0]; ++i) ((float *)out->data)[i] = (x[i] + y[i]) * (float)scale;
  return 0;
}
"""


class Calling(nn.Module):
    def __init__(self, module):
        self.module = module

    def forward(self, x, y):
        return self.module["scaled_sum"](x, y, 0.5)


def result(a, b, scale):
    return nn.Tensor.placeholder(a.shape, a.dtype)


@pytest.mark.skipif(not shutil.which("c++") and not shutil.which("g++"), reason="there is no C++ compiler")
def test_functions_in_c_plus_plus(tmp_path):
    module = nn.SourceModule({"scaled_sum": result}, SOURCE)
    model = Calling(module)
    spec = {"forward": {"x": tensor("n"), "y": tensor("n")}}
    exported, params, external = model.export_tvm(spec, allow_extern=True)
    assert external == [module] and params == []
    assert 'R.call_dps_packed("scaled_sum"' in exported.script()
    with pytest.raises(tw.TVMError, match=r"scaled_sum.*allow_extern=True"):
        model.export_tvm(spec)
    x, y = random(5), random(5, seed=3)
    np.testing.assert_allclose(model.jit(spec, out_format="numpy")["forward"](x, y), (x + y) / 2, rtol=1e-6)
    library = tmp_path / "own.so"
    shutil.copy(module.library(), library)
    kept = nn.ObjectModule({"scaled_sum": result}, library)
    np.testing.assert_allclose(Calling(kept).jit(spec, out_format="numpy")["forward"](x, y), (x + y) / 2, rtol=1e-6)
    with pytest.raises(tw.TVMError, match=r"`scaled_sum` failed with status 7"):
        tw.get_global_func("scaled_sum")(tw.nd.array(x[:3]), tw.nd.array(y), 1.0, tw.nd.array(y))
    with pytest.raises(tw.TVMError, match="defines no function `other`"):
        nn.ObjectModule({"other": result}, library).load()
    with pytest.raises(tw.TVMError, match="does not compile the external module"):
        nn.SourceModule({"f": result}, "int f(").load()
    with pytest.raises(tw.TVMError, match="there is no compiler `no-such-compiler`"):
        nn.SourceModule({"f": result}, SOURCE, compiler="no-such-compiler").load()


def test_external_modules_that_are_not_there():
    with pytest.raises(tw.TVMError, match="there is no file"):
        nn.ObjectModule({}, "nowhere.o")
    with pytest.raises(tw.TVMError, match="source_format is one of"):
        nn.SourceModule({}, "", source_format="rs")
    with pytest.raises(tw.TVMError, match="has no function `g`, only f"):
        nn.ExternModule({"f": result})["g"]
    with pytest.raises(NotImplementedError, match="has no code"):
        nn.ExternModule({"f": result}).load()


# Compiled modules.


@pytest.mark.torch
def test_compiled_modules_take_and_give_tensors_of_pytorch():
    import torch

    spec = {"forward": {"pair": [tensor("n"), tensor(2, dtype="int32")], "scale": tensor(dtype="int64")}}
    model = nn.Module()
    model.forward = lambda pair, scale: ([pair[0] * 2, (op.astype(pair[1], F32),)], pair[0] + op.astype(scale, F32))
    machine = model.jit(spec)
    x, y = torch.randn(3, 2)[:, 0], torch.tensor([4, 5], dtype=torch.int32)
    assert not x.is_contiguous()
    (doubled, (converted,)), moved = machine["forward"]([x, y], torch.tensor(3))
    torch.testing.assert_close(doubled, x * 2)
    torch.testing.assert_close(converted, y.float())
    torch.testing.assert_close(moved, x + 3)
    torch.testing.assert_close(machine([x, y], torch.tensor(3))[1], x + 3)
    with pytest.raises(tw.TVMError, match="a tensor of PyTorch's, found ndarray"):
        machine["forward"]([np.ones(3), y], torch.tensor(3))
    with pytest.raises(tw.TVMError, match="pair has 2 elements, found 1"):
        machine["forward"]([x], torch.tensor(3))


def test_a_machine_of_ones_own():
    model = nn.Linear(2, 3)
    weights = {"weight": random(3, 2), "bias": random(3)}
    model.load_state_dict(weights)
    spec, machine, params = model.jit({"forward": {"x": tensor(1, 2)}}, out_format="tvm")
    assert isinstance(machine, relax.VirtualMachine) and spec.method_names == ["forward"]
    x = random(1, 2)
    found = machine["forward"](tw.nd.array(x), *params).numpy()
    np.testing.assert_allclose(found, x @ weights["weight"].T + weights["bias"], rtol=1e-5)
    packed = model.jit(
        {"forward": {"x": tensor(1, 2), "$": {"param_mode": "packed"}}}, out_format="numpy", pipeline="default_build"
    )
    np.testing.assert_allclose(packed["forward"](x), found, rtol=1e-6)
    with pytest.raises(KeyError, match="backward: the methods are forward"):
        packed["backward"]
    with pytest.raises(tw.TVMError, match=r"takes 1 arguments \(x\), found 2"):
        packed["forward"](x, x)


def test_a_program_in_the_manner_of_language_models(python):
    done = python("-m", "tilewright.compat", HERE / "programs" / "nn_quantised.py")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
