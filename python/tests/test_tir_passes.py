"""Loop passes by name: what each leaves, and that it computes the same as before."""

import numpy as np
import pytest
from loop_functions import changed, parsed, run

import tilewright as tvm
from tilewright import te, tir
from tilewright.error import TVMError
from tilewright.tir import analysis, transform

# By pass: the options of the context, the function before it, and after it.
CASES = {
    "Simplify": (
        transform.Simplify(),
        None,
        """
(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(16):
        if i < 16:
            A[i] = A[i] + i * 1 + 0
        if i < 0:
            A[i] = 3
    for i in range(1):
        if i == 5:
            A[i] = 7
    x = n * 2
    A[x] = x
    for i in range(16):
        if i != 5:
            if i != 5:
                A[i] = 0
            else:
                A[i] = 1
""",
        """
(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(16):
        A[i] = A[i] + i
    for i in range(1):
        T.evaluate(0)
    A[n * 2] = n * 2
    for i in range(16):
        if i != 5:
            A[i] = 0
""",
    ),
    "Simplify into an and of ors": (
        transform.Simplify(),
        {"tir.Simplify": {"convert_boolean_to_and_of_ors": True}},
        """
(A: T.Buffer((3,), "bool")):
    A[0] = (A[0] and A[1]) or A[2]
""",
        """
(A: T.Buffer((3,), "bool")):
    A[0] = (A[0] or A[2]) and (A[1] or A[2])
""",
    ),
    "RemoveNoOp": (
        transform.RemoveNoOp(),
        None,
        """
(A: T.Buffer((16,), "int32")):
    for i in range(16):
        for j in range(i, 16):
            T.evaluate(0)
    A[0] = A[0]
    if A[1] == 3:
        T.evaluate(5)
    else:
        A[2] = 1
""",
        """
(A: T.Buffer((16,), "int32")):
    if T.Not(A[1] == 3):
        A[2] = 1
""",
    ),
    "ConvertBlocksToOpaque, LowerOpaqueBlock": (
        tvm.transform.Sequential([transform.ConvertBlocksToOpaque(), transform.LowerOpaqueBlock()]),
        None,
        """
(A: T.Buffer((16, 1), "float32"), C: T.Buffer((16, 1), "float32")):
    for i, j in T.grid(16, 1):
        with T.block("around"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < 12)
            B = T.alloc_buffer((4,), "float32")
            for k in T.serial(4, annotations={"pragma_unroll_explicit": 1, "kept": 2}):
                with T.block("inside"):
                    vk = T.axis.spatial(4, k)
                    B[vk] = A[vi, vj] * T.float32(2)
            C[vi, vj] = B[3]
""",
        """
(A: T.Buffer((16, 1), "float32"), C: T.Buffer((16, 1), "float32")):
    for i in range(16):
        memory = T.allocate([4], "float32", "global")
        B = T.decl_buffer((4,), "float32", data=memory)
        if i < 12:
            with T.attr(0, "pragma_unroll_explicit", 1):
                for k in T.serial(4, annotations={"kept": 2}):
                    B[k] = A[i, 0] * T.float32(2)
            C[i, 0] = B[3]
""",
    ),
    "CompactBufferAllocation": (
        tvm.transform.Sequential([transform.CompactBufferAllocation(), transform.Simplify()]),
        None,
        """
(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i in range(16):
        with T.block("around"):
            T.reads(A[i, 0:16])
            T.writes(C[i, 0:16])
            B = T.alloc_buffer((16, 32), "float32")
            for j in range(16):
                B[i, j + 3] = A[i, j]
            for j in range(16):
                C[i, j] = B[i, j + 3] + T.float32(1)
""",
        """
(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i in range(16):
        with T.block("around"):
            T.reads(A[i, 0:16])
            T.writes(C[i, 0:16])
            B = T.alloc_buffer((1, 16), "float32")
            for j in range(16):
                B[0, j] = A[i, j]
            for j in range(16):
                C[i, j] = B[0, j] + T.float32(1)
""",
    ),
    "PlanAndUpdateBufferAllocationLocation": (
        transform.PlanAndUpdateBufferAllocationLocation(),
        None,
        """
(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,), "float32")
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi]
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + T.float32(1)
""",
        """
(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        for i in range(16):
            with T.block(""):
                T.reads(A[i])
                T.writes(C[i])
                B = T.alloc_buffer((16,), "float32")
                with T.block("B"):
                    vi = T.axis.spatial(16, i)
                    B[vi] = A[vi]
                with T.block("C"):
                    vi = T.axis.spatial(16, i)
                    C[vi] = B[vi] + T.float32(1)
""",
    ),
    "FlattenBuffer": (
        transform.FlattenBuffer(),
        None,
        """
(A: T.Buffer((4, 8), "float32"), C: T.Buffer((32,), "float32")):
    for i in range(4):
        B = T.decl_buffer((2, 8), "float32")
        for j in range(8):
            B[1, j] = A[i, j]
        for j in range(8):
            C[i * 8 + j] = B[1, j]
""",
        """
(A: T.Buffer((4, 8), "float32"), C: T.Buffer((32,), "float32")):
    flat = T.decl_buffer((32,), "float32", data=A.data)
    for i in range(4):
        B = T.decl_buffer((16,), "float32")
        for j in range(8):
            B[j + 8] = flat[i * 8 + j]
        for j in range(8):
            C[i * 8 + j] = B[j + 8]
""",
    ),
    "LowerMatchBuffer": (
        tvm.transform.Sequential([transform.LowerMatchBuffer(), transform.Simplify()]),
        None,
        """
(A: T.Buffer((8, 16), "float32")):
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes(A[i, 4:8])
            part = T.match_buffer(A[i, 4:8], (4,), offset_factor=1)
            for j in range(4):
                part[j] = T.Cast("float32", j)
""",
        """
(A: T.Buffer((8, 16), "float32")):
    for i in range(8):
        with T.block("b"):
            T.reads()
            T.writes(A[i, 4:8])
            for j in range(4):
                A[i, j + 4] = T.Cast("float32", j)
""",
    ),
    "HoistIfThenElse": (
        transform.HoistIfThenElse(),
        None,
        """
(A: T.Buffer((64,), "float32"), n: T.int32):
    for i, j in T.grid(8, 8):
        if i < 3:
            if n < 4:
                A[i * 8 + j] = T.float32(1)
            else:
                A[i * 8 + j] = T.float32(2)
""",
        """
(A: T.Buffer((64,), "float32"), n: T.int32):
    if n < 4:
        for i in range(8):
            if i < 3:
                for j in range(8):
                    A[i * 8 + j] = T.float32(1)
    else:
        for i in range(8):
            if i < 3:
                for j in range(8):
                    A[i * 8 + j] = T.float32(2)
""",
    ),
    "HoistExpression": (
        transform.HoistExpression(),
        None,
        """
(A: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(8):
        x = n * 2
        A[i] = T.if_then_else(n > 2, x, i)
""",
        """
(A: T.Buffer((8,), "int32"), n: T.int32):
    x = n * 2
    if n > 2:
        for i in range(8):
            A[i] = x
    else:
        for i in range(8):
            A[i] = i
""",
    ),
    "VectorizeLoop": (
        transform.VectorizeLoop(),
        None,
        """
(A: T.Buffer((32,), "float32"), B: T.Buffer((4, 8), "float32"), n: T.int32):
    for i in range(4):
        for j in T.vectorized(8):
            t = T.decl_buffer((1,), "float32")
            t[0] = A[i * 8 + j] + T.float32(1)
            B[i, j] = T.if_then_else(n > 2, t[0], A[0])
            if j < n:
                A[j] = T.float32(5)
""",
        """
(A: T.Buffer((32,), "float32"), B: T.Buffer((4, 8), "float32"), n: T.int32):
    for i in range(4):
        t = T.decl_buffer((8,), "float32")
        t[T.Ramp(0, 1, 8)] = A[T.Ramp(i * 8, 1, 8)] + T.Broadcast(T.float32(1), 8)
        B[i, T.Ramp(0, 1, 8)] = T.if_then_else(n > 2, t[T.Ramp(0, 1, 8)], T.Broadcast(A[0], 8))
        for k in range(8):
            if k < n:
                A[k] = T.float32(5)
""",
    ),
    "UnrollLoop": (
        tvm.transform.Sequential([transform.UnrollLoop(), transform.Simplify()]),
        {"tir.UnrollLoop": {"auto_max_step": 4}},
        """
(A: T.Buffer((16,), "int32")):
    for i in T.unroll(2):
        A[i] = A[i + 1]
    for i in range(2):
        A[i] = i
    for i in range(8):
        A[i] = A[i] + i
""",
        """
(A: T.Buffer((16,), "int32")):
    A[0] = A[1]
    A[1] = A[2]
    A[0] = 0
    A[1] = 1
    for i in range(8):
        A[i] = A[i] + i
""",
    ),
    "ForceNarrowIndexToInt32": (
        transform.ForceNarrowIndexToInt32(),
        None,
        """
(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in T.serial(T.int64(16)):
        with T.block("b"):
            vi = T.axis.spatial(T.int64(16), i)
            B[vi] = A[vi]
""",
        """
(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in T.serial(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi]
""",
    ),
    "CommonSubexprElimTIR": (
        transform.CommonSubexprElimTIR(),
        None,
        """
(A: T.Buffer((64,), "int32"), n: T.int32):
    for i in range(4):
        A[i * 4 + n] = i * 4 + n + A[n * 2]
    A[n * 2] = n * 2
""",
        """
(A: T.Buffer((64,), "int32"), n: T.int32):
    x = n * 2
    for i in range(4):
        y = i * 4 + n
        A[y] = y + A[x]
    A[x] = x
""",
    ),
    "RewriteUnsafeSelect": (
        transform.RewriteUnsafeSelect(),
        None,
        """
(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(8):
        B[i] = T.Select(i >= 1, A[T.max(i - 1, 0)], 0) + T.Select(i >= 2, i, 0)
""",
        """
(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(8):
        B[i] = T.if_then_else(i >= 1, A[T.max(i - 1, 0)], 0) + T.Select(i >= 2, i, 0)
""",
    ),
    "LowerInitBlock": (
        transform.LowerInitBlock(),
        None,
        """
(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
""",
        """
(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi])
            if vk == 0:
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
""",
    ),
    "ConvertForLoopsToSerial, SkipAssert": (
        tvm.transform.Sequential([transform.ConvertForLoopsToSerial(), transform.SkipAssert()]),
        None,
        """
(A: T.Buffer((4,), "int32"), n: T.int32):
    assert n == 3, "three"
    for i in T.parallel(4):
        A[i] = i
""",
        """
(A: T.Buffer((4,), "int32"), n: T.int32):
    for i in range(4):
        A[i] = i
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_pass_leaves_this_and_computes_the_same(name):
    made, config, before, after = CASES[name]
    before, after = parsed(before), parsed(after)
    found = changed(made, before, config)
    tvm.ir.assert_structural_equal(found, after)
    for one, other in zip(run(before), run(found), strict=True):
        np.testing.assert_array_equal(one, other)


# What no processor runs, or what has no result before the pass.
FORMS = {
    "BF16ComputeLegalize of sums": (
        transform.BF16ComputeLegalize(),
        """
(A: T.Buffer((8,), "bfloat16"), D: T.Buffer((8,), "bfloat16")):
    for i in range(8):
        C = T.decl_buffer((1,), "bfloat16")
        C[0] = A[i] + A[0]
        D[i] = C[0] * A[i]
""",
        """
(A: T.Buffer((8,), "bfloat16"), D: T.Buffer((8,), "bfloat16")):
    for i in range(8):
        C = T.decl_buffer((1,), "float32")
        C[0] = T.Cast("float32", A[i]) + T.Cast("float32", A[0])
        D[i] = T.Cast("bfloat16", C[0] * T.Cast("float32", A[i]))
""",
    ),
    "ThreadSync": (
        transform.ThreadSync("shared"),
        """
(A: T.Buffer((64,), "float32")):
    for t in T.thread_binding(32, "threadIdx.x"):
        S = T.decl_buffer((32,), "float32", scope="shared")
        for k in range(2):
            S[t] = A[k * 32 + t]
            A[k * 32 + t] = S[t] + S[31 - t]
""",
        """
(A: T.Buffer((64,), "float32")):
    for t in T.thread_binding(32, "threadIdx.x"):
        S = T.decl_buffer((32,), "float32", scope="shared")
        for k in range(2):
            T.tvm_storage_sync("shared")
            S[t] = A[k * 32 + t]
            T.tvm_storage_sync("shared")
            A[k * 32 + t] = S[t] + S[31 - t]
""",
    ),
    "Simplify keeps a let of memory": (
        transform.Simplify(),
        """
(A: T.Buffer((8,), "float32")):
    with T.LetStmt(A.data) as address:
        B = T.decl_buffer((8,), "float32", data=address)
        B[0 + 1] = T.float32(1.0)
""",
        """
(A: T.Buffer((8,), "float32")):
    with T.LetStmt(A.data) as address:
        B = T.decl_buffer((8,), "float32", data=address)
        B[1] = T.float32(1.0)
""",
    ),
    "UnifyThreadBinding": (
        transform.UnifyThreadBinding(),
        """
(A: T.Buffer((256,), "float32"), C: T.Buffer((256,), "float32")):
    for b in T.thread_binding(2, "blockIdx.x"):
        for t in T.thread_binding(16, "threadIdx.x"):
            A[b * 16 + t] = T.float32(1)
        for u in T.thread_binding(16, "threadIdx.x"):
            for v in T.thread_binding(4, "threadIdx.y"):
                C[b * 64 + u * 4 + v] = T.float32(2)
""",
        """
(A: T.Buffer((256,), "float32"), C: T.Buffer((256,), "float32")):
    for b in T.thread_binding(2, "blockIdx.x"):
        for t in T.thread_binding(16, "threadIdx.x"):
            for v in T.thread_binding(4, "threadIdx.y"):
                A[b * 16 + t] = T.float32(1)
                C[b * 64 + t * 4 + v] = T.float32(2)
""",
    ),
    "AnnotateDeviceRegions": (
        transform.AnnotateDeviceRegions(),
        """
(A: T.Buffer((4,), "float32")):
    T.func_attr({"target": "cuda"})
    for b in T.thread_binding(4, "blockIdx.x"):
        A[b] = T.float32(1)
""",
        """
(A: T.Buffer((4,), "float32")):
    T.func_attr({"target": "cuda"})
    with T.attr("cuda", "target", 0):
        for b in T.thread_binding(4, "blockIdx.x"):
            A[b] = T.float32(1)
""",
    ),
    "RemoveAssume, RemoveStoreUndef": (
        tvm.transform.Sequential([transform.RemoveAssume(), transform.RemoveStoreUndef()]),
        """
(A: T.Buffer((10,), "int32")):
    for i in range(10):
        T.evaluate(T.assume(A[i] > 0))
        A[i] = T.undef(dtype="int32")
        A[i] = A[i] + 1
""",
        """
(A: T.Buffer((10,), "int32")):
    for i in range(10):
        A[i] = A[i] + 1
""",
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_pass_leaves_this(name):
    made, before, after = FORMS[name]
    tvm.ir.assert_structural_equal(changed(made, parsed(before)), parsed(after))


def test_a_second_definition_gets_a_variable_of_its_own():
    i, a = tir.Var("i", "int32"), tir.decl_buffer((8,), "int32")
    loops = [tir.For(i, 0, 4, 0, tir.BufferStore(a, i + number, [i])) for number in range(2)]
    handle = tir.Var("a", "handle")
    function = tir.PrimFunc([handle], tir.SeqStmt(loops), buffer_map={handle: a})
    assert not analysis.verify_ssa(function)
    found = changed(transform.ConvertSSA(), function)
    assert analysis.verify_ssa(found)
    assert not found.body[0].loop_var.same_as(found.body[1].loop_var)
    assert found.body[1].body.indices[0].same_as(found.body[1].loop_var)


def test_a_float_that_equals_itself_may_be_no_number():
    function = parsed("""
(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "bool")):
    for i in range(3):
        B[i] = A[i] == A[i]
""")
    found = changed(transform.Simplify(), function)
    out = tvm.nd.array(np.zeros(3, "bool"))
    tvm.build(found, target="llvm")(tvm.nd.array(np.array([1, np.nan, np.inf], "float32")), out)
    assert out.numpy().tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("made", "text", "said"),
    [
        (transform.ConvertBlocksToOpaque(), CASES["LowerInitBlock"][2], "T.init"),
        (transform.LowerOpaqueBlock(), CASES["PlanAndUpdateBufferAllocationLocation"][2], "ConvertBlocksToOpaque"),
        (
            transform.UnifyThreadBinding(),
            """
(A: T.Buffer((16,), "float32")):
    for b in T.thread_binding(2, "blockIdx.x"):
        for t in T.thread_binding(4, "threadIdx.x"):
            A[t] = T.float32(1)
        for t in T.thread_binding(8, "threadIdx.x"):
            A[t] = T.float32(2)
""",
            "same extent",
        ),
        (
            transform.ForceNarrowIndexToInt32(),
            '\n(A: T.Buffer((4,), "int64")):\n    A[0] = T.int64(1)\n',
            "dtype int64",
        ),
        (
            transform.RemoveStoreUndef(),
            '\n(A: T.Buffer((4,), "int32")):\n    A[T.undef(dtype="int32")] = 1\n',
            "another use",
        ),
        (
            transform.VectorizeLoop(),
            '\n(A: T.Buffer((4,), "int32"), n: T.int32):\n    for i in T.vectorized(n):\n        A[i] = 1\n',
            "no constant",
        ),
    ],
)
def test_what_a_pass_cannot_take_is_refused(made, text, said):
    with pytest.raises(TVMError, match=said):
        changed(made, parsed(text))


def test_limits_of_devices_and_memory():
    kernel = parsed("""
(A: T.Buffer((64,), "float32")):
    T.func_attr({"target": "cuda"})
    for b in T.thread_binding(2, "blockIdx.x"):
        for t in T.thread_binding(32, "threadIdx.x"):
            S = T.decl_buffer((32,), "float32", scope="shared")
            S[t] = A[b * 32 + t]
            A[b * 32 + t] = S[t] * T.float32(2)
""")
    host = parsed('\n(A: T.Buffer((4,), "float32")):\n    T.func_attr({"target": "cuda"})\n    A[0] = T.float32(1)\n')
    assert analysis.verify_memory(kernel) and not analysis.verify_memory(host)
    with pytest.raises(RuntimeError, match="`A`"):
        changed(transform.VerifyMemory(), host)
    for limits, holds in [
        ({"max_threads_per_block": 32, "max_shared_memory_per_block": 128, "max_kernels": 1}, True),
        ({"max_threads_per_block": 31}, False),
        ({"max_shared_memory_per_block": 127}, False),
        ({"max_thread_x": 16}, False),
    ]:
        assert analysis.verify_gpu_code(kernel, limits) is holds
    assert analysis.calculate_allocated_bytes(kernel)["main"]["shared"] == 128
    with pytest.raises(TVMError, match="max_threads"):
        analysis.verify_gpu_code(kernel, {"max_thread": 1})


@pytest.mark.parametrize(
    ("index", "leaves"), [("i, 2", True), ("i, 1", False), ("n, 0", False), ("0, i - 1", True), ("1, i // 2", False)]
)
def test_an_iteration_that_leaves_a_buffer_is_found(index, leaves):
    function = parsed(f"""
(A: T.Buffer((3, 2), "float32"), B: T.Buffer((3,), "float32"), n: T.int32):
    for i in range(3):
        B[i] = A[{index}]
""")
    checker, module = analysis.OOBChecker(), tvm.IRModule({"main": function})
    if not leaves:
        assert len(checker(module)) == 1
        return
    with pytest.raises(tir.schedule.ScheduleError, match="`A`"):
        checker(module)


def test_passes_of_modules():
    first = parsed('\n(A: T.Buffer((4,), "float32")):\n    A[0] = T.float32(1)\n')
    module = tvm.IRModule({"main": first, "other": first.without_attr("global_symbol")})
    assert len(transform.Filter(lambda f: "global_symbol" in f.attrs)(module)) == 1
    marked = transform.AnnotateEntryFunc()(module)
    assert marked["main"].attrs["tir.is_entry_func"] and "tir.is_entry_func" not in marked["other"].attrs
    applied = transform.Apply(lambda f: f.with_attr("seen", 1))(module)
    assert all(int(f.attrs["seen"]) == 1 for _, f in applied.functions_items())


def test_a_scheduled_product_computes_the_same_after_every_pass_of_a_lowering():
    a, b = te.placeholder((37, 23), name="A"), te.placeholder((23, 29), name="B")
    k = te.reduce_axis((0, 23), name="k")
    c = te.compute((37, 29), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    sch = tir.Schedule(te.create_prim_func([a, b, te.compute((37, 29), lambda i, j: te.max(c[i, j], 0.0), name="D")]))
    rows, columns = sch.get_loops(sch.get_block("D"))
    sch.compute_at(sch.get_block("C"), rows)
    sch.vectorize(sch.split(columns, [None, 8])[1])
    function = sch.mod["main"]
    expected = run(function)
    for made in [
        transform.LowerInitBlock(),
        transform.PlanAndUpdateBufferAllocationLocation(),
        transform.ConvertBlocksToOpaque(),
        transform.UnifyThreadBinding(),
        transform.CompactBufferAllocation(),
        transform.LowerMatchBuffer(),
        transform.LowerOpaqueBlock(),
        transform.FlattenBuffer(),
        transform.NarrowDataType(32),
        transform.Simplify(),
        transform.VectorizeLoop(),
        transform.UnrollLoop(),
        transform.RemoveNoOp(),
        transform.HoistIfThenElse(),
        transform.CommonSubexprElimTIR(),
    ]:
        function = changed(made, function)
        for one, other in zip(expected, run(function), strict=True):
            np.testing.assert_array_equal(one, other)
    assert not any(isinstance(stmt, tir.BlockRealize) for stmt in visited(function.body))


def visited(body):
    found = []
    tir.stmt_functor.post_order_visit(body, found.append)
    return found
