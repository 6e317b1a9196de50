# Channels become the last dimension: height and width go through memory as one side of the squares.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 19, 5, 7), "float32"), B: T.Buffer((2, 5, 7, 19), "float32")):
        for n, h, w, c in T.grid(2, 5, 7, 19):
            with T.block("B"):
                vn, vh, vw, vc = T.axis.remap("SSSS", [n, h, w, c])
                B[vn, vh, vw, vc] = A[vn, vc, vh, vw]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 19, 5, 7), "float32"), B: T.Buffer((2, 5, 7, 19), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        A_local = T.alloc_buffer((2, 19, 5, 7), scope="local")
        for n, h_w_fused_0, c_0 in T.grid(2, 1, 1):
            for ax0, ax1 in T.grid(24, 5):
                for ax2 in T.vectorized(7):
                    with T.block("A_local"):
                        v0 = T.axis.spatial(2, n)
                        v1 = T.axis.spatial(19, ax0)
                        v2, v3 = T.axis.remap("SS", [ax1, ax2])
                        T.where(ax0 < 19)
                        T.reads(A[v0, v1, v2, v3])
                        T.writes(A_local[v0, v1, v2, v3])
                        A_local[v0, v1, v2, v3] = A[v0, v1, v2, v3]
            for c_1, h_w_fused_1 in T.grid(3, 35):
                for c_2 in T.vectorized(8):
                    with T.block("B"):
                        vn = T.axis.spatial(2, n)
                        vh = T.axis.spatial(5, (h_w_fused_0 * 35 + h_w_fused_1) // 7)
                        vw = T.axis.spatial(7, (h_w_fused_0 * 35 + h_w_fused_1) % 7)
                        vc = T.axis.spatial(19, c_0 * 24 + c_1 * 8 + c_2)
                        T.where((c_0 * 3 + c_1) * 8 + c_2 < 19)
                        T.reads(A_local[vn, vc, vh, vw])
                        T.writes(B[vn, vh, vw, vc])
                        B[vn, vh, vw, vc] = A_local[vn, vc, vh, vw]
