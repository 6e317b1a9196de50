"""Loop passes on loops without iterations, loops that differ between threads, and values that are half defined."""

import numpy as np
import pytest
from loop_functions import DOUBLE_BUFFER, changed, computes_the_same, parsed, run

from tilewright.error import TVMError
from tilewright.tir import transform

THREADS = """
(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for v in {loop}:
        s = T.decl_buffer((1,), "int32")
        s[0] = 0
        for i in range({extent}):
            s[0] = s[0] + A[i]
        C[v] = s[0]
"""


@pytest.mark.parametrize("extent", ["v + 1", "4", "T.min(v, 1)"])
def test_virtual_threads_with_loops_of_their_own_share_no_memory(extent):
    expected = run(parsed(THREADS.format(loop="range(3)", extent=extent)))
    virtual = parsed(THREADS.format(loop='T.thread_binding(3, thread="vthread")', extent=extent))
    for one, other in zip(run(changed(transform.InjectVirtualThread(), virtual)), expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("split", [0, 1, 2, 3])
def test_a_double_buffer_of_any_number_of_iterations(split, n):
    text = DOUBLE_BUFFER.format(scalars=", n: T.int32", count="n")
    config = {"tir.InjectDoubleBuffer": {"split_loop": split}}
    computes_the_same(transform.InjectDoubleBuffer(), text, config, scalar=n)


CHOICES = {
    "T.if_then_else(i < 5, A[i], {undef})": lambda a, i: i < 5,
    "T.if_then_else(i < 5, {undef}, A[i])": lambda a, i: i >= 5,
    "T.Select(A[i] < 4, A[i], {undef} + 1)": lambda a, i: a < 4,
    "T.if_then_else(i < 5, {undef}, {undef})": lambda a, i: i < 0,
    "{undef} * A[i]": lambda a, i: i < 0,
}
STORE = """
(A: T.Buffer((10,), "int32"), C: T.Buffer((10,), "int32")):
    for i in range(10):
        C[i] = {value}
"""


@pytest.mark.parametrize("value", CHOICES)
def test_the_defined_branch_of_a_choice_is_stored(value):
    function = parsed(STORE.format(value=value.format(undef='T.undef(dtype="int32")')))
    a, c = run(parsed(STORE.format(value="C[i]")))
    _, found = run(changed(transform.RemoveStoreUndef(), function))
    np.testing.assert_array_equal(found, np.where(CHOICES[value](a, np.arange(10)), a, c))


def test_a_choice_within_a_value_is_refused():
    value = 'T.if_then_else(i < 5, A[i], T.undef(dtype="int32")) + 1'
    with pytest.raises(TVMError, match="in one branch of a choice alone"):
        changed(transform.RemoveStoreUndef(), parsed(STORE.format(value=value)))
