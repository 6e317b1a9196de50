"""Every graph operator: inferred type, reference interpreter, compiled code, and NumPy or PyTorch agree.

`REFERENCES` has an entry for each operator of the core's table: samples of arguments, and a function of arrays that
says what comes out. An operator without an entry fails. Samples have ranks 0 to 5 and sizes 0, 1 and odd; of operators
that work element by element, floats are mixed with NaN, infinities, zeros of both signs and extremes.
`op_references/judge.py` gives them symbolic dimensions and every element type that inference takes.

Compiled code agrees with the interpreter bit for bit, or as closely as the semantics say where they leave bits open.

Every sample runs on the processor and on the test device, whose memory the host cannot read and whose queue runs late:
a copy or a wait that the compiler or the virtual machine forgets fails there. That it does is shown on test devices
that leave out copies or waits themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax

pytest.importorskip("torch")

from op_references import REFERENCES, Sample, judge
from op_references.interpreter import Answer, Interpreter
from op_references.values import FLOATS, TOLERANCE, ULPS, assert_near, assert_same, from_value, to_tensor, ulps

PAGE = Path(__file__).parents[2] / "docs" / "ops" / "README.md"
CPU, TEST_DEVICE, CUDA = tw.cpu(), tw.device("ext_dev"), tw.cuda()
#: Where the samples run.
DEVICES = [CPU, TEST_DEVICE]
#: On a GPU, which is simulated where there is none, one sample in so many runs; `scripts/gpu.py ops` runs all.
GPU_SHARE = 4
#: Operators that are not compiled for a GPU: an index of loaded data is not seen to be guarded.
REFUSED_ON_GPU = {"image.grid_sample"}
#: The test devices with a fault (`crates/tilewright-runtime/src/device/test_device`).
FAULTS = {"waits": 2, "copies there": 3, "copies back": 4}
#: Operators whose results are right all the same: they are zero, as host memory is that no copy has reached. A small
#: `ones_like` is a constant, so a forgotten copy of it to the device shows.
UNSEEN = {
    "waits": {"zeros", "zeros_like"},
    "copies there": set(),
    "copies back": {"zeros", "zeros_like"},
}


class Subject:
    """Runs of an operator, with what the interpreter says of them and their compiled code, each made on first use."""

    def __init__(self, runs: list[judge.Run], interpreter: Interpreter) -> None:
        self.runs = runs
        self._interpreter = interpreter
        self._executables: dict[str, relax.Executable] = {}

    @cached_property
    def module(self) -> tw.IRModule:
        """A function for each run."""
        return judge.module_of(self.runs)

    @cached_property
    def answer(self) -> Answer:
        """The interpreter's results."""
        calls = [(f"f{i}", list(zip(run.arrays, run.dtypes, strict=True))) for i, run in enumerate(self.runs)]
        return self._interpreter.run(self.module, calls)

    def machine(self, device: tw.Device) -> relax.VirtualMachine:
        """The module, compiled for the kind of device."""
        target = str(device).partition("(")[0]
        if target not in self._executables:
            self._executables[target] = relax.build(self.module, target)
        return relax.VirtualMachine(self._executables[target], device)

    def results(self, device: tw.Device) -> Iterator[list[tuple[np.ndarray, str]]]:
        """What the compiled functions give on the device, run by run."""
        machine = self.machine(device)
        for i, run in enumerate(self.runs):
            values = as_list(machine[f"f{i}"](*arguments(run, run.arrays, device)))
            yield [on_host(value, device, str(info.dtype)) for value, info in zip(values, run.infos, strict=True)]


def arguments(run, arrays, device):
    """The arrays as tensors on the device."""
    return [to_tensor(array, dtype).to(device) for array, dtype in zip(arrays, run.dtypes, strict=True)]


def on_host(value, device, dtype):
    """The array of a result that lies on the device; numbers lie nowhere."""
    if isinstance(value, tw.nd.NDArray):
        assert value.device == device
        value = value.to(CPU)
    return from_value(value, dtype)


@pytest.fixture(scope="module")
def interpreter():
    process = Interpreter()
    yield process
    process.close()


@pytest.fixture(scope="module", params=judge.names())
def name(request):
    """An operator. The tests of one run one after the other, so that they share what is compiled."""
    return request.param


@pytest.fixture(scope="module")
def subject(name, interpreter):
    assert name in REFERENCES, f"`{name}` has no reference"
    return Subject(judge.runs(name), interpreter)


@pytest.fixture(params=DEVICES, ids=str)
def device(request):
    """Where compiled code runs."""
    return present(request.param)


def present(device):
    if not device.exist:
        pytest.skip("this build has no test device")
    return device


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def bound_of(run, dtype):
    return max(run.sample.tolerance or 0.0, TOLERANCE[dtype])


def check_type(run, found, dtype, info):
    """What is computed is what was inferred."""
    if isinstance(info, relax.PrimStructInfo):
        assert (dtype, found.shape) == (str(info.dtype), ()), run.where
        return
    assert (dtype, found.ndim) == (info.dtype, found.ndim if info.ndim == -1 else info.ndim), run.where
    if run.dims == "sizes" and info.shape is not None:
        assert tuple(int(d) for d in info.shape) == found.shape, run.where


