# A sum of nothing is not begun, and its copies are not made.
# test: schedule
# step: b = get_block("F")
# step: i, j = get_loops(b)
# step: j0, j1 = split(j, [None, 4])
# step: rf = rfactor(j0, 0)
# step: c = cache_write(b, 0, "local")
# run: main n=5 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_D: T.handle, F: T.Buffer((1,), "float32")):
        n = T.int64()
        D = T.match_buffer(var_D, (T.int64(2), n), "float32")
        for i, j in T.grid(T.int64(2), n):
            with T.block("F"):
                vi, vj = T.axis.remap("RR", [i, j])
                with T.init():
                    F[0] = T.float32(1)
                F[0] = F[0] + D[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_D: T.handle, F: T.Buffer((1,), "float32")):
        n = T.int64()
        D = T.match_buffer(var_D, (T.int64(2), n), "float32")
        # with T.block("root"):
        F_rf = T.alloc_buffer(((n + T.int64(3)) // T.int64(4), 1))
        F_local = T.alloc_buffer((1,), scope="local")
        for i, j_0, j_1 in T.grid(T.int64(2), (n + T.int64(3)) // T.int64(4), T.int64(4)):
            with T.block("F_rf"):
                vj_0, vi, vj_1 = T.axis.remap("SRR", [j_0, i, j_1])
                T.where(j_0 * T.int64(4) + j_1 < n)
                T.reads(D[vi, vj_0 * T.int64(4) + vj_1])
                T.writes(F_rf[vj_0, 0])
                with T.init():
                    F_rf[vj_0, 0] = T.float32(-0.0)
                F_rf[vj_0, 0] = F_rf[vj_0, 0] + D[vi, vj_0 * T.int64(4) + vj_1]
        for j_0 in range((n + T.int64(3)) // T.int64(4)):
            with T.block("F"):
                vj_0 = T.axis.reduce((n + T.int64(3)) // T.int64(4), j_0)
                T.reads(F_rf[vj_0, 0])
                T.writes(F_local[0])
                with T.init():
                    F_local[0] = T.float32(1.0)
                F_local[0] = F_local[0] + F_rf[vj_0, 0]
        for ax0 in range(1):
            with T.block("F_local"):
                v0 = T.axis.spatial(1, ax0)
                T.reads(F_local[v0])
                T.writes(F[v0])
                F[v0] = F_local[v0]
