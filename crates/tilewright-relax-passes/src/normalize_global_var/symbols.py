# A function is called by its symbol; a private one that has the name makes room, and references follow.
# test: opt --pass NormalizeGlobalVar
# run: main == same


@I.ir_module
class Module:
    @T.prim_func
    def copy(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "double"})
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi]

    @T.prim_func(private=True)
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((4,), "float32"))
        z = R.call_tir(cls.copy, (y,), out_sinfo=R.Tensor((4,), "float32"))
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi]

    @T.prim_func(private=True)
    def double1(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        y = R.call_tir(cls.double1, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        z = R.call_tir(cls.double, (y,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return z
