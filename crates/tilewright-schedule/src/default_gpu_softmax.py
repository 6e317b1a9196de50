# Every stage of a function is a kernel: its spatial loops are fused and bound, its reduction stays inside.
# test: opt --pass DefaultGPUSchedule
# run: main n=5 m=7 == same
# run: main n=1 m=1 == same
# run: main n=0 m=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        Y = T.match_buffer(var_Y, (n, m), "float32")
        largest = T.alloc_buffer((n,), "float32")
        total = T.alloc_buffer((n,), "float32")
        for i, k in T.grid(n, m):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(n, m):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(n, m):
            with T.block("norm"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        Y = T.match_buffer(var_Y, (n, m), "float32")
        # with T.block("root"):
        largest = T.alloc_buffer((n,))
        total = T.alloc_buffer((n,))
        for i_0 in T.thread_binding((n + T.int64(1023)) // T.int64(1024), thread="blockIdx.x"):
            for i_1 in T.thread_binding(T.int64(1024), thread="threadIdx.x"):
                for k in range(m):
                    with T.block("largest"):
                        vi = T.axis.spatial(n, i_0 * T.int64(1024) + i_1)
                        vk = T.axis.reduce(m, k)
                        T.where(i_0 * T.int64(1024) + i_1 < n)
                        T.reads(X[vi, vk])
                        T.writes(largest[vi])
                        with T.init():
                            largest[vi] = T.float32("-inf")
                        largest[vi] = T.max(largest[vi], X[vi, vk])
        for i_0 in T.thread_binding((n + T.int64(1023)) // T.int64(1024), thread="blockIdx.x"):
            for i_1 in T.thread_binding(T.int64(1024), thread="threadIdx.x"):
                for k in range(m):
                    with T.block("total"):
                        vi = T.axis.spatial(n, i_0 * T.int64(1024) + i_1)
                        vk = T.axis.reduce(m, k)
                        T.where(i_0 * T.int64(1024) + i_1 < n)
                        T.reads(X[vi, vk], largest[vi])
                        T.writes(total[vi])
                        with T.init():
                            total[vi] = T.float32(0.0)
                        total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i_j_fused_0 in T.thread_binding((n * m + T.int64(1023)) // T.int64(1024), thread="blockIdx.x"):
            for i_j_fused_1 in T.thread_binding(T.int64(1024), thread="threadIdx.x"):
                with T.block("norm"):
                    vi = T.axis.spatial(n, (i_j_fused_0 * T.int64(1024) + i_j_fused_1) // m)
                    vj = T.axis.spatial(m, (i_j_fused_0 * T.int64(1024) + i_j_fused_1) % m)
                    T.where(i_j_fused_0 * T.int64(1024) + i_j_fused_1 < n * m)
                    T.reads(X[vi, vj], largest[vi], total[vi])
                    T.writes(Y[vi, vj])
                    Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]
