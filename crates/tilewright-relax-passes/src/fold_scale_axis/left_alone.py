# Shifts alone, weights that are no constants, scales along another dimension or of each element, results that something else uses, groups of a transposed convolution, a constant that is divided.
# test: opt --pass FoldScaleAxis
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32"), t: R.Tensor((1, 2, 4), "float32")):
        with R.dataflow():
            k = R.const([[1, 2], [3, 4]], "float32")
            s = R.const([2, 3], "float32")
            a = R.matmul(x, k)
            a1 = R.add(a, s)
            b = R.matmul(x, w)
            b1 = R.multiply(b, s)
            c = R.matmul(x, k)
            c1 = R.multiply(c, R.const([[2], [3]], "float32"))
            d = R.matmul(x, k)
            d1 = R.multiply(d, s)
            e = R.nn.conv1d_transpose(t, R.const([[[1, 2]], [[3, 4]]], "float32"), groups=2)
            e1 = R.multiply(e, R.const([[2], [3]], "float32"))
            f = R.matmul(x, k)
            f1 = R.divide(s, f)
            g = R.matmul(k, x)
            g1 = R.multiply(g, s)
            R.output(a1, b1, c1, d, d1, e1, f1, g1)
        return (a1, b1, c1, d, d1, e1, f1, g1)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32"), w: R.Tensor((2, 2), dtype="float32"), t: R.Tensor((1, 2, 4), dtype="float32")) -> R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32"), R.Tensor((1, 2, 5), dtype="float32"), R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        with R.dataflow():
            k: R.Tensor((2, 2), dtype="float32") = metadata["relax.expr.Constant"][0]
            s: R.Tensor((2,), dtype="float32") = metadata["relax.expr.Constant"][1]
            a: R.Tensor((2, 2), dtype="float32") = R.matmul(x, k, out_dtype="void")
            a1: R.Tensor((2, 2), dtype="float32") = R.add(a, s)
            b: R.Tensor((2, 2), dtype="float32") = R.matmul(x, w, out_dtype="void")
            b1: R.Tensor((2, 2), dtype="float32") = R.multiply(b, s)
            c: R.Tensor((2, 2), dtype="float32") = R.matmul(x, k, out_dtype="void")
            c1: R.Tensor((2, 2), dtype="float32") = R.multiply(c, metadata["relax.expr.Constant"][2])
            d: R.Tensor((2, 2), dtype="float32") = R.matmul(x, k, out_dtype="void")
            d1: R.Tensor((2, 2), dtype="float32") = R.multiply(d, s)
            e: R.Tensor((1, 2, 5), dtype="float32") = R.nn.conv1d_transpose(t, metadata["relax.expr.Constant"][3], strides=[1], padding=[0, 0], output_padding=[0], dilation=[1], groups=2, data_layout="NCW", kernel_layout="IOW", out_layout="NCW", out_dtype="void")
            e1: R.Tensor((1, 2, 5), dtype="float32") = R.multiply(e, metadata["relax.expr.Constant"][4])
            f: R.Tensor((2, 2), dtype="float32") = R.matmul(x, k, out_dtype="void")
            f1: R.Tensor((2, 2), dtype="float32") = R.divide(s, f)
            g: R.Tensor((2, 2), dtype="float32") = R.matmul(k, x, out_dtype="void")
            g1: R.Tensor((2, 2), dtype="float32") = R.multiply(g, s)
            R.output(a1, b1, c1, d, d1, e1, f1, g1)
        return (a1, b1, c1, d, d1, e1, f1, g1)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 2], "data": "AACAPwAAAEAAAEBAAACAQA=="},
    {"dtype": "float32", "shape": [2], "data": "AAAAQAAAQEA="},
    {"dtype": "float32", "shape": [2, 1], "data": "AAAAQAAAQEA="},
    {"dtype": "float32", "shape": [2, 1, 2], "data": "AACAPwAAAEAAAEBAAACAQA=="},
    {"dtype": "float32", "shape": [2, 1], "data": "AAAAQAAAQEA="},
]}
