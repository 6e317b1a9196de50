"""What is judged of each operator: its samples, with every element type and with symbolic dimensions.

The samples of `REFERENCES` are multiplied here. What they lack of sizes 0 and 1 and of floats that are not finite is
made of them (`varied.py`). Each runs with its sizes as they are and, where inference allows it, with symbolic ones,
once for each tuple of shapes: equal sizes as one variable, and every size as a variable of its own, or where an
operator has to know which are equal, a variable for each size and place. Element types of the arguments that no sample
has, and that inference takes, are given to one of the samples.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from torch.overrides import TorchFunctionMode

import tilewright as tw
from tilewright import _core, relax, tir

from . import REFERENCES
from .sampling import Sample
from .values import DTYPES, kind_of, rounded
from .varied import not_finite, varied

# Left to themselves: they give no tensors, or concern memory, functions and the machine; other tests run them.
SYSTEM = ("system", "builtin", "memory", "vm", "inspect")
#: How inference refuses a call.
REFUSALS = (tw.error.TVMError, TypeError, ValueError)


def names() -> list[str]:
    """The operators that compute tensors from tensors."""
    return [n for n in _core.graph_op_names() if _core.op_reference(n)[0] not in SYSTEM and n != "alloc_tensor"]


def operator(name: str) -> Callable[..., Any]:
    """The Python function of an operator."""
    place = relax.op
    for part in name.split("."):
        place = getattr(place, part)
    return place


@dataclass
class Run:
    """A sample with its element types, and how its dimensions are given."""

    sample: Sample
    dtypes: list[str]
    #: `sizes`: as they are; `equal`: a variable for each size; `places`: for each size and place; `apart`: one each.
    dims: str
    #: The function's parameters, and the call of them.
    params: list[relax.Var]
    call: relax.Call
    #: The element types of the results, where the reference's own need not be those.
    gives: list[str] | None = None
    #: The arguments in the element types of the sample, for references that do not know those of the run.
    known: list[np.ndarray] | None = None

    @property
    def arrays(self) -> list[np.ndarray]:
        """The arguments."""
        return self.sample.arrays

    @property
    def where(self) -> str:
        """The run in words."""
        shapes = [(array.shape, dtype) for array, dtype in zip(self.arrays, self.dtypes, strict=True)]
        return f"{shapes} with {self.dims}"

    @property
    def infos(self) -> list[relax.TensorStructInfo]:
        """What is inferred of the results."""
        return tensors_of(self.call.struct_info)

    def expected(self) -> list[tuple[np.ndarray, str]]:
        """What the reference gives, with element types."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                found = self.sample.reference(*self.arrays)
            except (RuntimeError, TypeError, IndexError):
                # PyTorch computes with few unsigned types, and takes indices of two types.
                if self.known is None:
                    raise
                found = self.sample.reference(*self.known)
        arrays = [np.asarray(a) for a in (found if isinstance(found, (list, tuple)) else [found])]
        gives = self.gives or [str(array.dtype) for array in arrays]
        return [(in_type(array, dtype), dtype) for array, dtype in zip(arrays, gives, strict=True)]


def tensors_of(info: Any) -> list[relax.TensorStructInfo]:
    """The tensors of a result's struct info."""
    if isinstance(info, relax.TupleStructInfo):
        return [tensor for field in info.fields for tensor in tensors_of(field)]
    return [info]


def dims_of(arrays: list[np.ndarray], scheme: str) -> list[list]:
    """The dimensions of the arguments. Where shapes differ, a size 1 stays: it may broadcast."""
    variables: dict[Any, tir.Var] = {}
    alike = len({array.shape for array in arrays}) == 1

    def dim(argument: int, size: int, place: int) -> Any:
        if scheme == "sizes" or (size == 1 and not alike):
            return size
        key = {"equal": (size,), "places": (size, place), "apart": (size, place, argument)}[scheme]
        return variables.setdefault(key, tir.Var("_".join(["n", *map(str, key)]), "int64"))

    return [[dim(i, size, place) for place, size in enumerate(array.shape)] for i, array in enumerate(arrays)]


def planned(sample: Sample, dtypes: list[str], scheme: str, plain: Run | None = None) -> Run | None:
    """The run of a sample; none where inference refuses it, or knows no shape that it knows of the plain run."""
    dims = dims_of(sample.arrays, scheme)
    infos = [relax.TensorStructInfo(d, dtype) for d, dtype in zip(dims, dtypes, strict=True)]
    params = [relax.Var(f"x{i}", info) for i, info in enumerate(infos)]
    try:
        call = sample.call(*params)
    except REFUSALS:
        return None
    infos = tensors_of(call.struct_info)
    if plain is not None and any(is_lost(info, known) for info, known in zip(infos, plain.infos, strict=True)):
        return None
    found = Run(sample, dtypes, scheme, params, call)
    return None if scheme == "apart" and not becomes_loops(found) else found


