# Calls with effects and conditionals separate blocks; one binding alone makes none, and values used later are outputs.
# test: opt --pass ConvertToDataflow
# run: main == same


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        a = R.abs(x)
        b = R.negative(a)
        c = R.exp(b)
        R.print(c, format="{}")
        alone = R.sin(b)
        R.print(alone, format="{}")
        if p:
            d = R.cos(b)
            e = R.tan(d)
            out = R.add(d, e)
        else:
            out = R.negative(alone)
        f = R.add(out, b)
        g = R.subtract(f, alone)
        return g

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            a: R.Tensor((4,), dtype="float32") = R.abs(x)
            b: R.Tensor((4,), dtype="float32") = R.negative(a)
            c: R.Tensor((4,), dtype="float32") = R.exp(b)
            R.output(b, c)
        _: R.Tuple() = R.print(c, format="{}")
        alone: R.Tensor((4,), dtype="float32") = R.sin(b)
        __1: R.Tuple() = R.print(alone, format="{}")
        if p:
            with R.dataflow():
                d: R.Tensor((4,), dtype="float32") = R.cos(b)
                e: R.Tensor((4,), dtype="float32") = R.tan(d)
                gv: R.Tensor((4,), dtype="float32") = R.add(d, e)
                R.output(gv)
            out: R.Tensor((4,), dtype="float32") = gv
        else:
            gv_1: R.Tensor((4,), dtype="float32") = R.negative(alone)
            out: R.Tensor((4,), dtype="float32") = gv_1
        with R.dataflow():
            f: R.Tensor((4,), dtype="float32") = R.add(out, b)
            g: R.Tensor((4,), dtype="float32") = R.subtract(f, alone)
            R.output(g)
        return g
