"""Functions that are written for threads of a GPU, on a processor: threads are loops that end at barriers."""

import numpy as np
import pytest

import tilewright as tw
from tilewright.script import tir as T

RNG = np.random.default_rng(0)


def run(func, *args):
    """Calls a PrimFunc that is built for this processor; the arguments are changed in place."""
    args = [tw.nd.array(arg) for arg in args]
    tw.build(func, target="llvm")(*args)
    return [arg.numpy() for arg in args]


def test_a_tree_of_sums_in_shared_memory():
    @T.prim_func
    def sums(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n, 64), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for bx in T.thread_binding(n, thread="blockIdx.x"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                with T.block("sums"):
                    T.reads(A[bx, 0:64])
                    T.writes(B[bx])
                    S = T.alloc_buffer((64,), "float32", scope="shared")
                    S[tx] = A[bx, tx]
                    T.tvm_storage_sync("shared")
                    for i in T.unroll(6):
                        if tx < T.shift_right(32, i):
                            S[tx] = S[tx] + S[tx + T.shift_right(32, i)]
                        T.tvm_storage_sync("shared")
                    if tx == 0:
                        B[bx] = S[0]

    a = RNG.integers(-8, 8, (300, 64)).astype("float32")
    np.testing.assert_array_equal(run(sums, a, np.zeros(300, "float32"))[1], a.sum(1))


def test_scans_keep_registers_across_barriers():
    """A prefix sum by doubling: each thread keeps its own sum while the others write theirs."""

    @T.prim_func
    def scan(A: T.Buffer((3, 32), "int32"), B: T.Buffer((3, 32), "int32")):
        for bx in T.thread_binding(3, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("scan"):
                    T.reads(A[bx, 0:32])
                    T.writes(B[bx, 0:32])
                    S = T.alloc_buffer((32,), "int32", scope="shared")
                    mine = T.alloc_buffer((1,), "int32", scope="local")
                    step = T.alloc_buffer((1,), "int32", scope="local")
                    mine[0] = A[bx, tx]
                    step[0] = 1
                    while T.tvm_thread_invariant(step[0]) < 32:
                        S[tx] = mine[0]
                        T.tvm_storage_sync("shared")
                        if tx >= step[0]:
                            mine[0] = mine[0] + S[tx - step[0]]
                        step[0] = step[0] * 2
                        T.tvm_storage_sync("shared")
                    B[bx, tx] = mine[0]

    a = RNG.integers(-100, 100, (3, 32)).astype("int32")
    np.testing.assert_array_equal(run(scan, a, np.zeros_like(a))[1], a.cumsum(1))


@pytest.mark.parametrize("k", [8, 24])
def test_a_product_in_tiles_of_threads_in_two_dimensions(k):
    @T.prim_func
    def product(A: T.Buffer((16, k), "float32"), B: T.Buffer((24, k), "float32"), C: T.Buffer((16, 24), "float32")):
        for by, bx in T.grid(2, 3):
            for y in T.thread_binding(8, thread="threadIdx.y"):
                for x in T.thread_binding(8, thread="threadIdx.x"):
                    with T.block("product"):
                        T.reads(A[0:16, 0:k], B[0:24, 0:k])
                        T.writes(C[0:16, 0:24])
                        a_tile = T.alloc_buffer((8, 8), "float32", scope="shared")
                        b_tile = T.alloc_buffer((8, 8), "float32", scope="shared")
                        total = T.alloc_buffer((1,), "float32", scope="local")
                        total[0] = T.float32(0)
                        for step in range(k // 8):
                            a_tile[y, x] = A[by * 8 + y, step * 8 + x]
                            b_tile[y, x] = B[bx * 8 + y, step * 8 + x]
                            T.tvm_storage_sync("shared")
                            for i in range(8):
                                total[0] = total[0] + a_tile[y, i] * b_tile[x, i]
                            T.tvm_storage_sync("shared")
                        C[by * 8 + y, bx * 8 + x] = total[0]

    a, b = RNG.standard_normal((16, k)).astype("float32"), RNG.standard_normal((24, k)).astype("float32")
    found = run(product, a, b, np.zeros((16, 24), "float32"))[2]
    np.testing.assert_allclose(found, a.astype("float64") @ b.T.astype("float64"), atol=1e-5)


def test_the_two_greatest_of_each_row_with_one_thread_for_a_row():
    """As gates choose experts: threads of several blocks, no barrier, rows that need not fill the last block."""

    @T.prim_func
    def top2(x: T.handle, values: T.handle, indices: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, 8), "float32")
        V = T.match_buffer(values, (n, 2), "float32")
        I = T.match_buffer(indices, (n, 2), "int32")
        for io in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
            for ii in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("top2"):
                    vi = T.axis.spatial(n, io * 32 + ii)
                    T.where(io * 32 + ii < n)
                    best = T.alloc_buffer((2,), "float32", scope="local")
                    at = T.alloc_buffer((2,), "int32", scope="local")
                    for t in T.unroll(2):
                        best[t] = T.min_value("float32")
                        at[t] = -1
                    for k in T.unroll(8):
                        if X[vi, k] > best[0]:
                            best[1] = best[0]
                            at[1] = at[0]
                            best[0] = X[vi, k]
                            at[0] = k
                        elif X[vi, k] > best[1]:
                            best[1] = X[vi, k]
                            at[1] = k
                    for t in T.unroll(2):
                        V[vi, t] = best[t]
                        I[vi, t] = at[t]

    x = RNG.permutation(77 * 8).reshape(77, 8).astype("float32")
    _, values, indices = run(top2, x, np.zeros((77, 2), "float32"), np.zeros((77, 2), "int32"))
    order = np.argsort(-x, 1)[:, :2]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))


def test_a_total_that_threads_share_is_no_result_of_one_of_them():
    @T.prim_func
    def share(A: T.Buffer((16,), "float32"), S: T.Buffer((1,), "float32"), B: T.Buffer((16,), "float32")):
        for i in T.thread_binding(16, "threadIdx.x"):
            S[0] = S[0] + A[i]
            B[i] = A[i] / S[0]

    with pytest.raises(tw.TVMError, match="`S` is read in the loop over threads"):
        tw.build(share, target="llvm")
