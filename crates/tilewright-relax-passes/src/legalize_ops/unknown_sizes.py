# Sizes that must be equal, and that only the run knows, are compared in front of the call.
# test: opt --pass LegalizeOps
# run: main n=3 m=2 k=2 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("k",), "float32")):
        with R.dataflow():
            z = R.nn.prelu(x, y)
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def prelu(var_x: T.handle, var_y: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (n, m), "float32")
        k = T.int64()
        y = T.match_buffer(var_y, (k,), "float32")
        compute = T.match_buffer(var_compute, (n, m), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, m):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], y[v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.Select(T.float32(0.0) < x[v_i0, v_i1], x[v_i0, v_i1], x[v_i0, v_i1] * y[v_i1])

    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("k",), dtype="float32")) -> R.Tensor(("n", "m"), dtype="float32"):
        m = T.int64()
        k = T.int64()
        n = T.int64()
        cls = Module
        with R.dataflow():
            prelu_sizes: R.Shape([m]) = R.match_cast(R.shape([k]), R.Shape([m]))
            z = R.call_tir(cls.prelu, (x, y), out_sinfo=R.Tensor((n, m), dtype="float32"))
            R.output(z)
        return z
