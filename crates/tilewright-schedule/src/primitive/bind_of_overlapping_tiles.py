# Blocks of threads fetch tiles that overlap: their memory is their own.
# test: schedule
# step: b = get_block("B")
# step: i, = get_loops(b)
# step: io, ii = split(i, [None, 4])
# step: bind(io, "blockIdx.x")
# step: bind(ii, "threadIdx.x")
# step: a = cache_read(b, 0, "shared")
# step: compute_at(a, io)
# step: a0, a1 = get_loops(a)
# step: t0, t1 = split(a1, [None, 4])
# step: bind(t1, "threadIdx.x")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((14,), "float32"), B: T.Buffer((12,), "float32")):
        for i in range(12):
            with T.block("B"):
                vi = T.axis.spatial(12, i)
                B[vi] = A[vi] + A[vi + 1] + A[vi + 2]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((14,), "float32"), B: T.Buffer((12,), "float32")):
        # with T.block("root"):
        A_shared = T.alloc_buffer((14,), scope="shared")
        for i_0 in T.thread_binding(3, thread="blockIdx.x"):
            for ax0_0 in range(2):
                for ax0_1 in T.thread_binding(4, thread="threadIdx.x"):
                    with T.block("A_shared"):
                        v0 = T.axis.spatial(14, i_0 * 4 + ax0_0 * 4 + ax0_1)
                        T.where(ax0_0 * 4 + ax0_1 < 6)
                        T.reads(A[v0])
                        T.writes(A_shared[v0])
                        A_shared[v0] = A[v0]
            for i_1 in T.thread_binding(4, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(12, i_0 * 4 + i_1)
                    T.reads(A_shared[vi:vi + 3])
                    T.writes(B[vi])
                    B[vi] = A_shared[vi] + A_shared[vi + 1] + A_shared[vi + 2]
