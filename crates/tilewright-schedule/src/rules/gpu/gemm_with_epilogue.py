# A product of float16 with a bias: tiles through shared memory, sums in float32, rows beyond M are guarded.
# test: opt --pass ApplyDefaultSchedule:target=cuda
# run: main m=0 == same
# run: main m=33 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((T.int64(20), T.int64(12)), "float16"), bias: T.Buffer((T.int64(12),), "float32"), var_C: T.handle):
        m = T.int64()
        A = T.match_buffer(var_A, (m, T.int64(20)), "float16")
        C = T.match_buffer(var_C, (m, T.int64(12)), "float32")
        product = T.alloc_buffer((m, T.int64(12)), "float32")
        for i, j, k in T.grid(m, T.int64(12), T.int64(20)):
            with T.block("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    product[vi, vj] = T.float32(0)
                product[vi, vj] = product[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vk, vj])
        for i, j in T.grid(m, T.int64(12)):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(product[vi, vj] + bias[vj], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((T.int64(20), T.int64(12)), "float16"), bias: T.Buffer((T.int64(12),), "float32"), var_C: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        m = T.int64()
        A = T.match_buffer(var_A, (m, T.int64(20)), "float16")
        C = T.match_buffer(var_C, (m, T.int64(12)), "float32")
        # with T.block("root"):
        for tile in T.thread_binding((m + T.int64(31)) // T.int64(32), thread="blockIdx.x"):
            for thread in T.thread_binding(T.int64(128), thread="threadIdx.x"):
                with T.block("product"):
                    T.reads(A[T.int64(0):m, T.int64(0):T.int64(20)], B[T.int64(0):T.int64(20), T.int64(0):T.int64(12)], bias[T.int64(0):T.int64(12)])
                    T.writes(C[T.int64(0):m, T.int64(0):T.int64(12)])
                    shared_a = T.alloc_buffer((T.int64(16), T.int64(36)), "float16", scope="shared", align=64)
                    shared_b = T.alloc_buffer((T.int64(16), T.int64(36)), "float16", scope="shared", align=64)
                    own_a = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                    own_b = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                    sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                    thread_row: T.int64 = thread // T.int64(16)
                    thread_column: T.int64 = thread % T.int64(16)
                    first_a: T.int64 = tile * T.int64(32)
                    for i in T.unroll(T.int64(8)):
                        sums[i] = T.float32(0.0)
                    for step in range(T.int64(2)):
                        T.tvm_storage_sync("shared")
                        for load in T.unroll(T.int64(4)):
                            k: T.int64 = step * T.int64(16) + thread % T.int64(16)
                            row: T.int64 = first_a + load * T.int64(8) + thread // T.int64(16)
                            shared_a[thread % T.int64(16), load * T.int64(8) + thread // T.int64(16)] = T.if_then_else(row < m and k < T.int64(20), A[row, k], T.float16(0.0))
                        for load in T.unroll(T.int64(4)):
                            k: T.int64 = step * T.int64(16) + load * T.int64(4) + thread // T.int64(32)
                            row: T.int64 = thread % T.int64(32)
                            shared_b[load * T.int64(4) + thread // T.int64(32), thread % T.int64(32)] = T.if_then_else(row < T.int64(12) and k < T.int64(20), B[k, row], T.float16(0.0))
                        T.tvm_storage_sync("shared")
                        for k in range(T.int64(16)):
                            for run in T.unroll(T.int64(1)):
                                for lane in T.vectorized(T.int64(4)):
                                    own_a[run * T.int64(4) + lane] = T.Cast("float32", shared_a[k, run * T.int64(32) + thread_row * T.int64(4) + lane])
                            for run in T.unroll(T.int64(1)):
                                for lane in T.vectorized(T.int64(2)):
                                    own_b[run * T.int64(2) + lane] = T.Cast("float32", shared_b[k, run * T.int64(32) + thread_column * T.int64(2) + lane])
                            for i in T.unroll(T.int64(4)):
                                for j in T.unroll(T.int64(2)):
                                    sums[i * T.int64(2) + j] = sums[i * T.int64(2) + j] + own_a[i] * own_b[j]
                    for run in T.unroll(T.int64(1)):
                        for lane in T.unroll(T.int64(4)):
                            if first_a + run * T.int64(32) + thread_row * T.int64(4) + lane < m:
                                for run_1 in T.unroll(T.int64(1)):
                                    if run_1 * T.int64(32) + thread_column * T.int64(2) < T.int64(12):
                                        for lane_1 in T.vectorized(T.int64(2)):
                                            C[first_a + run * T.int64(32) + thread_row * T.int64(4) + lane, run_1 * T.int64(32) + thread_column * T.int64(2) + lane_1] = T.max(sums[run * T.int64(8) + lane * T.int64(2) + run_1 * T.int64(2) + lane_1] + bias[run_1 * T.int64(32) + thread_column * T.int64(2) + lane_1], T.float32(0.0))
