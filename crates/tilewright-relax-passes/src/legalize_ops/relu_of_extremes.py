# NaN stays NaN, and the sign of zero is the table's.
# test: opt --pass LegalizeOps
# run: main special tol=0 == same
# run: main(f32[16]=[0, -0.0, 1, -1, inf, -inf, nan, 3e38, -3e38, 1e-40, -1e-40, 0, 0, 0, 0, 0]) tol=0 == f32[16]=[0, 0, 1, 0, inf, 0, nan, 3e38, 0, 1e-40, 0, 0, 0, 0, 0, 0]

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((16,), "float32")) -> R.Tensor((16,), "float32"):
        with R.dataflow():
            gv = R.nn.relu(x)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def relu(x: T.Buffer((T.int64(16),), "float32"), compute: T.Buffer((T.int64(16),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(16)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(16), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(x[v_i0], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((16,), dtype="float32")) -> R.Tensor((16,), dtype="float32"):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((16,), dtype="float32"))
            R.output(gv)
        return gv
