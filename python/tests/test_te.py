"""Tensor expressions: what is printed, what is computed, and what is refused."""

from __future__ import annotations

import gc
import inspect
import re

import numpy as np
import pytest

import tilewright
from tilewright import relax, te, tir, topi
from tilewright.error import TVMError

SIZES = [(1, 1), (3, 5), (2, 0), (0, 4), (7, 1), (4, 9)]


def numbers(*shape: int, holes: bool = False) -> np.ndarray:
    made = np.random.default_rng(sum(shape) + 3).normal(size=shape).astype("float32") * 5
    if holes and made.size > 3:
        made.reshape(-1)[3] = np.nan
    return made


def run(function: tir.PrimFunc, *arrays: np.ndarray) -> list[np.ndarray]:
    tensors = [tilewright.nd.array(array) for array in arrays]
    tilewright.build(function, target="llvm")(*tensors)
    return [tensor.numpy() for tensor in tensors]


def computed(tensors: list, *arrays: np.ndarray) -> np.ndarray:
    """The last tensor, filled with 77 before."""
    function = te.create_prim_func(tensors)
    sizes = dict(
        (str(dim), size)
        for tensor, array in zip(tensors, arrays, strict=False)
        for dim, size in zip(tensor.shape, array.shape, strict=True)
    )
    shape = [int(dim) if isinstance(dim, tir.IntImm) else sizes[str(dim)] for dim in tensors[-1].shape]
    return run(function, *arrays, np.full(shape, 77, dtype=tensors[-1].dtype))[-1]


def lines(script: str) -> list[str]:
    return [line.strip() for line in script.splitlines() if line.strip() and not line.startswith("# from")]


def te_matmul(a: te.Tensor, b: te.Tensor) -> te.Tensor:
    k = te.reduce_axis((0, a.shape[1]), name="k")
    return te.compute((a.shape[0], b.shape[1]), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="matmul")


def te_relu(a: te.Tensor) -> te.Tensor:
    return te.compute(a.shape, lambda *i: te.max(a(*i), 0), name="relu")


MATMUL = """
    for i, j, k in T.grid(4, 5, 6):
        with T.block("matmul"):
            v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
            T.reads(A[v_i, v_k], B[v_k, v_j])
            T.writes(matmul[v_i, v_j])
            with T.init():
                matmul[v_i, v_j] = T.float32(0.0)
            matmul[v_i, v_j] = matmul[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
"""
RELU = """
    for i0, i1 in T.grid(4, 5):
        with T.block("relu"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(matmul[v_i0, v_i1])
            T.writes(relu[v_i0, v_i1])
            relu[v_i0, v_i1] = T.max(matmul[v_i0, v_i1], T.float32(0.0))
"""


def pair() -> tuple[te.Tensor, te.Tensor]:
    return te.placeholder((4, 6), name="A", dtype="float32"), te.placeholder((6, 5), name="B", dtype="float32")


def test_a_function_prints_as_the_documents_print_it() -> None:
    a, b = pair()
    function = te.create_prim_func([a, b, te_matmul(a, b)])
    expected = f"""
@T.prim_func
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((6, 5), "float32"), matmul: T.Buffer((4, 5), "float32")):
    T.func_attr({{"tir.noalias": T.bool(True)}})
    # with T.block("root"):
{MATMUL}"""
    assert lines(function.script()) == lines(expected)
    assert type(a).__name__ == "Tensor"
    assert type(a).__module__.endswith(".te.tensor")
    assert str(a.shape) == "[4, 6]"
    assert a.shape[:-1] + [9] == [4, 9]  # noqa: RUF005 - programs write it so


def test_an_intermediate_is_hidden_passed_or_inlined() -> None:
    a, b = pair()
    c = te_matmul(a, b)
    d = te_relu(c)
    hidden, passed = te.create_prim_func([a, b, d]).script(), te.create_prim_func([a, b, c, d]).script()
    assert lines(hidden)[4:] == lines("matmul = T.alloc_buffer((4, 5))" + MATMUL + RELU)
    assert lines(passed)[4:] == lines(MATMUL + RELU)
    assert 'matmul: T.Buffer((4, 5), "float32"), relu: ' in passed
    twice = te.compute(d.shape, lambda i, j: d[i, j] + d[i, j], name="twice")
    inlined = te.create_prim_func([a, b, c, twice], inline=[d])
    assert "relu" not in inlined.script()
    x, y = numbers(4, 6), numbers(6, 5)
    product = x @ y
    found = run(inlined, x, y, np.zeros_like(product), np.zeros_like(product))[-1]
    np.testing.assert_allclose(found, 2 * np.maximum(product, 0), rtol=1e-4, atol=1e-4)
    with pytest.raises(TVMError, match="`matmul` cannot be inlined: it is a reduction"):
        te.create_prim_func([a, b, d], inline=[c])


