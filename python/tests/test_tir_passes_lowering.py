"""Loop passes for pipelines, memory and devices: what they leave, and that it computes the same as before."""

import numpy as np
import pytest
from loop_functions import DOUBLE_BUFFER, HEADER, changed, computes_the_same, parsed, run

import tilewright as tvm
from tilewright import tir
from tilewright.error import TVMError
from tilewright.script import from_source
from tilewright.tir import transform


def found(function, kind):
    nodes = []
    tir.stmt_functor.post_order_visit(
        function.body, lambda node: nodes.append(node) if isinstance(node, kind) else None
    )
    return nodes


PIPELINE = """
(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32")):
    for t in range(4):
        for i in T.serial(
            16, annotations={{"software_pipeline_stage": {stage}, "software_pipeline_order": {order}{more}}}
        ):
            with T.block(""):
                T.reads(A[t, i])
                T.writes(C[t, i])
                B = T.alloc_buffer((4, 1), "float32", scope="shared")
                D = T.alloc_buffer((4, 1), "float32", scope="shared")
                with T.block(""):
                    T.reads(A[t, i])
                    T.writes(B[t, 0])
                    B[t, 0] = A[t, i] * T.float32(2)
                with T.block(""):
                    T.reads(B[t, 0])
                    T.writes(D[t, 0])
                    D[t, 0] = B[t, 0] + T.float32(1)
                with T.block(""):
                    T.reads(B[t, 0], D[t, 0])
                    T.writes(C[t, i])
                    C[t, i] = D[t, 0] * B[t, 0]
"""


@pytest.mark.parametrize(
    ("stage", "order", "versions"),
    [
        ([0, 0, 1], [0, 1, 2], (2, 2)),
        ([0, 1, 1], [0, 1, 2], (2, 1)),
        ([0, 1, 2], [0, 1, 2], (3, 2)),
        ([0, 1, 2], [2, 1, 0], (3, 1)),
        ([0, 2, 5], [1, 0, 2], (6, 4)),
    ],
)
def test_a_pipeline_keeps_as_many_versions_as_iterations_are_between(stage, order, versions):
    text = PIPELINE.format(stage=stage, order=order, more="")
    after = computes_the_same(transform.InjectSoftwarePipeline(), text)
    buffers = [buffer for stmt in found(after, tir.BlockRealize) for buffer in stmt.block.alloc_buffers]
    assert tuple(int(b.shape[0]) if len(b.shape) == 3 else 1 for b in buffers) == versions


def test_a_simple_pipeline():
    text = """
(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in T.serial(16, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            B = T.alloc_buffer((1,), "float32")
            with T.block(""):
                T.reads(A[i])
                T.writes(B[0])
                B[0] = A[i] * T.float32(2)
            with T.block(""):
                T.reads(B[0])
                T.writes(C[i])
                C[i] = B[0] + T.float32(1)
"""
    expected = """
(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block(""):
            T.reads(A[0:16])
            T.writes(C[0:16])
            B = T.alloc_buffer((2, 1), "float32")
            with T.block(""):
                T.reads(A[0])
                T.writes(B[0, 0])
                B[0, 0] = A[0] * T.float32(2)
            with T.block(""):
                T.reads(A[1:16], B[0:2, 0])
                T.writes(B[0:2, 0], C[0:15])
                for i in range(15):
                    with T.block(""):
                        T.reads(A[i + 1])
                        T.writes(B[(i + 1) % 2, 0])
                        B[(i + 1) % 2, 0] = A[i + 1] * T.float32(2)
                    with T.block(""):
                        T.reads(B[i % 2, 0])
                        T.writes(C[i])
                        C[i] = B[i % 2, 0] + T.float32(1)
            with T.block(""):
                T.reads(B[1, 0])
                T.writes(C[15])
                C[15] = B[1, 0] + T.float32(1)
"""
    made = tvm.transform.Sequential([transform.InjectSoftwarePipeline(), transform.Simplify()])
    tvm.ir.assert_structural_equal(computes_the_same(made, text), parsed(expected))


