# A tensor of which another argument is a view is not overwritten.
# test: opt --pass LegalizeOps --pass RewriteDataflowReshape --pass DataflowUseInplaceCalls --pass DeadCodeElimination
# run: main(f32[3,4]) == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 4), "float32")):
        with R.dataflow():
            a = R.abs(x)
            b = R.reshape(a, (12,))
            c = R.reshape(b, (3, 4))
            d = R.subtract(a, c)
            e = R.negative(d)
            f = R.reshape(e, (3, 4))
            g = R.divide(f, e)
            R.output(g)
        return g

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def divide(f: T.Buffer((T.int64(3), T.int64(4)), "float32"), e: T.Buffer((T.int64(3), T.int64(4)), "float32"), T_divide: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("T_divide"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(f[v_i0, v_i1], e[v_i0, v_i1])
                T.writes(T_divide[v_i0, v_i1])
                T_divide[v_i0, v_i1] = f[v_i0, v_i1] / e[v_i0, v_i1]

    @T.prim_func(private=True)
    def subtract(a: T.Buffer((T.int64(3), T.int64(4)), "float32"), c: T.Buffer((T.int64(3), T.int64(4)), "float32"), T_subtract: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1], c[v_i0, v_i1])
                T.writes(T_subtract[v_i0, v_i1])
                T_subtract[v_i0, v_i1] = a[v_i0, v_i1] - c[v_i0, v_i1]

    @T.prim_func(private=True)
    def tir_abs(x: T.Buffer((T.int64(3), T.int64(4)), "float32"), compute: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.abs(x[v_i0, v_i1])

    @T.prim_func(private=True)
    def tir_negative_inplace(d: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(d[v_i0, v_i1])
                T.writes(d[v_i0, v_i1])
                d[v_i0, v_i1] = d[v_i0, v_i1] * T.float32(-1.0)

    @R.function
    def main(x: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.tir_abs, (x,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            b: R.Tensor((12,), dtype="float32") = R.memory.view(a, R.shape([12]), dtype="void", relative_byte_offset=0)
            c: R.Tensor((3, 4), dtype="float32") = R.memory.view(b, R.shape([3, 4]), dtype="void", relative_byte_offset=0)
            d = R.call_tir(cls.subtract, (a, c), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            e = R.call_tir_inplace(cls.tir_negative_inplace, (d,), inplace_indices=[0], out_sinfo=R.Tensor((3, 4), dtype="float32"))
            f: R.Tensor((3, 4), dtype="float32") = R.memory.view(e, R.shape([3, 4]), dtype="void", relative_byte_offset=0)
            g = R.call_tir(cls.divide, (f, e), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            R.output(g)
        return g
