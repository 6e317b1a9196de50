"""Every graph operator: inferred type, reference interpreter, compiled code, and NumPy or PyTorch agree.

`REFERENCES` has an entry for each operator of the core's table: samples of arguments, and a function of arrays that
says what comes out. An operator without an entry fails. Samples have ranks 0 to 5 and sizes 0, 1 and odd; of operators
that work element by element, floats are mixed with NaN, infinities, zeros of both signs and extremes.
`op_references/judge.py` gives them symbolic dimensions and every element type that inference takes.

Compiled code agrees with the interpreter bit for bit, or as closely as the semantics say where they leave bits open.
"""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax

pytest.importorskip("torch")

from op_references import REFERENCES, Sample, judge
from op_references.interpreter import Interpreter
from op_references.values import FLOATS, TOLERANCE, ULPS, assert_near, assert_same, from_value, to_tensor, ulps


@pytest.fixture(scope="module")
def interpreter():
    process = Interpreter()
    yield process
    process.close()


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


def compiled(module, every):
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    for i, run in enumerate(every):
        arguments = [to_tensor(a, d) for a, d in zip(run.arrays, run.dtypes, strict=True)]
        values = as_list(machine[f"f{i}"](*arguments))
        yield [from_value(value, str(info.dtype)) for value, info in zip(values, run.infos, strict=True)]


def refuses(function, run, arrays):
    """Whether the compiled function does not take the arguments."""
    try:
        function(*[to_tensor(array, dtype) for array, dtype in zip(arrays, run.dtypes, strict=True)])
    except judge.REFUSALS:
        return True
    return False


def check(interpreter, every):
    module = judge.module_of(every)
    calls = [(f"f{i}", list(zip(run.arrays, run.dtypes, strict=True))) for i, run in enumerate(every)]
    answer = interpreter.run(module, calls)
    for run, results, interpreted in zip(every, compiled(module, every), answer.results, strict=True):
        check_reference(run, results)
        check_interpreted(run, answer.agreement, results, interpreted)


@pytest.mark.parametrize("name", judge.names())
def test_an_operator_agrees_with_its_reference(name, interpreter):
    assert name in REFERENCES, f"`{name}` has no reference"
    every = judge.runs(name)
    assert every, f"`{name}` has no samples"
    check(interpreter, every)


@pytest.mark.parametrize("name", judge.names())
def test_inference_with_unknowns_claims_nothing_wrong(name):
    for run in judge.different(judge.runs(name)):
        results = [(found.shape, dtype) for found, dtype in run.expected()]
        assert judge.contradictions(run, results) == []


@pytest.mark.parametrize("name", judge.names())
def test_the_run_refuses_the_sizes_that_inference_refuses(name):
    tried = judge.tried(judge.runs(name))
    machine = relax.VirtualMachine(relax.build(judge.module_of(tried), "llvm"), tw.cpu()) if tried else None
    for i, run in enumerate(tried):
        for arrays in judge.misfits(run):
            assert refuses(machine[f"f{i}"], run, arrays), f"{run.where} takes {[array.shape for array in arrays]}"


def test_a_reference_belongs_to_an_operator():
    assert sorted(set(REFERENCES) - set(judge.names())) == []


def test_a_wrong_result_is_seen(interpreter):
    run = judge.plainly(Sample([np.float32([1, 2])], relax.op.exp, lambda x: np.exp(x) * np.float32(1.00001)))
    with pytest.raises(AssertionError):
        check(interpreter, [run])


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
