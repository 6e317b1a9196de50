# As many groups as channels, with symbolic sizes; no border, and so no block for it.
# test: opt --pass LegalizeOps
# run: main n=2 h=7 == same
# run: main n=1 h=3 == same
# run: main n=0 h=4 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "h", 5, 4), "float32"), w: R.Tensor((3, 3, 4, 1), "float32")):
        with R.dataflow():
            gv = R.nn.conv2d(x, w, groups=4, data_layout="NHWC", kernel_layout="HWOI")
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def conv2d(var_x: T.handle, w: T.Buffer((T.int64(3), T.int64(3), T.int64(4), T.int64(1)), "float32"), var_group_conv2d_nhwc: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        h = T.int64()
        x = T.match_buffer(var_x, (n, h, T.int64(5), T.int64(4)), "float32")
        group_conv2d_nhwc = T.match_buffer(var_group_conv2d_nhwc, (n, h - T.int64(2), T.int64(3), T.int64(4)), "float32")
        # with T.block("root"):
        pad_temp = T.alloc_buffer((n, h, T.int64(5), T.int64(4)))
        for i0, i1, i2, i3 in T.grid(n, h, T.int64(5), T.int64(4)):
            with T.block("pad_temp"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2, v_i3])
                T.writes(pad_temp[v_i0, v_i1, v_i2, v_i3])
                pad_temp[v_i0, v_i1, v_i2, v_i3] = x[v_i0, v_i1, v_i2, v_i3]
        for nn, yy, xx, ff, ry, rx, rc in T.grid(n, h - T.int64(2), T.int64(3), T.int64(4), T.int64(3), T.int64(3), T.int64(1)):
            with T.block("group_conv2d_nhwc"):
                v_nn, v_yy, v_xx, v_ff, v_ry, v_rx, v_rc = T.axis.remap("SSSSRRR", [nn, yy, xx, ff, ry, rx, rc])
                T.reads(pad_temp[v_nn, v_yy + v_ry, v_xx + v_rx, v_ff + v_rc], w[v_ry, v_rx, v_ff, v_rc])
                T.writes(group_conv2d_nhwc[v_nn, v_yy, v_xx, v_ff])
                with T.init():
                    group_conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] = T.float32(0.0)
                group_conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] = group_conv2d_nhwc[v_nn, v_yy, v_xx, v_ff] + pad_temp[v_nn, v_yy + v_ry, v_xx + v_rx, v_ff + v_rc] * w[v_ry, v_rx, v_ff, v_rc]

    @R.function
    def main(x: R.Tensor(("n", "h", 5, 4), dtype="float32"), w: R.Tensor((3, 3, 4, 1), dtype="float32")) -> R.Tensor(("n", "h - 2", 3, 4), dtype="float32"):
        h = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            conv2d_sizes: R.Shape([h]) = R.match_cast(R.shape([T.max(T.int64(3), h)]), R.Shape([h]))
            gv = R.call_tir(cls.conv2d, (x, w), out_sinfo=R.Tensor((n, h - 2, 3, 4), dtype="float32"))
            R.output(gv)
        return gv
