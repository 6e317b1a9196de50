"""Targets, devices and threads."""

import json
import pickle
import threading

import numpy as np
import pytest

import tilewright as tw
from tilewright.script import tir as T
from tilewright.target import Target


@T.prim_func
def twice(A: T.Buffer((1000,), "float32"), B: T.Buffer((1000,), "float32")):
    for i in T.parallel(1000):
        with T.block("B"):
            vi = T.axis.spatial(1000, i)
            B[vi] = A[vi] * T.float32(2)


def test_a_target_shows_its_resolved_form():
    target = Target("llvm -mcpu=haswell -mattr=-fma")
    assert target.kind == "llvm" and target.kind.name == "llvm" and target.keys == ["cpu"]
    assert target.mcpu == "haswell" and target.mtriple.startswith("x86_64")
    assert "avx2" in target.features and "fma" not in target.features
    assert target.attrs["mcpu"] == "haswell" and target.attrs["vector-width"] == 256
    assert str(target) == "llvm -mcpu=haswell -mattr=-fma"
    assert eval(repr(target)) == target


def test_targets_are_made_in_many_ways():
    haswell = Target("llvm -mcpu=haswell")
    for same in ("haswell", {"kind": "llvm", "mcpu": "haswell"}, haswell, {"mcpu": "haswell", "keys": ["cpu"]}):
        assert Target(same) == haswell and hash(Target(same)) == hash(haswell)
    assert Target({"mcpu": "haswell", "mattr": ["-fma", "-avx2"]}) == Target("haswell -mattr=-fma,-avx2")
    assert Target("llvm", host="llvm") == Target("llvm") != haswell
    assert pickle.loads(pickle.dumps(haswell)) == haswell
    assert Target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1").mtriple == "aarch64-linux-gnu"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lvm", 'did you mean "llvm"'),
        ("haswel", 'did you mean "haswell"'),
        ("llvm -mcpu=haswel", 'did you mean "haswell"'),
        ("llvm -mattr=+avx3", "avx3"),
        ("llvm -mcpu", "mcpu"),
        ("", "empty"),
        (3, "found int"),
        (None, "found NoneType"),
    ],
)
def test_wrong_targets_are_refused(text, message):
    with pytest.raises(tw.TVMError, match=message):
        Target(text)


def test_the_target_in_scope_is_the_innermost():
    assert Target.current() is None
    with pytest.raises(ValueError, match="no target"):
        Target.current(allow_none=False)
    outer, inner = Target("llvm"), Target("haswell")
    with outer:
        with inner:
            assert Target.current() is inner
            assert "avx512f" not in tw.build(twice).required_features
        assert Target.current() is outer
    assert Target.current() is None


def test_other_threads_have_targets_of_their_own():
    seen = []
    with Target("haswell"):
        thread = threading.Thread(target=lambda: seen.append(Target.current()))
        thread.start()
        thread.join()
    assert seen == [None]


@pytest.mark.parametrize("target", ["llvm", "llvm -mcpu=native", "haswell", "llvm -mtriple=x86_64-linux-gnu"])
def test_code_for_every_target_that_runs_here_gives_the_same(target, rng):
    a = rng.standard_normal(1000).astype("float32")
    for build in (tw.build, tw.compile):
        b = np.zeros_like(a)
        build(twice, target=target)(a, b)
        np.testing.assert_array_equal(b, a * 2)


def test_devices_list_their_properties():
    cpu = tw.cpu()
    assert cpu.exist and cpu.max_threads == tw.runtime.num_threads() and cpu.multi_processor_count >= 1
    assert (cpu.device_type, cpu.device_id) == (1, 0)
    cpu.sync()
    absent = tw.cuda(99)
    assert not absent.exist and absent.max_threads == 0
    with pytest.raises(tw.TVMError, match="cuda"):
        absent.sync()


def test_the_number_of_threads_can_be_set(rng):
    a = rng.standard_normal(1000).astype("float32")
    kernel = tw.build(twice)
    before = tw.runtime.num_threads()
    try:
        for threads in (1, 2, 5):
            tw.runtime.set_num_threads(threads)
            assert tw.runtime.num_threads() == threads
            b = np.zeros_like(a)
            kernel(a, b)
            np.testing.assert_array_equal(b, a * 2)
        with pytest.raises(tw.TVMError, match="found -1"):
            tw.runtime.set_num_threads(-1)
    finally:
        tw.runtime.set_num_threads(0)
    assert tw.runtime.num_threads() == before


