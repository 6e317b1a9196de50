# A symbolic dimension that no buffer tells is passed as a scalar, between the tensors and the result.
# test: opt --pass LegalizeOps


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n * 2",), "float32")):
        with R.dataflow():
            z = R.negative(y)
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def tir_negative(var_y: T.handle, n: T.int64, compute: T.Buffer((n * T.int64(2),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        y = T.match_buffer(var_y, (n * T.int64(2),), "float32")
        # with T.block("root"):
        for i0 in range(n * T.int64(2)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n * T.int64(2), i0)
                T.reads(y[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = y[v_i0] * T.float32(-1.0)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("n * 2",), dtype="float32")) -> R.Tensor(("n * 2",), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            z = R.call_tir(cls.tir_negative, (y, R.prim_value(n)), out_sinfo=R.Tensor((n * 2,), dtype="float32"))
            R.output(z)
        return z
