# Equal values are computed once: operators with equal attributes, calls of PrimFuncs, fields; another order of operands
# is another value.
# test: opt --pass EliminateCommonSubexpr
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.subtract(x, y)
            b = R.subtract(x, y)
            c = R.subtract(y, x)
            d = R.call_tir(cls.double, (a,), out_sinfo=R.Tensor((4,), "float32"))
            e = R.call_tir(cls.double, (b,), out_sinfo=R.Tensor((4,), "float32"))
            f = R.multiply(d, e)
            gv = R.add(f, c)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32") = R.subtract(x, y)
            b: R.Tensor((4,), dtype="float32") = a
            c: R.Tensor((4,), dtype="float32") = R.subtract(y, x)
            d = R.call_tir(cls.double, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
            e: R.Tensor((4,), dtype="float32") = d
            f: R.Tensor((4,), dtype="float32") = R.multiply(d, d)
            gv: R.Tensor((4,), dtype="float32") = R.add(f, c)
            R.output(gv)
        return gv
