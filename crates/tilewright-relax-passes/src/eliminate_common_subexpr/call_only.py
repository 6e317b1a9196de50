# With `call_only`, equal tuples and fields stay several; calls of them are still one, constants and attributes apart.
# test: opt --pass EliminateCommonSubexpr:call_only=True
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), y: R.Tensor((2, 4), "float32")):
        with R.dataflow():
            t = (x, y)
            u = (x, y)
            a = t[0]
            b = t[0]
            c = R.add(a, R.const(1, "float32"))
            d = R.add(a, R.const(1, "float32"))
            e = R.add(a, R.const(2, "float32"))
            f = R.sum(c, axis=0)
            g = R.sum(d, axis=0)
            h = R.sum(d, axis=1)
            R.output(u, b, e, f, g, h)
        return (u, b, e, f, g, h)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), y: R.Tensor((2, 4), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32")), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        with R.dataflow():
            t: R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32")) = (x, y)
            u: R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32")) = (x, y)
            a: R.Tensor((2, 4), dtype="float32") = t[0]
            b: R.Tensor((2, 4), dtype="float32") = t[0]
            c: R.Tensor((2, 4), dtype="float32") = R.add(a, R.const(1.0, "float32"))
            d: R.Tensor((2, 4), dtype="float32") = c
            e: R.Tensor((2, 4), dtype="float32") = R.add(a, R.const(2.0, "float32"))
            f: R.Tensor((4,), dtype="float32") = R.sum(c, axis=[0], keepdims=False)
            g: R.Tensor((4,), dtype="float32") = f
            h: R.Tensor((2,), dtype="float32") = R.sum(c, axis=[1], keepdims=False)
            R.output(u, b, e, f, g, h)
        return (u, b, e, f, f, h)
