"""What scripts of 2024 say in more than one way: each form against the plain one that it means."""

from textwrap import dedent, indent

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, te, tir, topi
from tilewright.error import TVMError
from tilewright.script import from_source
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T
from tilewright.script.ir_builder import IRBuilder
from tilewright.script.ir_builder import relax as RB
from tilewright.script.ir_builder import tir as TB

HEADER = 'A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "int32"), n: T.int32'


def prim(body: str, header: str = HEADER, names: dict | None = None, **options):
    text = f"@T.prim_func\ndef main({header}):\n{indent(dedent(body), '    ')}"
    return from_source(text, names or {}, **options)


def graph(body: str, header: str = 'x: R.Tensor((4, 6), "float32")', names: dict | None = None):
    text = f"@R.function\ndef main({header}):\n{indent(dedent(body), '    ')}"
    return from_source(text, names or {})


def same(left, right):
    tw.ir.assert_structural_equal(left, right)
    for function in (left, right):
        tw.ir.assert_structural_equal(from_source(function.script(show_meta=True)), function)


def double(x):
    return x * 2


def relu_times(x, times):
    for _ in range(times):
        x = relax.op.nn.relu(x)
    return x


# The text, the plain text that it means, and the names of Python in the first.
LOOPS = {
    "arguments by name": (
        "B[0] = T.exp(x=A[0])\nB[1] = T.max(a=A[0], b=A[1])",
        "B[0] = T.exp(A[0])\nB[1] = T.max(A[0], A[1])",
    ),
    "types that follow": ('B[0] = T.exp(A[0], dtype="float32")', "B[0] = T.exp(A[0])"),
    "a type by keyword": ('B[0] = T.reinterpret(C[0], dtype="float32")', 'B[0] = T.reinterpret("float32", C[0])'),
    "integers in floats": (
        "B[0] = 3\nB[1] = n\nB[2] += 1",
        'B[0] = 3.0\nB[1] = T.Cast("float32", n)\nB[2] = B[2] + 1.0',
    ),
    "truth in integers": ("C[0] = A[0] > 0.0", 'C[0] = T.Cast("int32", A[0] > 0.0)'),
    "one name for a grid": (
        "for i in T.grid(2, 2):\n    B[i[0] * 2 + i[1]] = 0.0",
        "for i_0, i_1 in T.grid(2, 2):\n    B[i_0 * 2 + i_1] = 0.0",
    ),
    "starred extents and axes": (
        """
        for i, *js in T.grid(1, *shape):
            with T.block("b"):
                vi, *vs = T.axis.remap("SSS", [i, *js])
                B[vs[0] * 2 + vs[1]] = 0.0
        """,
        """
        for i, js_0, js_1 in T.grid(1, 2, 2):
            with T.block("b"):
                vi, vs_0, vs_1 = T.axis.remap("SSS", [i, js_0, js_1])
                B[vs_0 * 2 + vs_1] = 0.0
        """,
        {"shape": (2, 2)},
    ),
    "functions of Python": (
        "B[0] = double(A[0]) + (lambda a, b: a + b)(A[1], A[2])\nC[0] = total([1, 2, len(A.shape)])",
        "B[0] = A[0] * 2.0 + (A[1] + A[2])\nC[0] = 4",
        {"double": double, "total": sum},
    ),
    "operators of Python's names": ("B[0] = op(A[0])", "B[0] = T.exp(A[0])", {"op": tir.exp}),
    "packed calls": ('T.tvm_call_packed("f", A[0])', 'T.call_packed("f", A[0])'),
    "a part without a shape": (
        """
        with T.block("b"):
            S = T.match_buffer(A[0:2])
            B[0] = S[1]
        """,
        """
        with T.block("b"):
            S = T.match_buffer(A[0:2], (2,))
            B[0] = S[1]
        """,
    ),
    "macros of any number": (
        """
        @T.macro
        def put(into, *values, **at):
            into[at["place"]] = values[0] + values[1]
        put(B, A[0], A[1], place=2)
        """,
        "B[2] = A[0] + A[1]",
    ),
    "conditions of Python": (
        'if kind == "a" and kind in ["a"]:\n    B[0] = 1.0\nelse:\n    B[0] = 2.0',
        "B[0] = 1.0",
        {"kind": "a"},
    ),
}


@pytest.mark.parametrize("case", LOOPS)
def test_loops(case):
    text, plain, *names = LOOPS[case]
    same(prim(text, names=names[0] if names else None), prim(plain))


