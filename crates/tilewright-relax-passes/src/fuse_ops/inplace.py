# A call in place is the last of its group, and reads of the tensor that it overwrites stay before it: `b` is not
# computed with `d`.
# test: opt --pass AnnotateTIROpPattern --pass FuseOps
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.exp(A[vi])

    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi] + B[vi]

    @T.prim_func(private=True)
    def double(A: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                A[vi] = A[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), "float32"))
            b = R.call_tir(cls.exp, (a,), out_sinfo=R.Tensor((4,), "float32"))
            c = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            d = R.call_tir(cls.add, (b, c), out_sinfo=R.Tensor((4,), "float32"))
            e = R.call_tir(cls.exp, (d,), out_sinfo=R.Tensor((4,), "float32"))
            f = R.call_tir_inplace(cls.double, (e,), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            R.output(f)
        return f

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi], B[vi])
                T.writes(C[vi])
                C[vi] = A[vi] + B[vi]

    @T.prim_func(private=True)
    def double(A: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(A[vi])
                A[vi] = A[vi] * T.float32(2.0)

    @T.prim_func(private=True)
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = T.exp(A[vi])

    @R.function(private=True)
    def fused_exp_double(d: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            e = R.call_tir(cls.exp, (d,), out_sinfo=R.Tensor((4,), dtype="float32"))
            f = R.call_tir_inplace(cls.double, (e,), inplace_indices=[0], out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(f)
        return f

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.exp, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            c = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=R.Tensor((4,), dtype="float32"))
            d = R.call_tir(cls.add, (b, c), out_sinfo=R.Tensor((4,), dtype="float32"))
            f: R.Tensor((4,), dtype="float32") = cls.fused_exp_double(d)
            R.output(f)
        return f