def test_readers_of_asynchronous_stages_wait():
    text = PIPELINE.format(stage=[0, 0, 3], order=[0, 1, 2], more=', "software_pipeline_async_stages": [0]')
    after = computes_the_same(transform.InjectSoftwarePipeline(), text)
    waits = [n.value for n in found(after, tir.AttrStmt) if n.attr_key == "async_wait_inflight_count"]
    assert [str(wait) for wait in waits] == ["3", "2 - i"]


@pytest.mark.parametrize(
    ("stage", "order", "said"),
    [([1, 0, 1], [0, 1, 2], "depend"), ([0, 1, 1], [0, 0, 1], "order of its own"), ([0, 1], [0, 1], "3 statements")],
)
def test_pipelines_that_cannot_be(stage, order, said):
    with pytest.raises(TVMError, match=said):
        changed(transform.InjectSoftwarePipeline(), parsed(PIPELINE.format(stage=stage, order=order, more="")))


# Programs, and the sizes of the memory that stays: of temporaries one after the other, in place, in a loop, and of
# some that are alive at once or read in another order.
STORAGE = [
    (["B[i] = A[i]", "C[i] = B[i] + 1.0", "E[i] = C[i] * 2.0", "D[i] = E[i]"], [16]),
    (["B[i] = A[i]", "C[i] = B[15 - i] + 1.0", "E[i] = C[15 - i] * 2.0", "D[i] = E[i]"], [16, 16]),
    (["B[i] = A[i]", "C[i] = B[i] + B[15 - i]", "E[i] = C[i] + B[i]", "D[i] = E[i] + B[i]"], [16, 16]),
]


@pytest.mark.parametrize(("stores", "sizes"), STORAGE)
def test_temporaries_share_memory(stores, sizes):
    lines = ['(A: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):']
    for store in stores:
        name = store[0]
        if name != "D":
            lines.append(f'    {name} = T.decl_buffer((16,), "float32")')
        value = store.replace("1.0", "T.float32(1)").replace("2.0", "T.float32(2)")
        lines += ["    for i in range(16):", f"        {value}"]
    after = computes_the_same(transform.StorageRewrite(), "\n".join(lines) + "\n")
    assert [line.split("((")[1].split(",")[0] for line in after.script().splitlines() if is_memory(line)] == [
        str(size) for size in sizes
    ]


def is_memory(line):
    return "decl_buffer" in line and "data=" not in line


@pytest.mark.parametrize("split", [0, 1, 2, 3])
def test_a_loop_fills_the_next_buffer_ahead(split):
    text = DOUBLE_BUFFER.format(scalars="", count=8)
    after = computes_the_same(transform.InjectDoubleBuffer(), text, {"tir.InjectDoubleBuffer": {"split_loop": split}})
    assert any(node.attr_key == "double_buffer_write" for node in found(after, tir.AttrStmt))
    with pytest.raises(TVMError, match="written in the same loop"):
        changed(transform.InjectDoubleBuffer(), parsed(text.replace("C[j] = C[j]", "A[j] = C[j]")))


SUM = """
(A: T.Buffer((8, 100), "float32"), B: T.Buffer((8,), "float32")):
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k_0 in range(4):
            for k_1 in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(8, i)
                    vk = T.axis.reduce(100, k_0 * 32 + k_1)
                    T.where(k_0 * 32 + k_1 < 100)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]
"""


