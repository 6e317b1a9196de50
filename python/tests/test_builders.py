"""Block builders, the builder with the words of the script, edited blocks, and mistakes in their use."""

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright import ir, relax, te, tir
from tilewright.relax.binding_rewrite import DataflowBlockRewrite
from tilewright.script import from_source
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T
from tilewright.script.ir_builder import IRBuilder
from tilewright.script.ir_builder import ir as BI
from tilewright.script.ir_builder import relax as BR
from tilewright.script.ir_builder import tir as BT

REFUSED = (tw.TVMError, TypeError, ValueError)
info = relax.TensorStructInfo((2, 3), "float32")


def var(name="x"):
    return relax.Var(name, info)


def test_a_builder_makes_the_module_of_the_text():
    n = tir.Var("n", "int64")
    x = relax.Var("x", relax.TensorStructInfo((n, 4), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x], attrs={"note": 1}):
        with builder.dataflow():
            lv = builder.emit(relax.op.add(x, x))
            gv = builder.emit_output(relax.op.nn.relu(relax.op.multiply(lv, x)))
        cast = builder.match_cast(gv, relax.TensorStructInfo((tir.Var("m", "int64"), 4), "float32"))
        builder.emit_func_output(relax.Tuple([cast, gv]))
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        R.func_attr({"note": 1})
        n, m = T.int64(), T.int64()
        with R.dataflow():
            lv = R.add(x, x)
            lv1 = R.multiply(lv, x)
            gv = R.nn.relu(lv1)
            R.output(gv)
        cast = R.match_cast(gv, R.Tensor((m, 4), "float32"))
        return (cast, gv)
