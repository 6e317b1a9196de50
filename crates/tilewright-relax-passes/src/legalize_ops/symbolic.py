# A symbolic dimension that a buffer tells becomes the PrimFunc's own.
# test: opt --pass LegalizeOps
# run: main n=3 == same
# run: main n=1 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 1), "float32")):
        with R.dataflow():
            z = R.maximum(x, y)
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def maximum(var_x: T.handle, var_y: T.handle, var_T_maximum: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        y = T.match_buffer(var_y, (n, T.int64(1)), "float32")
        T_maximum = T.match_buffer(var_T_maximum, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_maximum"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], y[v_i0, T.int64(0)])
                T.writes(T_maximum[v_i0, v_i1])
                T_maximum[v_i0, v_i1] = T.max(x[v_i0, v_i1], y[v_i0, T.int64(0)])

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 1), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            z = R.call_tir(cls.maximum, (x, y), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            R.output(z)
        return z
