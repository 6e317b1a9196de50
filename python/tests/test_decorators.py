"""Decorators find their own text, and the values of names that are not the script's."""

import numpy as np
import pytest

import tilewright
import tilewright as tw
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T

COLUMNS = 4


def run(function, *arrays):
    return tw.build(function, target="llvm")(*arrays)


@T.prim_func
def same_name(A: T.Buffer((COLUMNS,), "float32"), B: T.Buffer((COLUMNS,), "float32")):
    for i in range(COLUMNS):
        with T.block("B"):
            vi = T.axis.spatial(COLUMNS, i)
            B[vi] = A[vi] + T.float32(1)


first = same_name


@T.prim_func
def same_name(A: T.Buffer((COLUMNS,), "float32"), B: T.Buffer((COLUMNS,), "float32")):
    for i in range(COLUMNS):
        with T.block("B"):
            vi = T.axis.spatial(COLUMNS, i)
            B[vi] = A[vi] + T.float32(2)


def test_each_of_two_definitions_of_one_name_is_itself():
    a, one, two = np.zeros(COLUMNS, "float32"), np.zeros(COLUMNS, "float32"), np.zeros(COLUMNS, "float32")
    run(first, a, one)
    run(same_name, a, two)
    assert (one == 1).all() and (two == 2).all()


def scaled(rows, factor):
    @T.prim_func(private=True)
    def scale(A: T.Buffer((rows, COLUMNS), "float32"), B: T.Buffer((rows, COLUMNS), "float32")):
        for i, j in T.grid(rows, COLUMNS):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(factor)

    return scale


def test_values_of_the_enclosing_function_are_captured(rng):
    for rows, factor in ((2, 3.0), (5, -0.5)):
        a = rng.standard_normal((rows, COLUMNS)).astype("float32")
        b = np.empty_like(a)
        tw.build(scaled(rows, factor))(a, b)
        np.testing.assert_array_equal(b, a * np.float32(factor))


def test_a_module_in_a_function(rng):
    rows = 3

    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((rows, COLUMNS), "float32")) -> R.Tensor((rows, COLUMNS), "float32"):
            with R.dataflow():
                gv = R.nn.relu(x)
                R.output(gv)
            return gv

    x = rng.standard_normal((rows, COLUMNS)).astype("float32")
    vm = tw.relax.VirtualMachine(tw.relax.build(Module, "llvm"), tw.cpu())
    np.testing.assert_array_equal(vm["main"](tw.nd.array(x)).numpy(), np.maximum(x, 0))


def test_a_prim_func_in_a_plain_class_is_read_when_asked_for():
    class Holder:
        @T.prim_func
        def f(A: T.Buffer((2,), "float32")):
            for i in range(2):
                with T.block("A"):
                    vi = T.axis.spatial(2, i)
                    A[vi] = T.float32(1)

    assert isinstance(Holder.f, tw.tir.PrimFunc)
    assert Holder.f is Holder.f


def test_source_that_cannot_be_found_says_so():
    namespace = {"T": T}
    with pytest.raises(tw.TVMError, match="from_source"):
        exec('@T.prim_func\ndef f(A: T.Buffer((2,), "float32")):\n    pass\n', namespace)


def test_from_source_takes_further_values():
    text = """
@T.prim_func
def f(A: T.Buffer((n,), "float32")):
    for i in range(n):
        with T.block("A"):
            vi = T.axis.spatial(n, i)
            A[vi] = T.float32(2)
"""
    function = tw.script.from_source(text, extra_vars={"n": 3})
    a = np.zeros(3, "float32")
    run(function, a)
    assert (a == 2).all()


def test_names_of_the_language_are_not_python_values():
    with pytest.raises(tilewright.TVMError, match="no text that a decorator of the script reads"):
        T.grid(1, 2)
    with pytest.raises(AttributeError, match="did you mean `Buffer`"):
        _ = T.Bufer


def test_show_prints_the_script(capsys):
    same_name.show()
    assert capsys.readouterr().out.rstrip() == same_name.script().rstrip()
