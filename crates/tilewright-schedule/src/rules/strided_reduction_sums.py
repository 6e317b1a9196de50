# The sums of columns: vectors of neighbouring sums, rows one after the other.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=100 m=70 == same
# run: main n=1 m=5 == same
# run: main n=3 m=513 == same
# run: main n=0 m=4 == same
# run: main n=5 m=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (m,), "float32")
        for j, k in T.grid(m, n):
            with T.block("B"):
                vj, vk = T.axis.remap("SR", [j, k])
                with T.init():
                    B[vj] = T.float32(0)
                B[vj] = B[vj] + A[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (m,), "float32")
        # with T.block("root"):
        for j_0 in T.parallel((m + T.int64(511)) // T.int64(512)):
            for j_1_init in T.vectorized(T.int64(512)):
                with T.block("B_init"):
                    vj = T.axis.spatial(m, j_0 * T.int64(512) + j_1_init)
                    T.where(j_0 * T.int64(512) + j_1_init < m)
                    T.reads()
                    T.writes(B[vj])
                    B[vj] = T.float32(0.0)
            for k in range(n):
                for j_1 in T.vectorized(T.int64(512)):
                    with T.block("B_update"):
                        vj = T.axis.spatial(m, j_0 * T.int64(512) + j_1)
                        vk = T.axis.reduce(n, k)
                        T.where(j_0 * T.int64(512) + j_1 < m)
                        T.reads(B[vj], A[vk, vj])
                        T.writes(B[vj])
                        B[vj] = B[vj] + A[vk, vj]
