# Bodies replace calls, also nested ones; visible and recursive functions stay.
# test: opt --pass InlinePrivateFunctions
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def twice(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.negative(lv)
            R.output(gv)
        return gv

    @R.function(private=True)
    def outer(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a = cls.twice(x)
        b = cls.twice(y)
        return R.subtract(a, b)

    @R.function
    def visible(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.abs(x)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = cls.outer(x, y)
            b = cls.visible(a)
            c = cls.outer(b, x)
            R.output(c)
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv: R.Tensor((4,), dtype="float32") = R.add(x, x)
            gv: R.Tensor((4,), dtype="float32") = R.negative(lv)
            a: R.Tensor((4,), dtype="float32") = gv
            lv_1: R.Tensor((4,), dtype="float32") = R.add(y, y)
            gv_1: R.Tensor((4,), dtype="float32") = R.negative(lv_1)
            b: R.Tensor((4,), dtype="float32") = gv_1
            gv_2: R.Tensor((4,), dtype="float32") = R.subtract(a, b)
            a_1: R.Tensor((4,), dtype="float32") = gv_2
            b_1: R.Tensor((4,), dtype="float32") = cls.visible(a_1)
            lv_2: R.Tensor((4,), dtype="float32") = R.add(b_1, b_1)
            gv_3: R.Tensor((4,), dtype="float32") = R.negative(lv_2)
            a_2: R.Tensor((4,), dtype="float32") = gv_3
            lv_3: R.Tensor((4,), dtype="float32") = R.add(x, x)
            gv_4: R.Tensor((4,), dtype="float32") = R.negative(lv_3)
            b_2: R.Tensor((4,), dtype="float32") = gv_4
            gv_5: R.Tensor((4,), dtype="float32") = R.subtract(a_2, b_2)
            c: R.Tensor((4,), dtype="float32") = gv_5
            R.output(c)
        return c

    @R.function
    def visible(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        gv: R.Tensor((4,), dtype="float32") = R.abs(x)
        return gv
