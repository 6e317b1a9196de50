# A field of a parameter becomes the field that the caller gives.
# test: opt --pass InlinePrivateFunctions
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        t = (x, (y, x))
        a = cls.f(t)
        b = cls.f((y, (x, a)))
        return b

    @R.function(private=True)
    def f(t: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")))) -> R.Tensor((4,), "float32"):
        inner = t[1]
        b = R.subtract(inner[0], t[0])
        c = R.divide(b, inner[1])
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))) = (x, (y, x))
        inner: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = t[1]
        gv: R.Tensor((4,), dtype="float32") = inner[0]
        gv1: R.Tensor((4,), dtype="float32") = t[0]
        b: R.Tensor((4,), dtype="float32") = R.subtract(gv, gv1)
        gv2: R.Tensor((4,), dtype="float32") = inner[1]
        c: R.Tensor((4,), dtype="float32") = R.divide(b, gv2)
        a: R.Tensor((4,), dtype="float32") = c
        inner_1: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (x, a)
        gv_1: R.Tensor((4,), dtype="float32") = inner_1[0]
        gv1_1: R.Tensor((4,), dtype="float32") = y
        b_1: R.Tensor((4,), dtype="float32") = R.subtract(gv_1, gv1_1)
        gv2_1: R.Tensor((4,), dtype="float32") = inner_1[1]
        c_1: R.Tensor((4,), dtype="float32") = R.divide(b_1, gv2_1)
        b_2: R.Tensor((4,), dtype="float32") = c_1
        return b_2
