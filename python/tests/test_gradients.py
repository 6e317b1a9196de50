"""Gradients of graph functions: the rules against those of PyTorch, the form of adjoint functions, what is refused."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, te, topi
from tilewright.relax import op
from tilewright.relax.training.utils import register_te_gradient
from tilewright.relax.transform import Gradient
from tilewright.script import ir as I
from tilewright.script import relax as R

torch = pytest.importorskip("torch")
F = torch.nn.functional
RNG = np.random.default_rng(7)


def normal(*shape):
    return RNG.standard_normal(shape).astype("float32")


def positive(*shape):
    return (RNG.random(shape) * 2 + 0.3).astype("float32")


def inside(*shape):
    return (RNG.random(shape) * 1.6 - 0.8).astype("float32")


def conv(spatial=2, **attrs):
    ours = {1: op.nn.conv1d, 2: op.nn.conv2d, 3: op.nn.conv3d}[spatial]
    theirs = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[spatial]
    named = {"stride" if key == "strides" else key: value for key, value in attrs.items()}
    return lambda x, w: ours(x, w, **attrs), lambda x, w: theirs(x, w, **named)


def by_layout(x, w):
    return op.nn.conv2d(x, w, strides=2, padding=1, groups=2, data_layout="NHWC", kernel_layout="HWIO")


def pool(ours, theirs, **attrs):
    named = {"kernel_size": attrs["pool_size"], "stride": attrs["strides"], "padding": attrs.get("padding", 0)}
    named["ceil_mode"] = attrs.get("ceil_mode", False)
    if "count_include_pad" in attrs:
        named["count_include_pad"] = attrs["count_include_pad"]
    return lambda x: ours(x, **attrs), lambda x: theirs(x, **named)


CLASSES = np.array([[1, 3], [0, 3], [2, 1]])
INDICES = np.array([[2, 0], [1, 1]])
CHOICE = RNG.random((3, 4)) < 0.5

UNARY = [
    (name, getattr(op, name), theirs, [draw(3, 4)])
    for name, theirs, draw in [
        ("abs", torch.abs, normal), ("acos", torch.acos, inside), ("acosh", torch.acosh, lambda *s: positive(*s) + 1),
        ("asin", torch.asin, inside), ("asinh", torch.asinh, normal), ("atan", torch.atan, normal),
        ("atanh", torch.atanh, inside), ("cos", torch.cos, normal), ("cosh", torch.cosh, normal),
        ("erf", torch.erf, normal), ("exp", torch.exp, normal), ("log", torch.log, positive),
        ("negative", torch.neg, normal), ("rsqrt", torch.rsqrt, positive), ("sigmoid", torch.sigmoid, normal),
        ("sin", torch.sin, normal), ("sinh", torch.sinh, normal), ("sqrt", torch.sqrt, positive),
        ("square", torch.square, normal), ("tan", torch.tan, inside), ("tanh", torch.tanh, normal),
    ]
]  # fmt: skip
BINARY = [
    (f"{name} {len(a)}", getattr(op, name), theirs, [draw(*a), draw(*b)])
    for name, theirs, draw in [
        ("add", torch.add, normal), ("atan2", torch.atan2, normal), ("divide", torch.div, positive),
        ("maximum", torch.maximum, normal), ("minimum", torch.minimum, normal), ("multiply", torch.mul, normal),
        ("power", torch.pow, positive), ("subtract", torch.sub, normal),
    ]
    for a, b in [((3, 4), (3, 4)), ((2, 3, 1), (4,)), ((4,), (2, 1, 4))]
]  # fmt: skip
POWERS = [
    ("power of 0", op.power, torch.pow, [np.float32([0, 0, 0, 2, -2]), np.float32([0, 1, 2, 0, 0])]),
    ("power of 0 to 0", lambda x: op.power(x, relax.const(0.0)), lambda x: x**0.0, [np.float32([0, 1, -2])]),
    ("power of 0 to 2", lambda x: op.power(x, relax.const(2.0)), lambda x: x**2.0, [np.float32([0, 1, -2])]),
    ("power from 0", lambda x: op.power(relax.const(0.0), x), lambda x: torch.pow(0.0, x), [np.float32([0, 1, 2])]),
    ("power from 2", lambda x: op.power(relax.const(2.0), x), lambda x: torch.pow(2.0, x), [np.float32([0, 1, -2])]),
]  # fmt: skip
AXES = [(None, False), ([1], False), ([-1, 0], True), ([0, 2], False)]
REDUCED = [
    (f"{name} {axis} {kept}",
     lambda x, name=name, axis=axis, kept=kept: getattr(op, name)(x, axis, kept),
     lambda x, theirs=theirs, axis=axis, kept=kept: theirs(x, tuple(range(3)) if axis is None else axis, kept),
     [normal(2, 3, 4) + shift])
    for name, theirs, shift in [
        ("sum", torch.sum, 0), ("mean", torch.mean, 0),
        ("variance", lambda x, d, k: torch.var(x, d, correction=0, keepdim=k), np.float32(200)),
    ]
    for axis, kept in AXES
]  # fmt: skip
PRODUCTS = [
    (f"matmul {a} {b}", op.matmul, torch.matmul, [normal(*a), normal(*b)])
    for a, b in [
        ((3, 4), (4, 5)), ((4,), (4,)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (5, 4, 6)), ((4,), (4, 5)), ((3, 4), (4,)),
    ]
]  # fmt: skip
SHAPES = [
    ("permute_dims", lambda x: op.permute_dims(x, [2, 0, -2]), lambda x: x.permute(2, 0, 1), [normal(2, 3, 4)]),
    ("permute_dims none", op.permute_dims, lambda x: x.permute(2, 1, 0), [normal(2, 3, 4)]),
    (
        "concat",
        lambda x, y: op.concat([x, y, x], 1),
        lambda x, y: torch.cat([x, y, x], 1),
        [normal(2, 3), normal(2, 1)],
    ),
    ("concat one", lambda x: op.concat([x], -1), lambda x: torch.cat([x], -1), [normal(2, 3)]),
    ("split", lambda x: relax.TupleGetItem(op.split(x, 3, 1), 1), lambda x: x.split(2, 1)[1], [normal(2, 6)]),
    ("split at", lambda x: relax.TupleGetItem(op.split(x, [1, 4], -1), 2), lambda x: x[:, 4:], [normal(2, 6)]),
    ("reshape", lambda x: op.reshape(x, (4, -1)), lambda x: x.reshape(4, -1), [normal(2, 3, 4)]),
    ("flatten", op.flatten, torch.flatten, [normal(2, 3)]),
    ("squeeze", lambda x: op.squeeze(x, [1]), lambda x: x.squeeze(1), [normal(2, 1, 1)]),
    ("squeeze all", op.squeeze, torch.squeeze, [normal(2, 1, 1)]),
    ("expand_dims", lambda x: op.expand_dims(x, [0, -2]), lambda x: x[None, :, None, :], [normal(2, 3)]),
    ("broadcast_to", lambda x: op.broadcast_to(x, (2, 3, 4)), lambda x: x.expand(2, 3, 4), [normal(3, 1)]),
    ("collapse_sum_to", lambda x: op.collapse_sum_to(x, (3, 1)), lambda x: x.sum((0, 2))[:, None], [normal(2, 3, 4)]),
    ("cumsum", lambda x: op.cumsum(x, -1), lambda x: x.cumsum(-1), [normal(2, 5)]),
    ("cumsum flat", op.cumsum, lambda x: x.flatten().cumsum(0), [normal(2, 5)]),
    (
        "cumsum exclusive",
        lambda x: op.cumsum(x, 0, exclusive=True),
        lambda x: x.cumsum(0) - x,
        [normal(4, 2)],
    ),
    ("take", lambda x: op.take(x, relax.const(INDICES, "int64"), 1), lambda x: x[:, INDICES], [normal(2, 3, 2)]),
    ("take flat", lambda x: op.take(x, relax.const(INDICES, "int32")), lambda x: x[INDICES], [normal(5)]),
    (
        "where",
        lambda x, y: op.where(relax.const(CHOICE, "bool"), x, y),
        lambda x, y: torch.where(torch.tensor(CHOICE), x, y),
        [normal(4), normal(3, 1)],
    ),
    ("astype", lambda x: op.astype(op.astype(x, "float64"), "float32"), lambda x: x, [normal(3)]),
    ("triu", lambda x: op.triu(x, 1), lambda x: torch.triu(x, 1), [normal(2, 3, 4)]),
    ("tril", op.tril, torch.tril, [normal(3, 3)]),
    ("full", lambda x: x * op.full((3,), relax.const(2.0), "float32"), lambda x: x * 2, [normal(3)]),
    ("zeros_like", lambda x: x + op.zeros_like(x), lambda x: x, [normal(3)]),
    ("no_grad", lambda x: x * op.grad.no_grad(x), lambda x: x * x.detach(), [normal(3)]),
]
NETWORKS = [
    ("relu", op.nn.relu, F.relu, [normal(3, 4)]),
    ("silu", op.nn.silu, F.silu, [normal(3, 4)]),
    ("gelu", op.nn.gelu, F.gelu, [normal(3, 4)]),
    ("gelu_tanh", op.nn.gelu_tanh, lambda x: F.gelu(x, approximate="tanh"), [normal(3, 4)]),
    ("softmax", lambda x: op.nn.softmax(x, 1), lambda x: F.softmax(x, 1), [normal(2, 3, 4)]),
    ("log_softmax", op.nn.log_softmax, lambda x: F.log_softmax(x, -1), [normal(2, 3, 4)]),
    ("cross_entropy", op.nn.cross_entropy_with_logits, lambda x, y: -(x * y).sum() / 3, [normal(3, 4), normal(3, 4)]),
    ("cross_entropy 1", op.nn.cross_entropy_with_logits, lambda x, y: -(x * y).sum(), [normal(4), normal(4)]),
    *(
        (
            f"nll_loss {reduction}",
            lambda x, r=reduction: op.nn.nll_loss(
                x, relax.const(CLASSES, "int64"), relax.const(WEIGHTS), reduction=r, ignore_index=3
            ),
            lambda x, r=reduction: F.nll_loss(
                x, torch.tensor(CLASSES), torch.tensor(WEIGHTS), reduction=r, ignore_index=3
            ),
            [normal(3, 4, 2)],
        )
        for reduction in ("none", "sum", "mean")
    ),
    ("conv2d", *conv(), [normal(2, 3, 7, 6), normal(4, 3, 3, 2)]),
    ("conv2d strided", *conv(strides=(2, 3), padding=(1, 2)), [normal(2, 3, 9, 8), normal(4, 3, 3, 3)]),
    ("conv2d dilated", *conv(dilation=(2, 1)), [normal(1, 2, 8, 6), normal(3, 2, 3, 3)]),
    ("conv2d both", *conv(strides=2, dilation=3, padding=2), [normal(1, 2, 11, 10), normal(3, 2, 3, 2)]),
    ("conv2d groups", *conv(groups=2, strides=2, padding=1), [normal(2, 4, 6, 7), normal(6, 2, 3, 3)]),
    ("conv1d", *conv(1, strides=2, groups=3), [normal(2, 3, 9), normal(6, 1, 4)]),
    ("conv3d", *conv(3, padding=1), [normal(1, 2, 3, 4, 3), normal(2, 2, 3, 2, 3)]),
    (
        "conv2d NHWC",
        by_layout,
        lambda x, w: F.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), None, 2, 1, 1, 2).permute(0, 2, 3, 1),
        [normal(2, 7, 6, 4), normal(3, 3, 2, 6)],
    ),
    ("max_pool2d", *pool(op.nn.max_pool2d, F.max_pool2d, pool_size=3, strides=2, padding=1), [normal(2, 3, 8, 7)]),
    (
        "max_pool2d ceil",
        *pool(op.nn.max_pool2d, F.max_pool2d, pool_size=(2, 3), strides=2, ceil_mode=True),
        [normal(2, 3, 9, 8)],
    ),
    *(
        (
            f"avg_pool2d {counts} {ceil}",
            *pool(
                op.nn.avg_pool2d, F.avg_pool2d, pool_size=3, strides=2, padding=1, ceil_mode=ceil,
                count_include_pad=counts,
            ),
            [normal(2, 3, 8, 7)],
        )
        for counts, ceil in [(False, False), (True, False), (False, True)]
    ),
]  # fmt: skip
WEIGHTS = positive(4)
ROWS = [*UNARY, *BINARY, *POWERS, *REDUCED, *PRODUCTS, *SHAPES, *NETWORKS]


def info(array):
    return relax.TensorStructInfo(array.shape, str(array.dtype))


def weighted(bb, name, formula, arrays):
    """The function `name`: the sum of the formula's elements, each with a weight of its own."""
    params = [relax.Var(f"p{at}", info(array)) for at, array in enumerate(arrays)]
    with bb.function(name, params):
        with bb.dataflow():
            value = bb.emit(formula(*params))
            shape = [int(dim) for dim in value.struct_info.shape]
            weights = np.random.default_rng(len(name)).random(shape, dtype="float32") + np.float32(0.5)
            gv = bb.emit_output(op.sum(op.multiply(value, relax.const(weights, "float32"))))
        bb.emit_func_output(gv)
    return weights