def test_a_reduction_over_threads():
    expected = """
(A: T.Buffer((8, 100), "float32"), B: T.Buffer((8,), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        cross = T.alloc_buffer((1,), strides=[1], scope="local")
        own = T.alloc_buffer((1,), strides=[1], scope="local")
        for i in T.thread_binding(8, thread="blockIdx.x"):
            for k_1 in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("B_in_thread_init"):
                    T.reads()
                    T.writes(own[0])
                    own[0] = T.float32(0)
                for k_0 in range(4):
                    with T.block("B_in_thread"):
                        vi = T.axis.spatial(8, i)
                        vk = T.axis.reduce(100, k_0 * 32 + k_1)
                        T.where(k_0 * 32 + k_1 < 100)
                        T.reads(A[vi, vk])
                        T.writes(own[0])
                        own[0] = own[0] + A[vi, vk]
                with T.block("B_cross_thread"):
                    T.reads(own[0])
                    T.writes(cross[0])
                    T.attr(
                        T.comm_reducer(lambda x, y: x + y, [T.float32(0)]),
                        "reduce_scope",
                        T.reinterpret(T.uint64(0), dtype="handle"),
                    )
                    T.evaluate(T.tvm_thread_allreduce(T.uint32(1), own[0], T.bool(True), cross[0], k_1, dtype="handle"))
                with T.block("B_write_back"):
                    vi = T.axis.spatial(8, i)
                    T.where(k_1 == 0)
                    T.reads(cross[0])
                    T.writes(B[vi])
                    B[vi] = cross[0]
"""
    tvm.ir.assert_structural_equal(changed(transform.LowerCrossThreadReduction(), parsed(SUM)), parsed(expected))


@pytest.mark.parametrize(("target", "shuffles"), [("cuda", 6), ("llvm", 0)])
def test_threads_reduce_by_shuffles_where_there_are_any(target, shuffles):
    made = [
        transform.LowerCrossThreadReduction(),
        transform.PlanAndUpdateBufferAllocationLocation(),
        transform.ConvertBlocksToOpaque(),
        transform.LiftThreadBinding(),
        transform.LowerOpaqueBlock(),
        transform.LowerThreadAllreduce(),
    ]
    text = changed(tvm.transform.Sequential(made), parsed(SUM).with_attr("target", target)).script()
    assert text.count("tvm_warp_shuffle") == shuffles
    assert ("tvm_storage_sync" in text) == (shuffles == 0)


ARGMAX = """
(A: T.Buffer((8, 32), "float32"), V: T.Buffer((8,), "float32"), P: T.Buffer((8,), "int32")):
    for i in T.thread_binding(8, thread="blockIdx.x"):
        for k in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    P[vi] = -1
                    V[vi] = T.min_value("float32")
                place: T.int32 = T.Select(V[vi] >= A[vi, vk], P[vi], vk)
                value: T.float32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])
                P[vi] = place
                V[vi] = value
"""


def test_the_place_of_a_maximum_is_reduced_with_it():
    text = changed(transform.LowerCrossThreadReduction(), parsed(ARGMAX)).script()
    assert "T.tvm_thread_allreduce(T.uint32(2), vk, A[vi, vk], " in text
    unknown = SUM.replace("B[vi] + A[vi, vk]", "B[vi] * B[vi] + A[vi, vk]")
    with pytest.raises(TVMError, match="none that is known"):
        changed(transform.LowerCrossThreadReduction(), parsed(unknown))


def test_a_kernel_becomes_a_function_that_the_host_launches():
    function = parsed("""
(A: T.Buffer((16,), "float32"), n: T.int32):
    T.func_attr({"target": "cuda -host=llvm"})
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(n, thread="threadIdx.x"):
            A[b * 4 + t] = A[b * 4 + t] + T.Cast("float32", n)
""")
    made = tvm.transform.Sequential([transform.AnnotateDeviceRegions(), transform.SplitHostDevice()])
    module = made(tvm.IRModule({"main": function}))
    kernel = module["main_kernel"]
    assert [param.dtype for param in kernel.params] == ["handle", "int32"]
    assert str(kernel.attrs["target"]) == "cuda" and kernel.attrs["tir.is_global_func"]
    module.update_func(module.get_global_var("main"), module["main"].with_attr("target", "llvm"))
    launched = transform.LowerDeviceKernelLaunch()(module)
    assert list(launched["main_kernel"].attrs["tir.kernel_launch_params"]) == ["blockIdx.x", "threadIdx.x"]
    assert 'T.call_packed("main_kernel", A.data, n, 4, n)' in launched["main"].script()


