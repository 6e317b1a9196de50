# A projection of a known tuple becomes the field, also of a nested tuple; of a call's tuple it stays a projection.
# test: opt --pass CanonicalizeBindings
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def both(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("yz"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + T.float32(1)
                z[vi] = x[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            pair = (x, y)
            nested = (pair, x)
            inner = nested[0]
            second = inner[1]
            made = R.call_tir(cls.both, (second,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
            z = made[1]
            out = R.subtract(z, pair[0])
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def both(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("yz"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi], z[vi])
                y[vi] = x[vi] + T.float32(1.0)
                z[vi] = x[vi] * T.float32(2.0)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            pair: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (x, y)
            nested: R.Tuple(R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tensor((4,), dtype="float32")) = (pair, x)
            made = R.call_tir(cls.both, (y,), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")])
            z: R.Tensor((4,), dtype="float32") = made[1]
            out: R.Tensor((4,), dtype="float32") = R.subtract(z, x)
            R.output(out)
        return out
