# An operand goes to other memory in tiles, and so does the result.
# test: schedule
# step: b = get_block("C")
# step: a = reindex_cache_read(b, 0, "shared", lambda i, j, k: (i // 4, k, i % 4))
# step: c = reindex_cache_write(b, 0, "local", lambda i, j, k: (j, i))
# run: main n=5 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((6, 5), "float32"), var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(6)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(5)), "float32")
        for i, j, k in T.grid(n, T.int64(5), T.int64(6)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((6, 5), "float32"), var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, T.int64(6)), "float32")
        C = T.match_buffer(var_C, (n, T.int64(5)), "float32")
        # with T.block("root"):
        A_shared = T.alloc_buffer(((n + T.int64(3)) // T.int64(4), T.int64(6), T.int64(4)), scope="shared")
        C_local = T.alloc_buffer((T.int64(5), n), scope="local")
        for ax0, ax1 in T.grid(n, T.int64(6)):
            with T.block("A_shared"):
                vi, vk = T.axis.remap("SS", [ax0, ax1])
                T.reads(A[vi, vk])
                T.writes(A_shared[vi // T.int64(4), vk, vi % T.int64(4)])
                A_shared[vi // T.int64(4), vk, vi % T.int64(4)] = A[vi, vk]
        for i, j, k in T.grid(n, T.int64(5), T.int64(6)):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(A_shared[vi // T.int64(4), vk, vi % T.int64(4)], B[vk, vj])
                T.writes(C_local[vj, vi])
                with T.init():
                    C_local[vj, vi] = T.float32(0.0)
                C_local[vj, vi] = C_local[vj, vi] + A_shared[vi // T.int64(4), vk, vi % T.int64(4)] * B[vk, vj]
        for ax0, ax1 in T.grid(n, T.int64(5)):
            with T.block("C_local"):
                vi, vj = T.axis.remap("SS", [ax0, ax1])
                T.reads(C_local[vj, vi])
                T.writes(C[vi, vj])
                C[vi, vj] = C_local[vj, vi]
