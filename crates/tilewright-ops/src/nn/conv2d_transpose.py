# A transposed convolution is the convolution, by the mirrored kernel, of the data with zeros between its elements.
# test: opt --pass LegalizeOps
# run: main n=1 == same
# run: main n=4 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, "n", 4), "float32"), w: R.Tensor((3, 2, 3, 2), "float32")):
        with R.dataflow():
            gv = R.nn.conv2d_transpose(x, w, strides=(2, 1), padding=(1, 0), output_padding=(1, 0))
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def conv2d_transpose(var_x: T.handle, w: T.Buffer((T.int64(3), T.int64(2), T.int64(3), T.int64(2)), "float32"), var_conv2d_transpose_nchw: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (T.int64(1), T.int64(3), n, T.int64(4)), "float32")
        conv2d_transpose_nchw = T.match_buffer(var_conv2d_transpose_nchw, (T.int64(1), T.int64(2), n * T.int64(2), T.int64(5)), "float32")
        # with T.block("root"):
        data_pad = T.alloc_buffer((T.int64(1), T.int64(3), n + T.int64(2), T.int64(6)))
        phases = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(1), T.int64(2), n, T.int64(5)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(3), n + T.int64(2), T.int64(6)):
            with T.block("data_pad"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)])
                T.writes(data_pad[v_i0, v_i1, v_i2, v_i3])
                data_pad[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(T.int64(1) <= v_i2 and v_i2 < n + T.int64(1) and T.int64(1) <= v_i3 and v_i3 < T.int64(5), x[v_i0, v_i1, v_i2 - T.int64(1), v_i3 - T.int64(1)], T.float32(0.0))
        for p0, p1, p2, p3, p4, p5, rt, rt_1, rt_2 in T.grid(T.int64(1), T.int64(2), T.int64(1), T.int64(2), n, T.int64(5), T.int64(3), T.int64(2), T.int64(2)):
            with T.block("phases"):
                v_p0, v_p1, v_p2, v_p3, v_p4, v_p5, v_rt, v_rt_1, v_rt_2 = T.axis.remap("SSSSSSRRR", [p0, p1, p2, p3, p4, p5, rt, rt_1, rt_2])
                T.reads(data_pad[v_p0, v_rt, v_p4 + v_rt_1 + (v_p1 + T.int64(1)) // T.int64(2), v_p5 + v_rt_2], w[v_rt, v_p3, (T.int64(1) - v_rt_1) * T.int64(2) + (v_p1 + T.int64(1)) % T.int64(2), T.int64(1) - v_rt_2 + v_p2])
                T.writes(phases[v_p0, v_p1, v_p2, v_p3, v_p4, v_p5])
                with T.init():
                    phases[v_p0, v_p1, v_p2, v_p3, v_p4, v_p5] = T.float32(0.0)
                phases[v_p0, v_p1, v_p2, v_p3, v_p4, v_p5] = phases[v_p0, v_p1, v_p2, v_p3, v_p4, v_p5] + T.if_then_else((T.int64(1) - v_rt_1) * T.int64(2) + (v_p1 + T.int64(1)) % T.int64(2) < T.int64(3), data_pad[v_p0, v_rt, v_p4 + v_rt_1 + (v_p1 + T.int64(1)) // T.int64(2), v_p5 + v_rt_2], T.float32(0.0)) * T.if_then_else((T.int64(1) - v_rt_1) * T.int64(2) + (v_p1 + T.int64(1)) % T.int64(2) < T.int64(3), w[v_rt, v_p3, (T.int64(1) - v_rt_1) * T.int64(2) + (v_p1 + T.int64(1)) % T.int64(2), T.int64(1) - v_rt_2 + v_p2], T.float32(0.0))
        for nn, ff, yy, xx in T.grid(T.int64(1), T.int64(2), n * T.int64(2), T.int64(5)):
            with T.block("conv2d_transpose_nchw"):
                v_nn, v_ff, v_yy, v_xx = T.axis.remap("SSSS", [nn, ff, yy, xx])
                T.reads(phases[v_nn, v_yy % T.int64(2), v_xx % T.int64(1), v_ff, v_yy // T.int64(2), v_xx // T.int64(1)])
                T.writes(conv2d_transpose_nchw[v_nn, v_ff, v_yy, v_xx])
                conv2d_transpose_nchw[v_nn, v_ff, v_yy, v_xx] = phases[v_nn, v_yy % T.int64(2), v_xx % T.int64(1), v_ff, v_yy // T.int64(2), v_xx // T.int64(1)]

    @R.function
    def main(x: R.Tensor((1, 3, "n", 4), dtype="float32"), w: R.Tensor((3, 2, 3, 2), dtype="float32")) -> R.Tensor((1, 2, "n * 2", 5), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.conv2d_transpose, (x, w), out_sinfo=R.Tensor((1, 2, n * 2, 5), dtype="float32"))
            R.output(gv)
        return gv