def test_extents_of_a_launch_are_said_by_the_parameters_of_the_kernel():
    function = parsed("""
(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), n: T.int32):
    T.func_attr({"target": T.target("cuda", host="llvm")})
    m: T.int32 = n * 2
    with T.attr(T.target("cuda"), "target", 0):
        k: T.int32 = m + 1
        for t in T.thread_binding(k, thread="threadIdx.x"):
            B[t] = A[t] + m
""")
    made = tvm.transform.Sequential([transform.SplitHostDevice(), transform.LowerDeviceKernelLaunch()])
    module = made(tvm.IRModule({"main": function}))
    assert list(module["main_kernel"].attrs["tir.kernel_launch_params"]) == ["threadIdx.x"]
    assert 'T.call_packed("main_kernel", B.data, A.data, m, m + 1)' in module["main"].script()


def test_private_functions_are_inlined():
    module = from_source(
        HEADER
        + """
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            Module.sub(A.data, B.data, i * 1)

    @T.prim_func(private=True)
    def sub(a: T.handle("float32"), b: T.handle("float32"), i: T.int32):
        A = T.decl_buffer((16,), "float32", data=a)
        B = T.decl_buffer((16,), "float32", data=b)
        B[i] = A[i] + T.float32(1)
"""
    )
    module = transform.InlinePrivateFunctions()(module)
    assert len(module) == 1
    a, b = run(module["main"])
    np.testing.assert_array_equal(b, a + 1)


def test_dynamic_shared_memory_is_one_allocation():
    function = parsed("""
(A: T.Buffer((64,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B = T.decl_buffer((33,), "float16", scope="shared.dyn")
        C = T.decl_buffer((32,), "float32", scope="shared.dyn")
        B[t] = T.Cast("float16", A[t])
        C[t] = A[t] + T.Cast("float32", B[t])
        A[t] = C[t]
""")
    text = changed(transform.MergeSharedMemoryAllocations(), function).script()
    assert 'buf_dyn_shmem = T.decl_buffer((208,), "uint8", scope="shared.dyn")' in text and "C[t + 20]" in text


def test_copies_to_shared_memory_are_asynchronous():
    function = parsed("""
(A: T.Buffer((256,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B = T.decl_buffer((128,), "float32", scope="shared")
        with T.attr("default", "async_scope", 1):
            B[T.Ramp(t * 4, 1, 4)] = A[T.Ramp(t * 4, 1, 4)]
            B[t] = T.if_then_else(t < 5, A[t], T.float32(0))
            B[t] = A[t] + T.float32(1)
        A[t] = B[t]
""")
    text = changed(transform.InjectPTXAsyncCopy(), function).script()
    assert 'T.ptx_cp_async("float32", B.data, t * 4, A.data, t * 4, 16)' in text
    assert 'T.ptx_cp_async("float32", B.data, t, A.data, t, 4, t < 5)' in text
    assert "B[t] = A[t] + T.float32(1" in text and "async_scope" not in text


def test_bfloat16_is_kept_as_its_bits():
    text = """
(A: T.Buffer((6,), "bfloat16"), B: T.Buffer((6,), "float32")):
    for i in range(6):
        A[i] = T.Cast("bfloat16", B[i])
        B[i] = T.Cast("float32", A[i])
"""
    function = changed(transform.BF16StorageLegalize(), parsed(text))
    values = np.array([1.00390625, 1.01171875, -0.0, np.inf, 3e38, np.nan], "float32")
    bits = np.append(values[:5].view("uint32"), np.uint32(0x7FFFFFFF)).astype("uint32")
    b = tvm.nd.array(bits.view("float32").copy())
    tvm.build(function, target="llvm")(tvm.nd.array(np.zeros(6, "uint16")), b)
    rounded = np.array([1.0, 1.015625, -0.0, np.inf, 3.00405527e38, np.nan], "float32")
    np.testing.assert_allclose(b.numpy(), rounded, rtol=1e-6)
    assert np.signbit(b.numpy()[2])
