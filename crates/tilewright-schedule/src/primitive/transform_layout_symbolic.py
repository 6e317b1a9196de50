# The layout of a temporary of unknown size, transposed and in rows of eight.
# test: schedule
# step: b = get_block("B")
# step: transform_layout(b, "B", lambda i, j: (j, i // 8, i % 8), pad_value=0.0)
# run: main n=21 == same
# run: main n=8 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(3)), "float32")
        C = T.match_buffer(var_C, (n,), "float32")
        B = T.alloc_buffer((n, T.int64(3)), "float32")
        for i, j in T.grid(n, T.int64(3)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
        for i, j in T.grid(n, T.int64(3)):
            with T.block("C"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + B[n - T.int64(1) - vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(3)), "float32")
        C = T.match_buffer(var_C, (n,), "float32")
        # with T.block("root"):
        B = T.alloc_buffer((T.int64(3), (n + T.int64(7)) // T.int64(8), T.int64(8)))
        for ax0, ax1, ax2 in T.grid(T.int64(3), (n + T.int64(7)) // T.int64(8), T.int64(8)):
            with T.block("B_pad"):
                v0, v1, v2 = T.axis.remap("SSS", [ax0, ax1, ax2])
                T.where(n <= ax1 * T.int64(8) + ax2)
                T.reads()
                T.writes(B[v0, v1, v2])
                B[v0, v1, v2] = T.float32(0.0)
        for i, j in T.grid(n, T.int64(3)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vj, vi // T.int64(8), vi % T.int64(8)])
                B[vj, vi // T.int64(8), vi % T.int64(8)] = A[vi, vj] + T.float32(1.0)
        for i, j in T.grid(n, T.int64(3)):
            with T.block("C"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.reads(B[vj, (n - vi + T.int64(7)) // T.int64(8) - T.int64(1), (n - vi + T.int64(7)) % T.int64(8)])
                T.writes(C[vi])
                with T.init():
                    C[vi] = T.float32(0.0)
                C[vi] = C[vi] + B[vj, (n - vi + T.int64(7)) // T.int64(8) - T.int64(1), (n - vi + T.int64(7)) % T.int64(8)]
