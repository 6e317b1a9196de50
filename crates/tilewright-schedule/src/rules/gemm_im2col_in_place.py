# The result of a convolution takes the place of what is added to it.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 3, 5, 7), "float32"), W: T.Buffer((5, 3, 1, 1), "float32"), bias: T.Buffer((1, 5, 1, 1), "float32"), R: T.Buffer((1, 5, 5, 7), "float32")):
        P = T.alloc_buffer((1, 5, 5, 7), "float32")
        Q = T.alloc_buffer((1, 5, 5, 7), "float32")
        S = T.alloc_buffer((1, 5, 5, 7), "float32")
        for n, f, y, x, c, r, s in T.grid(1, 5, 5, 7, 3, 1, 1):
            with T.block("P"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    P[vn, vf, vy, vx] = T.float32(0)
                P[vn, vf, vy, vx] = P[vn, vf, vy, vx] + X[vn, vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]
        for n, f, y, x in T.grid(1, 5, 5, 7):
            with T.block("Q"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                Q[vn, vf, vy, vx] = P[vn, vf, vy, vx] + bias[vn, vf, 0, 0]
        for n, f, y, x in T.grid(1, 5, 5, 7):
            with T.block("S"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                S[vn, vf, vy, vx] = Q[vn, vf, vy, vx] + R[vn, vf, vy, vx]
        for n, f, y, x in T.grid(1, 5, 5, 7):
            with T.block("R"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                R[vn, vf, vy, vx] = T.max(S[vn, vf, vy, vx], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 3, 5, 7), "float32"), W: T.Buffer((5, 3, 1, 1), "float32"), bias: T.Buffer((1, 5, 1, 1), "float32"), R_: T.Buffer((1, 5, 5, 7), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((3, 3, 16), align=64)
        for task in T.parallel(3):
            with T.block("packed_b"):
                T.reads(X[0, 0:3, 0:5, 0:7])
                T.writes(packed_b[0:3, 0:3, 0:16])
                first_row: T.int32 = task * 16 // 7
                for number in range(T.min(task * 16 + 15, 34) // 7 + 1 - first_row):
                    image_row: T.int32 = first_row + number
                    from_: T.int32 = T.max(task * 16 - image_row * 7, 0)
                    piece: T.int32 = T.min(T.min(task * 16 + 16, 35) - image_row * 7, 7) - from_
                    if image_row < 5:
                        for k in range(3):
                            for x in T.vectorized(piece):
                                packed_b[task, k, image_row * 7 + (from_ + x) - task * 16] = X[0, k, image_row + 0, from_ + x + 0]
                if 0 - T.min(19 - task * 16, 0) > 0:
                    for k in range(3):
                        for x in T.vectorized(0 - T.min(19 - task * 16, 0)):
                            packed_b[task, k, T.min(task * 16 + 16, 35) - task * 16 + x] = T.float32(0.0)
        for task in T.parallel(2):
            with T.block("P"):
                T.reads(W[0:5, 0:3, 0, 0], packed_b[0:3, 0:3, 0:16], bias[0, 0:5, 0, 0], R_[0, 0:5, 0:5, 0:7])
                T.writes(R_[0, 0:5, 0:5, 0:7])
                tile = T.alloc_buffer((5, 2, 8), scope="local", align=64)
                panel_start: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p, t in T.grid(panels, 1):
                    for i in T.unroll(5):
                        for v in T.unroll(2):
                            for j in T.vectorized(8):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(3):
                        for i in T.unroll(5):
                            for v in T.unroll(2):
                                for j in T.vectorized(8):
                                    tile[i, v, j] = tile[i, v, j] + W[t * 5 + i, k, 0, 0] * packed_b[panel_start + p, 0 + k, v * 8 + j]
                    for i in T.unroll(5):
                        for v in T.unroll(2):
                            for j in T.vectorized(8):
                                if (panel_start + p) * 16 + (v * 8 + j) < 35:
                                    R_[0, t * 5 + i, (panel_start * 16 + p * 16 + v * 8 + j) // 7, (panel_start * 16 + p * 16 + v * 8 + j) % 7] = T.max(tile[i, v, j] + bias[0, t * 5 + i, 0, 0] + R_[0, t * 5 + i, (panel_start * 16 + p * 16 + v * 8 + j) // 7, (panel_start * 16 + p * 16 + v * 8 + j) % 7], T.float32(0.0))