@pytest.mark.parametrize(("name", "of"), [("sum", np.sum), ("prod", np.prod), ("min", np.min), ("max", np.max)])
def test_reductions_of_rows_of_any_length(name: str, of: object) -> None:
    m, n = te.size_var("m", "int64"), te.size_var("n", "int64")
    start = {"sum": 0.0, "prod": 1.0, "min": np.inf, "max": -np.inf}[name]
    for rows, row in SIZES:
        x = numbers(rows, row, holes=True)
        expected = of(x, axis=1, initial=start)
        for shape in [(m, n), (rows, row)]:
            a = te.placeholder(shape, name="A")
            k = te.reduce_axis((0, shape[1]), name="k")
            made = te.compute((shape[0],), lambda i, a=a, k=k: getattr(te, name)(a[i, k], axis=k), name="B")
            np.testing.assert_allclose(computed([a, made], x), expected, rtol=1e-5)


def test_conditions_reduce_to_a_condition() -> None:
    x = numbers(6, 3)
    a = te.placeholder(x.shape, name="A")
    for name, of in [("all", np.all), ("any", np.any)]:
        k = te.reduce_axis((0, 3), name="k")
        made = te.compute((6,), lambda i, k=k, name=name: getattr(te, name)(a[i, k] > 0.0, axis=k), name="B")
        assert (computed([a, made], x) == of(x > 0, axis=1)).all()


def test_where_and_init_of_a_reduction() -> None:
    x = numbers(5, 8)
    a, k = te.placeholder(x.shape, name="A"), te.reduce_axis((1, 7), name="k")
    made = te.compute((5,), lambda i: te.sum(a[i, k], axis=k, where=a[i, k] > 0.0, init=10.0), name="B")
    part = x[:, 1:7]
    np.testing.assert_allclose(computed([a, made], x), 10 + np.where(part > 0, part, 0).sum(axis=1), rtol=1e-5)


