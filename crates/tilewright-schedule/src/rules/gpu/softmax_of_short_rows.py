# A softmax in one launch: a warp for each row, totals in its registers, exponentials in shared memory.
# test: opt --pass ApplyDefaultSchedule:target=cuda
# run: main n=0 == same
# run: main n=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        X = T.match_buffer(var_X, (n, 70), "float32")
        Y = T.match_buffer(var_Y, (n, 70), "float32")
        largest = T.alloc_buffer((n,))
        power = T.alloc_buffer((n, 70))
        total = T.alloc_buffer((n,))
        for i, k in T.grid(n, 70):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(n, 70):
            with T.block("power"):
                vi, vk = T.axis.remap("SS", [i, k])
                power[vi, vk] = T.exp(X[vi, vk] - largest[vi])
        for i, k in T.grid(n, 70):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + power[vi, vk]
        for i, k in T.grid(n, 70):
            with T.block("Y"):
                vi, vk = T.axis.remap("SS", [i, k])
                Y[vi, vk] = power[vi, vk] / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        X = T.match_buffer(var_X, (n, 70), "float32")
        Y = T.match_buffer(var_Y, (n, 70), "float32")
        # with T.block("root"):
        largest = T.alloc_buffer((n,))
        power = T.alloc_buffer((n, 70))
        total = T.alloc_buffer((n,))
        for i_fused_0 in T.thread_binding((n + T.int64(3)) // T.int64(4), thread="blockIdx.x"):
            for i_fused_1 in T.thread_binding(T.int64(4), thread="threadIdx.y"):
                for k_fused_0 in range(3):
                    for k_fused_1 in T.thread_binding(32, thread="threadIdx.x"):
                        with T.block("largest"):
                            vi = T.axis.spatial(n, i_fused_0 * T.int64(4) + i_fused_1)
                            vk = T.axis.reduce(70, k_fused_0 * 32 + k_fused_1)
                            T.where(k_fused_0 * 32 + k_fused_1 < 70 and i_fused_0 * T.int64(4) + i_fused_1 < n)
                            T.reads(X[vi, vk])
                            T.writes(largest[vi])
                            with T.init():
                                largest[vi] = T.float32("-inf")
                            largest[vi] = T.max(largest[vi], X[vi, vk])
        for i_k_fused_0 in T.thread_binding((n * T.int64(35) + T.int64(255)) // T.int64(256), thread="blockIdx.x"):
            for i_k_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                if (i_k_fused_0 * T.int64(256) + i_k_fused_1) * T.int64(2) + T.int64(2) <= n * T.int64(70):
                    for i_k_fused_2 in T.vectorized(T.int64(2)):
                        with T.block("power"):
                            vi = T.axis.spatial(n, (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) // T.int64(70))
                            vk = T.axis.spatial(70, T.Cast("int32", (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) % T.int64(70)))
                            T.reads(X[vi, vk], largest[vi])
                            T.writes(power[vi, vk])
                            power[vi, vk] = T.exp(X[vi, vk] - largest[vi])
                else:
                    for i_k_fused_2 in range(T.int64(2)):
                        with T.block("power"):
                            vi = T.axis.spatial(n, (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) // T.int64(70))
                            vk = T.axis.spatial(70, T.Cast("int32", (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) % T.int64(70)))
                            T.where((i_k_fused_0 * T.int64(256) + i_k_fused_1) * T.int64(2) + i_k_fused_2 < n * T.int64(70))
                            T.reads(X[vi, vk], largest[vi])
                            T.writes(power[vi, vk])
                            power[vi, vk] = T.exp(X[vi, vk] - largest[vi])
        for i_fused_0 in T.thread_binding((n + T.int64(3)) // T.int64(4), thread="blockIdx.x"):
            for i_fused_1 in T.thread_binding(T.int64(4), thread="threadIdx.y"):
                for k_fused_0 in range(3):
                    for k_fused_1 in T.thread_binding(32, thread="threadIdx.x"):
                        with T.block("total"):
                            vi = T.axis.spatial(n, i_fused_0 * T.int64(4) + i_fused_1)
                            vk = T.axis.reduce(70, k_fused_0 * 32 + k_fused_1)
                            T.where(k_fused_0 * 32 + k_fused_1 < 70 and i_fused_0 * T.int64(4) + i_fused_1 < n)
                            T.reads(power[vi, vk])
                            T.writes(total[vi])
                            with T.init():
                                total[vi] = T.float32(0.0)
                            total[vi] = total[vi] + power[vi, vk]
        for i_k_fused_0 in T.thread_binding((n * T.int64(35) + T.int64(255)) // T.int64(256), thread="blockIdx.x"):
            for i_k_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                if (i_k_fused_0 * T.int64(256) + i_k_fused_1) * T.int64(2) + T.int64(2) <= n * T.int64(70):
                    for i_k_fused_2 in T.vectorized(T.int64(2)):
                        with T.block("Y"):
                            vi = T.axis.spatial(n, (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) // T.int64(70))
                            vk = T.axis.spatial(70, T.Cast("int32", (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) % T.int64(70)))
                            T.reads(power[vi, vk], total[vi])
                            T.writes(Y[vi, vk])
                            Y[vi, vk] = power[vi, vk] / total[vi]
                else:
                    for i_k_fused_2 in range(T.int64(2)):
                        with T.block("Y"):
                            vi = T.axis.spatial(n, (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) // T.int64(70))
                            vk = T.axis.spatial(70, T.Cast("int32", (i_k_fused_0 * T.int64(512) + i_k_fused_1 * T.int64(2) + i_k_fused_2) % T.int64(70)))
                            T.where((i_k_fused_0 * T.int64(256) + i_k_fused_1) * T.int64(2) + i_k_fused_2 < n * T.int64(70))
                            T.reads(power[vi, vk], total[vi])
                            T.writes(Y[vi, vk])
                            Y[vi, vk] = power[vi, vk] / total[vi]
