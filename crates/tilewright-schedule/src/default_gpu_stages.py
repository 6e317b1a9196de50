# Stages of many sorts: scalars, a reduction to a scalar, axes in another order than the loops, iterations that depend on
# each other, statements that are in no block, more elements than blocks have threads.
# test: opt --pass DefaultGPUSchedule
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((600, 1000), "float32"), s: T.Buffer((), "float32"), B: T.Buffer((1000, 600), "float32"), P: T.Buffer((600,), "float32"), Q: T.Buffer((4,), "float32")):
        t = T.alloc_buffer((), "float32")
        with T.block("t"):
            t[()] = A[0, 0] + T.float32(1)
        with T.block("s_init"):
            s[()] = T.float32(0)
        for i in range(600):
            with T.block("s_update"):
                vi = T.axis.reduce(600, i)
                s[()] = s[()] + A[vi, 3] * t[()]
        for j, i in T.grid(1000, 600):
            with T.block("B"):
                vj, vi = T.axis.remap("SS", [j, i])
                B[vj, vi] = A[vi, vj] + s[()]
        for i in range(600):
            with T.block("P"):
                vi = T.axis.scan(600, i)
                P[vi] = T.if_then_else(vi == 0, T.float32(0), P[T.max(vi - 1, 0)]) + A[vi, 0]
        for k, i in T.grid(600, 4):
            with T.block("Q"):
                vk = T.axis.reduce(600, k)
                vi = T.axis.spatial(4, i)
                with T.init():
                    Q[vi] = T.float32(0)
                Q[vi] = Q[vi] + A[vk, vi]
        for i in range(4):
            Q[i] = Q[i] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((600, 1000), "float32"), s: T.Buffer((), "float32"), B: T.Buffer((1000, 600), "float32"), P: T.Buffer((600,), "float32"), Q: T.Buffer((4,), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        t = T.alloc_buffer(())
        for bx in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                with T.block("t"):
                    T.reads(A[0, 0])
                    T.writes(t[()])
                    t[()] = A[0, 0] + T.float32(1.0)
        for bx in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                with T.block("s_init"):
                    T.reads()
                    T.writes(s[()])
                    s[()] = T.float32(0.0)
        for bx in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                for i in range(600):
                    with T.block("s_update"):
                        vi = T.axis.reduce(600, i)
                        T.reads(s[()], A[vi, 3], t[()])
                        T.writes(s[()])
                        s[()] = s[()] + A[vi, 3] * t[()]
        for j_i_fused_1 in T.thread_binding(256, thread="blockIdx.x"):
            for j_i_fused_2 in T.thread_binding(1024, thread="threadIdx.x"):
                for j_i_fused_0 in range(3):
                    with T.block("B"):
                        vj = T.axis.spatial(1000, (j_i_fused_0 * 262144 + j_i_fused_1 * 1024 + j_i_fused_2) // 600)
                        vi = T.axis.spatial(600, (j_i_fused_0 * 262144 + j_i_fused_1 * 1024 + j_i_fused_2) % 600)
                        T.where((j_i_fused_0 * 256 + j_i_fused_1) * 1024 + j_i_fused_2 < 600000)
                        T.reads(A[vi, vj], s[()])
                        T.writes(B[vj, vi])
                        B[vj, vi] = A[vi, vj] + s[()]
        for bx in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                for i in range(600):
                    with T.block("P"):
                        vi = T.axis.scan(600, i)
                        T.reads(P[T.max(vi - 1, 0)], A[vi, 0])
                        T.writes(P[vi])
                        P[vi] = T.if_then_else(vi == 0, T.float32(0.0), P[T.max(vi - 1, 0)]) + A[vi, 0]
        for i_fused_0 in T.thread_binding(1, thread="blockIdx.x"):
            for i_fused_1 in T.thread_binding(4, thread="threadIdx.x"):
                for k in range(600):
                    with T.block("Q"):
                        vk = T.axis.reduce(600, k)
                        vi = T.axis.spatial(4, i_fused_0 * 4 + i_fused_1)
                        T.reads(A[vk, vi])
                        T.writes(Q[vi])
                        with T.init():
                            Q[vi] = T.float32(0.0)
                        Q[vi] = Q[vi] + A[vk, vi]
        for bx in T.thread_binding(T.int64(1), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(1), thread="threadIdx.x"):
                for i in range(4):
                    Q[i] = Q[i] * T.float32(2.0)
