# A parameter that is float16 itself: products take it as it is, all others get its wide value.
# test: opt --pass ToMixedPrecision:fp16_input_names=w+v


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 6), "float32"), v: R.Tensor((4, 6), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.matmul(x, v)
            c = R.subtract(a, b)
            R.output(c)
        d = R.sum(v)
        return (c, d)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float16"), v: R.Tensor((4, 6), dtype="float16")) -> R.Tuple(R.Tensor((2, 6), dtype="float32"), R.Tensor((), dtype="float32")):
        v_1: R.Tensor((4, 6), dtype="float32") = R.astype(v, dtype="float32")
        with R.dataflow():
            lv: R.Tensor((2, 4), dtype="float16") = R.astype(x, dtype="float16")
            a: R.Tensor((2, 6), dtype="float32") = R.matmul(lv, w, out_dtype="float32")
            b: R.Tensor((2, 6), dtype="float32") = R.matmul(lv, v, out_dtype="float32")
            c: R.Tensor((2, 6), dtype="float32") = R.subtract(a, b)
            R.output(c)
        d: R.Tensor((), dtype="float32") = R.sum(v_1, axis=None, keepdims=False)
        return (c, d)
