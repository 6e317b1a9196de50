# A value that a later call overwrites does not become a constant, under whatever alias it is written.
# test: opt --pass FoldConstant
# run: main == same


@I.ir_module
class Module:
    @T.prim_func
    def three(o: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("three"):
                vi = T.axis.spatial(4, i)
                o[vi] = T.float32(3)

    @T.prim_func
    def add(x: T.Buffer((4,), "float32"), o: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("add"):
                vi = T.axis.spatial(4, i)
                o[vi] = x[vi] + o[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.three, (), out_sinfo=R.Tensor((4,), "float32"))
            b = R.call_tir(cls.three, (), out_sinfo=R.Tensor((4,), "float32"))
            read = R.call_tir(cls.three, (), out_sinfo=R.Tensor((4,), "float32"))
            other = b
            p = R.call_tir_inplace(cls.add, (x, a), inplace_indices=[1], out_sinfo=R.Tensor((4,), "float32"))
            q = R.call_tir_inplace(cls.add, (read, other), inplace_indices=[1], out_sinfo=R.Tensor((4,), "float32"))
            r = (p, q)
            R.output(r)
        return r

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def add(x: T.Buffer((4,), "float32"), o: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("add"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi], o[vi])
                T.writes(o[vi])
                o[vi] = x[vi] + o[vi]

    @T.prim_func
    def three(o: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("three"):
                vi = T.axis.spatial(4, i)
                T.reads()
                T.writes(o[vi])
                o[vi] = T.float32(3.0)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.three, (), out_sinfo=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.three, (), out_sinfo=R.Tensor((4,), dtype="float32"))
            other: R.Tensor((4,), dtype="float32") = b
            p = R.call_tir_inplace(cls.add, (x, a), inplace_indices=[1], out_sinfo=R.Tensor((4,), dtype="float32"))
            q = R.call_tir_inplace(cls.add, (metadata["relax.expr.Constant"][0], other), inplace_indices=[1], out_sinfo=R.Tensor((4,), dtype="float32"))
            r: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (p, q)
            R.output(r)
        return r

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [4], "data": "AABAQAAAQEAAAEBAAABAQA=="},
]}
