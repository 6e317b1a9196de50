# A sum of int8 wraps before it is multiplied: products of int32 with its terms would not. Where the products wrap alike, and
# for floats, it is expanded.
# test: opt --pass ExpandMatmulOfSum
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "int8"), a: R.Tensor((4, 3), "int8"), b: R.Tensor((4, 3), "int8")):
        with R.dataflow():
            s = R.add(a, b)
            wide = R.matmul(x, s, out_dtype="int32")
            t = R.add(a, b)
            own = R.matmul(x, t)
            R.output(wide, own)
        return (wide, own)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="int8"), a: R.Tensor((4, 3), dtype="int8"), b: R.Tensor((4, 3), dtype="int8")) -> R.Tuple(R.Tensor((2, 3), dtype="int32"), R.Tensor((2, 3), dtype="int8")):
        with R.dataflow():
            s: R.Tensor((4, 3), dtype="int8") = R.add(a, b)
            wide: R.Tensor((2, 3), dtype="int32") = R.matmul(x, s, out_dtype="int32")
            lv: R.Tensor((2, 3), dtype="int8") = R.matmul(x, a, out_dtype="void")
            lv_1: R.Tensor((2, 3), dtype="int8") = R.matmul(x, b, out_dtype="void")
            own: R.Tensor((2, 3), dtype="int8") = R.add(lv, lv_1)
            R.output(wide, own)
        return (wide, own)