def test_each_rule_is_pytorch_s():
    assert len(ROWS) > 90
    bb = relax.BlockBuilder()
    weights = [weighted(bb, f"f{at}", ours, arrays) for at, (_, ours, _, arrays) in enumerate(ROWS)]
    module = bb.get()
    for at in range(len(ROWS)):
        module = Gradient(f"f{at}")(module)
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    for at, (name, _, theirs, arrays) in enumerate(ROWS):
        given = [torch.tensor(array, requires_grad=True) for array in arrays]
        loss = (theirs(*given) * torch.tensor(weights[at])).sum()
        loss.backward()
        found, gradients = machine[f"f{at}_adjoint"](*arrays)
        np.testing.assert_allclose(found.numpy(), loss.detach().numpy(), rtol=1e-4, err_msg=name)
        for gradient, one in zip(gradients, given, strict=True):
            expected = one.grad.numpy()
            scale = max(np.abs(expected).max(), 1e-6)
            np.testing.assert_allclose(gradient.numpy() / scale, expected / scale, atol=1e-4, err_msg=name)


@I.ir_module
class Chain:
    @R.function
    def main(x: R.Tensor((3, 3), "float32"), y: R.Tensor((3, 3), "float32"), z: R.Tensor((2,), "int64")):
        with R.dataflow():
            a = R.grad.start_checkpoint(R.sin(x))
            b = R.exp(a)
            c = R.multiply(b, y)
            d = R.grad.end_checkpoint(c)
            pair = (d, a)
            e = R.matmul(pair[0], R.permute_dims(pair[1]))
            gv = R.sum(e)
            other = R.mean(d)
            R.output(gv, other)
        return gv, other


