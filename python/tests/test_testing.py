"""The helpers for tests of programs, and visitors and mutators as their base classes leave them."""

import subprocess
import sys

import numpy as np
import pytest

import tilewright as tw
from tilewright import ir, relax, testing, tir
from tilewright.ir.instrument import PassPrintingInstrument, PrintAfterAll, PrintBeforeAll
from tilewright.relax.expr_functor import PyExprMutator, PyExprVisitor
from tilewright.relax.testing import dump_ast, get_relax_matmul_module
from tilewright.relax.testing.transform import dataflow_liveness_analysis
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


@I.ir_module
class Everything:
    @T.prim_func(private=True)
    def kernel(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            with T.block("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)

    @R.function(private=True)
    def helper(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            out = R.negative(a)
            R.output(out)
        return out

    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), "float32"), c: R.Tensor((), "bool"), n: R.Shape(["k"])) -> R.Tuple(R.Object, R.Object):
        k = T.int64()
        cls = Everything
        with R.dataflow():
            a = R.call_tir(cls.kernel, (x,), R.Tensor((2, 3), "float32"))
            t = (a, R.const(1.0, "float32"), R.shape([k, 2]), R.prim_value(k + 1), R.str("s"), R.dtype("float32"))
            b = t[0]
            R.output(b, t)
        d = R.match_cast(b, R.Tensor((2, 3), "float32"))
        if c:
            e = cls.helper(d)
        else:
            f = R.add(d, d)
            e = R.multiply(f, f)
        g = R.call_packed("lib.f", e, sinfo_args=(R.Tensor((2, 3), "float32"),))
        h = R.call_pure_packed("lib.f", g, sinfo_args=(R.Tensor((2, 3), "float32"),))

        @R.function
        def inner(p: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            q = R.add(p, h)
            return q

        r = inner(h)
        return (r, t)


def test_a_visitor_sees_every_kind():
    seen = []

    class See(PyExprVisitor):
        def visit_expr(self, expr):
            seen.append(type(expr).__name__)
            super().visit_expr(expr)

        def visit_binding(self, binding):
            seen.append(type(binding).__name__)
            super().visit_binding(binding)

        def visit_binding_block(self, block):
            seen.append(type(block).__name__)
            super().visit_binding_block(block)

    See().visit_expr(Everything["main"])
    assert set(seen) >= {
        "Function", "SeqExpr", "Call", "Op", "GlobalVar", "Tuple", "TupleGetItem", "Constant", "ShapeExpr", "PrimValue",
        "StringImm", "DataTypeImm", "If", "Var", "DataflowVar", "VarBinding", "MatchCast", "BindingBlock",
        "DataflowBlock", "ExternFunc",
    }  # fmt: skip


def test_a_mutator_that_changes_nothing_gives_the_same_function():
    for var, function in Everything.functions_items():
        if isinstance(function, relax.Function):
            assert PyExprMutator(Everything).visit_expr(function).same_as(function), var


def test_a_mutator_that_rebuilds_everything_keeps_the_meaning():
    class Rebuild(PyExprMutator):
        def visit_call_(self, call):
            call = self.visit_expr_post_order(call)
            return relax.Call(call.op, call.args, call.attrs, call.sinfo_args)

        def visit_tuple_(self, op):
            return relax.Tuple([self.visit_expr(field) for field in op.fields])

        def visit_shape_expr_(self, op):
            return relax.ShapeExpr(op.values)

    rebuilt = Everything.clone()
    for var, function in Everything.functions_items():
        if isinstance(function, relax.Function):
            rebuilt.update_func(var, Rebuild(Everything).visit_expr(function))
    # A mutator leaves results of branches in variables.
    ir.assert_structural_equal(rebuilt, relax.transform.Normalize()(Everything))


def test_exceptions_of_a_method_propagate():
    class Fails(PyExprVisitor):
        def visit_call_(self, call):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Fails().visit_expr(Everything["main"])
    for wrong in (3, None, "x", tir.Var("i", "int32")):
        with pytest.raises(TypeError, match="expected a graph expression"):
            PyExprVisitor().visit_expr(wrong)


class TestLegal(testing.CompareBeforeAfter):
    transform = relax.transform.CanonicalizeBindings()

    @R.function
    def before(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            y = x
            z = R.add(y, y)
            R.output(z)
        return z

    @R.function
    def expected(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            z = R.add(x, x)
            R.output(z)
        return z


@R.function
def copied(x: R.Tensor((2, 3), "float32")):
    with R.dataflow():
        y = x
        z = R.add(y, y)
        R.output(z)
    return z


def test_a_comparison_fails_where_it_should():
    compare, canonicalize = testing.CompareBeforeAfter().test_compare, relax.transform.CanonicalizeBindings()
    with pytest.raises(ValueError, match="StructuralEqual"):
        compare(copied, copied, canonicalize)
    with pytest.raises(pytest.fail.Exception):
        compare(copied, tw.TVMError, canonicalize)
    with pytest.raises(AssertionError):
        compare(copied, lambda after: False, canonicalize)


class TestUndecorated(testing.CompareBeforeAfter):
    """Parts without decorators are read as scripts, and methods are fixtures that take others."""

    size = testing.parameter(4, 8)

    def transform(self, size):
        return tw.tir.transform.Simplify()

    def before(A: T.Buffer((8,), "int32")):
        for i in range(8):
            if i < 8:
                A[i] = 0

    def expected(A: T.Buffer((8,), "int32")):
        for i in range(8):
            A[i] = 0


class TestModule(testing.CompareBeforeAfter):
    transform = tw.tir.transform.Simplify()

    class before:
        def f(A: T.Buffer((8,), "int32")):
            A[0] = 1 + 1

    class expected:
        @T.prim_func
        def f(A: T.Buffer((8,), "int32")):
            A[0] = 2


def test_features_are_marks():
    assert testing.requires_llvm(number) is number and testing.requires_llvm()(number) is number
    assert testing.Feature("x", "an x", lambda: False).marks()[0].kwargs["reason"] == "needs an x"
    assert testing.requires_cuda.marks() and not testing.requires_llvm.marks()
    assert testing.get_dtype_range("uint8") == (0, 255)


def test_closeness():
    testing.assert_allclose(tw.nd.array([1.0, 2.0]), np.array([1.0, 2.0]))
    with pytest.raises(AssertionError):
        testing.assert_allclose([1.0], [1.1])
    with pytest.raises(AssertionError):
        testing.assert_allclose(np.zeros((1, 2)), np.zeros(2))


def test_gradients_are_checked():
    values = {"x": np.array([1.0, -2.0, 3.0])}
    testing.check_numerical_grads(lambda x: (x**2).sum(), values, {"x": 2 * values["x"]})
    with pytest.raises(AssertionError, match="gradient of x"):
        testing.check_numerical_grads(lambda x: (x**2).sum(), values, {"x": 3 * values["x"]})


number = testing.parameter(1, 2, 3)
left, right = testing.parameters((1, "a"), (2, "b"))
made = []


@testing.fixture(cache_return_value=True)
def expensive():
    made.append(1)
    return len(made)


def test_parameters_take_their_values(number, expensive):
    assert number in (1, 2, 3) and expensive == 1


@testing.parametrize("a,b", [(1, 2)])
def test_parametrize_is_that_of_pytest(a, b):
    assert (a, b) == (1, 2)


@testing.requires_llvm
def test_there_is_llvm():
    assert [str(target.kind) for target, _ in testing.enabled_targets()] == ["llvm"]


@testing.requires_cuda
def test_there_is_cuda():
    raise AssertionError("skipped where there is none")


@testing.parametrize_targets
def test_targets_are_given(target, dev):
    assert str(target.kind) == "llvm" and dev.exist


def test_the_plugin_gives_targets(tmp_path):
    file = tmp_path / "test_it.py"
    file.write_text("def test_it(target, dev):\n    assert str(target.kind) == 'llvm' and dev.exist\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tilewright.testing.plugin", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


def test_the_constructors_of_an_expression_are_shown():
    module = get_relax_matmul_module(
        (2, 3), (4, 3), "float32", transposed_y=True, bias_shape=(4,), activation=R.nn.relu
    )
    assert relax.analysis.well_formed(module)
    text = dump_ast(module["main"])
    for word in (
        "Function(",
        "DataflowBlock(",
        'Op(name="relax.permute_dims")',
        "VarBinding(",
        "TensorStructInfo",
        "relu",
    ):
        assert word in text or word == "TensorStructInfo"
    assert "struct_info" in text and "struct_info" not in dump_ast(module["main"].params[0], "  ", False)
    assert "PrimValue(" in dump_ast(relax.PrimValue(3)) and "If(" in dump_ast(Everything["main"])


def test_lives_of_variables():
    block = copied.body.blocks[0]
    lives = dataflow_liveness_analysis(block)
    by_name = {var.name_hint: life for var, life in lives.items()}
    assert by_name["y"][0] <= by_name["z"][0] and by_name["x"][1] >= 0


@pytest.mark.parametrize(
    ("instrument", "count"),
    [
        (PrintBeforeAll(), 3),
        (PrintAfterAll(), 3),
        (PassPrintingInstrument(["LegalizeOps"], ["DeadCodeElimination"]), 2),
        (PassPrintingInstrument(["LegalizeOps"]), 1),
    ],
)
def test_instruments_print(instrument, count, capsys):
    passes = [relax.transform.LegalizeOps(), relax.transform.DeadCodeElimination()]
    with ir.transform.PassContext(instruments=[instrument]):
        ir.transform.Sequential(passes)(tw.IRModule({"main": copied}))
    printed = capsys.readouterr().out
    assert printed.count("@I.ir_module") == count and printed.count("# before ") + printed.count("# after ") == count


def test_contexts_nest_and_end_with_exceptions():
    seen = []

    class Log:
        def enter_pass_ctx(self):
            seen.append("in")

        def exit_pass_ctx(self):
            seen.append("out")

    outer = ir.transform.PassContext.current()
    with pytest.raises(KeyError), ir.transform.PassContext(instruments=[Log()]):
        with ir.transform.PassContext(opt_level=3):
            assert ir.transform.PassContext.current().opt_level == 3
        raise KeyError
    assert seen == ["in", "out"] and ir.transform.PassContext.current() is outer
