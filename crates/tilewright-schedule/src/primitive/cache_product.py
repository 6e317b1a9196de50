# A product reads a copy of one operand and writes into other memory.
# test: schedule
# step: b = get_block("C")
# step: a = cache_read(b, 0, "shared")
# step: c = cache_write(b, 0, "local")
# step: i, j, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: compute_at(a, i0)
# step: reverse_compute_at(c, i0)
# run: main n=7 == same
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
        A_shared = T.alloc_buffer((n, T.int64(6)), scope="shared")
        C_local = T.alloc_buffer((n, T.int64(5)), scope="local")
        for i_0 in range((n + T.int64(3)) // T.int64(4)):
            for ax0, ax1 in T.grid(T.int64(4), T.int64(6)):
                with T.block("A_shared"):
                    v0 = T.axis.spatial(n, i_0 * T.int64(4) + ax0)
                    v1 = T.axis.spatial(T.int64(6), ax1)
                    T.where(i_0 * T.int64(4) + ax0 < n)
                    T.reads(A[v0, v1])
                    T.writes(A_shared[v0, v1])
                    A_shared[v0, v1] = A[v0, v1]
            for i_1, j, k in T.grid(T.int64(4), T.int64(5), T.int64(6)):
                with T.block("C"):
                    vi = T.axis.spatial(n, i_0 * T.int64(4) + i_1)
                    vj, vk = T.axis.remap("SR", [j, k])
                    T.where(i_0 * T.int64(4) + i_1 < n)
                    T.reads(A_shared[vi, vk], B[vk, vj])
                    T.writes(C_local[vi, vj])
                    with T.init():
                        C_local[vi, vj] = T.float32(0.0)
                    C_local[vi, vj] = C_local[vi, vj] + A_shared[vi, vk] * B[vk, vj]
            for ax0, ax1 in T.grid(T.int64(4), T.int64(5)):
                with T.block("C_local"):
                    v0 = T.axis.spatial(n, i_0 * T.int64(4) + ax0)
                    v1 = T.axis.spatial(T.int64(5), ax1)
                    T.where(i_0 * T.int64(4) + ax0 < n)
                    T.reads(C_local[v0, v1])
                    T.writes(C[v0, v1])
                    C[v0, v1] = C_local[v0, v1]
