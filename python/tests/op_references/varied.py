"""Samples made of samples: with sizes 0 and 1, and with floats that are not finite.

Where the samples of an operator have none of these, some of them are changed, and the reference says what comes out.
A changed call that inference refuses, or that the reference does not know, is none.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from .sampling import Sample

#: So many of each sort are made.
ENOUGH = 2
NOT_FINITE = [np.nan, np.inf, -np.inf, -0.0]


def varied(samples: list[Sample], takes: Callable[[Sample], bool]) -> Iterator[Sample]:
    """What the samples lack, each as one of them changed; `takes` is inference."""
    for size in (0, 1):
        lacking = ENOUGH - sum(size in array.shape for sample in samples for array in sample.arrays[:1])
        yield from some(lacking, samples, lambda sample, size=size: with_size(sample, size), takes)
    lacking = ENOUGH - sum(not_finite(sample) for sample in samples)
    yield from some(lacking, samples, lambda sample: [special] if (special := with_special(sample)) else [], takes)


def some(
    count: int, samples: list[Sample], changed: Callable[[Sample], list[Sample]], takes: Callable[[Sample], bool]
) -> Iterator[Sample]:
    """So many changed samples that can be."""
    for sample in samples:
        if count <= 0:
            return
        found = next((new for new in changed(sample) if takes(new) and is_known(new)), None)
        if found is not None:
            yield found
            count -= 1


def is_known(sample: Sample) -> bool:
    """Whether the reference says something of it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            sample.reference(*sample.arrays)
        except (RuntimeError, TypeError, IndexError, ValueError, ZeroDivisionError):
            return False
    return True


def not_finite(sample: Sample) -> bool:
    """Whether an argument has a float that is not finite."""
    return any(a.dtype.kind == "f" and not np.isfinite(a).all() for a in sample.arrays)


def with_size(sample: Sample, size: int) -> list[Sample]:
    """The sample with this size in place of another one, wherever that stands."""
    if not sample.varied:
        return []
    given = sorted({n for array in sample.arrays[:1] for n in array.shape if n > 1}, reverse=True)
    return [replace(sample, arrays=[resized(array, n, size) for array in sample.arrays]) for n in given]


def resized(array: np.ndarray, before: int, size: int) -> np.ndarray:
    """The array with another size for that of some of its dimensions, of elements that it has."""
    shape = [size if n == before else n for n in array.shape]
    if array.size == 0 or 0 in shape:
        return np.zeros(shape, array.dtype)
    return np.resize(array, shape)


def with_special(sample: Sample) -> Sample | None:
    """The sample with floats that are not finite among those of its first argument of floats."""
    place = next((i for i, a in enumerate(sample.arrays) if a.dtype.kind == "f" and a.size > 3), None)
    if place is None or not sample.varied:
        return None
    flat = sample.arrays[place].reshape(-1).copy()
    flat[:: max(1, flat.size // 4)][: len(NOT_FINITE)] = NOT_FINITE[: len(flat[:: max(1, flat.size // 4)])]
    arrays = list(sample.arrays)
    arrays[place] = flat.reshape(arrays[place].shape)
    return replace(sample, arrays=arrays)