@pytest.mark.parametrize(("index", "wanted"), [(0, None), (1, ["y"]), (0, ["y", "x"])])
def test_a_chain_with_tuples_and_checkpoints(index, wanted):
    params = None if wanted is None else [{p.name_hint: p for p in Chain["main"].params}[name] for name in wanted]
    module = Gradient("main", params, index)(Chain)
    tw.ir.assert_structural_equal(module["main"], Chain["main"])
    arrays = {"x": normal(3, 3), "y": normal(3, 3), "z": np.zeros(2, "int64")}
    given = {name: torch.tensor(array, requires_grad=name != "z") for name, array in arrays.items()}
    a = torch.sin(given["x"])
    d = torch.exp(a) * given["y"]
    results = [(d @ a.T).sum(), d.mean()]
    results[index].backward()
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    found, gradients = machine["main_adjoint"](*arrays.values())
    for one, expected in zip(found, results, strict=True):
        np.testing.assert_allclose(one.numpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)
    names = wanted or list(arrays)
    for name, gradient in zip(names, gradients, strict=True):
        expected = np.zeros(2, "int64") if name == "z" else given[name].grad.numpy()
        np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-3, atol=1e-4, err_msg=name)
    # What lies between the marks is computed twice, what is before them once.
    names = [binding.var.name_hint for binding in module["main_adjoint"].body.blocks[0].bindings]
    assert "b_cp" in names and not any("grad." in line for line in module["main_adjoint"].script().splitlines())


