# The copy of nine rows, whose places of the depth are lines of a cache each, would be too long to stay in one, short as the
# rows are: they are read in place, few by each task.
# test: opt --pass ApplyDefaultSchedule:target=znver4

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((9, 8200), "float32"), B: T.Buffer((8200, 33), "float32"), C: T.Buffer((9, 33), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for i, j, k in T.grid(9, 33, 8200):
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
    def main(A: T.Buffer((9, 8200), "float32"), B: T.Buffer((8200, 33), "float32"), C: T.Buffer((9, 33), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((1, 8200, 48), align=64)
        for panel in T.parallel(1):
            for k in range(8200):
                for j in T.vectorized(48):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 48 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 48 + j_1 < 33, B[k_1, panel_1 * 48 + j_1], T.float32(0.0))
        for task in T.parallel(3):
            with T.block("C"):
                T.reads(A[0:9, 0:8200], packed_b[0, 0:8200, 0:48], C[0:9, 0:33])
                T.writes(C[0:9, 0:33])
                tile = T.alloc_buffer((3, 3, 16), scope="local", align=64)
                m_start: T.int32 = task * 3
                for p, t in T.grid(1, 1):
                    for i in T.unroll(3):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for line in range(8200):
                        T.evaluate(T.prefetch(T.address_of(packed_b[0 + p, 171, t * 393600 + line * 48]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_b[0 + p, 171, t * 393600 + line * 48 + 16]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_b[0 + p, 171, t * 393600 + line * 48 + 32]), 0, 2))
                        for k in range(1):
                            for i in T.unroll(3):
                                for v in T.unroll(3):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + A[m_start + t * 3 + i, line + k] * packed_b[0 + p, 0 + (line + k), v * 16 + j]
                    for i in T.unroll(3):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                if (0 + p) * 48 + (v * 16 + j) < 33:
                                    C[m_start + t * 3 + i, p * 48 + v * 16 + j] = tile[i, v, j]
