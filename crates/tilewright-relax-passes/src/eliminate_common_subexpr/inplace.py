# Where values are overwritten, two equal ones are not one.
# test: opt --pass EliminateCommonSubexpr
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def make(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + T.float32(1)

    @T.prim_func(private=True)
    def doubled(x: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("x"):
                vi = T.axis.spatial(4, i)
                x[vi] = x[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.make, (x,), out_sinfo=R.Tensor((4,), "float32"))
            b = R.call_tir(cls.make, (x,), out_sinfo=R.Tensor((4,), "float32"))
            c = R.call_tir_inplace(cls.doubled, (a,), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            d = R.subtract(c, b)
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def doubled(x: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("x"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(x[vi])
                x[vi] = x[vi] + x[vi]

    @T.prim_func(private=True)
    def make(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi] + T.float32(1.0)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.make, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.make, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            c = R.call_tir_inplace(cls.doubled, (a,), inplace_indices=[0], out_sinfo=R.Tensor((4,), dtype="float32"))
            d: R.Tensor((4,), dtype="float32") = R.subtract(c, b)
            R.output(d)
        return d
