# Values from before a branch are available in it; values of the branch are not available after it. Dataflow variables
# of a block are computed again outside.
# test: opt --pass EliminateCommonSubexpr
# run: main(bool[]=[1], f32[4]) == same
# run: main(bool[]=[0], f32[4]) == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        with R.dataflow():
            hidden = R.abs(x)
            gv = R.negative(hidden)
            R.output(gv)
        a = R.nn.relu(gv)
        if p:
            b = R.nn.relu(gv)
            c = R.square(x)
            y = R.add(b, c)
        else:
            d = R.square(x)
            y = R.subtract(d, a)
        e = R.square(x)
        f = R.abs(x)
        g = R.add(e, f)
        return R.add(g, y)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        with R.dataflow():
            hidden: R.Tensor((4,), dtype="float32") = R.abs(x)
            gv: R.Tensor((4,), dtype="float32") = R.negative(hidden)
            R.output(gv)
        a: R.Tensor((4,), dtype="float32") = R.nn.relu(gv)
        if p:
            b: R.Tensor((4,), dtype="float32") = a
            c: R.Tensor((4,), dtype="float32") = R.square(x)
            gv_1: R.Tensor((4,), dtype="float32") = R.add(a, c)
            y: R.Tensor((4,), dtype="float32") = gv_1
        else:
            d: R.Tensor((4,), dtype="float32") = R.square(x)
            gv_2: R.Tensor((4,), dtype="float32") = R.subtract(d, a)
            y: R.Tensor((4,), dtype="float32") = gv_2
        e: R.Tensor((4,), dtype="float32") = R.square(x)
        f: R.Tensor((4,), dtype="float32") = R.abs(x)
        g: R.Tensor((4,), dtype="float32") = R.add(e, f)
        gv_3: R.Tensor((4,), dtype="float32") = R.add(g, y)
        return gv_3
