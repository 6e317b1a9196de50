# A convolution is a border round the data, and one reduction over channels and window.
# test: opt --pass LegalizeOps
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 5, 6), "float32"), w: R.Tensor((4, 3, 3, 2), "float32")):
        with R.dataflow():
            gv = R.nn.conv2d(x, w, strides=(2, 1), padding=(1, 0), out_layout="NHWC")
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def conv2d(x: T.Buffer((T.int64(1), T.int64(3), T.int64(5), T.int64(6)), "float32"), w: T.Buffer((T.int64(4), T.int64(3), T.int64(3), T.int64(2)), "float32"), conv2d_nhwc: T.Buffer((T.int64(1), T.int64(3), T.int64(5), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        pad_temp = T.alloc_buffer((T.int64(1), T.int64(3), T.int64(7), T.int64(6)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), T.int64(7), T.int64(6)):
            with T.block("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2 - T.int64(1), v_i3])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(1) <= v_i2 and v_i2 < T.int64(6), x[v_i0, v_i1, v_i2 - T.int64(1), v_i3], T.float32(0.0))
        for nn, yy, xx, ff, rc, ry, rx in T.grid(T.int64(1), T.int64(3), T.int64(5), T.int64(4), T.int64(3), T.int64(3), T.int64(2)):
            with T.block("conv2d_nhwc"):
                v_nn, v_yy, v_xx, v_ff, v_rc, v_ry, v_rx = T.axis.remap("SSSSRRR", [nn, yy, xx, ff, rc, ry, rx])
                T.reads(pad_temp[v_nn, v_rc, v_yy * T.int64(2) + v_ry, v_xx + v_rx], w[v_ff, v_rc, v_ry, v_rx])
                T.writes(conv2d_nhwc[v_nn, v_yy, v_xx, v_ff])
                with T.init():
                    conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] = T.float32(0.0)
                conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] = conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] + pad_temp[v_nn, v_rc, v_yy * T.int64(2) + v_ry, v_xx + v_rx] * w[v_ff, v_rc, v_ry, v_rx]

    @R.function
    def main(x: R.Tensor((1, 3, 5, 6), dtype="float32"), w: R.Tensor((4, 3, 3, 2), dtype="float32")) -> R.Tensor((1, 3, 5, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.conv2d, (x, w), out_sinfo=R.Tensor((1, 3, 5, 4), dtype="float32"))
            R.output(gv)
        return gv
