"""Executables: saved, loaded, called from several threads."""

import copy
import pickle
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


def test_other_files_than_executables_are_refused(tmp_path):
    (tmp_path / "bad").write_bytes(b"not an executable")
    with pytest.raises(tw.TVMError):
        tw.relax.vm.Executable.load(tmp_path / "bad")
    with pytest.raises(tw.TVMError, match="missing"):
        tw.relax.vm.Executable.load(tmp_path / "missing")
    with pytest.raises(tw.TVMError, match="is a directory"):
        tw.runtime.load_module(tmp_path)


def test_an_executable_is_a_file_not_a_pickle(executable):
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"save\(path\).*load_module\(path\)"):
            copied(executable)


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


def test_an_executable_describes_itself(executable):
    assert "kernels       2" in executable.stats()
    assert "call double(" in executable.as_text()
    assert 'f.call_kernel("double"' in executable.as_python()
    assert executable.target_triple.startswith(("x86_64", "aarch64")) and executable.required_features
    assert executable.jit() is executable


@pytest.mark.parametrize("name", ["model.so", "model.tar", "model", "model.twx"])
def test_an_exported_library_is_loaded_whatever_its_name(executable, tmp_path, rng, name):
    executable.export_library(tmp_path / name)
    loaded = tw.runtime.load_module(str(tmp_path / name))
    x = rng.standard_normal((64, 64)).astype("float32")
    np.testing.assert_array_equal(loaded["main"](x).numpy(), expected(x))
    np.testing.assert_array_equal(tw.relax.VirtualMachine(loaded)["main"](x).numpy(), expected(x))


def test_a_library_of_the_system_is_no_executable():
    import _ctypes

    with pytest.raises(tw.TVMError, match="not a Tilewright executable"):
        tw.runtime.load_module(_ctypes.__file__)


