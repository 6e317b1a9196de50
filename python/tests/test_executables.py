"""Executables: saved, loaded, called from several threads."""

import threading

import numpy as np
import pytest

import tilewright as tw
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def double(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
        for i in T.parallel(64):
            for j in range(64):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def main(x: R.Tensor((64, 64), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((64, 64), "float32"))
            out = R.nn.relu(y)
            R.output(out)
        return out


def expected(x):
    return np.maximum(x * 2, 0)


@pytest.fixture
def executable():
    return tw.relax.build(Module, target="llvm")


def test_a_saved_executable_runs_again(executable, tmp_path, rng):
    path = tmp_path / "model.tw"
    executable.save(path)
    x = rng.standard_normal((64, 64)).astype("float32")
    loaded = tw.relax.vm.Executable.load(path)
    main = tw.relax.VirtualMachine(loaded, tw.cpu())["main"]
    np.testing.assert_array_equal(main(x).numpy(), expected(x))


def test_the_same_module_gives_the_same_file(executable, tmp_path):
    executable.save(tmp_path / "a")
    tw.relax.build(Module, target="llvm").save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_is_no_executable_is_refused(tmp_path):
    (tmp_path / "bad").write_bytes(b"not an executable")
    with pytest.raises(tw.TVMError):
        tw.relax.vm.Executable.load(tmp_path / "bad")
    with pytest.raises(tw.TVMError, match="missing"):
        tw.relax.vm.Executable.load(tmp_path / "missing")


def test_threads_may_call_at_once(executable, rng):
    main = tw.relax.VirtualMachine(executable, tw.cpu())["main"]
    inputs = [rng.standard_normal((64, 64)).astype("float32") for _ in range(4)]
    wrong = []

    def work(x):
        for _ in range(50):
            if not np.array_equal(main(x).numpy(), expected(x)):
                wrong.append(x)

    threads = [threading.Thread(target=work, args=(x,)) for x in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_callback_runs_on_the_calling_thread():
    seen = []
    tw.register_func(
        "test.thread", lambda x, out: (seen.append(threading.get_ident()), x.copyto(out))[1], override=True
    )

    @I.ir_module
    class Caller:
        @R.function
        def main(x: R.Tensor((2,), "float32")):
            with R.dataflow():
                out = R.call_dps_packed("test.thread", (x,), out_sinfo=R.Tensor((2,), "float32"))
                R.output(out)
            return out

    main = tw.relax.VirtualMachine(tw.relax.build(Caller), tw.cpu())["main"]
    thread = threading.Thread(target=main, args=(np.zeros(2, "float32"),))
    thread.start()
    thread.join()
    assert seen == [thread.ident]
