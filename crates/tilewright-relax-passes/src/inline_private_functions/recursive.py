# A function that calls itself stays a function.
# test: opt --pass InlinePrivateFunctions
# run: main(bool[]=[1], f32[4]) == same
# run: main(bool[]=[0], f32[4]) == same


@I.ir_module
class Module:
    @R.function(private=True)
    def again(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        q = R.const(False, "bool")
        if p:
            z = R.add(x, x)
            y = cls.again(q, z)
        else:
            y = x
        return y

    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        cls = Module
        y = cls.again(p, x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def again(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        q: R.Tensor((), dtype="bool") = R.const(False, "bool")
        if p:
            z: R.Tensor((4,), dtype="float32") = R.add(x, x)
            gv: R.Tensor((4,), dtype="float32") = cls.again(q, z)
            y: R.Tensor((4,), dtype="float32") = gv
        else:
            y: R.Tensor((4,), dtype="float32") = x
        return y

    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        y: R.Tensor((4,), dtype="float32") = cls.again(p, x)
        return y
