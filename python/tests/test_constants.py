"""Constants in expressions of Python: what a program writes out is worked out."""

import pytest

import tilewright as tw
from tilewright import tir

a, b = tir.IntImm("int32", 7), tir.IntImm("int32", -2)


def test_operations_on_constants_have_a_value():
    rows = [
        (a + b, 5), (a - b, 9), (a * b, -14), (a // b, -4), (a % b, -1), (tir.truncdiv(a, b), -3),
        (tir.truncmod(a, b), 1), (tir.max(a, b, 3), 7), (tir.min(a, b), -2), (a << 2, 28), (a & 3, 3), (a | 8, 15),
        (a ^ 1, 6), (tir.ceildiv(a, 2), 4),
    ]  # fmt: skip
    for found, expected in rows:
        assert isinstance(found, tir.IntImm) and int(found) == expected
    assert float(tir.const(1.5, "float32") * 4) == 6.0
    # Nothing wraps around unseen, and nothing is divided by zero.
    assert isinstance(tir.const(2**31 - 1, "int32") + 1, tir.Add)
    assert isinstance(a // 0, tir.FloorDiv)


def test_comparisons_of_constants_are_conditions_of_python():
    shape = tir.decl_buffer((7, 3)).shape
    assert shape[0] > 3 and not shape[1] >= 4
    assert ("small" if shape[1] < 4 else "large") == "small"
    assert bool(tir.all(a > 0, b < 0)) and not bool(tir.any(a < 0, b > 0))
    with pytest.raises(ValueError, match="no truth value"):
        bool(tir.Var("n", "int32") < 3)


def test_constructors_make_nodes():
    assert isinstance(tir.Add(a, b), tir.Add) and isinstance(tir.LT(a, b), tir.LT)


def test_functions_of_other_operations():
    x, n = tir.Var("x", "float32"), tir.Var("n", "int32")
    assert str(tir.fmod(x, 2.0)) == "T.truncmod(x, T.float32(2.0))"
    assert str(tir.ldexp(x, n)) == 'x * T.exp2(T.Cast("float32", n))'
    assert str(tir.isnullptr(tir.Var("p", "handle"))) == "T.isnullptr(p)"
    assert str(tir.ret(n)) == "T.ret(n)"
    k = tw.te.reduce_axis((0, 4), name="k")
    product = tir.comm_reducer(lambda x, y: x * y, lambda dtype: tir.const(1, dtype), "prod")
    placed = tw.te.placeholder((4,), name="A")
    total = tw.te.compute((1,), lambda i: tir.sum(placed[k], axis=k))
    assert (
        "T.float32(1.0)"
        in tw.te.create_prim_func([placed, tw.te.compute((1,), lambda i: product(placed[k], axis=k))]).script()
    )
    assert "T.float32(0.0)" in tw.te.create_prim_func([placed, total]).script()


def test_data_types_have_parts():
    rows = [
        ("float", "float32", 32, 1),
        ("int8x4", "int8x4", 8, 4),
        ("void", "void", 0, 1),
        ("e4m3_float8", "float8_e4m3fn", 8, 1),
    ]
    for written, text, bits, lanes in rows:
        dtype = tw.DataType(written)
        assert (dtype, dtype.bits, dtype.lanes) == (text, bits, lanes)
    for wrong in ("int32x0", "quux8", "float0", "x4"):
        with pytest.raises(ValueError, match="unknown data type"):
            tw.DataType(wrong)


def test_calls_of_builtins_have_the_results_that_the_core_gives_them():
    n, x = tir.Var("n", "int32"), tir.Var("x", "float32")
    rows = [
        (tir.ret(n), ""), (tir.ret(0), ""), (tir.op.assume(n > 0), ""),
        (tir.op.tvm_storage_sync("shared"), ""), (tir.op.undef(), "int32"),
        (tir.op.tvm_thread_invariant(x), "float32"), (tir.Call("int32", "tir.ret", [x]), ""),
    ]  # fmt: skip
    for call, dtype in rows:
        assert call.dtype == dtype, str(call)
        function = tir.PrimFunc([n, x], tir.Evaluate(call)).with_attr("global_symbol", "main")
        module = tw.IRModule({"main": function})
        assert tw.relax.analysis.faults(module) == [], str(call)
        tw.ir.assert_structural_equal(tw.script.from_source(module.script()), module)
    with pytest.raises(tw.TVMError, match="does not take 2 operands"):
        tir.Call("void", "tir.ret", [n, n])