GRAPHS = {
    "functions of Python": (
        "with R.dataflow():\n    y = f(x, 2)\n    R.output(y)\nreturn y",
        "with R.dataflow():\n    lv = R.nn.relu(x)\n    y = R.nn.relu(lv)\n    R.output(y)\nreturn y",
        {"f": relu_times},
    ),
    "lambdas": (
        "y = g(x, R.add(x, x))\nreturn y",
        "lv = R.add(x, x)\ny = R.multiply(x, lv)\nreturn y",
        {"g": lambda a, b: relax.op.multiply(a, b)},
    ),
    "sizes at run time": (
        "a = x.shape[1]\nb = x.ndim\nc = x.dtype.bits\nd = x.strides[0]\ne = x.byte_offset\nreturn (a, b, c, d, e)",
        """
        a = R.inspect.tensor_shape_i(x, R.prim_value(1))
        b = R.inspect.tensor_ndim(x)
        c = R.inspect.tensor_dtype_bits(x)
        d = R.inspect.tensor_stride_i(x, R.prim_value(0))
        e = R.inspect.tensor_byte_offset(x)
        return (a, b, c, d, e)
        """,
    ),
    "conversions": ('y = x.astype("float16")\nreturn y', 'y = R.astype(x, dtype="float16")\nreturn y'),
    "known structure": (
        "y = R.zeros(x.struct_info.shape, x.struct_info.dtype)\nreturn y",
        'y = R.zeros((4, 6), "float32")\nreturn y',
    ),
    "constructors": (
        "y = R.reshape(x, R.ShapeExpr([6, 4]))\nt = (x, y)\nz = R.TupleGetItem(t, 1)\nreturn z",
        "y = R.reshape(x, R.shape([6, 4]))\nt = (x, y)\nz = t[1]\nreturn z",
    ),
    "starred shapes and fields": (
        "a, *b = R.split(x, 2)\ny = R.concat([a, *b])\nz = R.reshape(y, (*shape, 3))\nreturn z",
        "lv = R.split(x, 2)\na = lv[0]\nb_0 = lv[1]\ny = R.concat([a, b_0])\nz = R.reshape(y, (4, 2, 3))\nreturn z",
        {"shape": (4, 2)},
    ),
    "what is known less": ("y: R.Tensor(ndim=2) = R.add(x, x)\nz: R.Object = R.add(x, x)\nreturn z", None),
    "macros": (
        """
        @R.macro(hygienic=False)
        def twice(a):
            b = R.add(a, a)
            return R.multiply(b, x)
        y = twice(x)
        return y
        """,
        "b = R.add(x, x)\ny = R.multiply(b, x)\nreturn y",
    ),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_graphs(case):
    text, plain, *names = GRAPHS[case]
    function = graph(text, names=names[0] if names else None)
    same(function, graph(plain) if plain else function)


def test_annotations_of_calls_replace_what_is_inferred():
    """More is checked by a cast when the program runs, less is what later bindings know."""
    header = 'x: R.Tensor("float32", ndim=2)'
    more = graph('y: R.Tensor((3, 4), "float32") = R.add(x, x)\nreturn y', header)
    same(more, graph('y_0 = R.add(x, x)\ny = R.match_cast(y_0, R.Tensor((3, 4), "float32"))\nreturn y', header))
    result = from_source(f'@R.function\ndef f({header}) -> R.Tensor((3, 4), "float32"):\n    return x')
    assert str(result.ret_struct_info) == 'R.Tensor((3, 4), dtype="float32")'
    machine = relax.VirtualMachine(relax.build(tw.IRModule({"f": result}), "llvm"), tw.cpu())
    np.testing.assert_array_equal(machine["f"](np.ones((3, 4), "float32")).numpy(), np.ones((3, 4), "float32"))
    with pytest.raises(TVMError):
        machine["f"](np.ones((4, 3), "float32"))
    with pytest.raises(TVMError, match="annotation"):
        graph('y: R.Tensor((3, 5), "float32") = R.add(x, x)\nreturn y')


ROUND_TRIPS = {
    "a scalar result": "@T.prim_func\ndef f(a: T.int32) -> T.int32:\n    T.ret(a + 1)",
    "reducers": """
        @T.prim_func
        def f(A: T.Buffer((4,), "float32")):
            with T.attr(
                T.comm_reducer(lambda x0, x1, y0, y1: (T.Select(x1 >= y1, x0, y0), T.Select(x1 >= y1, x1, y1)),
                               [T.int32(-1), T.float32(0)]),
                "reduce_scope", T.reinterpret("handle", T.uint64(0)),
            ):
                A[0] = 1.0
        """,
    "PrimFuncs that call each other": """
        @I.ir_module
        class Module:
            @T.prim_func
            def main(C: T.Buffer((4,), "int32")):
                for i in range(4):
                    C[i] = Module.next(i)
                Module.fill(C.data, 4)

            @T.prim_func(private=True)
            def next(n: T.int32) -> T.int32:
                return n + 1

            @T.prim_func(private=True)
            def fill(p: T.handle("int32"), n: T.int32):
                C = T.Buffer((4,), "int32", data=p)
                C[n - 1] = 0
        """,
    "tiles and copies of GPUs": """
        @T.prim_func
        def f(A: T.Buffer((256,), "float16", scope="wmma.matrix_a"), B: T.Buffer((256,), "float16", scope="shared")):
            p: T.handle = B.access_ptr("r")
            T.evaluate(T.tvm_load_matrix_sync(A.data, 16, 16, 16, 0, p, 16, "row_major", dtype="handle"))
            T.evaluate(T.ptx_cp_async(B.data, 0, B.data, 0, 16, dtype="float16"))
            T.evaluate(T.ptx_commit_group(dtype=""))
            T.ptx_wait_group(0)
        """,
    "handles as results": """
        @T.prim_func
        def f(A: T.Buffer((4,), "float32"), q: T.Ptr[T.float32, "shared"]):
            p: T.handle = T.call_extern("handle", "get", A.data)
            T.evaluate(T.call_packed("use", p, dtype="handle"))
        """,
    "types by other names": """
        @T.prim_func
        def f(A: T.Buffer((4,), "uint1"), B: T.Buffer((4,), "int"), C: T.Buffer((4,), "e4m3_float8")):
            A[0] = True
            B[0] = 1
        """,
}


@pytest.mark.parametrize("case", ROUND_TRIPS)
def test_round_trips(case):
    read = from_source(dedent(ROUND_TRIPS[case]))
    tw.ir.assert_structural_equal(from_source(read.script()), read)


def test_types_by_other_names():
    function = from_source(dedent(ROUND_TRIPS["types by other names"]))
    buffers = [function.buffer_map[param].dtype for param in function.params]
    assert buffers == ["bool", "int32", "float8_e4m3fn"]


def test_variables_without_a_value_are_allowed_on_request():
    body = "x = T.int32()\nA[x] = 1.0"
    with pytest.raises(TVMError, match="nothing gives `x` a value"):
        prim(body)
    text = prim(body, check_well_formed=False).script()
    assert "x = T.int32()" in text
    again = from_source(text, check_well_formed=False)
    tw.ir.assert_structural_equal(again, prim(body, check_well_formed=False), map_free_vars=True)


def test_only_handed_over_variables_come_back():
    strange = relax.Var("strange", relax.TensorStructInfo((4, 6), "float32"))
    with pytest.raises(TVMError, match="`strange`, which is none of this function"):
        graph("y = f(x)\nreturn y", names={"f": lambda x: relax.op.add(x, strange)})


def test_stored_values_are_converted():
    @T.prim_func
    def convert(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int64"), C: T.Buffer((4,), "float16")):
        for i in range(4):
            with T.block("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.Cast("int32", A[vi])
                C[vi] = A[vi]

    a = np.array([-1.5, 0, 2.75, 100.125], "float32")
    b, c = tw.nd.array(np.zeros(4, "int64")), tw.nd.array(np.zeros(4, "float16"))
    tw.build(convert, target="llvm")(tw.nd.array(a), b, c)
    np.testing.assert_array_equal(b.numpy(), a.astype("int32"))
    np.testing.assert_array_equal(c.numpy(), a.astype("float16"))
    with pytest.warns(UserWarning, match="the fraction is lost"):
        prim("C[0] = A[0]")


def test_an_init_without_a_reduction_runs_for_each_instance():
    @T.prim_func
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("b"):
                vi = T.axis.spatial(4, i)
                with T.init():
                    B[vi] = 1
                B[vi] = B[vi] + A[vi]

    out = tw.nd.array(np.zeros(4, "float32"))
    tw.build(add, target="llvm")(tw.nd.array(np.arange(4, dtype="float32")), out)
    np.testing.assert_array_equal(out.numpy(), np.arange(4) + 1)


def test_tensor_expressions_in_a_graph():
    def scaled(a, factor):
        return te.compute(a.shape, lambda i, j: a[i, j] * factor, name="scaled")

    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((2, 3), "float32")):
            with R.dataflow():
                y = R.emit_te(scaled, x, tir.FloatImm("float32", 3.0))
                z = R.emit_te(topi.add, y, x, primfunc_name_hint="sum")
                R.output(z)
            return z

    assert {"main", "scaled", "sum"} == {var.name_hint for var in Module.get_global_vars()}
    machine = relax.VirtualMachine(relax.build(Module, "llvm"), tw.cpu())
    x = np.arange(6, dtype="float32").reshape(2, 3)
    np.testing.assert_array_equal(machine["main"](x).numpy(), x * 4)


n, m = tir.Var("n", "int64"), tir.Var("m", "int64")
x, buffer = tir.Var("x", "int32"), tir.decl_buffer((128, 128), "float16", name="A")
tensor = relax.Var("a", relax.TensorStructInfo((1, n), "float32"))
bound = relax.Var("b", relax.TensorStructInfo((1, n), "float32"))
BINDING = 'n = T.int64()\na: R.Tensor((1, n), dtype="float32")\nb: R.Tensor((1, n), dtype="float32") = R.sin(a)'
LET = "with T.LetStmt(1) as x:\n    T.evaluate(x)"
FRAGMENTS = [
    (relax.BindingBlock([relax.VarBinding(bound, relax.op.sin(tensor))]), BINDING, BINDING),
    (tir.LetStmt(x, tir.IntImm("int32", 1), tir.Evaluate(x)), LET, LET),
    (x + 1, "x = T.int32()\nx + 1", "x + 1"),
    (tir.SizeVar("s", "int32"), "s = T.int32(is_size_var=True)\ns", "s"),
    (buffer, 'A = T.Buffer((128, 128), "float16")\nA', "A"),
    (buffer[x, 0], 'A = T.Buffer((128, 128), "float16")\nx = T.int32()\nA[x, 0]', "A[x, 0]"),
    (tw.ir.Range(0, 10), "I.Range(0, 10)", "I.Range(0, 10)"),
    (
        tir.IterVar((0, 8), x, 0),
        'x = T.int32()\nT.iter_var(x, T.Range(0, 8), "DataPar", "")',
        'T.iter_var(x, T.Range(0, 8), "DataPar", "")',
    ),
    (tw.ir.GlobalVar("f"), 'I.GlobalVar("f")', 'I.GlobalVar("f")'),
    (
        relax.TensorStructInfo((1, n), "float32"),
        'n = T.int64()\nR.Tensor((1, n), dtype="float32")',
        'R.Tensor((1, n), dtype="float32")',
    ),
    (relax.Tuple([tensor, tensor]), 'n = T.int64()\na: R.Tensor((1, n), dtype="float32")\n(a, a)', "(a, a)"),
    (
        tir.While(x < 10, tir.Evaluate(0)),
        "x = T.int32()\nwhile x < 10:\n    T.evaluate(0)",
        "x = T.int32()\nwhile x < 10:\n    T.evaluate(0)",
    ),
]


@pytest.mark.parametrize(("part", "verbose", "plain"), FRAGMENTS)
def test_fragments_are_printed_after_what_they_use(part, verbose, plain):
    assert part.script(verbose_expr=True).strip() == verbose
    assert part.script().strip() == plain


def test_tensor_expressions_of_sizes_and_of_several_results():
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor(("n", 4), "float32")):
            n = T.int64()
            halves = R.emit_te(topi.split, x, 2, axis=1)
            ones = R.emit_te(topi.full, (n, 2), "float32", 1.0)
            return R.emit_te(topi.add, halves[1], ones)

    machine = relax.VirtualMachine(relax.build(Module, "llvm"), tw.cpu())
    x = np.arange(12, dtype="float32").reshape(3, 4)
    np.testing.assert_array_equal(machine["main"](x).numpy(), x[:, 2:] + 1)


def test_builders_build_single_statements():
    def built(make):
        with IRBuilder() as builder:
            make()
        return builder.get()

    def loops():
        with TB.grid(2, 3) as (i, j):
            TB.evaluate(i + j)

    def alone():
        with TB.block("b", no_realize=True):
            TB.evaluate(0)

    def let():
        with TB.LetStmt(TB.int32(2)) as value:
            TB.evaluate(value)

    def threads():
        with TB.launch_thread(TB.env_thread("threadIdx.x"), 4):
            TB.evaluate(0)

    kinds = [
        (lambda: TB.evaluate(0), tir.Evaluate),
        (loops, tir.For),
        (alone, tir.Block),
        (let, tir.LetStmt),
        (threads, tir.For),
    ]
    for make, kind in kinds:
        assert isinstance(built(make), kind), kind


def test_builders_take_tensor_expressions():
    from tilewright.script.ir_builder import ir as IB

    with IRBuilder() as builder, IB.ir_module(), RB.function():
        RB.func_name("main")
        x = RB.arg("x", relax.TensorStructInfo((4,), "float32"))
        RB.func_ret_value(RB.emit_te(topi.add, x, x))
    machine = relax.VirtualMachine(relax.build(builder.get(), "llvm"), tw.cpu())
    np.testing.assert_array_equal(machine["main"](np.ones(4, "float32")).numpy(), np.full(4, 2, "float32"))