def test_the_environment_sets_the_number_of_threads(python, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_NUM_THREADS", "3")
    assert python("-c", "import tilewright; print(tilewright.runtime.num_threads())").stdout == "3\n"


def test_workers_are_bound_to_processors(rng):
    a = rng.standard_normal(1000).astype("float32")
    kernel = tw.build(twice)
    processors = tw.runtime.available_processors()
    try:
        tw.runtime.set_affinity(processors[:1])
        b = np.zeros_like(a)
        kernel(a, b)
        np.testing.assert_array_equal(b, a * 2)
    finally:
        tw.runtime.set_affinity([])
    with pytest.raises(tw.TVMError, match="processor 1000000"):
        tw.runtime.set_affinity([1000000])


def test_a_target_has_a_host_keys_and_a_kind_of_device():
    haswell = Target('{"kind": "llvm", "mcpu": "haswell", "keys": ["avx", "cpu"]}')
    assert (haswell.mcpu, haswell.keys, haswell.host, haswell.tag) == ("haswell", ["avx", "cpu"], None, "")
    for around in (Target("cuda", host="haswell"), Target({"kind": "cuda", "host": {"mcpu": "haswell"}})):
        assert around.host == haswell and around.get_target_device_type() == 2
        assert pickle.loads(pickle.dumps(around)).host == haswell and Target(around).host == haswell
    assert haswell.with_host("llvm").host == Target("llvm") and haswell.get_target_device_type() == 1
    assert Target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1").keys == ["arm_cpu", "cpu"]
    assert (Target.from_device("cpu").kind, Target.from_device(tw.cuda(0)).kind) == ("llvm", "cuda")
    assert {"llvm", "cuda", "metal"} <= set(Target.list_kinds())
    said = haswell.export()
    assert (said["kind"], said["keys"], said["mcpu"]) == ("llvm", ["avx", "cpu"], "haswell")


TEXTS = [
    "llvm", "haswell -mattr=-fma", "llvm -keys=cpu -num-cores=4 -mattr=-avx512f -mattr=-avx2,-fma", "cuda -arch=sm_90",
    "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "llvm -mtriple=x86_64-linux-gnu", "cuda -max_num_threads=256",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_target_round_trips_through_its_export(text):
    target = Target(text, host=Target({"mcpu": "haswell", "keys": ["near"]}))
    for made in (Target(target.export()), Target(json.dumps(target.export())), pickle.loads(pickle.dumps(target))):
        assert (made, made.keys, made.host, made.host.keys) == (target, target.keys, target.host, ["near"])


def test_keys_stay_with_a_target():
    for keyed in (Target({"mcpu": "haswell", "keys": ["near", "cpu"]}), Target("haswell -keys=near,cpu")):
        assert pickle.loads(pickle.dumps(keyed)).keys == Target(keyed).keys == keyed.export()["keys"] == ["near", "cpu"]
    assert Target({"kind": "llvm", "keys": []}).keys == []
    with pytest.raises(TypeError, match="list of words, found the text 'cpu'"):
        Target({"kind": "llvm", "keys": "cpu"})
    with pytest.raises(tw.TVMError, match=r"the JSON of a target cannot be read: .*line 1 column 2"):
        Target("{bad")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"kind": "llvm", "keys": ["a b"]}, "`keys` .* 'a b'"),
        ({"kind": "llvm", "keys": ["x -mcpu=haswell"]}, "`keys` .* 'x -mcpu=haswell'"),
        ({"mcpu": "haswell -mattr=-fma"}, "`mcpu`"),
        ({"mattr": ["+avx2", "-fma\t+sse3"]}, "`mattr`"),
        ({"kind": "llvm -mcpu=haswell"}, "`kind`"),
        ({"mcpu=haswell -mattr": "-fma"}, "`mcpu=haswell -mattr`"),
    ],
)
def test_an_option_of_a_dict_is_one_word(options, named):
    with pytest.raises(tw.TVMError, match=named):
        Target(options)
    with pytest.raises(tw.TVMError, match=named):
        tw.ir.VDevice(options)


def test_a_target_is_named_or_in_scope():
    with pytest.raises(ValueError, match="in scope"):
        Target.target_or_current(None)
    with Target("haswell"):
        assert Target.target_or_current(None).mcpu == "haswell"
        assert Target.target_or_current("llvm -mcpu=skylake").mcpu == "skylake"


@T.prim_func
def product(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j, k in T.grid(64, 64, 64):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


def test_a_pass_takes_the_target_of_the_function_then_its_own_then_the_one_in_scope():
    schedule = tw.tir.transform.ApplyDefaultSchedule
    here, narrow, wide = tw.IRModule({"f": product}), schedule("haswell"), schedule("skylake-avx512")
    expected = {name: made(here).script() for name, made in [("haswell", narrow), ("skylake-avx512", wide)]}
    assert expected["haswell"] != expected["skylake-avx512"]
    unsaid = schedule()
    for name, text in expected.items():
        with Target(name):
            assert unsaid(here).script() == schedule()(here).script() == text
    declared = tw.IRModule({"f": product.with_attr("target", "haswell")})
    assert wide(declared).script() == narrow(declared).script()
    with pytest.raises(tw.TVMError, match='did you mean "haswell"'):
        unsaid(tw.IRModule({"f": product.with_attr("target", "haswel")}))


def test_a_processor_is_described_by_a_preset():
    assert Target("znver4").machine == "znver4"
    tuned = Target("llvm -mcpu=x86-64-v3 -machine=znver2")
    assert (tuned.mcpu, tuned.machine) == ("x86-64-v3", "znver2")
    with pytest.raises(tw.TVMError, match='did you mean "znver2"'):
        Target("llvm -machine=znver22 -mcpu=haswell")
    assert Target("cuda", host="haswell").machine == "haswell"
    assert Target("cuda", host="haswell") != Target("cuda", host="znver4")


def test_targets_of_gpus_are_made_by_functions():
    made = tw.target.cuda("v100", "sm_70", "-max_threads_per_block=512")
    assert (made.kind.name, made.arch, made.max_threads_per_block) == ("cuda", "sm_70", 512)
    assert tw.target.mali("g78").keys == ["mali", "opencl", "gpu"]
    assert tw.target.intel_graphics().thread_warp_size == 16
    assert tw.target.adreno(options=["-max_num_threads=128"]).attrs["max_num_threads"] == 128
    assert tw.target.rocm().kind.name == "rocm"
