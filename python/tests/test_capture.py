"""What values of Python mean in a script, and how text reaches the reader."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, tir
from tilewright.script import from_source
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T

WEIGHT = np.arange(6, dtype="float32").reshape(2, 3) - 2.5


def run(module, *arrays):
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    return machine["main"](*map(tw.nd.array, arrays)).numpy()


def filled(value, dtype="float32"):
    """What a store of a captured value leaves in a buffer."""
    text = "@T.prim_func\ndef f(A: T.Buffer((2,), dtype)):\n    for i in range(2):\n        A[i] = value\n"
    array = np.zeros(2, dtype)
    tw.build(from_source(text, extra_vars={"value": value, "dtype": dtype}), target="llvm")(array)
    return array.tolist()


@pytest.mark.parametrize(
    ("value", "dtype", "stored"),
    [
        (3, "float32", 3.0),
        (-0.5, "float32", -0.5),
        (np.float32(0.25), "float32", 0.25),
        (np.float64(float("inf")), "float64", float("inf")),
        (np.int8(-7), "int32", -7),
        (np.uint64(2**63 + 1), "uint64", 2**63 + 1),
        (2**63 + 1, "uint64", 2**63 + 1),
        (True, "int32", 1),
        (np.bool_(True), "int32", 1),
        (tir.const(5, "int32"), "int32", 5),
        (tir.IntImm("int64", 4) * 2, "int64", 8),
    ],
)
def test_numbers(value, dtype, stored):
    assert filled(value, dtype) == [stored, stored]


@pytest.mark.parametrize(
    "dtype", ["float16", np.float16, np.dtype("float16"), tw.DataType("float16"), relax.DataTypeImm("float16")]
)
def test_data_types(dtype):
    function = from_source("@T.prim_func\ndef f(A: T.Buffer((2,), dtype)):\n    A[0] = A[1]\n", {"dtype": dtype})
    assert function.params[0].dtype == "handle"
    assert next(iter(function.buffer_map.values())).dtype == "float16"


@pytest.mark.torch
def test_data_types_and_tensors_of_torch():
    import torch

    tensor = torch.tensor([[1.5, -2.0]])

    @R.function
    def main(x: R.Tensor((1, 2), torch.float32)):
        return R.add(x, tensor)

    x = np.ones((1, 2), "float32")
    np.testing.assert_array_equal(run(tw.IRModule({"main": main}), x), x + tensor.numpy())


def test_tuples_lists_and_dicts():
    shape, pads, attrs = (2, 3), [np.int64(1), 0], {"a.size": 4, "a.name": "x", "a.list": [1, [2.5, "y"]]}

    @T.prim_func
    def f(A: T.Buffer(shape, "float32")):
        T.func_attr(attrs)
        A[pads[0], pads[1]] = 1.0

    a = np.zeros(shape, "float32")
    tw.build(f, target="llvm")(a)
    assert a.tolist() == [[0, 0, 0], [1, 0, 0]]
    assert f.attrs["a.size"] == 4 and f.attrs["a.name"] == "x" and f.attrs["a.list"] == [1, [2.5, "y"]]


@pytest.mark.parametrize("of", [lambda a: a, tw.nd.array, np.asfortranarray, lambda a: relax.const(a)])
def test_arrays_are_constants_of_a_graph(of):
    weight = of(WEIGHT.copy())

    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            return R.multiply(x, weight)

    x = np.full((2, 3), -2, "float32")
    np.testing.assert_array_equal(run(Module, x), x * WEIGHT)


def test_a_constant_is_a_snapshot():
    weight = WEIGHT.copy()

    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((2, 3), "float32")):
            return R.add(x, weight)

    weight[:] = 100
    np.testing.assert_array_equal(run(Module, np.zeros((2, 3), "float32")), WEIGHT)


@T.prim_func
def doubled(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 3), "float32")):
    for i, j in T.grid(2, 3):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)


@R.function
def negated(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    return R.negative(x)


def test_functions_are_taken_in_by_the_module():
    Library = tw.IRModule({"doubled": doubled})

    @I.ir_module
    class Module:
        @T.prim_func
        def negated(A: T.Buffer((1,), "float32")):
            A[0] = T.float32(0)

        @R.function
        def main(x: R.Tensor((2, 3), "float32")):
            y = R.call_tir(doubled, (x,), out_sinfo=R.Tensor((2, 3), "float32"))
            z = R.call_tir(Library["doubled"], (y,), out_sinfo=R.Tensor((2, 3), "float32"))
            return minus(z)

    assert {var.name_hint for var in Module.get_global_vars()} == {"negated", "negated_1", "main", "doubled"}
    np.testing.assert_array_equal(run(Module, WEIGHT), WEIGHT * -4)
    again = from_source(Module.script())
    tw.ir.assert_structural_equal(Module, again)


minus = negated


def test_a_function_needs_a_module_that_takes_it_in():
    with pytest.raises(tw.TVMError, match="no module is here to hold it") as found:

        @R.function
        def main(x: R.Tensor((2, 3), "float32")):
            return negated(x)

    assert "I.ir_module" in str(found.value)


def test_functions_that_call_others_stay_where_they_are():
    @I.ir_module
    class Other:
        @R.function
        def inner(x: R.Object) -> R.Object:
            return x

        @R.function
        def outer(x: R.Object) -> R.Object:
            return Other.inner(x)

    with pytest.raises(tw.TVMError, match="calls `inner` of its own module"):

        @I.ir_module
        class Module:
            @R.function
            def main(x: R.Object) -> R.Object:
                return Other["outer"](x)


def test_targets_and_devices():
    target, device = tw.target.Target("llvm"), I.vdevice("llvm", 1)

    @I.ir_module
    class Module:
        I.module_global_infos({"vdevice": [I.vdevice(target), device]})

        @R.function
        def main(x: R.Tensor((2,), "float32", device)) -> R.Tensor((2,), "float32", device):
            return x

    kinds = [str(info.target) for info in Module.global_infos["vdevice"]]
    assert len(kinds) == 2 and all(str(kind).startswith("llvm") for kind in kinds)
    assert Module["main"].params[0].struct_info.vdevice == device


def test_variables_and_expressions():
    n = tir.Var("n", "int64")
    twice = n * 2

    @T.prim_func
    def f(A: T.Buffer((n,), "float32"), B: T.Buffer((twice,), "float32")):
        for i in range(twice):
            B[i] = A[i // 2]

    a, b = np.array([1.5, -2, 0], "float32"), np.zeros(6, "float32")
    tw.build(f, target="llvm")(a, b)
    assert b.tolist() == [1.5, 1.5, -2, -2, 0, 0]


def test_annotations_made_outside_of_the_text():
    Row = R.Tensor((2, 3), "float32")
    Pair = R.Tuple([Row, relax.TensorStructInfo((2, 3), "float32")])
    Buffer = T.Buffer((2, 3), "float32")

    @I.ir_module
    class Module:
        @T.prim_func
        def copy(A: Buffer, B: Buffer):
            for i, j in T.grid(2, 3):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj]

        @R.function
        def main(x: Row) -> Pair:
            y = R.call_tir(Module.copy, (x,), out_sinfo=Row)
            return (x, y)

    row = relax.TensorStructInfo((2, 3), "float32")
    tw.ir.assert_structural_equal(Module["main"].params[0].struct_info, row)
    tw.ir.assert_structural_equal(Module["main"].ret_struct_info, relax.TupleStructInfo([row, row]))
    machine = relax.VirtualMachine(relax.build(Module, "llvm"), tw.cpu())
    for part in machine["main"](tw.nd.array(WEIGHT)):
        np.testing.assert_array_equal(part.numpy(), WEIGHT)


class Thing:
    pass


ITSELF = []
ITSELF.append(ITSELF)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (Thing(), "a value of type test_capture.Thing has no meaning in a script"),
        (Thing, "the class test_capture.Thing has no meaning"),
        (float, "the class float has no meaning"),
        (len, "a value of type builtin_function_or_method has no meaning"),
        ({1, 2}, "a value of type set has no meaning"),
        (1j, "a value of type complex has no meaning"),
        (b"x", "a value of type bytes has no meaning"),
        (np.array(["a"]), "ndarray does not share its memory"),
        ([1, Thing()], "a value of type test_capture.Thing has no meaning"),
        (relax.Var("x", relax.ObjectStructInfo()), "which is none of this function"),
        (ITSELF, "lists are nested more than 200 deep"),
        (2**200, "too large|too big"),
    ],
)
def test_values_without_meaning_name_their_type(value, says):
    with pytest.raises(tw.TVMError, match=says) as found:
        filled(value)
    assert "A[i] = value" in str(found.value)


def test_an_error_of_python_is_shown_at_its_place():
    with pytest.raises(tw.TVMError, match="ZeroDivisionError") as found:

        @T.prim_func
        def f(A: T.Buffer((2,), "float32")):
            A[0] = WEIGHT.sum(1 // 0)

    assert "WEIGHT.sum(1 // 0)" in str(found.value)


SOURCE = """
@T.prim_func
def f(A: T.Buffer((n,), "float32")):
    A[0] = T.float32(n)
