# Constants of a function become arguments of its PrimFunc, scalars stay ones, and what the function does not use is not
# passed. A pattern that was found may be fused, too.
# test: opt --pass FuseTIR
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def shift(A: T.Buffer((4,), "float32"), c: T.Buffer((), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + c[()]

    @T.prim_func(private=True)
    def scale(A: T.Buffer((4,), "float32"), k: T.int64, B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] * T.Cast("float32", k)

    @R.function(private=True)
    def fused(idle: R.Tensor((7,), "float32"), k: R.Prim("int64"), x: R.Tensor((4,), "float32")):
        R.func_attr({"Primitive": True, "Composite": "lib.shift"})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.shift, (x, R.const(1.5, "float32")), out_sinfo=R.Tensor((4,), "float32"))
            b = R.call_tir(cls.scale, (a, k), out_sinfo=R.Tensor((4,), "float32"))
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((7,), "float32")):
        cls = Module
        a = cls.fused(y, R.prim_value(3), x)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused(k: T.int64, x: T.Buffer((4,), "float32"), const: T.Buffer((), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        B_1 = T.alloc_buffer((4,))
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi], const[()])
                T.writes(B_1[vi])
                B_1[vi] = x[vi] + const[()]
        for i in range(4):
            with T.block("B_1"):
                vi = T.axis.spatial(4, i)
                T.reads(B_1[vi])
                T.writes(B[vi])
                B[vi] = B_1[vi] * T.Cast("float32", k)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((7,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        a = R.call_tir(cls.fused, (R.prim_value(3), x, R.const(1.5, "float32")), out_sinfo=R.Tensor((4,), dtype="float32"))
        return a
