"""Loop passes on loops of few or no iterations, on threads that differ, and on values that are half defined."""

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


STAGES = """
(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32"), n: T.int32):
    for i in T.serial(0, n, annotations={{"software_pipeline_stage": {stage}, "software_pipeline_order": {order}}}):
        with T.block("body"):
            T.reads(A[i], C[i])
            T.writes(C[i], A[i])
            B = T.alloc_buffer((8,), "int32")
            D = T.alloc_buffer((8,), "int32")
            with T.block("load"):
                T.reads(A[i])
                T.writes(B[i])
                B[i] = A[i] + 1
            with T.block("add"):
                T.reads(B[i], C[i])
                T.writes(D[i], C[i])
                C[i] = C[i] + B[i]
                D[i] = B[i]
            with T.block("store"):
                T.reads(D[i])
                T.writes(A[i])
                A[i] = D[i] * 2
"""


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("stage", [[0, 1, 2], [0, 2, 3], [1, 1, 2]])
def test_a_pipeline_of_fewer_iterations_than_stages(stage, n):
    text = STAGES.format(stage=stage, order=[0, 1, 2])
    computes_the_same(transform.InjectSoftwarePipeline(), text, scalar=n)


CARRIED = """
(A: T.Buffer((12,), "int32"), C: T.Buffer((12,), "int32")):
    for i in T.serial(0, 8, annotations={{"software_pipeline_stage": {stage}, "software_pipeline_order": [0, 1]}}):
        with T.block("body"):
            T.reads(A[i])
            T.writes(A[i + {distance}])
            B = T.alloc_buffer((12,), "int32")
            with T.block("load"):
                T.reads(A[i])
                T.writes(B[i])
                B[i] = A[i] + 1
            with T.block("store"):
                T.reads(B[i])
                T.writes(A[i + {distance}])
                A[i + {distance}] = B[i]
"""


@pytest.mark.parametrize(("stage", "distance", "fits"), [
    ([0, 1], 1, False), ([0, 1], 2, True), ([0, 2], 1, False), ([0, 2], 2, False), ([0, 2], 3, True), ([1, 1], 1, True),
])  # fmt: skip
def test_a_pipeline_keeps_the_order_of_its_iterations(stage, distance, fits):
    text = CARRIED.format(stage=stage, distance=distance)
    if fits:
        computes_the_same(transform.InjectSoftwarePipeline(), text)
    else:
        with pytest.raises(TVMError, match=r"would access `A` before one in stage .* of the iteration . before"):
            changed(transform.InjectSoftwarePipeline(), parsed(text))


COMPACT = {
    "an extent of loaded data": """
(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), n: T.int32):
    A[0] = 15
    with T.LetStmt(A[0] % 16) as x:
        A[0] = 2
        V = T.decl_buffer((16,), "int32")
        for i in range(x + 1):
            V[i] = i
        B[0] = V[x]
""",
    "no iterations": """
(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), n: T.int32):
    V = T.decl_buffer((16,), "int32")
    for i in range(3, n):
        V[i] = A[i]
    for i in range(3, n):
        B[i] = V[i] + 1
""",
}


@pytest.mark.parametrize("n", [0, 3, 4, 9])
@pytest.mark.parametrize("name", COMPACT)
def test_a_compact_buffer_holds_what_is_used_of_it(name, n):
    computes_the_same(transform.CompactBufferAllocation(), COMPACT[name], scalar=n)


ASSUMED = """
(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), n: T.int32):
    {loop}
        T.evaluate(T.assume(A[0] == 1))
        B[1] = 5
    B[0] = T.if_then_else(A[0] == 1, 77, 66)
"""


@pytest.mark.parametrize("loop", ["for i in range(n):", "for i in range(n, 2):", "while B[1] < 0:"])
def test_a_loop_that_does_not_run_says_nothing(loop):
    options = {"propagate_knowns_to_prove_conditional": True, "propagate_knowns_to_simplify_expressions": True}
    scalar = 2 if "2" in loop else 0
    computes_the_same(transform.Simplify(), ASSUMED.format(loop=loop), {"tir.Simplify": options}, scalar)
