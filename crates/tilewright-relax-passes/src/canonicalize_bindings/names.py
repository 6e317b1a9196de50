# Aliases are removed; a dataflow output that renames a value is defined where the value is computed.
# test: opt --pass CanonicalizeBindings
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            lv = R.negative(x)
            lv1 = lv
            lv2 = R.add(lv1, lv)
            gv = lv2
            gv1 = lv1
            gv2 = lv2
            R.output(gv, gv1, gv2)
        a = gv
        b = R.subtract(a, gv1)
        c = R.multiply(b, gv2)
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            gv1: R.Tensor((4,), dtype="float32") = R.negative(x)
            gv: R.Tensor((4,), dtype="float32") = R.add(gv1, gv1)
            R.output(gv1, gv)
        b: R.Tensor((4,), dtype="float32") = R.subtract(gv, gv1)
        c: R.Tensor((4,), dtype="float32") = R.multiply(b, gv)
        return c