"""


def test_from_source_takes_text_paths_and_objects(tmp_path):
    by_text = from_source(SOURCE, extra_vars={"n": 3})
    path = tmp_path / "model.py"
    with pytest.raises(FileNotFoundError):
        from_source(path)
    path.write_text(SOURCE)
    tw.ir.assert_structural_equal(from_source(path, {"n": 3}), by_text)
    path.write_text(SOURCE + "    B[0] = 1\n")
    with pytest.raises(tw.TVMError) as found:
        from_source(path, {"n": 3})
    assert "model.py:5" in str(found.value)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(tw.TVMError, match="UTF-8"):
        from_source(path)


n = 3


def undecorated(A: T.Buffer((n,), "float32")):
    A[0] = T.float32(n)


def of_a_graph(x: R.Tensor((n,), "float32")):
    return R.add(x, x)


class Undecorated:
    @T.prim_func(private=True)
    def f(A: T.Buffer((n,), "float32")):
        A[0] = T.float32(n)

    @R.function(pure=False)
    def g(x: R.Object) -> R.Object:
        return x


def test_from_source_reads_functions_and_classes():
    function = from_source(undecorated)
    assert isinstance(function, tir.PrimFunc)
    tw.ir.assert_structural_equal(T.prim_func(undecorated), function)
    assert "global_symbol" not in T.prim_func(private=True)(undecorated).attrs
    assert isinstance(from_source(of_a_graph), relax.Function)
    assert from_source(undecorated, {"n": 5}).params[0].dtype == "handle"
    assert "T.float32(5.0)" in from_source(undecorated, {"n": 5}).script()
    module = from_source(Undecorated)
    assert isinstance(module, tw.IRModule)
    assert not module["g"].is_pure and "global_symbol" not in module["f"].attrs
    assert from_source(module) is module


def test_decorators_take_arguments():
    @I.ir_module(check_well_formed=False)
    class Module:
        @T.prim_func(private=True, check_well_formed=False)
        def f(A: T.Buffer((2,), "float32")):
            A[0] = T.float32(1)

        @R.function(pure=False, private=True)
        def g(x: R.Object) -> R.Object:
            return R.call_packed("log", x, sinfo_args=R.Object)

        @R.function(private=False)
        def h(x: R.Object) -> R.Object:
            return x

    assert not Module["g"].is_pure and Module["h"].is_pure
    symbols = {name: "global_symbol" in (Module[name].attrs or {}) for name in ("f", "g", "h")}
    assert symbols == {"f": False, "g": False, "h": True}
    with pytest.raises(tw.TVMError, match="True or False"):

        @T.prim_func(private="yes")
        def wrong(A: T.Buffer((2,), "float32")):
            A[0] = T.float32(1)


DEFERRED = """
from __future__ import annotations
from tilewright.script import ir as I, relax as R, tir as T


def make(rows):
    row = R.Tensor((rows,), "float32")

    @I.ir_module
    class Module:
        @T.prim_func
        def fill(A: T.Buffer((rows,), "float32")):
            A[0] = T.float32(rows)

        @R.function
        def main(x: row, y: R.Tensor((rows, "m"), "float32")) -> row:
            return x

    return Module
"""


def test_annotations_that_python_defers(tmp_path, monkeypatch):
    (tmp_path / "deferred_annotations.py").write_text(DEFERRED)
    (tmp_path / "present_annotations.py").write_text(DEFERRED.replace("from __future__ import annotations\n", ""))
    monkeypatch.syspath_prepend(tmp_path)
    import deferred_annotations
    import present_annotations

    for rows in (1, 3):
        deferred, present = deferred_annotations.make(rows), present_annotations.make(rows)
        tw.ir.assert_structural_equal(deferred, present)
        assert deferred["main"].params[0].struct_info.shape[0] == rows
