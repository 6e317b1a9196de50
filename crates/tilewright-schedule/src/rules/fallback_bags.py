# Rows that are found in memory are no windows of an image: their columns are in vectors, side by side.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9, 32), "float32"), I: T.Buffer((35,), "int64"), B: T.Buffer((7, 32), "float32")):
        for i, j, k in T.grid(7, 32, 5):
            with T.block("bags"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    B[vi, vj] = T.float32(0)
                B[vi, vj] = B[vi, vj] + A[T.max(T.min(I[vi * 5 + vk], T.int64(8)), T.int64(0)), vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9, 32), "float32"), I_: T.Buffer((35,), "int64"), B: T.Buffer((7, 32), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        B_local = T.alloc_buffer((7, 32), scope="local")
        for i in range(7):
            for j_init in T.vectorized(32):
                with T.block("bags_init"):
                    vi, vj = T.axis.remap("SS", [i, j_init])
                    T.reads()
                    T.writes(B_local[vi, vj])
                    B_local[vi, vj] = T.float32(0.0)
            for k in T.unroll(5):
                for j in T.vectorized(32):
                    with T.block("bags_update"):
                        vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                        T.reads(B_local[vi, vj], A[0:9, vj], I_[vi * 5 + vk])
                        T.writes(B_local[vi, vj])
                        B_local[vi, vj] = B_local[vi, vj] + A[T.max(T.min(I_[vi * 5 + vk], T.int64(8)), T.int64(0)), vj]
            for ax1 in T.vectorized(32):
                with T.block("B_local"):
                    v0, v1 = T.axis.remap("SS", [i, ax1])
                    T.reads(B_local[v0, v1])
                    T.writes(B[v0, v1])
                    B[v0, v1] = B_local[v0, v1]
