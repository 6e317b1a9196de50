# Not fused: a softmax over another dimension, weights or scores with other uses, and products without a softmax in
# between.
# test: opt --pass FuseAttention
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 3), "float32"), y: R.Tensor((2, 3, 3), "float32")):
        with R.dataflow():
            a1 = R.matmul(x, y)
            a2 = R.nn.softmax(a1, axis=1)
            a = R.matmul(a2, y)
            b1 = R.matmul(x, y)
            b2 = R.nn.softmax(b1, axis=-1)
            b = R.matmul(b2, y)
            c1 = R.matmul(y, x)
            c2 = R.exp(c1)
            c3 = R.nn.softmax(c2, axis=-1)
            c = R.matmul(c3, y)
            d1 = R.matmul(x, x)
            d2 = R.sigmoid(d1)
            d = R.matmul(d2, x)
            R.output(a, b2, b, c1, c, d)
        return (a, b2, b, c1, c, d)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 3), dtype="float32"), y: R.Tensor((2, 3, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32")):
        with R.dataflow():
            a1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            a2: R.Tensor((2, 3, 3), dtype="float32") = R.nn.softmax(a1, axis=1)
            a: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(a2, y, out_dtype="void")
            b1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, y, out_dtype="void")
            b2: R.Tensor((2, 3, 3), dtype="float32") = R.nn.softmax(b1, axis=-1)
            b: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(b2, y, out_dtype="void")
            c1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(y, x, out_dtype="void")
            c2: R.Tensor((2, 3, 3), dtype="float32") = R.exp(c1)
            c3: R.Tensor((2, 3, 3), dtype="float32") = R.nn.softmax(c2, axis=-1)
            c: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(c3, y, out_dtype="void")
            d1: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(x, x, out_dtype="void")
            d2: R.Tensor((2, 3, 3), dtype="float32") = R.sigmoid(d1)
            d: R.Tensor((2, 3, 3), dtype="float32") = R.matmul(d2, x, out_dtype="void")
            R.output(a, b2, b, c1, c, d)
        return (a, b2, b, c1, c, d)