def test_a_prim_func_has_the_gradient_that_its_call_names():
    def squares(x):
        return topi.multiply(x, x)

    @register_te_gradient("test.squares_grad")
    def of_squares(grad, x, factor):
        return te.compute(x.shape, lambda *i: grad(*i) * x(*i) * te.const(factor, x.dtype), name="of_x")

    register_te_gradient("test.product_grad", lambda grad, x, y: [topi.multiply(grad, y), topi.multiply(grad, x)])
    bb = relax.BlockBuilder()
    x, y = (relax.Var(name, relax.TensorStructInfo((5,), "float32")) for name in "xy")
    with bb.function("main", [x, y]):
        with bb.dataflow():
            made = bb.emit_te(squares, x, te_grad_name="test.squares_grad", te_grad_kwargs={"factor": 2.0})
            made = bb.emit_te(topi.multiply, made, y, te_grad_name="test.product_grad")
            gv = bb.emit_output(op.sum(made))
        bb.emit_func_output(gv)
    module = Gradient("main")(bb.get())
    a, b = normal(5), normal(5)
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    _, (of_x, of_y) = machine["main_adjoint"](a, b)
    np.testing.assert_allclose(of_x.numpy(), 2 * a * b, rtol=1e-5)
    np.testing.assert_allclose(of_y.numpy(), a * a, rtol=1e-5)
    with_other = bb.get()
    bb = relax.BlockBuilder(with_other)
    with bb.function("other", [x]):
        with bb.dataflow():
            gv = bb.emit_output(op.sum(bb.emit_te(squares, x, te_grad_name="test.absent")))
        bb.emit_func_output(gv)
    with pytest.raises(tw.TVMError, match=r"`test\.absent` of a PrimFunc is not registered"):
        Gradient("other")(bb.get())


def test_what_has_no_gradient_is_refused():
    def module(formula, *shapes):
        bb = relax.BlockBuilder()
        weighted(bb, "main", formula, [normal(*shape) for shape in shapes])
        return bb.get()

    rows = [
        (module(op.floor, (3,)), {}, "the gradient of `floor` is not known"),
        (module(lambda x: op.take(x, relax.const(INDICES), mode="wrap"), (3,)), {}, "`take` in the mode `wrap`"),
        (module(op.exp, (3,)), {"target_index": 1}, "one value"),
        (module(op.exp, (3,)), {"require_grads": [relax.Var("q", relax.ObjectStructInfo())]}, "`q` is no parameter"),
        (module(op.exp, (3,)), {"func_name": "mian"}, "did you mean `main`"),
        (Chain, {"target_index": 2}, "there is none of the index 2"),
    ]
    for given, said, message in rows:
        with pytest.raises(tw.TVMError, match=message):
            Gradient(**{"func_name": "main", **said})(given)
