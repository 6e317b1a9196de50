# Operators that are named stay.
# test: opt --pass LegalizeOps:skip_ops=relax.add+nn.relu
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.negative(a)
            c = R.nn.relu(b)
            R.output(c)
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def tir_negative(a: T.Buffer((T.int64(4),), "float32"), compute: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(a[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = a[v_i0] * T.float32(-1.0)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32") = R.add(x, x)
            b = R.call_tir(cls.tir_negative, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            c: R.Tensor((4,), dtype="float32") = R.nn.relu(b)
            R.output(c)
        return c
