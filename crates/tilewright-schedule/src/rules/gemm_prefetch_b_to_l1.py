# Few rows wait for columns that no cache near by holds: Zen 4 takes these into the first level of its cache, shortly before they
# are read.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 651), "float32"), B: T.Buffer((651, 411), "float32"), C: T.Buffer((3, 411), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for i, j, k in T.grid(3, 411, 651):
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
    def main(A: T.Buffer((3, 651), "float32"), B: T.Buffer((651, 411), "float32"), C: T.Buffer((3, 411), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((9, 651, 48), align=64)
        for panel in T.parallel(9):
            for k in range(651):
                for j in T.vectorized(48):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 48 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 48 + j_1 < 411, B[k_1, panel_1 * 48 + j_1], T.float32(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:3, 0:651], packed_b[0:9, 0:651, 0:48], C[0:3, 0:411])
                T.writes(C[0:3, 0:411])
                tile = T.alloc_buffer((3, 3, 16), scope="local", align=64)
                panel_start: T.int32 = task * 5
                panels: T.int32 = T.min(9 - panel_start, 5)
                for p, t in T.grid(panels, 1):
                    for i in T.unroll(3):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for line in range(651):
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 86, t * 31248 + line * 48]), 0, 3))
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 86, t * 31248 + line * 48 + 16]), 0, 3))
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 86, t * 31248 + line * 48 + 32]), 0, 3))
                        for k in range(1):
                            for i in T.unroll(3):
                                for v in T.unroll(3):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 3 + i, line + k] * packed_b[panel_start + p, 0 + (line + k), v * 16 + j]
                    for i in T.unroll(3):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                if (panel_start + p) * 48 + (v * 16 + j) < 411:
                                    C[t * 3 + i, panel_start * 48 + p * 48 + v * 16 + j] = tile[i, v, j]