def is_lost(info: Any, known: Any) -> bool:
    """Whether the first tensor has no known shape, and the second one has."""
    return getattr(info, "shape", ()) is None and getattr(known, "shape", ()) is not None


def becomes_loops(run: Run) -> bool:
    """Whether enough is known of the arguments: some operators have to know how indices broadcast."""
    try:
        relax.transform.LegalizeOps()(module_of([run]))
    except REFUSALS:
        return False
    return True


def plainly(sample: Sample) -> Run:
    """The run of a sample as it is written, which inference has to take."""
    dtypes = [str(array.dtype) for array in sample.arrays]
    params = [
        relax.Var(f"x{i}", relax.TensorStructInfo(array.shape, dtype))
        for i, (array, dtype) in enumerate(zip(sample.arrays, dtypes, strict=True))
    ]
    return Run(sample, dtypes, "sizes", params, sample.call(*params), sample.gives)


#: So many forms of a call of several tensors have symbolic sizes in all schemes.
BOTH = 8


def symbolic(run: Run, seen: set) -> Iterator[Run]:
    """The run with symbolic dimensions; once for each form of the call, whatever its element types.

    The first forms have all schemes, the others one by turns: each of them is a function to be compiled.
    """
    arrays = run.arrays
    form = (str(run.call.attrs), *(array.shape for array in arrays))
    if not run.sample.symbolic or form in seen or all(array.ndim == 0 for array in arrays):
        return
    seen.add(form)
    several = len(arrays) > 1
    if not several or len(seen) <= BOTH or len(seen) % 2:
        found = planned(run.sample, run.dtypes, "equal", run)
        if found is not None:
            yield found
    if several and len(seen) > BOTH and len(seen) % 2:
        return
    for scheme in ("apart", "places"):
        found = planned(run.sample, run.dtypes, scheme, run)
        if found is not None and are_apart(found):
            yield found
            return


def are_apart(run: Run) -> bool:
    """Whether equal sizes have got several variables."""
    dims = [
        (dim, int(size))
        for p, a in zip(run.params, run.arrays, strict=True)
        for dim, size in zip(p.struct_info.shape, a.shape, strict=True)
    ]
    variables = {(dim.name, size) for dim, size in dims if isinstance(dim, tir.Var)}
    return len(variables) > len({size for _, size in variables})


def groups(dtypes: list[str]) -> dict[tuple[int, ...], str]:
    """The arguments that have one element type, and that type."""
    found: dict[str, list[int]] = {}
    for place, dtype in enumerate(dtypes):
        found.setdefault(dtype, []).append(place)
    return {tuple(places): dtype for dtype, places in found.items()}


def converted(array: np.ndarray, dtype: str, is_data: bool) -> np.ndarray | None:
    """The array in another element type; of indices, none where the type does not hold them."""
    if dtype == "bfloat16":
        return rounded(array.astype(np.float32))
    kind = kind_of(dtype)
    if kind not in "iu" or array.dtype.kind == "b":
        with np.errstate(all="ignore"):
            return array.astype(dtype)
    if array.dtype.kind == "f":
        array = np.rint(np.nan_to_num(array.astype(np.float64), posinf=9, neginf=-9).clip(-9, 9)).astype(np.int64)
    info = np.iinfo(dtype)
    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    if low >= info.min and high <= info.max:
        return array.astype(dtype)
    if not is_data:
        return None
    wide = [abs(int(v)) if kind == "u" else int(v) for v in array.reshape(-1)]
    return np.array([min(max(v, info.min), info.max) for v in wide], dtype).reshape(array.shape)


def in_type(array: np.ndarray, dtype: str) -> np.ndarray:
    """The array in an element type; integers wrap."""
    if dtype == "bfloat16":
        return rounded(array.astype(np.float32))
    with np.errstate(all="ignore"):
        if array.dtype.kind == "f" and kind_of(dtype) in "iu":
            array = array.astype(np.int64)
        return array.astype(dtype)


def result_types(run: Run, places: tuple[int, ...], dtype: str) -> list[str]:
    """The element types of the results if these arguments had another: the same one where a result has theirs."""
    own = [found for _, found in run.expected()]
    before = run.dtypes[places[0]]
    for other in ("float64", "float16", "int32", "int16", "bool"):
        changed = [other if i in places else each for i, each in enumerate(run.dtypes)]
        there = planned(run.sample, changed, "sizes") if other not in (before, dtype, *own) else None
        if there is not None:
            return [dtype if info.dtype == other else found for info, found in zip(there.infos, own, strict=True)]
    return [dtype if found == before else found for found in own]


