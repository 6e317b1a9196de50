# After the block that gives a tuple out, its fields are said by the tuple: they are dataflow variables of the block.
# test: opt --pass CanonicalizeBindings
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        with R.dataflow():
            a = R.exp(x)
            b = R.negative(x)
            t = (a, b, x)
            first = t[0]
            R.output(t, first)
        y = t[0]
        z = t[2]
        if c:
            q = t[1]
            r = R.add(q, y)
        else:
            r = R.add(first, z)
        return (r, t)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))):
        with R.dataflow():
            first: R.Tensor((4,), dtype="float32") = R.exp(x)
            b: R.Tensor((4,), dtype="float32") = R.negative(x)
            t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (first, b, x)
            R.output(first, t)
        if c:
            q: R.Tensor((4,), dtype="float32") = t[1]
            gv: R.Tensor((4,), dtype="float32") = R.add(q, first)
            r: R.Tensor((4,), dtype="float32") = gv
        else:
            gv_1: R.Tensor((4,), dtype="float32") = R.add(first, x)
            r: R.Tensor((4,), dtype="float32") = gv_1
        return (r, t)
