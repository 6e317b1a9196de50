"""The machine: stored inputs and saved functions, closures, instruments, timing, profiles."""

import json
import threading
import time
import traceback

import numpy as np
import pytest

import tilewright as tw
from tilewright.relax.vm import VMInstrumentReturnKind
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def double(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            with T.block("Y"):
                vi = T.axis.spatial(n, i)
                Y[vi] = X[vi] * T.float32(2)

    @T.prim_func
    def plus(x: T.handle, y: T.handle, z: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        Z = T.match_buffer(z, (n,), "float32")
        for i in range(n):
            with T.block("Z"):
                vi = T.axis.spatial(n, i)
                Z[vi] = X[vi] + Y[vi]

    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            d = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((n,), "float32"))
            out = R.call_tir(cls.plus, (d, y), out_sinfo=R.Tensor((n,), "float32"))
            R.output(out)
        return out

    @R.function
    def pair(x: R.Tensor(("n",), "float32")):
        return (x, (x,))

    @R.function(pure=False)
    def hand_on(x: R.Object) -> R.Object:
        gv = R.call_packed("test.machine.echo", x, sinfo_args=(R.Object,))
        return gv


X, Y = np.float32([1, -2, 0.5]), np.float32([10, 20, 30])


@pytest.fixture(scope="module")
def executable():
    return tw.relax.build(Module, "llvm")


@pytest.fixture
def vm(executable):
    return tw.relax.VirtualMachine(executable, tw.cpu())


def test_inputs_are_set_and_outputs_fetched(vm):
    vm.set_input("main", X, Y)
    vm.invoke_stateful("main")
    np.testing.assert_array_equal(vm.get_outputs("main").numpy(), X * 2 + Y)
    vm.set_input("main", X, y=X)
    vm.invoke_stateful("main")
    np.testing.assert_array_equal(vm.get_outputs("main").numpy(), X * 3)
    vm.set_input("main", y=Y, x=Y)
    vm.invoke_stateful("main")
    np.testing.assert_array_equal(vm.get_outputs("main").numpy(), Y * 3)
    vm.set_input("pair", X)
    vm.invoke_stateful("pair")
    first, (second,) = vm.get_outputs("pair")
    np.testing.assert_array_equal(first.numpy(), second.numpy())


def test_inputs_that_are_missing_or_wrong(vm):
    with pytest.raises(tw.TVMError, match="input"):
        vm.invoke_stateful("main")
    with pytest.raises(tw.TVMError, match="output"):
        vm.get_outputs("main")
    with pytest.raises(tw.TVMError, match="2"):
        vm.set_input("main", X)
    with pytest.raises(tw.TVMError, match="nope"):
        vm.set_input("nope", X)
    with pytest.raises(tw.TVMError, match="further parameter z"):
        vm.set_input("main", X, Y, z=X)
    with pytest.raises(tw.TVMError, match='value for "x"'):
        vm.set_input("main", y=X)
    vm.set_input("main", X, np.zeros(2, "float32"))
    with pytest.raises(tw.TVMError, match=r"3.*2|2.*3"):
        vm.invoke_stateful("main")


def test_saved_functions_keep_their_arguments(vm):
    vm.save_function("main", "main_of_x", X)
    np.testing.assert_array_equal(vm["main_of_x"](Y).numpy(), X * 2 + Y)
    vm.save_function("main", "main_of_both", X, y=Y, include_return=False)
    assert vm["main_of_both"]() is None
    np.testing.assert_array_equal(vm["main"](X, Y).numpy(), X * 2 + Y)
    with pytest.raises(tw.TVMError, match="main_of_x"):
        vm.save_function("main", "main_of_x", Y)
    with pytest.raises(tw.TVMError, match="nope"):
        vm.save_function("nope", "other", X)
    with pytest.raises(tw.TVMError, match="2"):
        vm.save_function("main", "too_many", X, X, X)


def test_objects_of_python_pass_through_as_themselves(vm):
    seen = []
    tw.register_func("test.machine.echo", lambda x: (seen.append(x), x)[1], override=True)

    class Mine:
        pass

    mine = Mine()
    assert vm["hand_on"](mine) is mine and seen == [mine]
    assert vm["hand_on"]("text") == "text" and vm["hand_on"](None) is None and vm["hand_on"](2.5) == 2.5


def test_lists_that_hold_themselves_are_refused(vm):
    endless = []
    endless.append(endless)
    with pytest.raises(tw.TVMError, match="nested"):
        vm["hand_on"](endless)
    with pytest.raises(tw.TVMError, match="64 bits"):
        vm["hand_on"](2**64)


@I.ir_module
class Closures:
    @R.function
    def adder(x: R.Tensor((3,), "float32")):
        @R.function
        def inner(y: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
            s = R.add(x, y)
            return s

        return inner

    @R.function(pure=False)
    def apply(f: R.Callable((R.Tensor((3,), "float32"),), R.Tensor((3,), "float32")), x: R.Tensor((3,), "float32")):
        return f(x)


def test_closures_come_out_and_go_in():
    vm = tw.relax.VirtualMachine(tw.relax.build(Closures), tw.cpu())
    add_x = vm["adder"](X)
    np.testing.assert_array_equal(add_x(Y).numpy(), X + Y)
    np.testing.assert_array_equal(vm.invoke_closure(add_x, Y).numpy(), X + Y)
    np.testing.assert_array_equal(vm["apply"](add_x, Y).numpy(), X + Y)
    with pytest.raises(tw.TVMError):
        add_x(X, Y)
    with pytest.raises(tw.TVMError):
        vm.invoke_closure(3, Y)


def test_an_instrument_sees_each_call_before_and_after(vm):
    seen = []

    def watch(func, name, before_run, ret_value, *args):
        seen.append((name, before_run, [type(arg).__name__ for arg in args]))

    vm.set_instrument(watch)
    np.testing.assert_array_equal(vm["main"](X, Y).numpy(), X * 2 + Y)
    kernels = [(name, before) for name, before, _ in seen if name.startswith("fused_double_plus")]
    assert [before for _, before in kernels] == [True, False]
    assert all("NDArray" in args for _, _, args in seen)
    seen.clear()
    vm.set_instrument(None)
    vm["main"](X, Y)
    assert seen == []


def test_an_instrument_may_leave_calls_out_and_look_at_packed_functions(vm):
    tw.register_func("test.machine.echo", lambda x: x, override=True)
    seen = []

    def skip(func, name, before_run, ret_value, *args):
        seen.append((func, name, ret_value))
        return VMInstrumentReturnKind.SKIP_RUN if name == "test.machine.echo" else VMInstrumentReturnKind.NO_OP

    vm.set_instrument(skip)
    assert vm["hand_on"](5) is None
    functions = [func for func, name, _ in seen if name == "test.machine.echo"]
    assert functions and all(func(7) == 7 for func in functions)


def test_an_exception_of_an_instrument_ends_the_run(vm):
    def fails(func, name, before_run, ret_value, *args):
        raise KeyError(name)

    vm.set_instrument(fails)
    with pytest.raises(KeyError) as caught:
        vm["main"](X, Y)
    assert "fails" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    vm.set_instrument(lambda *_: "nonsense")
    with pytest.raises(tw.TVMError, match="VMInstrumentReturnKind"):
        vm["main"](X, Y)
    vm.set_instrument(None)
    np.testing.assert_array_equal(vm["main"](X, Y).numpy(), X * 2 + Y)
    with pytest.raises(tw.TVMError, match="function"):
        vm.set_instrument(3)


def test_calls_are_timed(vm, executable):
    for owner in (vm, executable):
        result = owner.time_evaluator("main", tw.cpu(), number=3, repeat=5)(X, Y)
        assert len(result.results) == 5
        assert 0 < result.min <= result.median <= result.max
        assert result.mean == pytest.approx(np.mean(result.results))
        assert result.median == pytest.approx(np.median(result.results))
        assert result.std == pytest.approx(np.std(result.results))
        assert "median" in str(result)


def test_the_only_function_is_timed_by_the_name_of_the_entry():
    function = tw.script.from_source(
        "@T.prim_func\ndef f(a: T.Buffer((4,), 'float32')):\n    for i in range(4):\n        a[i] = T.float32(1)\n"
    )
    built = tw.build(function, target="llvm")
    assert len(built.time_evaluator(built.entry_name, tw.cpu(), number=2)(np.zeros(4, "float32")).results) == 1


def test_a_repeat_takes_as_long_as_asked(vm):
    calls = []
    tw.register_func("test.machine.echo", lambda x: calls.append(x), override=True)
    begin = time.perf_counter()
    result = vm.time_evaluator("hand_on", number=1, repeat=2, min_repeat_ms=20)(1)
    # As many calls as fill the time, however long one takes; and times are seconds.
    assert result.min * len(calls) >= 0.020
    assert sum(result.results) <= time.perf_counter() - begin


def test_wrong_timings_are_refused(vm):
    for wrong in ({"number": 0}, {"repeat": -1}, {"min_repeat_ms": -1.0}, {"min_repeat_ms": float("nan")}):
        with pytest.raises(tw.TVMError, match=next(iter(wrong))):
            vm.time_evaluator("main", tw.cpu(), **wrong)
    with pytest.raises(tw.TVMError, match="nope"):
        vm.time_evaluator("nope", tw.cpu())
    with pytest.raises(tw.TVMError):
        vm.time_evaluator("main", tw.cpu())(X)


def test_a_profile_says_where_the_time_went(vm):
    report = vm.profile("main", X, Y)
    (kernel,) = (call for call in report.calls if call["kind"] == "kernel")
    assert kernel["name"].startswith("fused_double_plus")
    assert kernel["count"] == 1 and kernel["bytes"] >= 2 * X.nbytes
    assert 0 < kernel["seconds"] <= report.total and report.overhead <= report.total
    table = str(report)
    assert "double" in table and "kernel" in table and table == report.table()
    assert {call["name"] for call in json.loads(report.json())["calls"]} == {call["name"] for call in report.calls}
    with pytest.raises(tw.TVMError):
        vm.profile("main", X)


def test_memory_arguments_of_programs_are_accepted(executable):
    for memory in (None, "naive", "pooled", {tw.cpu(): "pooled"}):
        vm = tw.relax.VirtualMachine(executable, tw.cpu(), memory_cfg=memory, profile=True)
        np.testing.assert_array_equal(vm["main"](X, Y).numpy(), X * 2 + Y)
    with pytest.raises(tw.TVMError, match="memory_cfg"):
        tw.relax.VirtualMachine(executable, tw.cpu(), memory_cfg="nonsense")
    with pytest.raises(tw.TVMError, match="memory_cfg"):
        tw.relax.VirtualMachine(executable, tw.cpu(), memory_cfg=3)


def test_wrong_executables_and_devices_are_refused(executable):
    with pytest.raises(tw.TVMError, match=r"Executable.*IRModule"):
        tw.relax.VirtualMachine(Module, tw.cpu())
    with pytest.raises(tw.TVMError, match="device"):
        tw.relax.VirtualMachine(executable, "cpu")
    with pytest.raises(tw.TVMError, match="device"):
        tw.relax.VirtualMachine(executable, [tw.cpu(), 3])
    with pytest.raises(tw.TVMError, match="cuda"):
        tw.relax.VirtualMachine(executable, tw.cuda(99))


def test_stored_inputs_of_machines_and_threads_do_not_mix(executable):
    one, two = (tw.relax.VirtualMachine(executable, tw.cpu()) for _ in range(2))
    one.set_input("main", X, X)
    two.set_input("main", Y, Y)
    threads = [threading.Thread(target=vm.invoke_stateful, args=("main",)) for vm in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(one.get_outputs("main").numpy(), X * 3)
    np.testing.assert_array_equal(two.get_outputs("main").numpy(), Y * 3)


RECURSION = """
import sys
import tilewright as tw
from tilewright.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Object) -> R.Object:
        gv = R.call_packed("test.again", x, sinfo_args=(R.Object,))
        return gv

main = tw.relax.VirtualMachine(tw.relax.build(Module), tw.cpu())["main"]
limit = 3000

def again(n):
    return call(n + 1) if n < limit else n

tw.register_func("test.again", again)
named = tw.get_global_func("test.again")
for call in (main, named, lambda n: main(n), lambda n: named(n)):
    sys.setrecursionlimit(1000)
    try:
        print(call(0))
    except RecursionError as error:
        print(type(error).__name__)
    sys.setrecursionlimit(10**6)
    limit = 3000
    print(call(0))
    limit = 10**6
    try:
        print(call(0))
    except tw.TVMError as error:
        print("within one another" in str(error))
"""


def test_calls_within_calls_end_in_an_error_and_nothing_else(python, tmp_path):
    (tmp_path / "program.py").write_text(RECURSION)
    done = python(tmp_path / "program.py")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["RecursionError", "3000", "True"] * 4


INTERRUPTED = """
import os, signal, threading, time
import tilewright as tw
from tilewright.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Object) -> R.Object:
        return x

# A shell's jobs in the background begin with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
vm = tw.relax.VirtualMachine(tw.relax.build(Module), tw.cpu())
for options in ({"number": 10**9}, {"number": 1, "repeat": 10**6, "min_repeat_ms": 1000.0}):
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        vm.time_evaluator("main", **options)(1)  # Minutes, and days, if nothing ends them.
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_timing_can_be_interrupted(python, tmp_path):
    (tmp_path / "program.py").write_text(INTERRUPTED)
    done = python(tmp_path / "program.py")
    assert done.returncode == 0 and done.stdout.split() == ["interrupted"] * 2, done.stdout + done.stderr[-2000:]


FORKS = """
import os, sys, threading, time
import numpy as np
import tilewright as tw
from tilewright.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        y = R.add(x, x)
        return R.call_dps_packed("test.copy", (y,), out_sinfo=R.Tensor((3,), "float32"))

tw.register_func("test.copy", lambda x, out: x.copyto(out))
executable = tw.relax.build(Module)
main = tw.relax.VirtualMachine(executable, tw.cpu())["main"]
x = np.float32([1, -2, 0.5])
done = False

def work(kind):
    while not done:
        for _ in range(20):
            if kind == 0:
                tw.register_func("test.replaced", lambda: None, override=True)
            elif kind == 1:
                tw.relax.build(Module)
            else:
                assert (main(x).numpy() == x * 2).all()

threads = [threading.Thread(target=work, args=(kind,)) for kind in (0, 0, 1, 2, 2)]
for thread in threads:
    thread.start()
hang = 0
for _ in range(40):
    child = os.fork()
    if child == 0:
        for _ in range(3):
            tw.register_func("test.of_child", lambda: None, override=True)
        good = (main(x).numpy() == x * 2).all()
        other = tw.relax.VirtualMachine(tw.relax.build(Module), tw.cpu())["main"]
        good = good and (other(x).numpy() == x * 2).all()
        os._exit(0 if good else 1)
    looks = 0
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        looks += 1
        if looks > 15_000:  # Half a minute, in which this process was not stopped either.
            os.kill(child, 9)
            hang += 1
            ended = os.waitpid(child, 0)
            break
        time.sleep(0.002)
    if ended[1] != 0:
        print("a child ended with", ended[1])
        break
done = True
for thread in threads:
    thread.join()
print("hang", hang)
"""


def test_children_of_a_fork_run_while_threads_of_the_parent_do(python, tmp_path):
    (tmp_path / "program.py").write_text(FORKS)
    done = python(tmp_path / "program.py")
    assert done.returncode == 0 and done.stdout.split() == ["hang", "0"], done.stdout + done.stderr[-2000:]


FIRST_USES = """
import os, signal, sys, threading, time
import numpy as np
import tilewright as tw
from tilewright.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        return R.add(x, x)

executable = tw.relax.build(Module)
main = tw.relax.VirtualMachine(executable, tw.cpu())["main"]
x = np.float32([1, -2, 0.5])
# A thread that has the GIL keeps it until it lets go of it.
sys.setswitchinterval(1000)
for first in (
    lambda: main(x),
    lambda: main(x).numpy(),
    lambda: tw.nd.array(x),
    lambda: tw.register_func("test.first", len, override=True),
    lambda: tw.get_global_func("test.first")(x),
    lambda: tw.relax.build(Module),
    lambda: Module.script(),
):
    def work():
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            pass  # Until then the other thread waits for the GIL, and gets it where the call lets go of it first.
        first()

    thread = threading.Thread(target=work)
    thread.start()
    child = os.fork()
    if child == 0:
        signal.alarm(300)  # A guard against a hang, not a measure.
        first()
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
    thread.join()
"""


def test_a_child_repeats_first_uses_begun_by_a_thread_of_the_parent(python, tmp_path):
    (tmp_path / "program.py").write_text(FIRST_USES)
    done = python(tmp_path / "program.py")
    assert done.returncode == 0 and done.stdout.split() == ["0"] * 7, done.stdout + done.stderr[-2000:]


@I.ir_module
class Missing:
    @T.prim_func
    def calls(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi]
        T.evaluate(T.call_packed("test.machine.nowhere", 1))

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Missing
        _ = R.call_packed("test.machine.echo", x, sinfo_args=(R.Object,))
        y = R.call_tir(cls.calls, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y


def test_a_packed_function_that_a_kernel_misses_is_found_before_anything_runs():
    seen = []
    tw.register_func("test.machine.echo", lambda x: seen.append(x), override=True)
    main = tw.relax.VirtualMachine(tw.relax.build(Missing), tw.cpu())["main"]
    with pytest.raises(tw.TVMError, match=r"missing packed function .test\.machine\.nowhere"):
        main(np.zeros(4, "float32"))
    assert seen == []
    tw.register_func("test.machine.nowhere", lambda x: 0, override=True)
    main(np.zeros(4, "float32"))
    assert len(seen) == 1
    tw.remove_global_func("test.machine.nowhere")


def test_odd_arguments_are_errors_that_name_them(vm, executable, tmp_path):
    odd = [
        ("name of a function", lambda: vm[3]),
        ("name of a function", lambda: executable[None]),
        ("name of a function", lambda: vm.set_input(3, X)),
        ("name of a function", lambda: vm.time_evaluator(b"main")),
        ("`number`", lambda: vm.time_evaluator("main", number="3")),
        ("`number`", lambda: vm.time_evaluator("main", number=2**70)),
        ("number", lambda: vm.time_evaluator("main", number=2**40)),
        ("repeat", lambda: vm.time_evaluator("main", repeat=2**40)),
        ("min_repeat_ms", lambda: vm.time_evaluator("main", min_repeat_ms=1e12)),
        ("`dev`", lambda: vm.time_evaluator("main", "cpu")),
        ("`processors`", lambda: tw.runtime.set_affinity("x")),
        ("`processors`", lambda: tw.runtime.set_affinity([-1])),
        ("`processors`", lambda: tw.runtime.set_affinity(None)),
        ("processor", lambda: tw.runtime.set_affinity([2**40])),
        ("`threads`", lambda: tw.runtime.set_num_threads("x")),
        ("`path`", lambda: tw.runtime.load_module(None)),
        ("`path`", lambda: executable.save(3)),
        ("Is a directory|cannot access", lambda: executable.save(tmp_path)),
        ("`index`", lambda: tw.cpu("x")),
    ]
    for name, call in odd:
        with pytest.raises(tw.TVMError, match=name):
            call()


def test_a_machine_is_its_own_module_and_cools_down_between_times():
    machine = tw.relax.VirtualMachine(tw.relax.build(Module), tw.cpu())
    x, y = tw.nd.array(X), tw.nd.array(Y)
    np.testing.assert_array_equal(machine.module["main"](x, y).numpy(), 2 * X + Y)
    for timer in (machine.module.time_evaluator, tw.relax.build(Module).time_evaluator):
        times = timer("main", tw.cpu(), number=1, repeat=3, cooldown_interval_ms=1, repeats_to_cooldown=2)(x, y)
        assert len(times.results) == 3 and times.mean > 0
        for wrong in ({"repeats_to_cooldown": 0}, {"cooldown_interval_ms": -1}, {"f_preproc": "flush"}):
            with pytest.raises(tw.TVMError, match=next(iter(wrong))):
                timer("main", tw.cpu(), **wrong)
    assert (machine.NAIVE_ALLOCATOR, machine.POOLED_ALLOCATOR) == (1, 2)


@pytest.mark.parametrize("kind", [tw.TVMError, AttributeError, ValueError])
def test_a_missing_name_raises_the_usual_exception(kind):
    machine = tw.relax.VirtualMachine(tw.relax.build(Module), tw.cpu())
    for ask in (
        lambda: machine["none"], lambda: tw.get_global_func("none"), lambda: Module["none"],
        lambda: Module.get_global_var("none"), lambda: tw.ir.Op.get("relax.none"),
    ):  # fmt: skip
        with pytest.raises(kind, match="none"):
            ask()
