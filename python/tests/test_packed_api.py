"""Functions with the interfaces of callers of any language, as texts."""

import pytest

import tilewright as tvm
from tilewright import tir
from tilewright.script import from_source

HEADER = "from tvm.script import ir as I, tir as T\n"
TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(n: T.int32, a: T.handle, x: T.float32, b: T.handle):
        A = T.match_buffer(a, (n, 4), "float32")
        B = T.match_buffer(b, (n,), "float16", strides=[1], elem_offset=0)
        for i in range(n):
            B[i] = T.Cast("float16", A[i, 0] * x)
"""


def bound(text, target="llvm", host="llvm"):
    return tir.transform.BindTarget(tvm.target.Target(target, host=host))(from_source(HEADER + text))


def test_a_packed_function_takes_six_arguments_and_checks_them():
    made = tir.transform.MakePackedAPI()(bound(TEXT))["main"]
    assert [param.name for param in made.params] == [
        "args", "arg_type_ids", "num_args", "out_ret_value", "out_ret_tcode", "resource_handle"
    ]  # fmt: skip
    assert len(made.buffer_map) == 0 and made.attrs["calling_conv"] == 1
    assert made.attrs["target"].kind.name == "llvm" and made.attrs["target"].host is None
    text = made.script()
    for message in (
        "main: num_args should be 4",
        "main: TVMValue* arg pointer was NULL",
        "main: Expect arg[0] to be int",
        "main: Expect arg[1] to be pointer",
        "main: Expect arg[2] to be float",
        "main.a.ndim is expected to equal 2",
        "main.a.dtype is expected to be float32",
        "Argument main.a.shape[0] has an unsatisfied constraint",
        "Argument main.a.shape[1] has an unsatisfied constraint",
        "main.a.strides: expected to be compact array",
        "Argument main.b.device_id has an unsatisfied constraint",
    ):
        assert message in text, message
    assert "assert num_args == 4" in text and text.rstrip().endswith("T.ret(0)")
    # A value of 8 bytes each: an integer, an address, a double.
    values = {0: "int64", 1: "handle", 2: "float64", 3: "handle"}
    for at, dtype in values.items():
        assert f'T.tvm_struct_get(args, {at}, 12, "{dtype}")' in text


def test_values_and_their_types_are_handed_back():
    text = "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(x: T.float32) -> T.float32:\n        T.ret(x)\n"
    made = tir.transform.MakePackedAPI()(bound(text))["main"].script()
    assert 'T.Cast("float64", x)' in made and "out_ret_tcode" in made.split("T.func_attr")[1]


def test_calls_of_packed_functions_go_by_their_symbols():
    text = """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1,), "float32")):
        Module.sub(A.data)
    @T.prim_func
    def sub(A: T.Buffer((1,), "float32")):
        A[0] = 1.0
    @T.prim_func(private=True)
    def own(A: T.Buffer((1,), "float32")):
        A[0] = 2.0
"""
    made = tir.transform.MakePackedAPI()(bound(text))
    assert 'T.call_cpacked("sub", ' in made["main"].script()
    assert len(made["sub"].params) == 6 and len(made["own"].params) == 1


def test_an_unpacked_function_takes_addresses():
    made = tir.transform.MakeUnpackedAPI()(bound(TEXT, "cuda"))["main"]
    assert [param.dtype for param in made.params] == ["int32", "handle", "float32", "handle"]
    assert len(made.buffer_map) == 0
    outer = made.body[0]
    assert (outer.attr_key, outer.node, outer.value) == ("device_id", "default", 0)
    assert (outer.body.attr_key, outer.body.node, outer.body.value) == ("device_type", "default", 2)
    assert made.script().rstrip().endswith("T.ret(0)")


def test_functions_without_a_host_stay_and_without_a_target_are_refused():
    module = from_source(HEADER + TEXT)
    for make in (tir.transform.MakePackedAPI, tir.transform.MakeUnpackedAPI):
        with pytest.raises(tvm.TVMError, match="attribute `target`"):
            make()(module)
        alone = tir.transform.BindTarget(tvm.target.Target("llvm"))(module)
        tvm.ir.assert_structural_equal(make()(alone), alone)
