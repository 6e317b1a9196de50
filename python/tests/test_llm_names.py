"""Names that MLC LLM's Python takes from the package."""

import sys
import types

import pytest

import tilewright as tw
from tilewright import _ffi, tir
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn.llm.kv_cache import FlashInferPagedKVCache
from tilewright.runtime import DataType


def test_arithmetic_has_names():
    x = tir.Var("x", "float16")
    one = tir.const(1, "float16")
    for made, expected in ((tir.add(x, one), x + one), (tir.subtract(x, 1), x - one), (tir.multiply(2, x), 2 * x)):
        tw.ir.assert_structural_equal(made, expected, map_free_vars=True)


@pytest.mark.parametrize(("dtype", "most"), [("e4m3_float8", 448), ("e5m2_float8", 57344), ("float16", 65504)])
def test_the_greatest_values_of_narrow_floats(dtype, most):
    assert tir.max_value(dtype).value == most and tir.min_value(dtype).value == -most
    assert tir.max_value(dtype).dtype == DataType(dtype)


def test_a_weight_that_is_there_is_true():
    layer = nn.Linear(2, 3)
    assert layer.weight and layer.bias and not nn.Linear(2, 3, bias=False).bias
    with pytest.raises(tw.TVMError, match="not known when the module is written"):
        bool(nn.Tensor.placeholder((2,), "float32"))


def test_registered_functions_become_those_of_a_module(monkeypatch):
    module = types.ModuleType("llm_names_of_functions")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    tw.register_func("llm_test.double", lambda x: 2 * x, override=True)
    tw.register_func("llm_test.deeper.name", lambda: 0, override=True)
    _ffi._init_api("tvm.llm_test", module.__name__)
    assert module.double(4) == 8 and not hasattr(module, "deeper")


def test_devices_have_names_by_number():
    assert tw.cpu().MASK2STR[tw.cpu().device_type] == "cpu"


def test_the_cache_of_another_library_says_which_one_there_is():
    with pytest.raises(tw.TVMError, match="create_generic"):
        FlashInferPagedKVCache(max_batch_size=1)


def test_arithmetic_has_functions():
    x = tir.Var("x", "int64")
    made = [tir.generic.add(x, 2), tir.generic.subtract(x, 2), tir.generic.multiply(x, 2), tir.generic.floordiv(x, 2)]
    expected = [x + 2, x - 2, x * 2, x // 2]
    made += [tir.generic.cast(x, "float32"), tir.generic.cast(3, "int32"), tir.generic.divide(x, 2)]
    expected += [x.astype("float32"), tir.const(3, "int32"), tir.div(x, 2)]
    for one, other in zip(made, expected, strict=True):
        tw.ir.assert_structural_equal(one, other, map_free_vars=True)


def test_passes_for_several_devices_leave_modules_as_they_are():
    bb = tw.relax.BlockBuilder()
    x = tw.relax.Var("x", tw.relax.TensorStructInfo([4], "float32"))
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(tw.relax.op.ccl.allreduce(x, "sum")))
    mod = bb.finalize()
    for of_devices in (tw.relax.transform.IPCAllReduceRewrite(1), tw.relax.transform.LowerGPUIPCAllocStorage()):
        tw.ir.assert_structural_equal(of_devices(mod), mod)
