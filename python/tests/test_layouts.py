"""Passes that are told something: layouts, rules, patterns, where weights come from; and what their functions raise."""

import warnings

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax
from tilewright.relax import transform
from tilewright.relax.dpl import is_op, wildcard
from tilewright.relax.testing import get_relax_attention_module, get_relax_stacked_attention_module
from tilewright.script import ir as I
from tilewright.script import relax as R


def run(module, *args, name="main"):
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    return machine[name](*[tw.nd.array(arg) for arg in args])


@I.ir_module
class Convolved:
    @R.function
    def main(x: R.Tensor((1, 3, 6, 5), "float32"), w: R.Tensor((2, 3, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.nn.relu(a)
            c = R.nn.max_pool2d(b, pool_size=2)
            R.output(c)
        return c


def test_a_converted_layout_computes_the_same():
    converted = transform.ConvertLayout({"relax.nn.conv2d": ["NHWC", "OHWI"]})(Convolved)
    assert converted.script().count('data_layout="NHWC"') == 1
    assert converted.script().count('layout="NHWC", out_layout="NHWC"') == 1
    rng = np.random.default_rng(0)
    args = [rng.normal(size=shape).astype("float32") for shape in ((1, 3, 6, 5), (2, 3, 3, 3))]
    np.testing.assert_allclose(run(converted, *args).numpy(), run(Convolved, *args).numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("layouts", "why"),
    [
        ({"relax.nn.conv2d": ["NHWD"]}, "`NHWD` is no order of the axes NCHW"),
        ({"relax.nn.conv2d": ["NHWC", "OHW"]}, "`OHW` is no order of the axes OIHW"),
        ({"relax.nn.conv2d": ["NHWC"] * 4}, "1 to 3 layouts, found 4"),
        ({"relax.nn.conv2d": []}, "found 0"),
        ({"relax.nn.relu": ["NHWC"]}, "no attribute of `nn.relu` is a layout"),
        ({"relax.nn.conv9d": ["NHWC"]}, "no operator `relax.nn.conv9d`"),
        ({"relax.nn.conv2d": "NHWC"}, "a dict of lists of texts"),
    ],
)
def test_layouts_that_are_none_are_refused(layouts, why):
    with pytest.raises(tw.TVMError, match=why):
        transform.ConvertLayout(layouts)


@I.ir_module
class Products:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 3), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.matmul(b, w)
            R.output(c)
        return c


def test_patterns_become_functions_where_the_check_agrees():
    told = []

    def check(context: transform.PatternCheckContext) -> bool:
        told.append(context)
        return True

    product = is_op("relax.matmul")(wildcard(), wildcard())
    pattern = is_op("relax.nn.relu")(product)
    fused = transform.FuseOpsByPattern([("lib.matmul_relu", pattern, {"product": product}, check)])(Products)
    (context,) = told
    assert context.matched_expr.op.name == "relax.nn.relu"
    assert context.annotated_expr["product"].op.name == "relax.matmul"
    assert [var.name_hint for var in context.matched_bindings] == ["a", "b"]
    assert {var.name_hint: [user.name_hint for user in users] for var, users in context.var_usages.items()}["b"] == [
        "c"
    ]
    assert len(context.value_to_bound_var) == 2
    composites = [f.attrs["Composite"] for _, f in fused.functions_items() if f.attrs and "Composite" in f.attrs]
    assert composites == ["lib.matmul_relu"]
    refused = transform.FuseOpsByPattern([transform.FusionPattern("lib.m", pattern, {}, lambda _: False)])(Products)
    tw.ir.assert_structural_equal(refused, Products)


class Unusual(Exception):
    pass


def test_an_exception_of_a_check_is_the_cause():
    raised = Unusual("no answer")

    def broken(*_):
        raise raised

    product = is_op("relax.matmul")(wildcard(), wildcard())
    with pytest.raises(tw.TVMError, match="no answer") as caught:
        transform.FuseOpsByPattern([("lib.m", product, {}, broken)])(Products)
    assert caught.value.__cause__ is raised
    with pytest.raises(tw.TVMError) as caught:
        transform.UpdateParamStructInfo(broken)(Products)
    assert caught.value.__cause__ is raised

    def stopped(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        transform.UpdateParamStructInfo(stopped)(Products)


def test_operators_are_legalised_by_the_rules_that_are_given():
    def product(builder, call):
        x, w = call.args
        return builder.call_te(lambda a, b: tw.topi.matmul(a, b), x, w, primfunc_name_hint="my_matmul")

    legal = transform.LegalizeOps({"relax.matmul": product})(Products)
    assert "my_matmul" in legal.script() and "R.matmul(" not in legal.script() and "R.nn.relu(" not in legal.script()
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(2, 3)).astype("float32"), rng.normal(size=(3, 3)).astype("float32")
    np.testing.assert_allclose(run(legal, x, w).numpy(), np.maximum(x @ w, 0) @ w, rtol=1e-5, atol=1e-5)
    untouched = transform.LegalizeOps({"relax.matmul": lambda builder, call: call})(Products)
    tw.ir.assert_structural_equal(untouched, transform.LegalizeOps()(Products))


def test_registered_rules_are_asked_by_passes_pipelines_and_builds():
    from tilewright.relax.transform.legalize_ops import common

    @common.register_legalize("relax.nn.relu")
    def shifted(builder, call):
        return builder.call_te(lambda a: tw.topi.add(tw.topi.nn.relu(a), 1.0), *call.args, primfunc_name_hint="shifted")

    try:
        for legalise in (transform.LegalizeOps(), relax.get_pipeline("zero")):
            assert "R.nn.relu(" not in legalise(Products).script()
        x, w = np.full((2, 3), 0.5, "float32"), np.eye(3, dtype="float32")
        np.testing.assert_array_equal(run(Products, x, w).numpy(), x + 1)
    finally:
        common.registered.clear()
    np.testing.assert_array_equal(run(Products, x, w).numpy(), x)
    with pytest.raises(tw.TVMError, match=r"relax\.no_such"):
        common.register_legalize("relax.no_such", shifted)


@I.ir_module
class Weighted:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32"), b: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            t = R.permute_dims(w)
            c = R.negative(b)
            y = R.add(R.matmul(x, t), c)
            R.output(y)
        return y


def test_weights_are_fetched_one_by_one():
    lifted = transform.LiftTransformParams()(Weighted)
    lazy = transform.LazyTransformParams("test_layouts.get", "test_layouts.set")(lifted)
    rng = np.random.default_rng(2)
    weights = [rng.normal(size=shape).astype("float32") for shape in ((4, 3), (4,))]
    log, results = [], {}

    @tw.register_func("test_layouts.get", override=True)
    def get(index):
        log.append(("get", index))
        return tw.nd.array(weights[index])

    @tw.register_func("test_layouts.set", override=True)
    def put(index, value):
        log.append(("set", index))
        results[index] = value.numpy()

    run(lazy, name="main_transform_params")
    assert [kind for kind, _ in log] == ["get", "set", "get", "set"]
    np.testing.assert_array_equal(results[0], weights[0].T)
    np.testing.assert_array_equal(results[1], -weights[1])


def test_pipelines_are_registered():
    @relax.register_pipeline("test_layouts.two")
    def two(times: int = 1):
        return tw.transform.Sequential([transform.LegalizeOps()] * times)

    legal = transform.LegalizeOps()(Products)
    tw.ir.assert_structural_equal(relax.get_pipeline("test_layouts.two", times=2)(Products), legal)
    with pytest.raises(tw.TVMError, match=r"there is a pipeline `test_layouts.two` already"):
        relax.register_pipeline("test_layouts.two")
    with pytest.raises(tw.TVMError, match="there is a pipeline `zero` already"):
        relax.register_pipeline("zero")
    with pytest.raises(tw.TVMError, match="takes no arguments, found times"):
        relax.get_pipeline("zero", times=2)
    with pytest.raises(tw.TVMError, match=r"unknown pipeline `nonsense`.*test_layouts\.two"):
        relax.get_pipeline("nonsense")


def test_every_pass_may_be_named_in_a_context():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.transform.PassContext(disabled_pass=["DefaultGPUSchedule", "BindParams", "FuseOpsByPattern", "zero"])


def test_sorting_and_sampling_need_no_choice():
    for make in (relax.backend.DispatchSortScan, relax.backend.DispatchSampling):
        tw.ir.assert_structural_equal(make()(Products), Products)


def test_external_modules_are_attached_when_the_pass_runs():
    class Loaded:
        loads = 0

        def load(self):
            self.loads += 1

    one = Loaded()
    attach = transform.AttachExternModules([one])
    assert one.loads == 0
    tw.ir.assert_structural_equal(attach(Products), Products)
    assert one.loads == 1


def attended(q, k, v, bias=0.0, scale=None):
    q, k, v = (part.transpose(0, 2, 1, 3).astype("float64") for part in (q, k, v))
    scores = q @ k.transpose(0, 1, 3, 2) * (q.shape[-1] ** -0.5 if scale is None else scale) + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)


def test_modules_of_attention_attend():
    rng = np.random.default_rng(3)
    shapes = (2, 3, 4, 5), (2, 6, 4, 5), (2, 6, 4, 7), (2, 4, 3, 6)
    args = [rng.normal(size=shape).astype("float32") for shape in shapes]
    module = get_relax_attention_module(*shapes[:3], dtype="float32", bias_shape=shapes[3], qk_scale=0.5)
    np.testing.assert_allclose(run(module, *args).numpy(), attended(*args, scale=0.5), rtol=1e-4, atol=1e-5)
    plain = get_relax_attention_module(*shapes[:3], dtype="float32")
    np.testing.assert_allclose(run(plain, *args[:3]).numpy(), attended(*args[:3]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op", ["split", "strided_slice"])
@pytest.mark.parametrize("with_bias", [False, True])
def test_modules_of_stacked_attention_cut_their_operand(op, with_bias):
    rng = np.random.default_rng(4)
    b, s, n, h, h_v = 2, 3, 4, 5, 6
    qkv = rng.normal(size=(b, s, n * h * 2 + n * h_v)).astype("float32")
    bias = rng.normal(size=(b, n, s, s)).astype("float32") if with_bias else None
    module = get_relax_stacked_attention_module(qkv, b, s, n, h, h_v, op, bias)
    q, k, v = (part.reshape(b, s, n, -1) for part in np.split(qkv, [n * h, n * h * 2], axis=2))
    args = [qkv] if bias is None else [qkv, bias]
    wanted = attended(q, k, v, 0.0 if bias is None else bias)
    np.testing.assert_allclose(run(module, *args).numpy(), wanted, rtol=1e-4, atol=1e-5)