def arg_max() -> object:
    return te.comm_reducer(
        lambda x, y: (te.if_then_else(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
        lambda index, value: (te.const(-1, index), te.min_value(value)),
        name="argmax",
    )


def test_a_reduction_of_pairs() -> None:
    values = numbers(4, 9)
    index = np.tile(np.arange(9, dtype="int32"), (4, 1))
    a, b = te.placeholder((4, 9), "int32", name="index"), te.placeholder((4, 9), name="value")
    k = te.reduce_axis((0, 9), name="k")
    made = te.compute((4,), lambda i: arg_max()((a[i, k], b[i, k]), axis=k), name="best")
    assert [tensor.name for tensor in made] == ["best_v0", "best_v1"]
    function = te.create_prim_func([a, b, *made])
    _, _, places, greatest = run(function, index, values, np.zeros(4, "int32"), np.zeros(4, "float32"))
    assert (places == values.argmax(axis=1)).all()
    assert (greatest == values.max(axis=1)).all()
    assert 'T.Buffer((4,), "int32"), best_v1: T.Buffer((4,), "float32")' in function.script()
    reduce = made[1].op.body[1]
    assert isinstance(reduce, tir.Reduce)
    assert reduce.value_index == 1
    assert isinstance(reduce.combiner, tir.CommReducer)
    assert [str(axis.var) for axis in reduce.axis] == ["k"]


def test_several_tensors_from_one_formula() -> None:
    a = te.placeholder((7,), name="A")
    plus, times = te.compute(a.shape, lambda i: (a[i] + 2.0, a[i] * 3.0), name="B")
    x = numbers(7, holes=True)
    _, first, second = run(te.create_prim_func([a, plus, times]), x, np.zeros_like(x), np.zeros_like(x))
    np.testing.assert_array_equal(first, x + np.float32(2))
    np.testing.assert_array_equal(second, x * np.float32(3))


def test_formulas_look_beyond_edges_where_a_condition_holds() -> None:
    n = te.size_var("n", "int64")
    a = te.placeholder((n,), name="A")
    made = te.compute((n + 2,), lambda i: te.if_then_else(te.all(i >= 1, i <= n), a[i - 1], 0.0), name="B")
    function = te.create_prim_func([a, made])
    for size in [0, 1, 6]:
        x = numbers(size)
        np.testing.assert_array_equal(run(function, x, np.full(size + 2, 7, "float32"))[1], np.pad(x, 1))


def test_arithmetic_that_stands_in_a_shape_is_worked_out() -> None:
    n = te.var("n", "int64")
    extent = tir.Mul(tir.IntImm("int64", 1), n + 1)
    a = te.placeholder((extent, n), "float32", name="A")
    function = te.create_prim_func([a, te.compute((extent, n), lambda i, j: a[i, j] + 1.0, name="B")])
    assert tir.analysis.verify_well_formed(function, assert_mode=False)
    assert "A = T.match_buffer(var_A, (n + T.int64(1), n))" in function.script()


def test_a_packed_function_and_a_prim_func_are_stages() -> None:
    @tilewright.register_func("test_te.negative", override=True)
    def negative(source: tilewright.nd.NDArray, result: tilewright.nd.NDArray) -> None:
        np.from_dlpack(result)[:] = -np.from_dlpack(source)

    x = numbers(3, 4)
    a = te.placeholder((3, 4), name="A")
    packed = te.extern(
        (3, 4), [a], lambda ins, outs: tir.call_packed("test_te.negative", ins[0], outs[0]), name="packed"
    )
    done = te.compute((3, 4), lambda i, j: packed[i, j] + 1.0, name="done")
    np.testing.assert_array_equal(computed([a, done], x), -x + np.float32(1))
    n = te.size_var("n", "int64")
    row = te.placeholder((n,), name="row")
    inner = te.create_prim_func([row, te.compute((n,), lambda i: row[i] * 0.5, name="halved")])
    b = te.placeholder((6,), name="B")
    once = te.extern_primfunc([b], inner)
    again = te.extern_primfunc([once], inner)
    y = numbers(6, holes=True)
    np.testing.assert_array_equal(computed([b, again], y), y * np.float32(0.25))
    with pytest.raises(TVMError, match="`A` is given for `row`: expected 1 dimensions, found 2"):
        te.extern_primfunc([a], inner)


def relax_var(name: str, *shape: object, dtype: str = "float32") -> relax.Var:
    return relax.Var(name, relax.TensorStructInfo(list(shape), dtype))


def linear_literal(x: te.Tensor, w: te.Tensor, b: te.Tensor | None = None) -> te.Tensor:
    """A layer that sums too few products, written so that shapes and axes mix types."""
    shape = x.shape[:-1] + [8]  # noqa: RUF005 - programs write it so
    k = te.reduce_axis((0, 8), name="k")
    out = te.compute(shape, fcompute=lambda i, j: te.sum(x[i, k] * w[j, k], axis=k), name="matmul")
    return out if b is None else te.compute(shape, lambda i, j: out[i, j] + b[0, j], name="add_bias")


def test_a_builder_emits_functions_in_64_bit_indices() -> None:
    builder = relax.BlockBuilder()
    x, w = relax_var("input", 1, 20), relax_var("linear_weight", 8, 20)
    with builder.function("main", [x, w]):
        with builder.dataflow():
            out = builder.emit_te(linear_literal, x, w, None)
            made = builder.emit_output(out)
        builder.emit_func_output(made)
    module = builder.get()
    expected = """
    @T.prim_func(private=True)
    def linear_literal(input: T.Buffer((T.int64(1), T.int64(20)), "float32"), linear_weight: T.Buffer((T.int64(8), T.int64(20)), "float32"), matmul: T.Buffer((T.int64(1), T.int64(8)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, j, k in T.grid(T.int64(1), T.int64(8), T.int64(8)):
            with T.block("matmul"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(input[v_i, v_k], linear_weight[v_j, v_k])
                T.writes(matmul[v_i, v_j])
                with T.init():
                    matmul[v_i, v_j] = T.float32(0.0)
                matmul[v_i, v_j] = matmul[v_i, v_j] + input[v_i, v_k] * linear_weight[v_j, v_k]
"""  # noqa: E501
    found = lines(module.script())
    at = found.index("@T.prim_func(private=True)")
    assert found[at : at + len(lines(expected))] == lines(expected)
    machine = relax.VirtualMachine(relax.build(module, target="llvm"), tilewright.cpu())
    a, b = numbers(1, 20), numbers(8, 20)
    result = machine["main"](tilewright.nd.array(a), tilewright.nd.array(b)).numpy()
    np.testing.assert_allclose(result, a[:, :8] @ b[:, :8].T, rtol=1e-4)


def test_names_of_emitted_functions() -> None:
    builder = relax.BlockBuilder()
    x, y = relax_var("x", 4, 4), relax_var("y", 4, 4)
    with builder.function("main", [x, y]):
        with builder.dataflow():
            first = builder.emit_te(te_matmul, x, y)
            again = builder.emit_te(te_matmul, x, y)
            other = builder.emit_te(te_matmul, first, again)
            named = builder.emit_te(te_relu, other, primfunc_name_hint="hinted", primfunc_attrs={"kind": 3})
            wide = builder.emit_te(te_relu, relax.const(numbers(2, 2)))
            made = builder.emit_output(relax.Tuple([named, wide]))
        builder.emit_func_output(made)
    names = [re.sub(r".*def (\w+)\(.*", r"\1", line) for line in builder.get().script().splitlines() if "def " in line]
    assert sorted(names) == ["hinted", "main", "te_matmul", "te_relu"]
    assert '"kind": 3' in builder.get().script()
    assert isinstance(wide, relax.DataflowVar)


def test_symbolic_dimensions_of_emitted_functions() -> None:
    n = tir.Var("n", "int64")
    builder = relax.BlockBuilder()
    x = relax_var("x", n, 3)

    def folded(a: te.Tensor, by: tir.PrimExpr) -> te.Tensor:
        return te.compute((a.shape[0] * by, 3), lambda i, j: a[i // by, j] + i.astype("float32"), name="folded")

    with builder.function("main", [x]):
        with builder.dataflow():
            out = builder.emit_te(folded, x, relax.PrimValue(2))
            longer = builder.emit_te(lambda a: te.compute((n + 1,), lambda i: a[te.min(i, n), 0], name="long"), out)
            made = builder.emit_output(longer)
        builder.emit_func_output(made)
    machine = relax.VirtualMachine(relax.build(builder.get(), target="llvm"), tilewright.cpu())
    for size in [1, 4]:
        a = numbers(size, 3)
        rows = np.repeat(a, 2, axis=0)[:, 0] + np.arange(2 * size, dtype="float32")
        found = machine["main"](tilewright.nd.array(a)).numpy()
        np.testing.assert_array_equal(found, rows[: size + 1])


def test_dense_and_add_as_programs_use_them() -> None:
    builder = relax.BlockBuilder()
    x, w, b = relax_var("x", 1, 12), relax_var("w", 5, 12), relax_var("b", 5)
    with builder.function("main", [x, w, b]):
        with builder.dataflow():
            out = builder.emit_te(topi.add, builder.emit_te(topi.nn.dense, x, w), b)
            made = builder.emit_output(out)
        builder.emit_func_output(made)
    script = builder.get().script()
    for text in ["def dense(", "def add(", 'T.block("T_matmul_NT")', 'T.block("T_add")']:
        assert text in script
    machine = relax.VirtualMachine(relax.build(builder.get(), target="llvm"), tilewright.cpu())
    data = numbers(1, 12), numbers(5, 12), numbers(5)
    found = machine["main"](*map(tilewright.nd.array, data)).numpy()
    np.testing.assert_allclose(found, data[0] @ data[1].T + data[2], rtol=1e-4, atol=1e-4)


def test_operators_on_tensors_broadcast() -> None:
    x, y = numbers(3, 4, holes=True), numbers(4)
    a, b = te.placeholder((3, 4), name="A"), te.placeholder((4,), name="B")
    made = 1 - a * 2 + b / a
    function = te.create_prim_func([a, b, made])
    assert "scalar" not in function.script()
    np.testing.assert_allclose(computed([a, b, made], x, y), 1 - x * 2 + y / x, rtol=1e-5)
    np.testing.assert_array_equal(computed([a, -a], x), -x)


LIBRARY = {
    "exp": (topi.exp, np.exp),
    "negative": (topi.negative, np.negative),
    "floor": (topi.floor, np.floor),
    "clip": (lambda a: topi.clip(a, -1, 1), lambda x: x.clip(-1, 1)),
    "cast": (lambda a: topi.cast(a, "int32"), lambda x: x.astype("int32")),
    "relu": (topi.nn.relu, lambda x: np.maximum(x, 0)),
    "softmax": (
        lambda a: topi.nn.softmax(a, axis=-1),
        lambda x: np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True),
    ),
    "sum": (lambda a: topi.sum(a, axis=[1]), lambda x: x.sum(1)),
    "max": (lambda a: topi.max(a, axis=[0]), lambda x: x.max(0)),
    "mean": (lambda a: topi.mean(a, axis=[1], keepdims=True), lambda x: x.mean(1, keepdims=True)),
    "argmax": (lambda a: topi.argmax(a, axis=1), lambda x: x.argmax(1)),
    "transpose": (topi.transpose, np.transpose),
    "reshape": (lambda a: topi.reshape(a, (3, 10)), lambda x: x.reshape(3, 10)),
    "concatenate": (lambda a: topi.concatenate([a, a], axis=1), lambda x: np.concatenate([x, x], 1)),
    "split": (lambda a: topi.split(a, 2, axis=1)[1], lambda x: np.split(x, 2, 1)[1]),
    "expand_dims": (lambda a: topi.expand_dims(a, 0), lambda x: x[None]),
    "tile": (lambda a: topi.tile(a, (2, 1)), lambda x: np.tile(x, (2, 1))),
    "flip": (lambda a: topi.flip(a, 1), lambda x: x[:, ::-1]),
    "tril": (topi.tril, np.tril),
    "take": (
        lambda a: topi.take(a, te.compute((3,), lambda i: (i * 2).astype("int64"), name="at"), axis=1),
        lambda x: x[:, [0, 2, 4]],
    ),
    "where": (
        lambda a: topi.where(topi.greater(a, 0), a, topi.multiply(a, 2)),
        lambda x: np.where(x > 0, x, x * 2),
    ),
    "matmul": (lambda a: topi.matmul(topi.transpose(a, axes=[1, 0]), a), lambda x: x.T @ x),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_agrees_with_numpy(name: str) -> None:
    formula, expected = LIBRARY[name]
    x = numbers(5, 6)
    a = te.placeholder(x.shape, name="A")
    np.testing.assert_allclose(computed([a, formula(a)], x), expected(x), rtol=1e-4, atol=1e-5)


def test_elements_are_loads_of_their_tensor() -> None:
    a, b = pair()
    element = a[1][2].asobject()
    assert isinstance(element, tir.ProducerLoad)
    assert element.producer == a
    assert element.producer != b
    assert [int(index) for index in element.indices] == [1, 2]
    c = te_matmul(a, b)
    assert isinstance(c.op, te.ComputeOp)
    assert isinstance(a.op, te.PlaceholderOp)
    assert list(c.op.input_tensors) == [a, b]
    assert c.op.output(0) == c
    assert [str(axis.var) for axis in [*c.op.axis, *c.op.reduce_axis]] == ["i", "j", "k"]


def test_unnamed_tensors_stay_as_long_as_they_are_read() -> None:
    a = te.placeholder((4,), name="A")
    element = te.compute((4,), lambda i: a[i] * 2.0, name="lost")[1].asobject()
    for _ in range(2000):
        te.placeholder((4,), name="dropped")
    gc.collect()
    made = te.compute((4,), lambda i: a[i] + element, name="B")
    x = numbers(4)
    np.testing.assert_allclose(computed([a, made], x), x + x[1] * 2, rtol=1e-6)


REFUSED = [
    (lambda a, k: te.compute((4,), lambda i, j: a[i, j]), ValueError, r"takes 2 indices \(i, j\), but .* 1 dimension"),
    (lambda a, k: te.compute((4, 6), lambda i: a[i, i]), ValueError, "takes 1 index .* 2 dimensions"),
    (lambda a, k: te.compute((4,), lambda i: a(i)), ValueError, "`A` has 2 dimensions, so .* 2 indices, found 1"),
    (lambda a, k: te.compute((4,), lambda i: a[i] * 2), ValueError, "`A` has 2 dimensions"),
    (lambda a, k: te.compute((4,), lambda i: a[i, k]), TVMError, "axis `k` is used outside of a reduction over it"),
    (lambda a, k: te.compute((6,), lambda i: te.sum(a[k, i], axis=k)), TVMError, "0 to 5 into dimension 0 of `A`"),
    (lambda a, k: te.compute((4,), lambda i: te.sum(a[i, k], axis=k) + 1), TypeError, "must be the whole formula"),
    (lambda a, k: te.compute((4,), lambda i: 1 + te.sum(a[i, k], axis=k)), TypeError, "must be the whole formula"),
    (lambda a, k: te.compute((4,), lambda i: te.sum(a[i, k], axis=[])), TVMError, "at least one axis"),
    (lambda a, k: te.compute((4,), lambda i: te.all(a[i, k], axis=k)), TVMError, "`and` is not defined for float32"),
    (lambda a, k: te.compute((4,), lambda i: "text"), TVMError, "an element must be a scalar, found"),
    (lambda a, k: te.compute((4,), lambda i: None), TVMError, "`fcompute` is a scalar expression"),
    (lambda a, k: te.compute((4.5,), lambda i: i), TVMError, "must be an integer, found float32"),
    (lambda a, k: te.compute((-1,), lambda i: i), TVMError, "is -1; the least is 0"),
    (lambda a, k: te.placeholder((-1,), name="B"), TVMError, "`-1` is no extent"),
    (lambda a, k: te.placeholder((3,), "flot32"), TVMError, "`dtype` is a data type"),
    (lambda a, k: te.reduce_axis((0, 2.5)), TVMError, "expected integers as its ends, found float32"),
    (lambda a, k: te.create_prim_func([te_relu(a)]), TVMError, "placeholder `A` is read but is no parameter"),
    (lambda a, k: te.create_prim_func([a, a]), TVMError, "tensor `A` is listed twice"),
    (lambda a, k: te.create_prim_func([a, 3]), TVMError, "`ops` is a te.Tensor or a te.var"),
    (lambda a, k: topi.add(a, te.placeholder((5,), name="B")), TVMError, "add"),
    (lambda a, k: topi.nn.dense(a, te.placeholder((3, 5), name="W")), TVMError, "rows of `A` have 6 elements"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_impossible_formulas_are_refused_with_a_message(number: int) -> None:
    make, kind, message = REFUSED[number]
    a, k = te.placeholder((4, 6), name="A"), te.reduce_axis((0, 6), name="k")
    with pytest.raises(kind, match=message):
        make(a, k)


def test_an_exception_in_a_formula_comes_back_as_itself() -> None:
    with pytest.raises(ZeroDivisionError):
        te.compute((4,), lambda i: i // (1 // 0))
    with pytest.raises(KeyError):
        te.extern((4,), [], lambda ins, outs: {}["missing"], dtype="float32")


def test_emitting_other_values_than_formulas_is_refused() -> None:
    builder = relax.BlockBuilder()
    x = relax_var("x", 4)
    with pytest.raises(TVMError, match="gives its argument `x` back"), builder.function("main", [x]):
        builder.emit_te(lambda a: a, x)
    unknown = relax.Var("u", relax.TensorStructInfo(dtype="float32", ndim=2))
    with pytest.raises(TVMError, match="shape and data type of `u` must be known"), builder.function("f", [unknown]):
        builder.emit_te(te_relu, unknown)


def test_misuse_of_axes_shapes_and_tensors_is_refused() -> None:
    a, k = te.placeholder((4, 6), name="A"), te.reduce_axis((0, 6), name="k")
    whole = te.placeholder((4,), "int32", name="W")
    cases = {
        "reduce axis `k` is listed twice": lambda: te.compute((4,), lambda i: te.sum(a[i, k], axis=[k, k])),
        "begins with a value for all of reduce axis `k`": lambda: te.compute(
            (4,), lambda i: te.sum(a[i, k], axis=k, init=a[i, k])
        ),
        "`axis` is a reduce axis, or a list of such, found Var": lambda: te.compute(
            (4,), lambda i: te.sum(a[i, i], axis=i)
        ),
        "found NoneType": lambda: te.compute((4,), lambda i: te.max(a[i, i], axis=None)),
        "found the axis `k`": lambda: te.compute((k,), lambda i: i),
        "is an element of `W`": lambda: te.compute((whole[0],), lambda i: i),
        "are more than 9223372036854775807 indices": lambda: te.reduce_axis((-(2**63), 2**63 - 1)),
        "`other` cannot be inlined": lambda: te.create_prim_func(
            [a, te.compute((4,), lambda i: a[i, 0])], inline=[te.compute((4,), lambda i: a[i, 1], name="other")]
        ),
        "not iterable": lambda: list(a),
        "object is not iterable": lambda: list(a[0]),
    }
    for message, misuse in cases.items():
        with pytest.raises((TVMError, TypeError), match=message):
            misuse()


def test_shapes_come_from_any_iterable() -> None:
    for shape in (iter([3, 4]), (size for size in (3, 4)), np.array([3, 4])):
        assert [int(dim) for dim in te.compute(shape, lambda i, j: i + j).shape] == [3, 4]


def test_an_extern_block_is_built_statement_by_statement() -> None:
    def magnitudes(ins: list, outs: list) -> tir.Stmt:
        ib = tir.ir_builder.create()
        x, y = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, 5, name="i", kind="parallel") as i:
            total = ib.allocate("float32", (1,), name="total", scope="local")
            total[0] = 0.0
            with ib.for_range(0, 7, name="j") as j:
                with ib.if_scope(x[i, j] > 0.0):
                    total[0] = total[0] + x[i, j]
                with ib.else_scope():
                    total[0] = total[0] - x[i * 7 + j]
            y[i] = total[0]
        return ib.get()

    x, a = numbers(5, 7), te.placeholder((5, 7), name="A")
    made = te.extern((5,), [a], magnitudes, name="magnitudes", dtype="float32")
    np.testing.assert_allclose(computed([a, made], x), np.abs(x).sum(1), rtol=1e-5)


def test_one_condition_is_itself() -> None:
    x, a = numbers(4, 6), te.placeholder((4, 6), name="A")
    kept = te.compute((4, 6), lambda i, j: te.if_then_else(te.all(i < 2), a[i, j], 0.0))
    np.testing.assert_array_equal(computed([a, kept], x), np.where(np.arange(4)[:, None] < 2, x, 0))


def test_statements_that_do_not_fit_are_refused() -> None:
    ib = tir.ir_builder.create()
    with pytest.raises(RuntimeError, match="follows an `if_scope`"), ib.else_scope():
        pass
    with pytest.raises(ValueError, match="not `backwards`"):
        ib.for_range(0, 4, kind="backwards")
    with ib.for_range(0, 4), pytest.raises(RuntimeError, match="a block is still open"):
        ib.get()


def test_a_block_that_raises_is_closed() -> None:
    ib = tir.ir_builder.create()
    with pytest.raises(KeyError), ib.for_range(0, 4):
        raise KeyError("mine")
    ib.emit(tir.call_extern("int32", "f"))
    assert str(ib.get()) == 'T.call_extern("int32", "f")'


def test_arguments_of_statements_are_kept() -> None:
    ib = tir.ir_builder.create()
    a = tir.decl_buffer((4, 6), "float32", name="A")
    ib.scope_attr(a, "weight", 2.5)
    ib.scope_attr(a, "said", "in words")
    memory = ib.allocate("float32", (2, 3), name="M", axis_separators=[1], scope="local")
    seen = ib.buffer_ptr(a, shape=(24,))
    seen[23] = memory[1, 2]
    text = str(ib.get())
    assert 'T.attr(A, "weight", T.float32(2.5))' in text and 'T.attr(A, "said", "in words")' in text
    assert 'scope="local"' in text and "axis_separators=[1]" in text
    assert "A_1[23] = M[1, 2]" in text and "A_1 = T.decl_buffer((24,), data=A)" in text


def test_operations_keep_their_tags() -> None:
    a = te.placeholder((4,), name="A")
    assert te.compute((4,), lambda i: a[i], tag="mine").op.tag == "mine"
    assert te.extern((4,), [a], lambda ins, outs: tir.Evaluate(0), tag="ours").op.tag == "ours"
    assert [made.op.tag for made in (a, topi.add(a, a), topi.exp(a), topi.sum(a), topi.flip(a))] == [
        "", "broadcast", "elemwise", "comm_reduce", "injective",
    ]  # fmt: skip


def test_threads_have_tags() -> None:
    axis = te.thread_axis("threadIdx.x")
    assert (axis.thread_tag, axis.var.name, axis.iter_type) == ("threadIdx.x", "threadIdx.x", tir.IterVar.ThreadIndex)
    assert te.reduce_axis((0, 4)).thread_tag == ""
    for wrong in (
        lambda: te.thread_axis((0, 4)),
        lambda: te.reduce_axis((0, 4), thread_tag="threadIdx.x"),
    ):
        with pytest.raises(ValueError, match=r"threadIdx\.x"):
            wrong()


def test_axes_are_compared() -> None:
    x, a, k = numbers(3, 6), te.placeholder((3, 6), name="A"), te.reduce_axis((0, 6), name="k")
    made = te.compute((3,), lambda i: te.sum(a[i, k], axis=k, where=k > 1))
    np.testing.assert_allclose(computed([a, made], x), x[:, 2:].sum(1), rtol=1e-5)
    assert str(tir.all(k < 3, k >= 2)) == "k < 3 and k >= 2"


ELEMENT = {kind: tir.Var("x", kind) for kind in ("int8", "uint8", "int32", "int64", "float16", "float32", "bool")}
NUMBERS_BESIDE = [
    ("int8", lambda x: x + 1, "int32"),
    ("uint8", lambda x: x - 128, "int32"),
    ("uint8", lambda x: 300 * x, "int32"),
    ("bool", lambda x: x + 1, "int32"),
    ("int32", lambda x: x + 2**40, "int64"),
    ("int64", lambda x: x + 1, "int64"),
    ("int32", lambda x: x * 2.5, "float32"),
    ("float16", lambda x: x * 2.5, "float32"),
    ("float16", lambda x: x + 1, "float16"),
    ("float32", lambda x: x + 1, "float32"),
    ("int8", lambda x: x + True, "int8"),
    ("int8", lambda x: x & 1, "int8"),
    ("uint8", lambda x: x << 1, "uint8"),
    ("int8", lambda x: -x, "int8"),
    ("uint8", lambda x: ~x, "uint8"),
    ("bool", lambda x: ~x, "bool"),
    ("bool", lambda x: -x, "int32"),
    ("float16", lambda x: -x, "float16"),
    ("uint8", lambda x: tir.min(x, -1), "int32"),
    ("int32", lambda x: tir.if_then_else(x > 0, x, 2.5), "float32"),
    ("float16", lambda x: tir.pow(x, 0.3), "float32"),
]


@pytest.mark.parametrize("number", range(len(NUMBERS_BESIDE)))
def test_a_number_as_other_operand_keeps_its_value(number: int) -> None:
    kind, formula, expected = NUMBERS_BESIDE[number]
    assert formula(ELEMENT[kind]).dtype == expected


def test_comparisons_of_bytes_with_numbers_are_those_of_the_numbers() -> None:
    x = np.arange(256, dtype="uint8")
    a = te.placeholder((256,), "uint8", name="A")
    for formula in (lambda v: v > -1, lambda v: v < 300, lambda v: v - 128 < 0, lambda v: v * 2 == 510):
        made = te.compute((256,), lambda i, formula=formula: te.if_then_else(formula(a[i]), 1, 0))
        np.testing.assert_array_equal(computed([a, made], x), formula(x.astype("int32")).astype("int32"))


def test_constants_of_other_types_are_worked_out() -> None:
    x = ELEMENT["int32"]
    assert str(x + tir.const(7, "uint8")) == "x + 7" and str(x + True) == "x + 1"
    assert int(tir.const(3, "int32") + tir.const(7, "uint8")) == 10


def test_signs_and_bits_turn_over() -> None:
    x = np.array([-128, -1, 0, 1, 127], "int8")
    for kind, values in {"int8": x, "uint8": x.view("uint8"), "uint64": x.astype("uint64"), "bool": x > 0}.items():
        a = te.placeholder((5,), kind, name="A")
        made = te.compute((5,), lambda i, a=a: ~a[i])
        assert made.dtype == kind
        np.testing.assert_array_equal(computed([a, made], values), ~values)
    for kind in ("int8", "uint64", "float32", "float64"):
        a = te.placeholder((5,), kind, name="A")
        made = te.compute((5,), lambda i, a=a: -a[i])
        assert made.dtype == kind
        np.testing.assert_array_equal(computed([a, made], x.astype(kind)), -x.astype(kind))
    small = ELEMENT["int32"] < 3
    assert str(~small) == str(tir.bitwise_not(small)) == "not x < 3"
    assert (~tir.Broadcast(ELEMENT["uint8"], 4)).dtype == "uint8x4" and (-tir.const(2.5, "float32")).value == -2.5
    with pytest.raises(TVMError, match="not defined for float32"):
        ~ELEMENT["float32"]


def test_text_is_no_operand() -> None:
    for wrong in (lambda x: x + "a", lambda x: "a" + x, lambda x: x < "a"):
        with pytest.raises(TypeError):
            wrong(ELEMENT["int32"])


def test_whole_tensors_are_negated_and_converted() -> None:
    x, a = np.array([-3, 0, 100], "int8"), te.placeholder((3,), "int8", name="A")
    found = -a
    assert found.dtype == "int8" and a.astype("float32").dtype == "float32"
    np.testing.assert_array_equal(computed([a, found], x), -x)


def test_functions_take_the_arguments_of_programs() -> None:
    for function in (te.sum, te.min, te.max, te.prod):
        assert list(inspect.signature(function).parameters) == ["expr", "axis", "where", "init", "args"]
    said = inspect.signature(topi.nn.conv2d_nchw).parameters
    assert list(said) == ["Input", "Filter", "stride", "padding", "dilation", "out_dtype"]
    assert said["out_dtype"].default is None and said["stride"].default is inspect.Parameter.empty


def test_functions_of_floats_take_integers_where_the_result_is_known() -> None:
    x, u = ELEMENT["int32"], ELEMENT["uint8"]
    assert tir.floor(x).same_as(x) and tir.round(u).same_as(u) and tir.abs(u).same_as(u)
    assert not bool(tir.isnan(x)) and bool(tir.isfinite(x))
    assert int(tir.floor(3)) == int(tir.round(3)) == 3 and not bool(tir.isnan(3)) and bool(tir.isfinite(3))
    lanes = tir.Var("lanes", "int32x4")
    assert str(tir.isnan(lanes)) == "T.Broadcast(T.bool(False), 4)" and tir.isnan(lanes).dtype == "boolx4"
    assert str(tir.const(3, "int32x4")) == "T.Broadcast(3, 4)" and tir.const(2.5, "float32x8").dtype == "float32x8"
    assert te.thread_axis((0, 4), "threadIdx.x", name="tx").thread_tag == "threadIdx.x"
    assert str(tir.exp(x=ELEMENT["float32"])) == "T.exp(x)" and tir.bitwise_and(u, 1).dtype == "uint8"
    assert list(inspect.signature(tir.atan2).parameters) == ["x1", "x2", "span"]
    with pytest.raises(TypeError, match=r"tir\.pow: missing a required argument: 'y'"):
        tir.pow(ELEMENT["float32"])
