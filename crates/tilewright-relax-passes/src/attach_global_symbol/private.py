# Private functions become visible under their names; a symbol that is there stays.
# test: opt --pass AttachGlobalSymbol
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + x[vi]

    @T.prim_func
    def copy(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "another"})
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi]

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        return R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((4,), "float32"))

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        y = cls.inner(x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def copy(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "another"})
        # with T.block("root"):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi]

    @T.prim_func
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi] + x[vi]

    @R.function
    def inner(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        gv = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return gv

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        y: R.Tensor((4,), dtype="float32") = cls.inner(x)
        return y
