# A conditional with a constant condition becomes the branch that is taken.
# test: opt --pass FoldConstant
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        p = R.less(R.const(1.0, "float32"), R.const(2.0, "float32"))
        if p:
            a = R.negative(x)
            y = R.nn.relu(a)
        else:
            y = R.abs(x)
        q = R.const(False, "bool")
        if q:
            z = R.add(y, y)
        else:
            z = R.subtract(y, x)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        a: R.Tensor((4,), dtype="float32") = R.negative(x)
        gv: R.Tensor((4,), dtype="float32") = R.nn.relu(a)
        y: R.Tensor((4,), dtype="float32") = gv
        gv_1: R.Tensor((4,), dtype="float32") = R.subtract(y, x)
        z: R.Tensor((4,), dtype="float32") = gv_1
        return z