"""
    made = builder.finalize()
    ir.assert_structural_equal(from_source(made.script()), made)
    assert made["main"].attrs["note"] == 1 and relax.analysis.well_formed(made)
    expected = from_source(text)["main"]
    assert [type(b).__name__ for b in made["main"].body.blocks] == [type(b).__name__ for b in expected.body.blocks]
    ir.assert_structural_equal(made["main"].body.blocks[0], expected.body.blocks[0], map_free_vars=True)


def test_a_builder_looks_up_its_bindings():
    builder, x = relax.BlockBuilder(), var()
    with builder.function("main", [x]):
        y = builder.emit(relax.op.add(x, x), "total")
        assert y.name_hint == "total" and builder.lookup_binding(y).op.name == "relax.add"
        assert builder.lookup_binding(x) is None and builder.get_unique_name("total") != "total"
        assert relax.BlockBuilder.current() is builder
        builder.emit_func_output(y)
    assert relax.BlockBuilder.current() is None


def test_functions_are_added_and_replaced():
    builder, x = relax.BlockBuilder(), var()
    first = builder.add_func(relax.Function([x], x), "f")
    second = builder.add_func(relax.Function([x], relax.Tuple([x])), "f")
    assert first.name_hint == "f" and second.name_hint != "f"
    builder.update_func(first, relax.Function([x], relax.Tuple([x, x])))
    module = builder.get()
    assert len(module["f"].ret_struct_info.fields) == 2 and len(module.functions) == 2


MISUSES = {
    "emit without a function": lambda b, x: b.emit(x),
    "output without a function": lambda b, x: b.emit_func_output(x),
    "emit_output without a block": lambda b, x: b.emit_output(x),
    "end of no scope": lambda b, x: b.end_scope(),
    "a module that is none": lambda b, x: relax.BlockBuilder(3),
    "emit of nothing": lambda b, x: within(b, x, lambda: b.emit(None)),
    "emit of a struct info": lambda b, x: within(b, x, lambda: b.emit(info)),
    "emit of a module": lambda b, x: within(b, x, lambda: b.emit(tw.IRModule())),
    "a name that is none": lambda b, x: within(b, x, lambda: b.emit(x, 3)),
    "match_cast to no struct info": lambda b, x: within(b, x, lambda: b.match_cast(x, "float32")),
    "a binding that is none": lambda b, x: within(b, x, lambda: b.emit_normalized(x)),
    "lookup of a number": lambda b, x: b.lookup_binding(3),
    "a function that is none": lambda b, x: b.add_func(x, "f"),
    "a function without a name": lambda b, x: b.add_func(relax.Function([x], x), None),
    "an update of what is not there": lambda b, x: b.update_func(ir.GlobalVar("nope"), relax.Function([x], x)),
    "an update of no GlobalVar": lambda b, x: b.update_func("nope", relax.Function([x], x)),
    "a parameter that is none": lambda b, x: b.function("f", [3]).__enter__(),
    "attributes that are none": lambda b, x: b.function("f", [x], attrs={"a": object()}).__enter__(),
    "a dataflow block without a function": lambda b, x: b.dataflow().__enter__(),
    "parameters twice": lambda b, x: within(b, x, lambda: b.emit_func_output(x, [var("z"), 3])),
}


def within(builder, x, act):
    with builder.function("main", [x]):
        act()
        builder.emit_func_output(x)


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_an_error_and_the_builder_goes_on(name):
    builder, x = relax.BlockBuilder(), var()
    with pytest.raises(REFUSED) as caught:
        MISUSES[name](builder, x)
    assert str(caught.value)
    assert relax.BlockBuilder.current() is None
    with builder.function("after", [x]):
        builder.emit_func_output(builder.emit(relax.op.add(x, x)))
    assert relax.analysis.well_formed(builder.finalize())


def test_a_function_has_an_output_and_none_inside_of_another():
    builder, x = relax.BlockBuilder(), var()
    missing = "`emit_func_output` is not called in the function `main`"
    with pytest.raises(RuntimeError, match=missing), builder.function("main", [x]):
        builder.emit(relax.op.add(x, x))
    nested = "is being written already"
    with pytest.raises(RuntimeError, match=nested), builder.function("main", [x]), builder.function("inner", [x]):
        pass
    with pytest.raises(KeyError, match="mine"), builder.function("main", [x]), builder.dataflow():
        raise KeyError("mine")
    with builder.function("main", [x]):
        builder.emit_func_output(x)
    assert [v.name_hint for v in builder.finalize().get_global_vars()] == ["main"]


def test_blocks_are_edited():
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.multiply(a, x)
            c = R.negative(b)
            R.output(c)
        return c

    x, y = main.params
    block = main.body.blocks[0]
    names = {binding.var.name_hint: binding.var for binding in block.bindings}
    rewrite = DataflowBlockRewrite(block, main)
    rewrite.add(relax.op.subtract(x, y), "d", True)
    rewrite.replace_all_uses(names["b"], x)
    rewrite.remove_all_unused()
    text = rewrite.mutated_root_fn_.script()
    assert "R.negative(x)" in text and "multiply" not in text and "subtract" not in text
    assert relax.analysis.well_formed(rewrite.mutate_irmodule(tw.IRModule({"main": main})))
    for act, args in [(rewrite.replace_all_uses, (3, x)), (rewrite.add, (None,)), (rewrite.remove_unused, (None,))]:
        with pytest.raises(REFUSED):
            act(*args)
    with pytest.raises(REFUSED):
        DataflowBlockRewrite(main, block)


# The words of the script as functions.


def built(make):
    with IRBuilder() as builder:
        make()
    return builder.get()


def test_loops_are_built_as_the_text_says():
    def make():
        with BT.prim_func():
            BT.func_name("main")
            BT.func_attr({"tir.noalias": True})
            A = BT.arg("A", BT.Buffer((16, 8), "float32"))
            B = BT.arg("B", BT.Buffer((16,), "float32"))
            with BT.grid(16, 8) as (i, j), BT.block("sum"):
                vi, vj = BT.axis.remap("SR", [i, j])
                BT.reads(A[vi, vj])
                BT.writes(B[vi])
                with BT.init():
                    BT.buffer_store(B, BT.float32(0), [vi])
                BT.buffer_store(B, B[vi] + BT.exp(A[vi, vj]), [vi])

    @T.prim_func
    def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i, j in T.grid(16, 8):
            with T.block("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + T.exp(A[vi, vj])

    ir.assert_structural_equal(built(make), main)


def test_statements_are_built_as_the_text_says():
    def make():
        with BT.prim_func():
            BT.func_name("main")
            A = BT.arg("A", BT.Buffer((16,), "int32"))
            n = BT.arg("n", BT.int32())
            with BT.parallel(0, 4) as i, BT.unroll(4) as j, BT.If(i < n):
                with BT.Then():
                    BT.buffer_store(A, BT.min(i * 4 + j, n), [i * 4 + j])
                with BT.Else():
                    BT.evaluate(0)
            with BT.Assert(n > 0, "positive"), BT.While(A[0] < 10):
                BT.buffer_store(A, A[0] + 1, [0])
            with BT.attr(n, "pragma", 1), BT.vectorized(16) as v:
                BT.buffer_store(A, v, [v])

    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), n: T.int32):
        for i in T.parallel(0, 4):
            for j in T.unroll(4):
                if i < n:
                    A[i * 4 + j] = T.min(i * 4 + j, n)
                else:
                    T.evaluate(0)
        assert n > 0, "positive"
        while A[0] < 10:
            A[0] = A[0] + 1
        with T.attr(n, "pragma", 1):
            for v in T.vectorized(16):
                A[v] = v

    found = built(make)
    ir.assert_structural_equal(from_source(found.script()), from_source(main.script()))


def test_graphs_are_built_as_the_text_says():
    def make():
        with BI.ir_module():
            BI.module_attrs({"version": 2})
            with BR.function():
                BR.func_name("main")
                BR.func_attr({"note": "x"})
                x = BR.arg("x", BR.Tensor((2, 3), "float32"))
                with BR.dataflow() as block:
                    a = BR.emit(BR.add(x, x))
                    b = BR.emit(BR.nn.relu(a))
                    BR.output(b)
                (b,) = block.output_vars
                BR.func_ret_value(b)

    @I.ir_module
    class Module:
        I.module_attrs({"version": 2})

        @R.function
        def main(x: R.Tensor((2, 3), "float32")):
            R.func_attr({"note": "x"})
            with R.dataflow():
                a = R.add(x, x)
                b = R.nn.relu(a)
                R.output(b)
            return b

    ir.assert_structural_equal(built(make), Module)


def test_conditionals_of_graphs_are_built_as_the_text_says():
    def make():
        with BR.function():
            BR.func_name("main")
            c = BR.arg("c", BR.Tensor((), "bool"))
            x = BR.arg("x", BR.Tensor((2, 3), "float32"))
            with BR.If(c) as branches:
                with BR.Then():
                    BR.emit(BR.add(x, x))
                with BR.Else():
                    BR.emit(BR.multiply(x, x))
            BR.func_ret_value(branches.var)

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        if c:
            y = R.add(x, x)
        else:
            y = R.multiply(x, x)
        return y

    normal = relax.transform.Normalize()(tw.IRModule({"main": main}))
    ir.assert_structural_equal(built(make), normal["main"])


def test_built_modules_run():
    def make():
        with BT.prim_func():
            BT.func_name("main")
            A = BT.arg("A", BT.Buffer((8,), "float32"))
            B = BT.arg("B", BT.Buffer((8,), "float32"))
            with BT.serial(8) as i:
                BT.buffer_store(B, A[i] * 2.0 - 1.0, [i])

    a = np.array([-1, 0, 1, np.nan, np.inf, -0.0, 3, 4], "float32")
    b = tw.nd.array(np.zeros(8, "float32"))
    tw.build(built(make), "llvm")["main"](tw.nd.array(a), b)
    np.testing.assert_array_equal(b.numpy(), a * 2 - 1)


def open_frame(frame):
    frame.__enter__()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BT.func_name("f"), "may not stand here"),
        (lambda: BT.axis.spatial(4, 0), "may not stand here"),
        (lambda: open_frame(BT.serial(4)), "no function and no module was built"),
        (lambda: BR.emit(var()), "may not stand here"),
        (lambda: BR.output(), "may not stand here"),
        (lambda: BI.module_attrs({}), "may not stand here"),
        (lambda: None, "no function and no module was built"),
    ],
)
def test_words_out_of_place_are_refused(make, message):
    with pytest.raises(tw.TVMError, match=message):
        built(make)
    assert not IRBuilder.is_in_scope()


def test_words_outside_of_a_builder_say_so():
    with pytest.raises(tw.TVMError, match="nothing can be built here"):
        BT.evaluate(0)
    with pytest.raises(tw.TVMError, match=r"R\.func_ret_value"), IRBuilder(), BR.function():
        BR.func_name("main")
    with pytest.raises(tw.TVMError, match=r"needs both"), IRBuilder(), BR.function():
        c = BR.arg("c", BR.Tensor((), "bool"))
        with BR.If(c), BR.Then():
            BR.emit(c)
    with pytest.raises(ValueError, match="declared and not defined: g"), IRBuilder(), BI.ir_module():
        BI.decl_function("g", relax.Function([], relax.Tuple([])))


def test_later_errors_name_the_emitting_line():
    bb = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorStructInfo(dtype="float32"))
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(relax.op.exp(x)))  # The line.
    with pytest.raises(tw.TVMError) as caught:
        relax.transform.LegalizeOps()(bb.get())
    (span,) = caught.value.diagnostics[0].spans
    assert Path(__file__).samefile(span.file)
    assert Path(__file__).read_text().splitlines()[span.line - 1].endswith("# The line.")


def test_a_function_that_is_being_written_has_its_name():
    x, builder = var(), relax.BlockBuilder()
    with builder.function("main", [x]):
        halved = builder.emit_te(lambda a: te.compute(a.shape, lambda i, j: a[i, j] / 2), x, primfunc_name_hint="main")
        builder.emit_func_output(halved)
    made = builder.get()
    assert isinstance(made["main"], relax.Function) and isinstance(made["main1"], tir.PrimFunc)


def test_a_sequence_is_emitted_as_its_bindings_and_is_its_result():
    y = relax.Var("y", info)
    inner = relax.SeqExpr([relax.BindingBlock([relax.VarBinding(y, relax.op.exp(var("x")))])], y)
    x = inner.blocks[0].bindings[0].value.args[0]
    for emit in ("emit", "normalize"):
        builder = relax.BlockBuilder()
        with builder.function("main", [x]):
            builder.emit_func_output(getattr(builder, emit)(inner))
        body = builder.finalize()["main"].body
        values = [binding.value for binding in body.blocks[0].bindings]
        assert values[0].op.name == "relax.exp" and values[1:] == [y][: emit == "emit"]


def test_dataflow_blocks_of_a_sequence_that_is_emitted_stay_such():
    def sequence(x):
        inner, out = relax.DataflowVar("inner", info), relax.Var("out", info)
        first, last = relax.Var("first", info), relax.Var("last", info)
        flow = relax.DataflowBlock(
            [relax.VarBinding(inner, relax.op.exp(first)), relax.VarBinding(out, relax.op.negative(inner))]
        )
        before = relax.BindingBlock([relax.VarBinding(first, relax.op.abs(x))])
        return relax.SeqExpr([before, flow, relax.BindingBlock([relax.VarBinding(last, relax.op.sin(out))])], last)

    for emit in ("emit", "normalize"):
        for inside in (False, True):
            builder, x = relax.BlockBuilder(), var("x")
            with builder.function("main", [x]):
                with builder.dataflow() if inside else nullcontext():
                    y = getattr(builder, emit)(sequence(x))
                    y = builder.emit_output(y) if inside else y
                builder.emit_func_output(y)
            made = builder.finalize()
            assert relax.analysis.well_formed(made), made.script()
            kinds = [isinstance(block, relax.DataflowBlock) for block in made["main"].body.blocks]
            assert kinds == ([True] if inside else [False, True, False])


def test_a_branch_takes_the_place_of_its_conditional():
    @R.function
    def chosen(x: R.Tensor((2, 3), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((2, 3), "float32"):
        if c:
            a = R.exp(x)
            b = R.add(a, x)
        else:
            b = R.negative(x)
        return b

    @relax.expr_functor.mutator
    class First(relax.PyExprMutator):
        def visit_if_(self, op):
            return self.visit_expr(op.true_branch)

    made = First().visit_expr(chosen)
    assert "if c" not in made.script() and "R.negative" not in made.script()
    ex = relax.build(tw.IRModule({"main": made}))
    values = np.linspace(-2, 2, 6, dtype="float32").reshape(2, 3)
    found = relax.VirtualMachine(ex, tw.cpu())["main"](tw.nd.array(values), tw.nd.array(np.bool_(False)))
    np.testing.assert_allclose(found.numpy(), np.exp(values) + values, rtol=1e-6)


def test_a_cast_has_the_name_that_is_wished_for():
    builder, x = relax.BlockBuilder(), var()
    with builder.function("main", [x], {"note": 1}, False, True):
        cast = builder.match_cast(x, relax.TensorStructInfo((tir.Var("n", "int64"), 3), "float32"), "wished")
        assert not builder.current_block_is_dataflow()
        with builder.dataflow():
            assert builder.current_block_is_dataflow()
        builder.emit_func_output(cast)
    function = builder.finalize()["main"]
    assert cast.name_hint == "wished"
    assert not function.is_pure and "global_symbol" not in function.attrs and function.attrs["note"] == 1


def test_variables_that_are_used_are_not_those_that_are_defined():
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), never: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        a = R.exp(x)
        unused = R.negative(a)  # noqa: F841
        return a

    names = lambda found: {one.name_hint for one in found}  # noqa: E731
    assert names(relax.analysis.used_vars(main)) == {"x", "a"}
    assert names(relax.analysis.all_vars(main)) == {"x", "a", "never", "unused"}


def test_constants_without_a_chosen_type_are_narrow():
    rows = [
        (1, "int32"), (1.5, "float32"), (np.zeros(2), "float32"), (np.int64(3), "int32"), ([1, 2], "int32"),
        (np.zeros(2, "float16"), "float16"), (np.zeros(2, "int8"), "int8"), (tw.nd.array(np.zeros(2)), "float64"),
    ]  # fmt: skip
    for value, dtype in rows:
        assert relax.const(value).struct_info.dtype == dtype, value
    assert relax.const(np.zeros(2), "float64").struct_info.dtype == "float64"
    for wide in (np.array([2**40, 0]), np.int64(-(2**31) - 1), 2**31, [1, -(2**40)]):
        made = relax.const(wide)
        assert made.struct_info.dtype == "int64"
        np.testing.assert_array_equal(made.data.numpy(), wide)
    for narrow in (np.array([2**31 - 1, -(2**31)]), np.zeros((0, 2), "int64")):
        assert relax.const(narrow).struct_info.dtype == "int32"


def test_later_names_are_the_same_things():
    assert relax.TensorType is relax.TensorStructInfo and relax.Type is relax.StructInfo
    assert relax.FuncType is relax.FuncStructInfo and relax.AnyType is relax.ObjectStructInfo
    assert relax.VMExecutable is relax.Executable and relax.DataflowBlockRewrite is DataflowBlockRewrite
    assert var().ty == info and relax.analysis.type_lca(info, info) == info
    assert tw.runtime.tensor([1.0], "cpu").dtype == "float64" and tw.runtime.Tensor is tw.nd.NDArray
    function = relax.Function([x := var()], relax.op.add(x, x))
    copied = relax.utils.copy_with_new_vars(function)
    ir.assert_structural_equal(copied, function)
    assert not copied.params[0].same_as(x)
    module = ir.IRModule.from_expr(function)
    assert [one.name_hint for one in module.get_global_vars()] == ["main"]
    both = ir.IRModule.from_expr(function, {"other": function})
    assert {one.name_hint for one in both.get_global_vars()} == {"main", "other"}


def test_names_for_values_and_threads_without_names():
    x, v = tir.Var("x", "int32"), tir.Var("v", "int32")
    ir.assert_structural_equal(BT.Let(x + 1, where={x: 2}), tir.Let(x, 2, x + 1), map_free_vars=True)
    with IRBuilder() as builder, BT.LetStmt(2, var=v):
        BT.evaluate(v)
    made = builder.get()
    assert isinstance(made, tir.LetStmt) and made.var.same_as(v) and made.value == 2
    axis = tir.IterVar(None, tir.Var("", "int32"), tir.IterVar.ThreadIndex, "threadIdx.x")
    assert axis.thread_tag == "threadIdx.x"
    assert BT.float32("inf").value == float("inf")
    builder = tir.ir_builder.create()
    pointer, size = builder.pointer("float32", name="A"), builder.let("n", 4)
    with builder.new_scope():
        builder.scope_attr(size, "pragma", 1)
        pointer[0] = pointer[1] + 1.0
    assert isinstance(builder.get(), tir.LetStmt) and pointer.asobject().dtype == "handle"
