"""Functions found by name, and Python functions that compiled code calls."""

import gc
import traceback

import numpy as np
import pytest

import tilewright as tw

CALLER = """
from tilewright.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            out = R.call_dps_packed("{name}", (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            R.output(out)
        return out
"""


def main_that_calls(name):
    module = tw.script.from_source(CALLER.format(name=name))
    return tw.relax.VirtualMachine(tw.relax.build(module, "llvm"), tw.cpu())["main"]


X = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)


def test_a_registered_function_is_called_with_tensors():
    @tw.register_func("test.negate", override=True)
    def negate(x, out):
        assert isinstance(x, tw.nd.NDArray)
        np.negative(np.from_dlpack(x), out=np.from_dlpack(out))

    np.testing.assert_array_equal(main_that_calls("test.negate")(tw.nd.array(X)).numpy(), -X)


def test_every_way_to_register():
    @tw.register_func
    def test_own_name(x):
        return x

    tw.register_func("test.direct", lambda x: x + 1, override=True)
    assert tw.get_global_func("test_own_name")(3) == 3
    assert tw.get_global_func("test.direct")(3) == 4


def test_values_of_every_kind_pass():
    tw.register_func("test.echo", lambda *a: a[0] if len(a) == 1 else list(a), override=True)
    echo = tw.get_global_func("test.echo")
    for value in (3, -(2**62), 2.5, True, None, "text", (1, 2.0), [1, "a"]):
        result = echo(value)
        assert result == value or list(result) == list(value)
    assert isinstance(echo(tw.nd.array(X)), tw.nd.NDArray)


def test_a_taken_name_is_an_error():
    tw.register_func("test.taken", lambda: 1, override=True)
    with pytest.raises(tw.TVMError, match=r"test\.taken"):
        tw.register_func("test.taken", lambda: 2)
    assert tw.get_global_func("test.taken")() == 1


def test_a_missing_function_is_named():
    with pytest.raises(tw.TVMError, match=r"no\.such\.function"):
        tw.get_global_func("no.such.function")
    assert tw.get_global_func("no.such.function", allow_missing=True) is None


def test_a_missing_function_is_named_when_a_module_needs_it():
    with pytest.raises(tw.TVMError, match=r"not\.registered"):
        main_that_calls("not.registered")(tw.nd.array(X))


def test_an_exception_comes_back_as_itself():
    class MineError(Exception):
        pass

    error = MineError("no")

    @tw.register_func("test.raises", override=True)
    def raises(x, out):
        raise error

    main = main_that_calls("test.raises")
    with pytest.raises(MineError) as caught:
        main(tw.nd.array(X))
    assert caught.value is error
    assert "raises" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    # The machine is not spoilt by it.
    tw.register_func("test.raises", lambda x, out: x.copyto(out), override=True)
    np.testing.assert_array_equal(main_that_calls("test.raises")(tw.nd.array(X)).numpy(), X)


def test_keeping_an_argument_is_safe():
    kept = []

    @tw.register_func("test.keeps", override=True)
    def keeps(x, out):
        x.copyto(out)
        kept.append((x, np.from_dlpack(x), out))

    main = main_that_calls("test.keeps")
    results = [main(tw.nd.array(X + i)).numpy() for i in range(4)]
    gc.collect()
    for i, (tensor, view, _out) in enumerate(kept):
        np.testing.assert_array_equal(results[i], X + i)
        np.testing.assert_array_equal(tensor.numpy(), X + i)
        np.testing.assert_array_equal(view, X + i)


def test_results_are_independent_of_each_other():
    tw.register_func("test.copy", lambda x, out: x.copyto(out), override=True)
    main = main_that_calls("test.copy")
    one, two = main(tw.nd.array(X)), main(tw.nd.array(-X))
    np.testing.assert_array_equal(one.numpy(), X)
    np.testing.assert_array_equal(two.numpy(), -X)


def test_only_functions_can_be_registered():
    with pytest.raises(tw.TVMError, match="found int") as caught:
        tw.register_func("test.not_callable", 3)
    assert isinstance(caught.value, TypeError)


def test_functions_are_listed_and_removed():
    tw.register_func("test.short_lived", lambda: 1, override=True)
    assert "test.short_lived" in tw.runtime.list_global_func_names()
    assert tw.runtime.list_global_func_names() == sorted(tw.runtime.list_global_func_names())
    tw.remove_global_func("test.short_lived")
    assert "test.short_lived" not in tw.runtime.list_global_func_names()
    with pytest.raises(tw.TVMError, match=r"test\.short_lived"):
        tw.remove_global_func("test.short_lived")
    tw.register_func("test.short_lived", lambda: 2)
    assert tw.get_global_func("test.short_lived")() == 2
    tw.remove_global_func("test.short_lived")


def test_a_machine_calls_the_function_that_is_registered_now():
    tw.register_func("test.changing", lambda x, out: out.copyfrom(x.numpy() + 1), override=True)
    main = main_that_calls("test.changing")
    np.testing.assert_array_equal(main(X).numpy(), X + 1)
    tw.register_func("test.changing", lambda x, out: out.copyfrom(x.numpy() - 1), override=True)
    np.testing.assert_array_equal(main(X).numpy(), X - 1)
    tw.remove_global_func("test.changing")
    with pytest.raises(tw.TVMError, match=r"test\.changing"):
        main(X)


KERNEL = """
@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in {loop}(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            T.evaluate(T.call_packed("test.in_kernel", T.Cast("int64", vi)))
            B[vi] = A[vi] + T.float32(1)
"""


def test_an_exception_inside_a_kernel_comes_back_as_itself():
    class MineError(Exception):
        pass

    seen = []

    def fails_on_two(i):
        seen.append(i)
        if i == 2:
            raise MineError("two")

    tw.register_func("test.in_kernel", fails_on_two, override=True)
    kernel = tw.build(tw.script.from_source(KERNEL.format(loop="range")), "llvm")
    a, b = np.zeros(4, "float32"), np.zeros(4, "float32")
    with pytest.raises(MineError, match="two") as caught:
        kernel(a, b)
    assert seen == [0, 1, 2]
    assert "fails_on_two" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    tw.register_func("test.in_kernel", lambda i: None, override=True)
    kernel(a, b)
    assert (b == 1).all()


def test_functions_of_the_process_are_not_called_in_parallel_loops():
    with pytest.raises(tw.TVMError, match="parallel loop"):
        tw.build(tw.script.from_source(KERNEL.format(loop="T.parallel")), "llvm")
