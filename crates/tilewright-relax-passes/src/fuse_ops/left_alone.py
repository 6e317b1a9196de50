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
    def tir_exp(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,), "float32")
        compute = T.match_buffer(var_compute, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.exp(x[v_i0])

    @T.prim_func(private=True)
    def tir_negative(var_a: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n,), "float32")
        compute = T.match_buffer(var_compute, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(a[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = a[v_i0] * T.float32(-1.0)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.tir_exp, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.tir_negative, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        with R.dataflow():
            c = R.call_tir(cls.tir_exp, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
            d = R.call_tir(cls.tir_negative, (c,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(d)
        return d
