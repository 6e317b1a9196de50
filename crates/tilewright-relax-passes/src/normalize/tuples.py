# Fields of tuples and what a field is taken of are operands; a tuple of operands stays where it is.
# test: opt --pass Normalize
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        pair = (R.negative(x), R.abs(R.negative(x)))
        return (pair[1], R.add(pair[0], x))

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        gv: R.Tensor((2,), dtype="float32") = R.negative(x)
        gv1: R.Tensor((2,), dtype="float32") = R.negative(x)
        gv2: R.Tensor((2,), dtype="float32") = R.abs(gv)
        pair: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = (gv1, gv2)
        gv3: R.Tensor((2,), dtype="float32") = pair[0]
        gv4: R.Tensor((2,), dtype="float32") = pair[1]
        gv5: R.Tensor((2,), dtype="float32") = R.add(gv3, x)
        return (gv4, gv5)