def test_executables_of_other_machines_are_made_saved_and_refused(tmp_path):
    arm = tw.relax.build(Module, target="llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
    arm.export_library(tmp_path / "arm")
    loaded = tw.runtime.load_module(tmp_path / "arm")
    assert loaded.target_triple == "aarch64-linux-gnu" and "neon" in loaded.required_features
    with pytest.raises(tw.TVMError, match=r"aarch64.*x86_64"):
        tw.relax.VirtualMachine(loaded, tw.cpu())


def test_a_pipeline_stands_in_the_place_of_the_default_one(rng):
    x = rng.standard_normal((64, 64)).astype("float32")
    ran = []

    @tw.transform.module_pass(name="test.note")
    def note(module, context):
        ran.append(len(module))
        return module

    own = tw.transform.Sequential([note, tw.relax.pipeline.get_pipeline("default_build")])
    for pipeline in (None, "default", "default_build", own):
        executable = tw.relax.build(Module, "llvm", pipeline=pipeline, exec_mode="compiled")
        np.testing.assert_array_equal(executable["main"](x).numpy(), expected(x))
    assert ran == [2]
    lowered = tw.relax.pipeline.get_pipeline("default_build")(Module)
    executable = tw.relax.build(lowered, "llvm", relax_pipeline=None)
    np.testing.assert_array_equal(executable["main"](x).numpy(), expected(x))
    with pytest.raises(tw.TVMError, match="machine-ready"):
        tw.relax.build(Module, "llvm", relax_pipeline=None)
    for other in (None, "zero", own):
        with pytest.raises(tw.TVMError, match="two names of one argument"):
            tw.relax.build(Module, "llvm", relax_pipeline=other, pipeline="default_build")
    with pytest.raises(tw.TVMError, match="machine-ready"):
        tw.relax.build(Module, "llvm", pipeline="zero")
    with pytest.raises(tw.TVMError, match="nonsense"):
        tw.relax.build(Module, "llvm", pipeline="nonsense")
    with pytest.raises(tw.TVMError, match="exec_mode"):
        tw.relax.build(Module, "llvm", exec_mode="nonsense")


def test_parameters_are_bound_when_building(rng):
    x = rng.standard_normal((64, 64)).astype("float32")
    executable = tw.relax.build(Module, "llvm", params={"x": x})
    np.testing.assert_array_equal(executable["main"]().numpy(), expected(x))


@I.ir_module
class Gives:
    @R.function
    def main(x: R.Tensor((3,), "float32"), kept: R.Tensor((3,), "float32")):
        with R.dataflow():
            more = R.add(x, kept)
            R.output(more)
        return more, kept


@pytest.mark.parametrize("is_loaded", [False, True])
def test_constants_of_an_executable_are_not_shared_with_writers(tmp_path, is_loaded):
    kept, zeros = np.arange(3, dtype="float32"), np.zeros(3, "float32")
    executable = tw.relax.build(Gives, params={"kept": kept})
    if is_loaded:
        executable.save(tmp_path / "model")
        executable = tw.relax.vm.Executable.load(tmp_path / "model")
    constant = executable["main"](zeros)[1]
    shared = np.from_dlpack(constant)
    np.copyto(shared, 7)
    constant.numpy()[:] = 7
    with pytest.raises(tw.TVMError, match="read-only"):
        constant.copyfrom(zeros)
    for options in ({}, {"max_version": (1, 0)}):
        constant.__dlpack__(**options)
        with pytest.raises(BufferError, match="constant"):
            constant.__dlpack__(copy=False, **options)
    for found in executable["main"](zeros):
        np.testing.assert_array_equal(found.numpy(), kept)


@pytest.mark.torch
def test_pytorch_writes_to_a_copy_of_an_executables_constants(tmp_path):
    import torch

    kept = np.arange(3, dtype="float32")
    tw.relax.build(Gives, params={"kept": kept}).save(tmp_path / "model")
    for executable in (tw.relax.build(Gives, params={"kept": kept}), tw.runtime.load_module(tmp_path / "model")):
        more, constant = executable["main"](np.zeros(3, "float32"))
        torch.from_dlpack(constant).fill_(7)
        torch.from_dlpack(more).fill_(8)
        assert constant.numpy().tolist() == executable["main"](np.zeros(3, "float32"))[0].numpy().tolist() == [0, 1, 2]
        # Results of one's own are shared, as any tensor.
        assert more.numpy().tolist() == [8, 8, 8]


def test_unbuildable_functions_are_named():
    for build in (tw.build, tw.compile, tw.relax.build, tw.relax.vm.build):
        with pytest.raises(tw.TVMError, match="found int"):
            build(3)
        with pytest.raises(tw.TVMError, match="found float"):
            build(Module, target=2.5)
        with pytest.raises(tw.TVMError, match="vulkan"):
            build(Module, target="vulkan")


def test_a_kernel_file_is_run_by_the_command_line(executable, tmp_path, python):
    executable.save(tmp_path / "model.twx")
    done = python("-m", "tilewright", "run", tmp_path / "model.twx", "--random", "3")
    assert done.returncode == 0 and done.stdout.startswith("float32[64, 64] ["), done.stderr
    done = python("-m", "tilewright", "inspect", tmp_path / "model.twx")
    assert "main(x: Tensor((64, 64), float32))" in done.stdout, done.stderr


def test_many_threads_call_while_others_build_save_load_and_fail(executable, tmp_path, rng):
    """Sixteen threads: callers of right and wrong calls and of callbacks, and one that builds, saves and loads."""
    main = tw.relax.VirtualMachine(executable, tw.cpu())["main"]
    tw.register_func("test.stress", lambda x, out: x.copyto(out), override=True)

    @I.ir_module
    class Caller:
        @R.function
        def main(x: R.Tensor(("n",), "float32")):
            n = T.int64()
            with R.dataflow():
                out = R.call_dps_packed("test.stress", (x,), out_sinfo=R.Tensor((n,), "float32"))
                R.output(out)
            return out

    packed = tw.relax.VirtualMachine(tw.relax.build(Caller), tw.cpu())["main"]
    problems = []

    def check(condition, what):
        if not condition:
            problems.append(what)

    def call(seed):
        own = np.random.default_rng(seed)
        x = own.standard_normal((64, 64)).astype("float32")
        for round in range(60):
            check(np.array_equal(main(x).numpy(), expected(x)), "a result")
            row = own.standard_normal(round % 7).astype("float32")
            check(np.array_equal(packed(row).numpy(), row), "a callback")
            try:
                main(x[:, :63])
                problems.append("a wrong call succeeded")
            except tw.TVMError:
                pass

    def rebuild():
        x = np.full((64, 64), 0.5, "float32")
        for round in range(10):
            path = tmp_path / "shared"
            tw.relax.build(Module, target="llvm").save(path)
            check(np.array_equal(tw.runtime.load_module(path)["main"](x).numpy(), expected(x)), "a loaded result")
            tw.register_func(f"test.stress.{round}", lambda: None, override=True)
            tw.remove_global_func(f"test.stress.{round}")

    def guarded(work, *args):
        try:
            work(*args)
        except BaseException as error:
            problems.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(call, seed)) for seed in range(15)]
    threads.append(threading.Thread(target=guarded, args=(rebuild,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


@I.ir_module
class PutTwice:
    @R.function
    def main(
        x: R.Tensor((4,), "float32"), value: R.Tensor((2,), "float32"), i: R.Tensor((2,)), j: R.Tensor((2,))
    ) -> R.Tensor((4,), "float32"):
        R.func_attr({"num_input": 2})
        first = R.index_put(x, (i,), value)
        return R.index_put(first, (j,), value)


def test_calls_whose_parameters_turn_out_to_have_other_types_are_not_equal():
    params = {"i": np.int32([0, 1]), "j": np.int64([2, 3])}
    main = tw.relax.VirtualMachine(tw.relax.build(PutTwice, params=params), tw.cpu())["main"]
    assert main(np.zeros(4, "float32"), np.float32([1, -2])).numpy().tolist() == [1, -2, 1, -2]