def check_reference(run, results):
    """What is computed is what the reference says."""
    expected = run.expected()
    assert len(results) == len(expected) == len(run.infos), run.where
    for (found, dtype), (want, wanted), info in zip(results, expected, run.infos, strict=True):
        assert (found.shape, dtype) == (want.shape, wanted), run.where
        check_type(run, found, dtype, info)
        if dtype in FLOATS:
            assert_near(found, want, bound_of(run, dtype), run.where)
        else:
            np.testing.assert_array_equal(found, want, run.where)


def check_interpreted(run, agreement, results, interpreted):
    """What compiled code computes is what the interpreter does."""
    assert not isinstance(interpreted, str), f"{run.where}: {interpreted}"
    where = f"{run.where}, compiled code and the interpreter"
    assert len(results) == len(interpreted), where
    for (found, dtype), (want, wanted) in zip(results, interpreted, strict=True):
        assert (found.shape, dtype) == (want.shape, wanted), where
        if dtype not in FLOATS or agreement == "exact":
            assert_same(found, want, where)
        elif agreement == "function":
            assert ulps(found, want, dtype) <= ULPS[dtype], where
        else:
            assert_near(found, want, bound_of(run, dtype), where)


def refuses(function, given):
    """Whether the compiled function does not take the arguments."""
    try:
        function(*given)
    except judge.REFUSALS:
        return True
    return False


def check(subject, device):
    """Every run on the device agrees; returns how many there were."""
    checked = 0
    for run, results, interpreted in zip(subject.runs, subject.results(device), subject.answer.results, strict=True):
        check_reference(run, results)
        check_interpreted(run, subject.answer.agreement, results, interpreted)
        checked += 1
    return checked


def shows(subject, device):
    """Whether a run on a device with a fault gives a wrong result, or none."""
    results = subject.results(device)
    for run in subject.runs:
        try:
            found = next(results)
        except judge.REFUSALS:
            return True
        try:
            check_reference(run, found)
        except AssertionError:
            return True
    return False


def listed(name):
    """How many samples of the operator the page of the operators counts."""
    row = re.search(rf"^\| \[`{re.escape(name)}`\]\([^|]*\| [^|]* \| (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert row, f"`{name}` is not on {PAGE}"
    return int(row[1])


def test_an_operator_agrees_with_its_reference(name, subject, device, record_property):
    checked = check(subject, device)
    assert checked == listed(name) > 0
    record_property("samples", checked)


def test_an_operator_agrees_with_its_reference_on_a_gpu(name, interpreter):
    part = Subject(judge.runs(name)[::GPU_SHARE], interpreter)
    present(CUDA)
    if name in REFUSED_ON_GPU:
        with pytest.raises(tw.TVMError, match="without a guard"):
            part.machine(CUDA)
        return
    assert check(part, CUDA) > 0


@pytest.mark.parametrize("fault", FAULTS)
def test_forgotten_copies_and_waits_are_seen(name, subject, fault):
    device = present(tw.device("ext_dev", FAULTS[fault]))
    assert shows(subject, device) == (name not in UNSEEN[fault])


def test_every_test_device_is_in_order_or_has_a_fault_that_is_tried():
    present(TEST_DEVICE)
    there = [i for i in range(16) if tw.device("ext_dev", i).exist]
    assert there == [0, 1, *FAULTS.values()]


def test_inference_with_unknowns_claims_nothing_wrong(name):
    for run in judge.different(judge.runs(name)):
        results = [(found.shape, dtype) for found, dtype in run.expected()]
        assert judge.contradictions(run, results) == []


def test_the_run_refuses_the_sizes_that_inference_refuses(name, device, interpreter):
    subject = Subject(judge.tried(judge.runs(name)), interpreter)
    machine = subject.machine(device) if subject.runs else None
    for i, run in enumerate(subject.runs):
        for arrays in judge.misfits(run):
            given = arguments(run, arrays, device)
            assert refuses(machine[f"f{i}"], given), f"{run.where} takes {[array.shape for array in arrays]}"


def test_a_reference_belongs_to_an_operator():
    assert sorted(set(REFERENCES) - set(judge.names())) == []


def test_a_wrong_result_is_seen(interpreter):
    run = judge.plainly(Sample([np.float32([1, 2])], relax.op.exp, lambda x: np.exp(x) * np.float32(1.00001)))
    with pytest.raises(AssertionError):
        check(Subject([run], interpreter), CPU)


def test_a_difference_between_compiled_code_and_the_interpreter_is_seen(interpreter):
    run = judge.plainly(Sample([np.float32([1, 2])], relax.op.exp, np.exp))
    answer = interpreter.run(judge.module_of([run]), [("f0", [(run.arrays[0], "float32")])])
    assert answer.agreement == "function"
    (found, dtype) = answer.results[0][0]
    check_interpreted(run, "function", [(found, dtype)], answer.results[0])
    other = found.view(np.int32) + np.int32([0, 6])
    with pytest.raises(AssertionError):
        check_interpreted(run, "function", [(other.view(np.float32), dtype)], answer.results[0])
    with pytest.raises(AssertionError):
        check_interpreted(run, "exact", [((found.view(np.int32) + 1).view(np.float32), dtype)], answer.results[0])


def test_a_wrong_claim_of_inference_is_seen():
    run = judge.plainly(Sample([np.float32([[1, 2]])], relax.op.exp, np.exp))
    assert judge.contradictions(run, [((1, 2), "float32")]) == []
    assert judge.contradictions(run, [((1, 2, 1), "float32")]) != []
    assert judge.contradictions(run, [((1, 2), "float64")]) != []
