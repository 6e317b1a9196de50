# Taps of a window that are in the border for every result are left out: of the first window one tap is left, of the
# second one two rows, of the third one a column, which begins after the data's first one.
# test: opt --pass LegalizeOps
# run: main == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 5, 5), "float32"), w: R.Tensor((3, 2, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=6, dilation=6)
            b = R.nn.conv2d(x, w, padding=[4, 1, 0, 1], dilation=[4, 1])
            c = R.nn.conv2d(x, w, strides=2, padding=[1, 9, 1, 0], dilation=[1, 6])
            R.output(a, b, c)
        return (a, b, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def conv2d(x: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(5)), "float32"), w: T.Buffer((T.int64(3), T.int64(2), T.int64(3), T.int64(3)), "float32"), conv2d_nchw: T.Buffer((T.int64(1), T.int64(3), T.int64(5), T.int64(5)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        pad_temp = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(5)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(5), T.int64(5)):
            with T.block("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2, v_i3])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = x[v_i0, v_i1, v_i2, v_i3]
        for nn, ff, yy, xx, rc, ry, rx in T.grid(T.int64(1), T.int64(3), T.int64(5), T.int64(5), T.int64(2), T.int64(1), T.int64(1)):
            with T.block("conv2d_nchw"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx], w[v_ff, v_rc, v_ry + T.int64(1), v_rx + T.int64(1)])
                T.writes(conv2d_nchw[v_nn, v_ff, v_yy, v_xx])
                with T.init():
                    conv2d_nchw[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv2d_nchw[v_nn, v_ff, v_yy, v_xx] = conv2d_nchw[v_nn, v_ff, v_yy, v_xx] + pad_temp[v_nn, v_rc, v_yy + v_ry, v_xx + v_rx] * w[v_ff, v_rc, v_ry + T.int64(1), v_rx + T.int64(1)]

    @T.prim_func(private=True)
    def conv2d1(x: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(5)), "float32"), w: T.Buffer((T.int64(3), T.int64(2), T.int64(3), T.int64(3)), "float32"), conv2d_nchw: T.Buffer((T.int64(1), T.int64(3), T.int64(1), T.int64(5)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        pad_temp = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(7)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(5), T.int64(7)):
            with T.block("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2, v_i3 - T.int64(1)])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(1) <= v_i3 and v_i3 < T.int64(6), x[v_i0, v_i1, v_i2, v_i3 - T.int64(1)], T.float32(0.0))
        for nn, ff, yy, xx, rc, ry, rx in T.grid(T.int64(1), T.int64(3), T.int64(1), T.int64(5), T.int64(2), T.int64(2), T.int64(3)):
            with T.block("conv2d_nchw"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy + v_ry * T.int64(4), v_xx + v_rx], w[v_ff, v_rc, v_ry + T.int64(1), v_rx])
                T.writes(conv2d_nchw[v_nn, v_ff, v_yy, v_xx])
                with T.init():
                    conv2d_nchw[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv2d_nchw[v_nn, v_ff, v_yy, v_xx] = conv2d_nchw[v_nn, v_ff, v_yy, v_xx] + pad_temp[v_nn, v_rc, v_yy + v_ry * T.int64(4), v_xx + v_rx] * w[v_ff, v_rc, v_ry + T.int64(1), v_rx]

    @T.prim_func(private=True)
    def conv2d2(x: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(5)), "float32"), w: T.Buffer((T.int64(3), T.int64(2), T.int64(3), T.int64(3)), "float32"), conv2d_nchw: T.Buffer((T.int64(1), T.int64(3), T.int64(3), T.int64(1)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        pad_temp = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(7), T.int64(5)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(7), T.int64(5)):
            with T.block("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2 - T.int64(1), v_i3])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(1) <= v_i2 and v_i2 < T.int64(6), x[v_i0, v_i1, v_i2 - T.int64(1), v_i3], T.float32(0.0))
        for nn, ff, yy, xx, rc, ry, rx in T.grid(T.int64(1), T.int64(3), T.int64(3), T.int64(1), T.int64(2), T.int64(3), T.int64(1)):
            with T.block("conv2d_nchw"):
                v_nn, v_ff, v_yy, v_xx, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, ff, yy, xx, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy * T.int64(2) + v_ry, v_xx * T.int64(2) + v_rx + T.int64(3)], w[v_ff, v_rc, v_ry, v_rx + T.int64(2)])
                T.writes(conv2d_nchw[v_nn, v_ff, v_yy, v_xx])
                with T.init():
                    conv2d_nchw[v_nn, v_ff, v_yy, v_xx] = T.float32(0.0)
                conv2d_nchw[v_nn, v_ff, v_yy, v_xx] = conv2d_nchw[v_nn, v_ff, v_yy, v_xx] + pad_temp[v_nn, v_rc, v_yy * T.int64(2) + v_ry, v_xx * T.int64(2) + v_rx + T.int64(3)] * w[v_ff, v_rc, v_ry, v_rx + T.int64(2)]

    @R.function
    def main(x: R.Tensor((1, 2, 5, 5), dtype="float32"), w: R.Tensor((3, 2, 3, 3), dtype="float32")) -> R.Tuple(R.Tensor((1, 3, 5, 5), dtype="float32"), R.Tensor((1, 3, 1, 5), dtype="float32"), R.Tensor((1, 3, 3, 1), dtype="float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.conv2d, (x, w), out_sinfo=R.Tensor((1, 3, 5, 5), dtype="float32"))
            b = R.call_tir(cls.conv2d1, (x, w), out_sinfo=R.Tensor((1, 3, 1, 5), dtype="float32"))
            c = R.call_tir(cls.conv2d2, (x, w), out_sinfo=R.Tensor((1, 3, 3, 1), dtype="float32"))
            R.output(a, b, c)
        return (a, b, c)
