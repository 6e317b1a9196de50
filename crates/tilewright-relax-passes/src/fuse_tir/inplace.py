# A result that overwrites an argument: of a temporary it is the same buffer, of an argument of the whole function the
# call becomes one in place.
# test: opt --pass FuseTIR
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
    def add_to(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                A[vi] = A[vi] + B[vi]

    @R.function(private=True)
    def of_temporary(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), "float32"))
            b = R.call_tir_inplace(cls.add_to, (a, y), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            c = R.call_tir(cls.exp, (b,), out_sinfo=R.Tensor((4,), "float32"))
            d = R.call_tir_inplace(cls.add_to, (c, b), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            R.output(d)
        return d

    @R.function(private=True)
    def of_argument(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), "float32"))
            b = R.call_tir_inplace(cls.add_to, (y, a), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = cls.of_temporary(x, x)
            b = cls.of_argument(x, a)
            R.output(b)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def of_argument(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((4,))
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(B[vi])
                B[vi] = T.exp(x[vi])
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                T.reads(y[vi], B[vi])
                T.writes(y[vi])
                y[vi] = y[vi] + B[vi]

    @T.prim_func(private=True)
    def of_temporary(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        B_1 = T.alloc_buffer((4,))
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(B_1[vi])
                B_1[vi] = T.exp(x[vi])
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                T.reads(B_1[vi], y[vi])
                T.writes(B_1[vi])
                B_1[vi] = B_1[vi] + y[vi]
        for i in range(4):
            with T.block("B_1"):
                vi = T.axis.spatial(4, i)
                T.reads(B_1[vi])
                T.writes(B[vi])
                B[vi] = T.exp(B_1[vi])
        for i in range(4):
            with T.block("A_1"):
                vi = T.axis.spatial(4, i)
                T.reads(B[vi], B_1[vi])
                T.writes(B[vi])
                B[vi] = B[vi] + B_1[vi]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.of_temporary, (x, x), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir_inplace(cls.of_argument, (x, a), inplace_indices=[1], out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(b)
        return b
