# Every axis of a product is filled up.
# test: schedule
# step: b = get_block("C")
# step: pad_einsum(b, [4, 8, 2])
# step: i, j, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: parallel(i0)
# run: main n=5 == same
# run: main n=4 special == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((5, 7), "float32"), var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 5), "float32")
        C = T.match_buffer(var_C, (n, 7), "float32")
        for i, j, k in T.grid(n, 7, 5):
            with T.block("C"):
                vi = T.axis.spatial(n, i)
                vj, vk = T.axis.remap("SR", [j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((5, 7), "float32"), var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 5), "float32")
        C = T.match_buffer(var_C, (n, 7), "float32")
        # with T.block("root"):
        A_pad = T.alloc_buffer(((n + T.int64(3)) // T.int64(4) * T.int64(4), 6))
        B_pad = T.alloc_buffer((6, 8))
        C_pad = T.alloc_buffer(((n + T.int64(3)) // T.int64(4) * T.int64(4), 8))
        for ax0, ax1 in T.grid((n + T.int64(3)) // T.int64(4) * T.int64(4), 6):
            with T.block("A_pad"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(A[v0, v1])
                T.writes(A_pad[v0, v1])
                A_pad[v0, v1] = T.if_then_else(v0 < n and v1 < 5, A[v0, v1], T.float32(0.0))
        for ax0, ax1 in T.grid(6, 8):
            with T.block("B_pad"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(B[v0, v1])
                T.writes(B_pad[v0, v1])
                B_pad[v0, v1] = T.if_then_else(v0 < 5 and v1 < 7, B[v0, v1], T.float32(0.0))
        for i_0 in T.parallel((n + T.int64(3)) // T.int64(4)):
            for i_1, j, k in T.grid(T.int64(4), 8, 6):
                with T.block("C"):
                    vi = T.axis.spatial((n + T.int64(3)) // T.int64(4) * T.int64(4), i_0 * T.int64(4) + i_1)
                    vj, vk = T.axis.remap("SR", [j, k])
                    T.reads(A_pad[vi, vk], B_pad[vk, vj])
                    T.writes(C_pad[vi, vj])
                    with T.init():
                        C_pad[vi, vj] = T.float32(0.0)
                    C_pad[vi, vj] = C_pad[vi, vj] + A_pad[vi, vk] * B_pad[vk, vj]
        for ax0, ax1 in T.grid(n, 7):
            with T.block("C_pad"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(C_pad[v0, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = C_pad[v0, v1]
