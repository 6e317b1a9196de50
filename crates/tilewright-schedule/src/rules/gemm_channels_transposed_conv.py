# Phases of a transposed convolution are groups of many channels: these are the columns, whose copies are constant.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 24, 6, 6), "float32"), W: T.Buffer((24, 32, 4, 4), "float32"), Y: T.Buffer((1, 32, 8, 8), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        phases = T.alloc_buffer((1, 2, 2, 32, 4, 4))
        for n, p, q, f, y, x, c, r, s in T.grid(1, 2, 2, 32, 4, 4, 24, 2, 2):
            with T.block("phases"):
                vn, vp, vq, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSSSRRR", [n, p, q, f, y, x, c, r, s])
                with T.init():
                    phases[vn, vp, vq, vf, vy, vx] = T.float32(0)
                phases[vn, vp, vq, vf, vy, vx] = phases[vn, vp, vq, vf, vy, vx] + X[vn, vc, vy + vr + (vp + 1) // 2, vx + vs + (vq + 1) // 2] * W[vc, vf, (1 - vr) * 2 + (vp + 1) % 2, (1 - vs) * 2 + (vq + 1) % 2]
        for n, f, y, x in T.grid(1, 32, 8, 8):
            with T.block("side_by_side"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                Y[vn, vf, vy, vx] = phases[vn, vy % 2, vx % 2, vf, vy // 2, vx // 2]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 24, 6, 6), "float32"), W: T.Buffer((24, 32, 4, 4), "float32"), Y: T.Buffer((1, 32, 8, 8), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        phases = T.alloc_buffer((1, 2, 2, 4, 4, 32))
        packed_b = T.alloc_buffer((2, 2, 1, 96, 32), align=64)
        for vp in T.parallel(2):
            for vq in T.parallel(2):
                for panel in T.parallel(1):
                    for k in range(96):
                        for j in T.vectorized(32):
                            with T.block("packed_b"):
                                vp_1, vq_1, panel_1, k_1, j_1 = T.axis.remap("SSSSS", [vp, vq, panel, k, j])
                                T.reads(W[k_1 // 4, panel_1 * 32 + j_1, (1 - k_1 // 2 % 2) * 2 + (vp_1 + 1) % 2, (1 - k_1 % 2) * 2 + (vq_1 + 1) % 2])
                                T.writes(packed_b[vp_1, vq_1, panel_1, k_1, j_1])
                                T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                                packed_b[vp_1, vq_1, panel_1, k_1, j_1] = W[k_1 // 4, panel_1 * 32 + j_1, (1 - k_1 // 2 % 2) * 2 + (vp_1 + 1) % 2, (1 - k_1 % 2) * 2 + (vq_1 + 1) % 2]
        for task in T.parallel(4):
            with T.block("phases"):
                T.reads(X[0, 0:24, 0:6, 0:6], packed_b[0:2, 0:2, 0, 0:96, 0:32], phases[0, 0:2, 0:2, 0:4, 0:4, 0:32])
                T.writes(phases[0, 0:2, 0:2, 0:4, 0:4, 0:32])
                tile = T.alloc_buffer((8, 2, 16), scope="local", align=64)
                vq: T.int32 = task % 2
                vp: T.int32 = task // 2
                for p, t in T.grid(1, 2):
                    for i in T.unroll(8):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for vc, vr in T.grid(24, 2):
                        for vs in T.unroll(2):
                            for i in T.unroll(8):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + X[0, 0 + vc, t * 2 + i // 4 + (0 + vr) + (vp + 1) // 2, i % 4 + (0 + vs) + (vq + 1) // 2] * packed_b[vp, vq, 0 + p, 0 + (vc * 4 + vr * 2 + vs), v * 16 + j]
                    for i in T.unroll(8):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                phases[0, vp, vq, t * 2 + i // 4, i % 4, p * 32 + v * 16 + j] = tile[i, v, j]
        for n, y in T.grid(1, 8):
            with T.block("side_by_side"):
                T.reads(phases[0, y % 2, 0:2, y // 2, 0:4, 0:32])
                T.writes(Y[n, 0:32, y, 0:8])
                for f_tile, x_tile in T.grid(4, 1):
                    row: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 0) % 2, y // 2, (x_tile * 8 + 0) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    row_1: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 1) % 2, y // 2, (x_tile * 8 + 1) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    row_2: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 2) % 2, y // 2, (x_tile * 8 + 2) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    row_3: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 3) % 2, y // 2, (x_tile * 8 + 3) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    row_4: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 4) % 2, y // 2, (x_tile * 8 + 4) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    row_5: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 5) % 2, y // 2, (x_tile * 8 + 5) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    row_6: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 6) % 2, y // 2, (x_tile * 8 + 6) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    row_7: T.float32x8 = phases[0, y % 2, (x_tile * 8 + 7) % 2, y // 2, (x_tile * 8 + 7) // 2, T.Ramp(f_tile * 8, 1, 8)]
                    shuffled: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                    shuffled_1: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                    shuffled_2: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                    shuffled_3: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                    shuffled_4: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                    shuffled_5: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                    shuffled_6: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                    shuffled_7: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                    shuffled_8: T.float32x8 = T.Shuffle([shuffled, shuffled_2], [0, 1, 8, 9, 4, 5, 12, 13])
                    shuffled_9: T.float32x8 = T.Shuffle([shuffled, shuffled_2], [2, 3, 10, 11, 6, 7, 14, 15])
                    shuffled_10: T.float32x8 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 8, 9, 4, 5, 12, 13])
                    shuffled_11: T.float32x8 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 10, 11, 6, 7, 14, 15])
                    shuffled_12: T.float32x8 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 8, 9, 4, 5, 12, 13])
                    shuffled_13: T.float32x8 = T.Shuffle([shuffled_4, shuffled_6], [2, 3, 10, 11, 6, 7, 14, 15])
                    shuffled_14: T.float32x8 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 8, 9, 4, 5, 12, 13])
                    shuffled_15: T.float32x8 = T.Shuffle([shuffled_5, shuffled_7], [2, 3, 10, 11, 6, 7, 14, 15])
                    shuffled_16: T.float32x8 = T.Shuffle([shuffled_8, shuffled_12], [0, 1, 2, 3, 8, 9, 10, 11])
                    shuffled_17: T.float32x8 = T.Shuffle([shuffled_8, shuffled_12], [4, 5, 6, 7, 12, 13, 14, 15])
                    shuffled_18: T.float32x8 = T.Shuffle([shuffled_9, shuffled_13], [0, 1, 2, 3, 8, 9, 10, 11])
                    shuffled_19: T.float32x8 = T.Shuffle([shuffled_9, shuffled_13], [4, 5, 6, 7, 12, 13, 14, 15])
                    shuffled_20: T.float32x8 = T.Shuffle([shuffled_10, shuffled_14], [0, 1, 2, 3, 8, 9, 10, 11])
                    shuffled_21: T.float32x8 = T.Shuffle([shuffled_10, shuffled_14], [4, 5, 6, 7, 12, 13, 14, 15])
                    shuffled_22: T.float32x8 = T.Shuffle([shuffled_11, shuffled_15], [0, 1, 2, 3, 8, 9, 10, 11])
                    shuffled_23: T.float32x8 = T.Shuffle([shuffled_11, shuffled_15], [4, 5, 6, 7, 12, 13, 14, 15])
                    Y[n, f_tile * 8 + 0, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_16
                    Y[n, f_tile * 8 + 1, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_18
                    Y[n, f_tile * 8 + 2, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_20
                    Y[n, f_tile * 8 + 3, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_22
                    Y[n, f_tile * 8 + 4, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_17
                    Y[n, f_tile * 8 + 5, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_19
                    Y[n, f_tile * 8 + 6, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_21
                    Y[n, f_tile * 8 + 7, y, T.Ramp(x_tile * 8, 1, 8)] = shuffled_23
