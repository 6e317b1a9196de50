# A stage that reads the sums of other rows is no epilogue, and another stage uses the memory of the sums before: both stay.
# test: schedule
# step: b = get_block("P")
# step: gemm(b, 3, 1, 4, 8, 6, 8)
# run: main == same
# run: main seed=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), B: T.Buffer((5, 8), "float32"), C: T.Buffer((6, 8), "float32"), D: T.Buffer((6, 8), "float32")):
        P = T.alloc_buffer((6, 8), "float32")
        for i, j in T.grid(6, 8):
            with T.block("early"):
                vi, vj = T.axis.remap("SS", [i, j])
                P[vi, vj] = A[vi, 0] + T.float32(1)
        for i, j in T.grid(6, 8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = P[vi, vj] * T.float32(2)
        for i, j, k in T.grid(6, 8, 5):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(6, 8):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = P[5 - vi, vj] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), B: T.Buffer((5, 8), "float32"), C: T.Buffer((6, 8), "float32"), D: T.Buffer((6, 8), "float32")):
        # with T.block("root"):
        P = T.alloc_buffer((6, 8))
        packed_b = T.alloc_buffer((2, 5, 4), align=64)
        for i, j in T.grid(6, 8):
            with T.block("early"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, 0])
                T.writes(P[vi, vj])
                P[vi, vj] = A[vi, 0] + T.float32(1.0)
        for i, j in T.grid(6, 8):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(P[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = P[vi, vj] * T.float32(2.0)
        for panel in T.parallel(2):
            for k in range(5):
                for j in T.vectorized(4):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 4 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        packed_b[panel_1, k_1, j_1] = B[k_1, panel_1 * 4 + j_1]
        for task in range(1):
            with T.block("P"):
                T.reads(A[0:6, 0:5], packed_b[0:2, 0:5, 0:4], P[0:6, 0:8])
                T.writes(P[0:6, 0:8])
                packed_a = T.alloc_buffer((6, 16), align=64)
                tile = T.alloc_buffer((3, 1, 4), scope="local", align=64)
                for i in range(6):
                    for k in T.vectorized(5):
                        packed_a[i, k] = A[i, k]
                for p, t in T.grid(2, 2):
                    for i in T.unroll(3):
                        for v in T.unroll(1):
                            for j in T.vectorized(4):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(5):
                        for i in T.unroll(3):
                            for v in T.unroll(1):
                                for j in T.vectorized(4):
                                    tile[i, v, j] = tile[i, v, j] + packed_a[t * 3 + 0 + i, k] * packed_b[0 + p, 0 + k, v * 4 + j]
                    for i in T.unroll(3):
                        for v in T.unroll(1):
                            for j in T.vectorized(4):
                                P[t * 3 + i, p * 4 + v * 4 + j] = tile[i, v, j]
        for i, j in T.grid(6, 8):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(P[5 - vi, vj])
                T.writes(D[vi, vj])
                D[vi, vj] = P[5 - vi, vj] + T.float32(1.0)
