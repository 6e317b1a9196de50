# A thread computes a vector of neighbours where all of them are there, else one after the other.
# test: opt --pass ApplyDefaultSchedule:target=cuda
# run: main n=0 == same
# run: main n=3 == same
# run: main n=1030 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 3), "float32")
        B = T.match_buffer(var_B, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.exp(A[vi, vj]) + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (n, 3), "float32")
        B = T.match_buffer(var_B, (n, 3), "float32")
        # with T.block("root"):
        for i_j_fused_0 in T.thread_binding((n * T.int64(3) + T.int64(1023)) // T.int64(1024), thread="blockIdx.x"):
            for i_j_fused_1 in T.thread_binding(T.int64(256), thread="threadIdx.x"):
                if (i_j_fused_0 * T.int64(256) + i_j_fused_1) * T.int64(4) + T.int64(4) <= n * T.int64(3):
                    for i_j_fused_2 in T.vectorized(T.int64(4)):
                        with T.block("B"):
                            vi = T.axis.spatial(n, (i_j_fused_0 * T.int64(1024) + i_j_fused_1 * T.int64(4) + i_j_fused_2) // T.int64(3))
                            vj = T.axis.spatial(3, T.Cast("int32", (i_j_fused_0 * T.int64(1024) + i_j_fused_1 * T.int64(4) + i_j_fused_2) % T.int64(3)))
                            T.reads(A[vi, vj])
                            T.writes(B[vi, vj])
                            B[vi, vj] = T.exp(A[vi, vj]) + T.float32(1.0)
                else:
                    for i_j_fused_2 in range(T.int64(4)):
                        with T.block("B"):
                            vi = T.axis.spatial(n, (i_j_fused_0 * T.int64(1024) + i_j_fused_1 * T.int64(4) + i_j_fused_2) // T.int64(3))
                            vj = T.axis.spatial(3, T.Cast("int32", (i_j_fused_0 * T.int64(1024) + i_j_fused_1 * T.int64(4) + i_j_fused_2) % T.int64(3)))
                            T.where((i_j_fused_0 * T.int64(256) + i_j_fused_1) * T.int64(4) + i_j_fused_2 < n * T.int64(3))
                            T.reads(A[vi, vj])
                            T.writes(B[vi, vj])
                            B[vi, vj] = T.exp(A[vi, vj]) + T.float32(1.0)
