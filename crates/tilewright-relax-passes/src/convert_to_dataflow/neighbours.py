# A dataflow block absorbs adjacent bindings, whatever their number; checks may be in a block.
# test: opt --pass ConvertToDataflow:min_size=3
# run: main(f32[4], f32[4]) == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor("float32", ndim=1)):
        n = T.int64()
        a = R.abs(x)
        with R.dataflow():
            b = R.negative(a)
            c = R.exp(b)
            R.output(b, c)
        d = R.match_cast(y, R.Tensor((n,), "float32"))
        e = R.add(d, d)
        return (c, e)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor(dtype="float32", ndim=1)):
        n = T.int64()
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32") = R.abs(x)
            b: R.Tensor((4,), dtype="float32") = R.negative(a)
            c: R.Tensor((4,), dtype="float32") = R.exp(b)
            d: R.Tensor((n,), dtype="float32") = R.match_cast(y, R.Tensor((n,), dtype="float32"))
            e: R.Tensor((n,), dtype="float32") = R.add(d, d)
            R.output(c, e)
        return (c, e)
