# Nothing is fused without annotations, outside of dataflow blocks, across a check, or where only one call is left.
# test: opt --pass LegalizeOps --pass FuseOps --pass AnnotateTIROpPattern --pass FuseOps:fuse_opt_level=0
# run: main n=3 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        a = R.exp(x)
        b = R.negative(a)
        with R.dataflow():
            c = R.exp(b)
            d = R.negative(c)
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def exp(var_x: T.handle, var_T_exp: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,), "float32")
        T_exp = T.match_buffer(var_T_exp, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_exp"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(x[v_i0])
                T.writes(T_exp[v_i0])
                T_exp[v_i0] = T.exp(x[v_i0])

    @T.prim_func(private=True)
    def negative(var_a: T.handle, var_T_negative: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n,), "float32")
        T_negative = T.match_buffer(var_T_negative, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_negative"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(a[v_i0])
                T.writes(T_negative[v_i0])
                T_negative[v_i0] = a[v_i0] * T.float32(-1.0)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.negative, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        with R.dataflow():
            c = R.call_tir(cls.exp, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
            d = R.call_tir(cls.negative, (c,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(d)
        return d
