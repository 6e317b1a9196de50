# A convolution without a result.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 3, 12, 12), "float32"), W: T.Buffer((0, 3, 3, 3), "float32"), Y: T.Buffer((1, 0, 10, 10), "float32")):
        for n, f, y, x, c, r, s in T.grid(1, 0, 10, 10, 3, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    Y[vn, vf, vy, vx] = T.float32(0)
                Y[vn, vf, vy, vx] = Y[vn, vf, vy, vx] + X[vn, vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 3, 12, 12), "float32"), W: T.Buffer((0, 3, 3, 3), "float32"), Y: T.Buffer((1, 0, 10, 10), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((1, 27, 112), align=64)
        for task in T.parallel(1):
            with T.block("packed_b"):
                T.reads(X[0, 0:3, 0:12, 0:12])
                T.writes(packed_b[0, 0:27, 0:112])
                for number in range(T.Add(9, 1) - 0):
                    image_row: T.int32 = 0 + number
                    from_: T.int32 = T.max(image_row * -10, 0)
                    piece: T.int32 = T.min(10 - image_row, 1) * 10 - from_
                    if image_row < 10:
                        for vc, vr, vs in T.grid(3, 3, 3):
                            for x in T.vectorized(piece):
                                packed_b[0, vc * 9 + vr * 3 + vs, image_row * 10 + (from_ + x) - T.Mul(0, 112)] = X[0, 0 + vc, image_row + (0 + vr), from_ + x + (0 + vs)]
                if T.GT(12, 0):
                    for k in range(27):
                        for x in T.vectorized(12):
                            packed_b[0, k, 100 - T.Mul(0, 112) + x] = T.float32(0.0)
        for task in T.parallel(0):
            with T.block("conv"):
                T.reads(W[0:0, 0:3, 0:3, 0:3], packed_b[0, 0:27, 0:112], Y[0, 0:0, 0:10, 0:10])
                T.writes(Y[0, 0:0, 0:10, 0:10])
                tile = T.alloc_buffer((2, 7, 16), scope="local", align=64)
                m_start: T.int32 = task * 192
                for p, t in T.grid(1, 96):
                    for i in T.unroll(2):
                        for v in T.unroll(7):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for vc, vr in T.grid(3, 3):
                        for vs in T.unroll(3):
                            for i in T.unroll(2):
                                for v in T.unroll(7):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + W[m_start + t * 2 + i, 0 + vc, 0 + vr, 0 + vs] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                    for i in T.unroll(2):
                        for v in T.unroll(7):
                            for j in T.vectorized(16):
                                if (0 + p) * 112 + (v * 16 + j) < 100:
                                    Y[0, m_start + t * 2 + i, (p * 112 + v * 16 + j) // 10, (p * 112 + v * 16 + j) % 10] = tile[i, v, j]
