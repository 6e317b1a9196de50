# A tile of a product is done by an implementation that takes two terms at once, for tiles wherever they lie.
# test: schedule
# step: b = get_block("C", "main")
# step: i, j, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: j0, j1 = split(j, [None, 3])
# step: k0, k1 = split(k, [None, 2])
# step: reorder(i0, j0, k0, i1, j1, k1)
# step: z = decompose_reduction(b, k0)
# step: tensorize(i1, "dot")
# step: parallel(i0)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 8, 6), "float32"), B: T.Buffer((6, 9), "float32"), C: T.Buffer((8, 9), "float32")):
        for i, j, k in T.grid(8, 9, 6):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[1, vi, vk] * B[vk, vj]

    @T.prim_func
    def dot_desc(a: T.handle, b: T.handle, c: T.handle):
        A = T.match_buffer(a, (4, 2), "float32")
        B = T.match_buffer(b, (2, 3), "float32")
        C = T.match_buffer(c, (4, 3), "float32")
        with T.block("root"):
            T.reads(C[0:4, 0:3], A[0:4, 0:2], B[0:2, 0:3])
            T.writes(C[0:4, 0:3])
            for i, j, k in T.grid(4, 3, 2):
                with T.block("update"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    C[vi, vj] = C[vi, vj] + B[vk, vj] * A[vi, vk]

    @T.prim_func
    def dot_impl(a: T.handle, b: T.handle, c: T.handle):
        s = T.int32()
        first = T.int32()
        A = T.match_buffer(a, (4, 2), "float32", strides=(s, 1), elem_offset=first)
        B = T.match_buffer(b, (2, 3), "float32")
        C = T.match_buffer(c, (4, 3), "float32")
        with T.block("root"):
            T.reads(C[0:4, 0:3], A[0:4, 0:2], B[0:2, 0:3])
            T.writes(C[0:4, 0:3])
            for i, j in T.grid(4, 3):
                C[i, j] = C[i, j] + (A[i, 0] * B[0, j] + A[i, 1] * B[1, j])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def dot_desc(a: T.Buffer((4, 2), "float32"), b: T.Buffer((2, 3), "float32"), c: T.Buffer((4, 3), "float32")):
        with T.block("root"):
            T.reads(c[0:4, 0:3], a[0:4, 0:2], b[0:2, 0:3])
            T.writes(c[0:4, 0:3])
            for i, j, k in T.grid(4, 3, 2):
                with T.block("update"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    T.reads(c[vi, vj], b[vk, vj], a[vi, vk])
                    T.writes(c[vi, vj])
                    c[vi, vj] = c[vi, vj] + b[vk, vj] * a[vi, vk]

    @T.prim_func
    def dot_impl(a: T.handle, b: T.Buffer((2, 3), "float32"), c: T.Buffer((4, 3), "float32")):
        s = T.int32()
        first = T.int32()
        A = T.match_buffer(a, (4, 2), "float32", strides=[s, 1], elem_offset=first)
        with T.block("root"):
            T.reads(c[0:4, 0:3], A[0:4, 0:2], b[0:2, 0:3])
            T.writes(c[0:4, 0:3])
            for i, j in T.grid(4, 3):
                c[i, j] = c[i, j] + (A[i, 0] * b[0, j] + A[i, 1] * b[1, j])

    @T.prim_func
    def main(A: T.Buffer((2, 8, 6), "float32"), B: T.Buffer((6, 9), "float32"), C: T.Buffer((8, 9), "float32")):
        # with T.block("root"):
        for i_0 in T.parallel(2):
            for j_0 in range(3):
                for i_1_init, j_1_init in T.grid(4, 3):
                    with T.block("C_init"):
                        vi = T.axis.spatial(8, i_0 * 4 + i_1_init)
                        vj = T.axis.spatial(9, j_0 * 3 + j_1_init)
                        T.reads()
                        T.writes(C[vi, vj])
                        C[vi, vj] = T.float32(0.0)
                for k_0 in range(3):
                    with T.block("C_update_o"):
                        vi_o, vj_o, vk_o = T.axis.remap("SSR", [i_0, j_0, k_0])
                        T.reads(C[vi_o * 4:vi_o * 4 + 4, vj_o * 3:vj_o * 3 + 3], A[1, vi_o * 4:vi_o * 4 + 4, vk_o * 2:vk_o * 2 + 2], B[vk_o * 2:vk_o * 2 + 2, vj_o * 3:vj_o * 3 + 3])
                        T.writes(C[vi_o * 4:vi_o * 4 + 4, vj_o * 3:vj_o * 3 + 3])
                        s = T.int32()
                        first = T.int32()
                        A_1 = T.match_buffer(A[1, vi_o * 4:vi_o * 4 + 4, vk_o * 2:vk_o * 2 + 2], (4, 2), "float32", strides=[s, 1], elem_offset=first, offset_factor=1)
                        B_s0 = T.int64()
                        B_s1 = T.int64()
                        B_offset = T.int64()
                        B_1 = T.match_buffer(B[vk_o * 2:vk_o * 2 + 2, vj_o * 3:vj_o * 3 + 3], (2, 3), "float32", strides=[B_s0, B_s1], elem_offset=B_offset, offset_factor=1)
                        C_s0 = T.int64()
                        C_s1 = T.int64()
                        C_offset = T.int64()
                        C_1 = T.match_buffer(C[vi_o * 4:vi_o * 4 + 4, vj_o * 3:vj_o * 3 + 3], (4, 3), "float32", strides=[C_s0, C_s1], elem_offset=C_offset, offset_factor=1)
                        for i, j in T.grid(4, 3):
                            C_1[i, j] = C_1[i, j] + (A_1[i, 0] * B_1[0, j] + A_1[i, 1] * B_1[1, j])
