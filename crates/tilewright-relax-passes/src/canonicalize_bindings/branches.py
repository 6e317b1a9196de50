# Names inside branches go too, and what a branch gives is named directly.
# test: opt --pass CanonicalizeBindings
# run: main(bool[]=[1], f32[4]) == same
# run: main(bool[]=[0], f32[4]) == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        a = x
        if p:
            b = a
            c = R.negative(b)
            y = c
        else:
            y = a
        z = y
        return R.add(z, a)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        if p:
            c: R.Tensor((4,), dtype="float32") = R.negative(x)
            y: R.Tensor((4,), dtype="float32") = c
        else:
            y: R.Tensor((4,), dtype="float32") = x
        gv: R.Tensor((4,), dtype="float32") = R.add(y, x)
        return gv