def retyped(base: list[Run]) -> Iterator[Run]:
    """Samples in the element types that none of them has, that inference takes, and that there are loops of."""
    covered: dict[tuple[int, ...], set[str]] = {}
    for run in base:
        for places, dtype in groups(run.dtypes).items():
            covered.setdefault(places, set()).add(dtype)
    for places, there in covered.items():
        for dtype in (d for d in DTYPES if d not in there):
            # Those of the same kind first, so that their references fit.
            own = [run for run in base if run.sample.retyped and places in groups(run.dtypes)]
            own.sort(key=lambda run: (*unlikeness(run.dtypes[places[0]], dtype), weight(run)))
            found = (retyped_run(run, places, dtype) for run in own if any(run.arrays[i].size > 1 for i in places))
            run = next((run for run in found if run is not None), None)
            if run is not None:
                yield run


def weight(run: Run) -> int:
    """How much there is to compute."""
    return math.prod(max(array.size, 1) for array in run.arrays)


def unlikeness(own: str, wanted: str) -> tuple[bool, bool, bool]:
    """How far an element type is from another one."""
    a, b = kind_of(own), kind_of(wanted)
    return (a in "iu") != (b in "iu") or (a == "f") != (b == "f"), a != b, own != "float32"


def retyped_run(run: Run, places: tuple[int, ...], dtype: str) -> Run | None:
    """The run with arguments of another element type."""
    arrays, dtypes = list(run.arrays), list(run.dtypes)
    for place in places:
        array = converted(arrays[place], dtype, 0 in places)
        if array is None:
            return None
        arrays[place], dtypes[place] = array, dtype
    found = planned(replace(run.sample, arrays=arrays), dtypes, "sizes")
    if found is not None and not becomes_loops(found):
        return None
    if found is not None:
        found.gives = result_types(run, places, dtype)
        with np.errstate(all="ignore"):
            found.known = [new.astype(own.dtype) for new, own in zip(arrays, run.arrays, strict=True)]
    return found


@cache
def runs(name: str) -> list[Run]:
    """All runs of an operator."""
    samples = list(REFERENCES[name].samples(np.random.default_rng(7), operator(name)))
    samples += varied(samples, is_taken)
    base = [plainly(sample) for sample in samples]
    seen: set = set()
    every = []
    for run in base:
        every += [run, *symbolic(run, seen)]
    return every + list(retyped(base))


def is_taken(sample: Sample) -> bool:
    """Whether inference takes the sample as it is."""
    return planned(sample, [str(array.dtype) for array in sample.arrays], "sizes") is not None


#: So many calls of an operator are tried with sizes that do not fit.
TRIED = 8


