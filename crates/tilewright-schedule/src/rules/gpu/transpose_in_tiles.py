# What is read across the result goes through a tile of shared memory; the other operand is read along the result.
# test: opt --pass ApplyDefaultSchedule:target=cuda
# run: main n=0 == same
# run: main n=41 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (70, n), "float32")
        B = T.match_buffer(var_B, (n, 70), "float32")
        C = T.match_buffer(var_C, (n, 70), "float32")
        for i, j in T.grid(n, 70):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vj, vi] + B[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (70, n), "float32")
        B = T.match_buffer(var_B, (n, 70), "float32")
        C = T.match_buffer(var_C, (n, 70), "float32")
        # with T.block("root"):
        for tile in T.thread_binding((n + T.int64(31)) // T.int64(32) * T.int64(3), thread="blockIdx.x"):
            for y in T.thread_binding(T.int64(8), thread="threadIdx.y"):
                for x in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                    with T.block("C"):
                        T.reads(A[0:70, T.int64(0):n], B[T.int64(0):n, 0:70])
                        T.writes(C[T.int64(0):n, 0:70])
                        tile_shared = T.alloc_buffer((T.int64(32), T.int64(33)), scope="shared", align=64)
                        read: T.int64 = tile // T.int64(3) * T.int64(32)
                        written: T.int64 = tile % T.int64(3) * T.int64(32)
                        for i in T.unroll(T.int64(4)):
                            tile_shared[i * T.int64(8) + y, x] = T.if_then_else(read + x < n and written + i * T.int64(8) + y < T.int64(70), A[T.Cast("int32", written + i * T.int64(8) + y), read + x], T.float32(0.0))
                        T.tvm_storage_sync("shared")
                        for i in T.unroll(T.int64(4)):
                            if read + i * T.int64(8) + y < n and written + x < T.int64(70):
                                C[read + i * T.int64(8) + y, T.Cast("int32", written + x)] = tile_shared[x, i * T.int64(8) + y] + B[read + i * T.int64(8) + y, T.Cast("int32", written + x)]
