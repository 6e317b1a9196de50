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
        for i_0 in T.thread_binding((n + T.int64(3)) // T.int64(4), thread="blockIdx.x"):
            with T.block("row"):
                T.reads()
                T.writes()
                power_shared = T.alloc_buffer((T.int64(4), 70), scope="shared")
                for i_1 in T.thread_binding(T.int64(4), thread="threadIdx.y"):
                    with T.block("row"):
                        T.reads()
                        T.writes()
                        largest_local = T.alloc_buffer((T.int64(1),), scope="local")
                        total_local = T.alloc_buffer((T.int64(1),), scope="local")
                        total_reciprocal_local = T.alloc_buffer((T.int64(1),), scope="local")
                        for ax0_0_0 in range(2):
                            for ax0_0_1 in T.thread_binding(32, thread="threadIdx.x"):
                                for ax0_1 in range(2):
                                    with T.block("largest"):
                                        vi = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                                        vk = T.axis.reduce(70, ax0_0_0 * 64 + ax0_0_1 * 2 + ax0_1)
                                        T.where(ax0_0_0 * 32 + ax0_0_1 < 35 and i_0 * T.int64(4) + i_1 < n)
                                        T.reads(X[vi, vk])
                                        T.writes(largest_local[T.int64(0)])
                                        with T.init():
                                            largest_local[T.int64(0)] = T.float32("-inf")
                                        largest_local[T.int64(0)] = T.max(largest_local[T.int64(0)], X[vi, vk])
                        for ax0_0_0 in range(2):
                            for ax0_0_1 in T.thread_binding(32, thread="threadIdx.x"):
                                for ax0_1 in T.vectorized(2):
                                    with T.block("power"):
                                        vi = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                                        vk = T.axis.spatial(70, ax0_0_0 * 64 + ax0_0_1 * 2 + ax0_1)
                                        T.where(ax0_0_0 * 32 + ax0_0_1 < 35 and i_0 * T.int64(4) + i_1 < n)
                                        T.reads(X[vi, vk], largest_local[T.int64(0)])
                                        T.writes(power_shared[vi % T.int64(4), vk])
                                        power_shared[vi % T.int64(4), vk] = T.exp(X[vi, vk] - largest_local[T.int64(0)])
                        for ax0_0_0 in range(2):
                            for ax0_0_1 in T.thread_binding(32, thread="threadIdx.x"):
                                for ax0_1 in range(2):
                                    with T.block("total"):
                                        vi = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                                        vk = T.axis.reduce(70, ax0_0_0 * 64 + ax0_0_1 * 2 + ax0_1)
                                        T.where(ax0_0_0 * 32 + ax0_0_1 < 35 and i_0 * T.int64(4) + i_1 < n)
                                        T.reads(power_shared[vi % T.int64(4), vk])
                                        T.writes(total_local[T.int64(0)])
                                        with T.init():
                                            total_local[T.int64(0)] = T.float32(0.0)
                                        total_local[T.int64(0)] = total_local[T.int64(0)] + power_shared[vi % T.int64(4), vk]
                        with T.block("total_reciprocal"):
                            v0 = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                            T.where(i_0 * T.int64(4) + i_1 < n)
                            T.reads(total_local[T.int64(0)])
                            T.writes(total_reciprocal_local[T.int64(0)])
                            total_reciprocal_local[T.int64(0)] = T.float32(1.0) / total_local[T.int64(0)]
                        for k_0_0 in range(2):
                            for k_0_1 in T.thread_binding(32, thread="threadIdx.x"):
                                for k_1 in T.vectorized(2):
                                    with T.block("Y"):
                                        vi = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                                        vk = T.axis.spatial(70, k_0_0 * 64 + k_0_1 * 2 + k_1)
                                        T.where(k_0_0 * 32 + k_0_1 < 35 and i_0 * T.int64(4) + i_1 < n)
                                        T.reads(power_shared[vi % T.int64(4), vk], total_reciprocal_local[T.int64(0)])
                                        T.writes(Y[vi, vk])
                                        Y[vi, vk] = power_shared[vi % T.int64(4), vk] * total_reciprocal_local[T.int64(0)]
