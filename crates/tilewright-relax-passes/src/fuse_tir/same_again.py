# One function twice in a group: its loops and blocks are there twice, under other names, each with the scalar that it got.
# What is given twice is one parameter.
# test: opt --pass AnnotateTIROpPattern --pass FuseOps --pass FuseTIR
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), k: T.int64):
        T.func_attr({"tir.noalias": True})
        C = T.alloc_buffer((4,), "float32")
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi] * T.Cast("float32", k)
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = C[vi] - A[vi]

    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi] + B[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((3,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.scale, (x,), out_sinfo=R.Tensor((4,), "float32"), tir_vars=R.shape([3]))
            b = R.call_tir(cls.scale, (a,), out_sinfo=R.Tensor((4,), "float32"), tir_vars=R.shape([5]))
            c = R.call_tir(cls.add, (b, b), out_sinfo=R.Tensor((4,), "float32"))
            d = R.call_tir(cls.add, (c, x), out_sinfo=R.Tensor((4,), "float32"))
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused_scale_scale_add_add(x: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        B = T.alloc_buffer((4,))
        B_1 = T.alloc_buffer((4,))
        C_1 = T.alloc_buffer((4,))
        C_2 = T.alloc_buffer((4,))
        C_3 = T.alloc_buffer((4,))
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(C_2[vi])
                C_2[vi] = x[vi] * T.float32(3.0)
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(C_2[vi], x[vi])
                T.writes(B[vi])
                B[vi] = C_2[vi] - x[vi]
        for i in range(4):
            with T.block("C_1"):
                vi = T.axis.spatial(4, i)
                T.reads(B[vi])
                T.writes(C_3[vi])
                C_3[vi] = B[vi] * T.float32(5.0)
        for i in range(4):
            with T.block("B_1"):
                vi = T.axis.spatial(4, i)
                T.reads(C_3[vi], B[vi])
                T.writes(B_1[vi])
                B_1[vi] = C_3[vi] - B[vi]
        for i in range(4):
            with T.block("C_2"):
                vi = T.axis.spatial(4, i)
                T.reads(B_1[vi], B_1[vi])
                T.writes(C_1[vi])
                C_1[vi] = B_1[vi] + B_1[vi]
        for i in range(4):
            with T.block("C_3"):
                vi = T.axis.spatial(4, i)
                T.reads(C_1[vi], x[vi])
                T.writes(C[vi])
                C[vi] = C_1[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((3,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            d = R.call_tir(cls.fused_scale_scale_add_add, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(d)
        return d
