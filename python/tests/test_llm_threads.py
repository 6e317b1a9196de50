"""Functions that are written for threads of a GPU, on a processor: threads are loops that end at barriers."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import tir
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


def test_local_memory_around_a_loop_over_threads_belongs_to_a_thread():
    """The least element of each row and where it is: what a thread keeps is declared for the whole function."""

    @T.prim_func
    def least(x: T.handle, values: T.handle, places: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, 9), "float32")
        V = T.match_buffer(values, (n,), "float32")
        P = T.match_buffer(places, (n,), "int32")
        best = T.alloc_buffer((1,), "float32", scope="local")
        place = T.alloc_buffer((1,), "int32", scope="local")
        for outer in T.thread_binding(0, T.ceildiv(n, T.int64(16)), "blockIdx.x"):
            for inner in T.thread_binding(0, 16, "threadIdx.x"):
                with T.block("least"):
                    row = T.axis.spatial(n, outer * 16 + inner)
                    T.where(outer * 16 + inner < n)
                    with T.block("begin"):
                        best[0] = T.max_value("float32")
                        place[0] = -1
                    for k in range(9):
                        with T.block("update"):
                            vk = T.axis.remap("S", [k])
                            if X[row, vk] < best[0]:
                                best[0] = X[row, vk]
                                place[0] = vk
                    with T.block("end"):
                        V[row] = best[0]
                        P[row] = place[0]

    x = RNG.permutation(45 * 9).reshape(45, 9).astype("float32")
    _, values, places = run(least, x, np.zeros(45, "float32"), np.zeros(45, "int32"))
    np.testing.assert_array_equal(places, x.argmin(1))
    np.testing.assert_array_equal(values, x.min(1))


def ragged_product(groups, k, columns, rows_of_tile, dtype):
    """Rows of each group times the group's matrix. Blocks take tiles until there are none; threads fetch together.

    `first` says where a group's rows begin; tiles of a group are as many as its rows fill.
    """
    wide, blocks = 16, 5

    @T.prim_func(private=True)
    def product(x: T.handle, matrices: T.Buffer((groups, columns, k), dtype), first: T.Buffer((groups + 1,), "int32"),
                y: T.handle):  # fmt: skip
        T.func_attr({"tir.is_scheduled": True, "tir.noalias": True})
        n = T.int32(is_size_var=True)
        X = T.match_buffer(x, (n, k), dtype)
        Y = T.match_buffer(y, (n, columns), dtype)
        for bx in T.thread_binding(blocks, thread="blockIdx.x"):
            with T.block("tiles"):
                b = T.axis.spatial(blocks, bx)
                T.reads(X[:, :], matrices[:, :, :], first[:])
                T.writes(Y[:, :])
                group = T.alloc_buffer((1,), "int32", scope="local")
                tile = T.alloc_buffer((1,), "int32", scope="local")
                group[0] = 0
                tile[0] = b
                while T.tvm_thread_invariant(group[0] < groups):
                    count: T.int32 = T.ceildiv(first[group[0] + 1] - first[group[0]], rows_of_tile)
                    T.tvm_storage_sync("shared")
                    if T.tvm_thread_invariant(tile[0] < count):
                        g = group[0]
                        begin = first[g] + tile[0] * rows_of_tile
                        end = first[g + 1]
                        with T.block("tile"):
                            T.reads(X[begin : begin + rows_of_tile, :], matrices[g, 0:wide, :])
                            T.writes(Y[begin : begin + rows_of_tile, 0:wide])
                            left = T.alloc_buffer((rows_of_tile, k), dtype, scope="shared")
                            right = T.alloc_buffer((wide, k), dtype, scope="shared")
                            sums = T.alloc_buffer((rows_of_tile, wide), "float32", scope="local")
                            for i, j in T.grid(rows_of_tile, k):
                                with T.block("left"):
                                    vi, vj = T.axis.remap("SS", [i, j])
                                    left[vi, vj] = T.if_then_else(begin + vi < end, X[begin + vi, vj], T.cast(0, dtype))
                            for i, j in T.grid(wide, k):
                                with T.block("right"):
                                    vi, vj = T.axis.remap("SS", [i, j])
                                    right[vi, vj] = T.if_then_else(vi < columns, matrices[g, vi, vj], T.cast(0, dtype))
                            for i, j, r in T.grid(rows_of_tile, wide, k):
                                with T.block("sums"):
                                    vi, vj, vr = T.axis.remap("SSR", [i, j, r])
                                    with T.init():
                                        sums[vi, vj] = T.float32(0)
                                    sums[vi, vj] += T.cast(left[vi, vr] * right[vj, vr], "float32")
                            for i, j in T.grid(rows_of_tile, wide):
                                with T.block("result"):
                                    vi, vj = T.axis.remap("SS", [i, j])
                                    if begin + vi < end and vj < columns:
                                        Y[begin + vi, vj] = T.cast(sums[vi, vj], dtype)
                        tile[0] += blocks
                    else:
                        tile[0] = tile[0] - count
                        group[0] += 1

    sch = tir.Schedule(product)
    sums = sch.get_block("sums")
    i, j, r = sch.get_loops(sums)
    ty, j = sch.split(j, [4, None])
    tx, i = sch.split(i, [2, None])
    outer, inner = sch.split(r, [None, 8])
    sch.reorder(ty, tx, outer, inner, j, i)
    sch.bind(ty, "threadIdx.y")
    sch.bind(tx, "threadIdx.x")
    sch.reverse_compute_at(sch.get_block("result"), tx, preserve_unit_loops=True)
    for name in ("left", "right"):
        block = sch.get_block(name)
        sch.compute_at(block, outer, preserve_unit_loops=True)
        y, x, _ = sch.split(sch.fuse(*sch.get_loops(block)[-2:]), [4, 2, None])
        sch.bind(y, "threadIdx.y")
        sch.bind(x, "threadIdx.x")
    sch.decompose_reduction(sums, outer)
    return sch.mod["main"]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_threads_fetch_tiles_together_in_blocks_that_take_tasks(dtype):
    first = np.array([0, 3, 3, 20, 21, 42], "int32")
    x = RNG.integers(-3, 4, (42, 24)).astype(dtype)
    w = RNG.integers(-3, 4, (5, 13, 24)).astype(dtype)
    expected = np.concatenate([x[first[g] : first[g + 1]] @ w[g].T for g in range(5)])
    found = run(ragged_product(5, 24, 13, 4, dtype), x, w, first, np.zeros((42, 13), dtype))[3]
    np.testing.assert_array_equal(found, expected)


def test_a_block_that_names_its_threads_is_bound():
    """Blocks without axes say themselves which element a thread writes."""

    @T.prim_func
    def negate(x: T.handle, y: T.handle):
        h, w = T.int64(), T.int64()
        X = T.match_buffer(x, (h, w), "int32")
        Y = T.match_buffer(y, (h, w), "int32")
        for i, j in T.grid(h, w):
            with T.block("negate"):
                T.reads(X[i, j])
                T.writes(Y[i, j])
                if i < h and j < w:
                    Y[i, j] = -X[i, j]

    sch = tir.Schedule(negate)
    i, j = sch.get_loops(sch.get_block("negate"))
    (i, i_inner), (j, j_inner) = sch.split(i, [4, None]), sch.split(j, [2, None])
    sch.reorder(i, j, i_inner, j_inner)
    block, thread = sch.split(sch.fuse(i, j), [None, 8])
    sch.bind(block, "blockIdx.x")
    sch.bind(thread, "threadIdx.x")
    x = RNG.integers(-9, 9, (7, 5)).astype("int32")
    np.testing.assert_array_equal(run(sch.mod["main"], x, np.zeros_like(x))[1], -x)


def test_a_choice_keeps_an_access_in_range_that_nothing_is_known_of():
    @T.prim_func
    def bounds(counts: T.handle, first: T.Buffer((5,), "int32"), n: T.int64):
        m = T.int64()
        C = T.match_buffer(counts, (m,), "int32")
        for i in range(5):
            with T.block("bounds"):
                vi = T.axis.spatial(5, i)
                first[vi] = T.Select(vi > 0, C[vi * n - 1], 0)

    counts = np.arange(100, 112, dtype="int32")
    first = tw.nd.array(np.zeros(5, "int32"))
    tw.build(bounds, target="llvm")(tw.nd.array(counts), first, 3)
    np.testing.assert_array_equal(first.numpy(), [0, 102, 105, 108, 111])


@pytest.mark.parametrize("scope", ["shared", "local"])
def test_a_thread_keeps_local_memory_between_loops_over_the_same_threads(scope):
    """A sum over threads between two loops over them, as GPUs normalise rows: each thread has its own elements."""

    @T.prim_func
    def part_of_the_sum(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, 12), "float32")
        Y = T.match_buffer(y, (n, 12), "float32")
        own = T.alloc_buffer((3,), "float32", scope="local")
        sums = T.alloc_buffer((4,), "float32", scope="local")
        total = T.alloc_buffer((1,), "float32", scope=scope)
        for row in T.thread_binding(n, thread="blockIdx.x"):
            for thread in T.thread_binding(4, thread="threadIdx.x"):
                with T.block("begin"):
                    t = T.axis.spatial(4, thread)
                    sums[t] = T.float32(0)
                for i in range(3):
                    with T.block("keep"):
                        r, t, k = T.axis.remap("SSS", [row, thread, i])
                        own[k] = X[r, k * 4 + t]
                        sums[t] = sums[t] + own[k]
            for thread in T.thread_binding(4, thread="threadIdx.x"):
                with T.block("total"):
                    t = T.axis.reduce(4, thread)
                    with T.init():
                        total[0] = T.float32(0)
                    total[0] = total[0] + sums[t]
            for i in range(3):
                for thread in T.thread_binding(4, thread="threadIdx.x"):
                    with T.block("part"):
                        r, t, k = T.axis.remap("SSS", [row, thread, i])
                        Y[r, k * 4 + t] = own[k] / total[0]

    x = RNG.integers(1, 9, (7, 12)).astype("float32")
    np.testing.assert_array_equal(run(part_of_the_sum, x, np.zeros_like(x))[1], x / x.sum(1, keepdims=True))
