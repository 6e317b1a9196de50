"""Every graph operator against NumPy or PyTorch: what compiled code computes, and that its type is the inferred one.

`REFERENCES` has an entry for each operator of the core's table: samples of arguments, and a function of arrays that
says what comes out. An operator without an entry fails. Samples have ranks 0 to 5 and sizes 0, 1 and odd; of operators
that work element by element, floats are mixed with NaN, infinities, zeros of both signs and extremes. Where a sample's
arrays are all of one shape, it runs once more with symbolic dimensions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import _core, relax, tir

pytest.importorskip("torch")

from op_references import REFERENCES, Sample

TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}
# Left to themselves: they concern memory, functions and the machine, and other tests run them.
SYSTEM = ("builtin.", "memory.", "vm.")
SYSTEM_NAMES = {
    "alloc_tensor", "assert_op", "hint_on_device", "make_closure", "null_value", "print", "shape_of", "shape_to_tensor",
    "tensor_to_shape", "to_vdevice",
}  # fmt: skip


def names() -> list[str]:
    """The operators that compute tensors from tensors."""
    return [n for n in _core.graph_op_names() if n not in SYSTEM_NAMES and not n.startswith(SYSTEM)]


def operator(name: str) -> Callable[..., Any]:
    place = relax.op
    for part in name.split("."):
        place = getattr(place, part)
    return place


def info_of(array: np.ndarray, dims: list | None) -> relax.TensorStructInfo:
    shape = array.shape if dims is None else dims
    return relax.TensorStructInfo(shape, str(array.dtype))


def emit(builder: relax.BlockBuilder, name: str, sample: Sample, symbolic: bool) -> None:
    """A function of the sample's tensors that returns what the call gives; equal sizes are one symbolic dimension."""
    sizes: dict[int, tir.Var] = {}
    params = []
    for i, array in enumerate(sample.arrays):
        dims = [sizes.setdefault(n, tir.Var(f"n{n}", "int64")) for n in array.shape] if symbolic else None
        params.append(relax.Var(f"x{i}", info_of(array, dims)))
    with builder.function(name, params):
        builder.emit_func_output(builder.emit(sample.call(*params)))


def as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def result_infos(function: relax.Function) -> list:
    info = function.ret_struct_info
    return list(info.fields) if isinstance(info, relax.TupleStructInfo) else [info]


def check(name: str, sample: Sample, symbolic: bool, function: Any, results: list[np.ndarray]) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = [np.asarray(e) for e in as_list(sample.reference(*sample.arrays))]
    where = f"{name}{[(a.shape, str(a.dtype)) for a in sample.arrays]} symbolic={symbolic}"
    assert len(results) == len(expected), where
    for result, want, info in zip(results, expected, result_infos(function), strict=True):
        assert result.shape == want.shape, where
        assert (str(result.dtype), info.dtype) == (str(want.dtype), str(want.dtype)), where
        assert info.ndim in (-1, result.ndim), where
        if not symbolic:
            assert tuple(int(d) for d in info.shape) == result.shape, where
        if result.dtype.kind != "f":
            np.testing.assert_array_equal(result, want, where)
            continue
        bound = sample.tolerance or TOLERANCE[str(result.dtype)]
        finite = np.abs(want[np.isfinite(want)].astype(np.float64))
        # Relative to each element; beside sums, to the largest of small ones.
        small = bound * min(1.0, finite.max(initial=0.0))
        np.testing.assert_allclose(result, want, rtol=bound, atol=small, err_msg=where)


@pytest.mark.parametrize("name", names())
def test_an_operator_computes_what_its_reference_does(name):
    assert name in REFERENCES, f"`{name}` has no reference"
    rng = np.random.default_rng(7)
    op, builder, runs = operator(name), relax.BlockBuilder(), []
    for sample in REFERENCES[name].samples(rng, op):
        shapes = {a.shape for a in sample.arrays}
        symbolic = sample.symbolic and len(shapes) == 1 and shapes != {()}
        for kind in (False, True) if symbolic else (False,):
            emit(builder, f"f{len(runs)}", sample, kind)
            runs.append((sample, kind))
    assert runs, f"`{name}` has no samples"
    module = builder.finalize()
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    for i, (sample, kind) in enumerate(runs):
        results = as_list(machine[f"f{i}"](*sample.arrays))
        check(name, sample, kind, module[f"f{i}"], [r.numpy() for r in results])


def test_a_reference_belongs_to_an_operator():
    assert sorted(set(REFERENCES) - set(names())) == []


def test_a_wrong_result_is_seen():
    sample = Sample([np.float32([1, 2])], relax.op.exp, lambda x: np.exp(x) * np.float32(1.00001))
    builder = relax.BlockBuilder()
    emit(builder, "f", sample, False)
    module = builder.finalize()
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())
    with pytest.raises(AssertionError):
        check("exp", sample, False, module["f"], [machine["f"](*sample.arrays).numpy()])
