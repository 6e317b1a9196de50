# Branches are sequences of their own: nested values are bound inside them.
# test: opt --pass Normalize
# run: main(bool[]=[1], f32[2]) == same
# run: main(bool[]=[0], f32[2]) == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
        if p:
            y = R.nn.relu(R.negative(x))
        else:
            y = R.add(R.abs(x), x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        if p:
            gv: R.Tensor((2,), dtype="float32") = R.negative(x)
            gv_1: R.Tensor((2,), dtype="float32") = R.nn.relu(gv)
            y: R.Tensor((2,), dtype="float32") = gv_1
        else:
            gv1: R.Tensor((2,), dtype="float32") = R.abs(x)
            gv_2: R.Tensor((2,), dtype="float32") = R.add(gv1, x)
            y: R.Tensor((2,), dtype="float32") = gv_2
        return y
