# The position between elements is computed in integers; past the border the nearest element is read.
# test: opt --pass LegalizeOps
# run: main h=3 == same
# run: main h=1 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, "h", 4), "float32")):
        with R.dataflow():
            gv = R.image.resize2d(x, R.shape([5, 3]))
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def resize2d(var_x: T.handle, resize: T.Buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        h = T.int64()
        x = T.match_buffer(var_x, (T.int64(1), T.int64(2), h, T.int64(4)), "float32")
        # with T.block("root"):
        resize_rows = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(5), T.int64(4)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(5), T.int64(4)):
            with T.block("resize_rows"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(x[v_i0, v_i1, T.int64(0):h, v_i3])
                T.writes(resize_rows[v_i0, v_i1, v_i2, v_i3])
                resize_rows[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(h > T.int64(0), x[v_i0, v_i1, T.max(T.min(((v_i2 * T.int64(2) + T.int64(1)) * h - T.int64(5)) // T.int64(10), h - T.int64(1)), T.int64(0)), v_i3] * (T.float32(1.0) - T.Cast("float32", ((v_i2 * T.int64(2) + T.int64(1)) * h - T.int64(5)) % T.int64(10)) / T.float32(10.0)) + x[v_i0, v_i1, T.max(T.min(((v_i2 * T.int64(2) + T.int64(1)) * h - T.int64(5)) // T.int64(10) + T.int64(1), h - T.int64(1)), T.int64(0)), v_i3] * (T.Cast("float32", ((v_i2 * T.int64(2) + T.int64(1)) * h - T.int64(5)) % T.int64(10)) / T.float32(10.0)), T.float32(0.0))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(5), T.int64(3)):
            with T.block("resize"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(resize_rows[v_i0, v_i1, v_i2, T.int64(0):T.int64(4)])
                T.writes(resize[v_i0, v_i1, v_i2, v_i3])
                resize[v_i0, v_i1, v_i2, v_i3] = resize_rows[v_i0, v_i1, v_i2, T.max(T.min(((v_i3 * T.int64(2) + T.int64(1)) * T.int64(4) - T.int64(3)) // T.int64(6), T.int64(3)), T.int64(0))] * (T.float32(1.0) - T.Cast("float32", ((v_i3 * T.int64(2) + T.int64(1)) * T.int64(4) - T.int64(3)) % T.int64(6)) / T.float32(6.0)) + resize_rows[v_i0, v_i1, v_i2, T.max(T.min(((v_i3 * T.int64(2) + T.int64(1)) * T.int64(4) - T.int64(3)) // T.int64(6) + T.int64(1), T.int64(3)), T.int64(0))] * (T.Cast("float32", ((v_i3 * T.int64(2) + T.int64(1)) * T.int64(4) - T.int64(3)) % T.int64(6)) / T.float32(6.0))

    @R.function
    def main(x: R.Tensor((1, 2, "h", 4), dtype="float32")) -> R.Tensor((1, 2, 5, 3), dtype="float32"):
        h = T.int64()
        cls = Module
        with R.dataflow():
            resize2d_sizes: R.Shape([h]) = R.match_cast(R.shape([T.max(T.int64(1), h)]), R.Shape([h]))
            gv = R.call_tir(cls.resize2d, (x,), out_sinfo=R.Tensor((1, 2, 5, 3), dtype="float32"))
            R.output(gv)
        return gv
