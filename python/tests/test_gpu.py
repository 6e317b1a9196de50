"""Kernels of GPUs: whole programs on `cuda(0)`, which is simulated where the machine has none (`tilewright-ptx-sim`).

The programs are those of `scripts/gpu.py`, which a machine with a GPU runs too. That each operator's samples are right
there is the matter of `test_ops.py`.
"""

import numpy as np
import pytest
from gpu_programs import DEVICE, PROGRAMS, random, run

import tilewright as tw
from tilewright import relax, te, tir
from tilewright.script import ir as I
from tilewright.script import tir as T

pytestmark = pytest.mark.skipif(not DEVICE.exist, reason="no GPU, and this build simulates none")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_computes_what_it_says(program):
    program()


def elementwise(shape, dtype, function):
    a = te.placeholder(shape, dtype, name="A")
    return tw.IRModule({"main": te.create_prim_func([a, te.compute(shape, function(a), name="B")])})


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64", "int8", "uint8"])
@pytest.mark.parametrize("n", [0, 1, 31, 1025])
def test_sizes_and_types_of_elements(dtype, n):
    module = elementwise((n,), dtype, lambda a: lambda i: a[i] + a[n - 1 - i])
    x = (np.arange(n) % 50).astype(dtype)
    _, y = run(module, "main", x, np.zeros(n, dtype))
    np.testing.assert_array_equal(y, x + x[::-1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_remainders_of_floats_are_exact(dtype):
    extremes = [1e300, 3.7e18, 5e-324, 1e-310, 1.0, 0.1, 3.0, 2.5, 1e16 + 2] if dtype == "float64" else []
    some = np.array([*extremes, 3e38, 1e-40, 7.5, 0.3, 1e20, 12345.678, 1e-45, 3.0], dtype)
    x, y = (array.ravel() for array in np.meshgrid(some, some))
    x = np.concatenate([x, -x])
    y = np.concatenate([y, y])
    a, b = (te.placeholder(x.shape, dtype, name=name) for name in "AB")
    rest = te.compute(x.shape, lambda i: tir.truncmod(a[i], b[i]), name="C")
    module = tw.IRModule({"main": te.create_prim_func([a, b, rest])})
    *_, found = run(module, "main", x, y, np.zeros_like(x))
    np.testing.assert_array_equal(found, np.fmod(x, y))


def test_code_is_compiled_without_a_device_and_read_from_a_file(tmp_path):
    executable = relax.build(elementwise((64,), "float32", lambda a: lambda i: a[i] * 2.0), "cuda -arch=sm_90")
    (module,) = executable.imported_modules
    assert module.type_key == "cuda" and ".target sm_90" in module.get_source()
    executable.export_library(str(tmp_path / "twice.twx"))
    again = tw.runtime.load_module(str(tmp_path / "twice.twx"))
    assert again.imported_modules[0].get_source() == module.get_source() == again.get_source("ptx")
    with pytest.raises(tw.TVMError, match="ptx"):
        module.get_source("ll")


def test_an_executable_called_itself_runs_on_the_first_device():
    built = tw.compile(elementwise((64,), "float32", lambda a: lambda i: a[i] * 2.0), "cuda")
    x = np.arange(64, dtype="float32")
    given = [tw.nd.array(array, device=DEVICE) for array in (x, np.zeros_like(x))]
    built["main"](*given)
    np.testing.assert_array_equal(given[1].numpy(), x * 2)


def test_constants_are_read_from_a_device():
    on_device = tw.nd.array(np.arange(6, dtype="float32"), device=DEVICE)
    np.testing.assert_array_equal(relax.const(on_device).data.numpy(), np.arange(6))
    x = relax.Var("x", relax.TensorStructInfo((6,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(relax.op.add(x, relax.const(on_device))))
    bound = relax.transform.BindParams("main", {"x": on_device})(builder.get())
    machine = relax.VirtualMachine(relax.build(bound, "cuda"), DEVICE)
    np.testing.assert_array_equal(machine["main"]().numpy(), np.arange(6) * 2)


def test_an_executable_for_a_gpu_does_not_run_on_a_processor():
    executable = relax.build(elementwise((4,), "float32", lambda a: lambda i: a[i]), "cuda")
    with pytest.raises(tw.TVMError, match="cuda"):
        relax.VirtualMachine(executable, tw.cpu())


def test_temporaries_between_kernels_and_sizes_at_run_time():
    n = te.var("n", "int64")
    a = te.placeholder((n,), "float32", name="A")
    doubled = te.compute((n,), lambda i: a[i] * 2.0, name="doubled")
    result = te.compute((n,), lambda i: doubled[n - 1 - i] + 1.0, name="result")
    module = tw.IRModule({"main": te.create_prim_func([a, result])})
    machine = relax.VirtualMachine(relax.build(module, "cuda"), DEVICE)
    for size in (0, 1, 7, 3000):
        x = np.arange(size, dtype="float32")
        given = [tw.nd.array(array, device=DEVICE) for array in (x, np.zeros_like(x))]
        machine["main"](*given)
        np.testing.assert_array_equal(given[1].numpy(), x[::-1] * 2 + 1)


def test_axes_that_begin_elsewhere_and_conditions_over_memory():
    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
            T.func_attr({"global_symbol": "main"})
            for i in T.thread_binding(2, 6, thread="blockIdx.x"):
                B[i] = A[i] * T.float32(2)
            if A[0] > T.float32(0):
                for i in T.thread_binding(2, thread="threadIdx.x"):
                    B[i] = T.float32(7)

    for first in (1, -1):
        x = np.arange(8, dtype="float32")
        x[0] = first
        _, y = run(Module, "main", x, np.zeros(8, "float32"))
        np.testing.assert_array_equal(y, [*([7, 7] if first > 0 else [0, 0]), *(x[2:6] * 2), 0, 0])


@pytest.mark.parametrize("begin", ["bias", "five", "maximum"])
@pytest.mark.parametrize("scheduled", [False, True])
def test_threads_that_share_a_reduction_begin_it_once(begin, scheduled):
    """What a reduction begins with is no identity of it: threads that each begin with it would count it often."""
    a, bias = te.placeholder((3, 100), "float32", name="A"), te.placeholder((3,), "float32", name="bias")
    k = te.reduce_axis((0, 100), name="k")
    over = {
        "bias": lambda i: te.sum(a[i, k], axis=k, init=bias[i]),
        "five": lambda i: te.sum(a[i, k], axis=k, init=tir.const(5.0, "float32")),
        "maximum": lambda i: te.max(a[i, k], axis=k, init=tir.const(1.5, "float32")),
    }[begin]
    schedule = tir.Schedule(te.create_prim_func([a, bias, te.compute((3,), over, name="result")]))
    if scheduled:
        i, k = schedule.get_loops("result")
        _, shared = schedule.split(k, [None, 32])
        schedule.bind(i, "blockIdx.x")
        schedule.bind(shared, "threadIdx.x")
    x, b = random(3, 100), random(3)
    *_, found = run(schedule.mod, "main", x, b, np.zeros(3, "float32"))
    expected = {"bias": x.sum(1) + b, "five": x.sum(1) + 5, "maximum": np.maximum(x.max(1), 1.5)}[begin]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_functions_of_the_process_are_refused():
    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
            T.func_attr({"global_symbol": "main"})
            T.evaluate(T.call_packed("test.copy", A.data, B.data))

    with pytest.raises(tw.TVMError, match=r"TW0602[\s\S]*a GPU does not call"):
        relax.build(Module, "cuda")


def test_a_race_between_threads_is_an_error_of_the_simulator():
    """The simulator looks at accesses; a real device does not."""

    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((64,), "float32"), B: T.Buffer((1,), "float32")):
            T.func_attr({"global_symbol": "main"})
            for i in T.thread_binding(2, thread="blockIdx.x"):
                for j in T.thread_binding(32, thread="threadIdx.x"):
                    with T.block("B"):
                        vi = T.axis.opaque(64, i * 32 + j)
                        B[0] = A[vi]

    if "simulated" not in DEVICE.device_name:
        pytest.skip("a real device")
    with pytest.raises(tw.TVMError, match="race"):
        run(Module, "main", np.arange(64, dtype="float32"), np.zeros(1, "float32"))
