# Fewer than `min_size` bindings make no block.
# test: opt --pass ConvertToDataflow:min_size=3
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.abs(x)
        b = R.negative(a)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        a: R.Tensor((4,), dtype="float32") = R.abs(x)
        b: R.Tensor((4,), dtype="float32") = R.negative(a)
        return b
