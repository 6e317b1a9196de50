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
        for task in T.parallel(2):
            with T.block("P"):
                T.reads(W[0:5, 0:3, 0, 0], X[0, 0:3, 0:5, 0:7], bias[0, 0:5, 0, 0], R_[0, 0:5, 0:5, 0:7])
                T.writes(R_[0, 0:5, 0:5, 0:7])
                tile = T.alloc_buffer((2, 5, 8), scope="local", align=64)
                tile_1 = T.alloc_buffer((1, 5, 8), scope="local", align=64)
                m_start: T.int32 = task * 4
                m_count: T.int32 = T.min(5 - m_start, 4)
                for p in range(1):
                    for t in range(m_count // 2):
                        if t * 2 + 2 <= m_count:
                            for i in T.unroll(2):
                                for v in T.unroll(5):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(3):
                                for i in T.unroll(2):
                                    for v in T.unroll(5):
                                        for j in T.vectorized(8):
                                            tile[i, v, j] = tile[i, v, j] + W[m_start + t * 2 + i, k, 0, 0] * T.if_then_else((0 + p) * 40 + (v * 8 + j) < 35, X[0, k, (p * 40 + v * 8 + j) // 7, (p * 40 + v * 8 + j) % 7], T.float32(0.0))
                            for i in T.unroll(2):
                                for v in T.unroll(5):
                                    for j in T.vectorized(8):
                                        if (0 + p) * 40 + (v * 8 + j) < 35:
                                            R_[0, m_start + t * 2 + i, (p * 40 + v * 8 + j) // 7, (p * 40 + v * 8 + j) % 7] = T.max(tile[i, v, j] + bias[0, m_start + t * 2 + i, 0, 0] + R_[0, m_start + t * 2 + i, (p * 40 + v * 8 + j) // 7, (p * 40 + v * 8 + j) % 7], T.float32(0.0))
                    if m_count % 2 >= 1 and (m_count // 2 * 2 + T.Mul(0, 2) + 1 <= 4 and m_start + (m_count // 2 * 2 + T.Mul(0, 2) + 1) <= 5):
                        for i in T.unroll(1):
                            for v in T.unroll(5):
                                for j in T.vectorized(8):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(3):
                            for i in T.unroll(1):
                                for v in T.unroll(5):
                                    for j in T.vectorized(8):
                                        tile_1[i, v, j] = tile_1[i, v, j] + W[m_start + m_count // 2 * 2 + i, k, 0, 0] * T.if_then_else((0 + p) * 40 + (v * 8 + j) < 35, X[0, k, (p * 40 + v * 8 + j) // 7, (p * 40 + v * 8 + j) % 7], T.float32(0.0))
                        for i in T.unroll(1):
                            for v in T.unroll(5):
                                for j in T.vectorized(8):
                                    if (0 + p) * 40 + (v * 8 + j) < 35:
                                        R_[0, m_start + m_count // 2 * 2 + i, (p * 40 + v * 8 + j) // 7, (p * 40 + v * 8 + j) % 7] = T.max(tile_1[i, v, j] + bias[0, m_start + m_count // 2 * 2 + i, 0, 0] + R_[0, m_start + m_count // 2 * 2 + i, (p * 40 + v * 8 + j) // 7, (p * 40 + v * 8 + j) % 7], T.float32(0.0))
