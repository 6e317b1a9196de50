# Brackets that do not fit are broken, outermost first.
# test: print --width 60

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 784), "float32"), w: R.Tensor((128, 784), "float32")) -> R.Tensor((1, 128), "float32"):
        with R.dataflow():
            lv = R.permute_dims(w)
            gv = R.matmul(x, lv)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, 784), dtype="float32"),
        w: R.Tensor((128, 784), dtype="float32"),
    ) -> R.Tensor((1, 128), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor(
                (784, 128),
                dtype="float32",
            ) = R.permute_dims(w, axes=None)
            gv: R.Tensor(
                (1, 128),
                dtype="float32",
            ) = R.matmul(x, lv, out_dtype="void")
            R.output(gv)
        return gv
