# A scalar constant is written into a copy of the function; other calls keep the original.
# test: opt --pass LegalizeOps --pass InlineScalarConstants
# run: main n=5 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((), "float32")):
        with R.dataflow():
            a = R.subtract(x, R.const(0.5, "float32"))
            b = R.subtract(a, y)
            R.output(b)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def subtract(var_x: T.handle, var_T_subtract: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,), "float32")
        T_subtract = T.match_buffer(var_T_subtract, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_subtract"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(x[v_i0])
                T.writes(T_subtract[v_i0])
                T_subtract[v_i0] = x[v_i0] - T.float32(0.5)

    @T.prim_func(private=True)
    def subtract1(var_a: T.handle, y: T.Buffer((), "float32"), var_T_subtract: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n,), "float32")
        T_subtract = T.match_buffer(var_T_subtract, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("T_subtract"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(a[v_i0], y[()])
                T.writes(T_subtract[v_i0])
                T_subtract[v_i0] = a[v_i0] - y[()]

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor((), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.subtract, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
            b = R.call_tir(cls.subtract1, (a, y), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(b)
        return b