def tried(every: list[Run]) -> list[Run]:
    """Some of the calls that have a variable for each size."""
    apart = [run for run in every if run.dims == "apart"]
    return apart[:: max(1, len(apart) // TRIED)][:TRIED]


def misfits(run: Run) -> Iterator[list[np.ndarray]]:
    """Arguments whose shapes inference refuses, each with one size that is another."""
    for arrays in other_sizes(run):
        if planned(replace(run.sample, arrays=arrays), run.dtypes, "sizes") is None:
            yield arrays


def other_sizes(run: Run) -> Iterator[list[np.ndarray]]:
    """The arguments with one dimension of another size: 0, 1, one less and one more."""
    for i, (param, array) in enumerate(zip(run.params, run.arrays, strict=True)):
        for place, size in enumerate(array.shape):
            if not isinstance(param.struct_info.shape[place], tir.Var):
                continue
            for other in sorted({0, 1, max(size - 1, 0), size + 1} - {size}):
                shape = (*array.shape[:place], other, *array.shape[place + 1 :])
                there = np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)
                yield [*run.arrays[:i], there, *run.arrays[i + 1 :]]


def module_of(every: list[Run]) -> tw.IRModule:
    """A module with a function `f0`, `f1`, … for each run."""
    builder = relax.BlockBuilder()
    for i, run in enumerate(every):
        with builder.function(f"f{i}", run.params):
            builder.emit_func_output(builder.emit(run.call))
    return builder.finalize()


def different(every: list[Run]) -> list[Run]:
    """Of the runs with plain sizes those that differ in shapes or attributes."""
    plain = [run for run in every if run.dims == "sizes"]
    return list(
        {(str(run.call.attrs), *(array.shape for array in run.arrays)): run for run in reversed(plain)}.values()
    )


def lesser_infos(run: Run) -> Iterator[list[relax.TensorStructInfo]]:
    """Struct infos of the arguments that know less, of all arguments and of one: sizes, rank, element type are gone."""
    known = list(zip(run.arrays, run.dtypes, strict=True))
    own = [relax.TensorStructInfo(array.shape, dtype) for array, dtype in known]
    without = [
        [relax.TensorStructInfo(dtype=dtype, ndim=array.ndim) for array, dtype in known],
        [relax.TensorStructInfo(dtype=dtype) for _, dtype in known],
        [relax.TensorStructInfo(dtype=None) for _ in known],
    ]
    yield from without
    if len(known) > 1:
        for lesser in without:
            for i in range(len(known)):
                yield [*own[:i], lesser[i], *own[i + 1 :]]


def contradictions(run: Run, results: list[tuple[tuple[int, ...], str]]) -> list[str]:
    """What inference claims of arguments of which less is known, and is not so.

    The results are shapes and element types.
    """
    found = []
    for infos in lesser_infos(run):
        try:
            call = run.sample.call(*[relax.Var(f"x{i}", info) for i, info in enumerate(infos)])
        except REFUSALS:
            continue
        said = tensors_of(call.struct_info)
        fits = len(said) == len(results) and all(is_so(i, *result) for i, result in zip(said, results, strict=True))
        if not fits:
            found.append(f"{run.where}: of {', '.join(map(str, infos))} inference says {call.struct_info}")
    return found


def is_so(info: Any, shape: tuple[int, ...], dtype: str) -> bool:
    """Whether a tensor is as the struct info says; dimensions that are no numbers say nothing."""
    if isinstance(info, relax.PrimStructInfo):
        return shape == () and info.dtype == dtype
    if not isinstance(info, relax.TensorStructInfo):
        return isinstance(info, relax.ObjectStructInfo)
    if info.dtype not in ("", "void", dtype) or info.ndim not in (-1, len(shape)):
        return False
    dims = list(info.shape) if info.shape is not None and hasattr(info.shape, "__iter__") else []
    return all(not isinstance(d, tir.IntImm) or int(d) == size for d, size in zip(dims, shape, strict=False))


class Watch(TorchFunctionMode):
    """Sees whether PyTorch computes."""

    used = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """A call of one of PyTorch's functions."""
        self.used = True
        return func(*args, **(kwargs or {}))


def judge_of(every: list[Run]) -> str:
    """Who says what is right."""
    with Watch() as watch:
        for run in every[:1]:
            run.expected()
    return "PyTorch" if watch.used else "NumPy"


@dataclass
class Count:
    """How an operator is judged, in numbers."""

    samples: int
    symbolic: int
    #: Samples with tensors without elements, with dimensions of size 1, and with floats that are not finite.
    empty: int
    single: int
    special: int
    dtypes: list[str]
    ranks: list[int]
    #: Ranks up to 5 that inference takes and that no sample has.
    lacking: list[int]
    judge: str


def count(name: str) -> Count:
    """What the runs of an operator are."""
    every = runs(name)
    data = [run.dtypes[data_place(run)] if run.dtypes else run.infos[0].dtype for run in every]
    ranks = {run.arrays[data_place(run)].ndim if run.arrays else run.infos[0].ndim for run in every}
    shapes = [[array.shape for array in run.arrays] or [run.expected()[0][0].shape] for run in every]
    return Count(
        len(every),
        sum(run.dims != "sizes" for run in every),
        sum(any(0 in shape for shape in own) for own in shapes),
        sum(any(1 in shape for shape in own) for own in shapes),
        sum(not_finite(run.sample) for run in every),
        [d for d in DTYPES if d in data],
        sorted(ranks),
        lacking_ranks(every),
        judge_of(every),
    )


def lacking_ranks(every: list[Run]) -> list[int]:
    """The ranks up to 5 that inference takes of the first tensor and that no sample has."""
    ranks = {run.arrays[0].ndim for run in every if run.arrays}
    calls = [run for run in different(every) if run.arrays]
    return [rank for rank in range(6) if rank not in ranks and any(takes_rank(run, rank) for run in calls)]


def takes_rank(run: Run, rank: int) -> bool:
    """Whether inference takes the call of a first tensor of another rank; of the others it knows none."""
    infos = [relax.TensorStructInfo(dtype=dtype, ndim=-1 if i else rank) for i, dtype in enumerate(run.dtypes)]
    try:
        run.sample.call(*[relax.Var(f"x{i}", info) for i, info in enumerate(infos)])
    except REFUSALS:
        return False
    return True


def data_place(run: Run) -> int:
    """The argument whose type and rank a row shows: the first whose elements end up in the result, else the first."""
    wanted = run.infos[0].dtype
    return next((i for i, dtype in enumerate(run.dtypes) if dtype == wanted), 0) if len(set(run.dtypes)) > 1 else 0
