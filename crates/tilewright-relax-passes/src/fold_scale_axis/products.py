# A product's columns, a kernel of other layouts, of groups and of a transposed convolution; one number for all channels; a scale before a shift.
# test: opt --pass FoldScaleAxis --pass FoldConstant --pass DeadCodeElimination
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), i: R.Tensor((1, 5, 5, 2), "float32"), t: R.Tensor((1, 2, 4), "float32")):
        with R.dataflow():
            p = R.matmul(x, R.const([[1, 2, 3], [4, 5, 6]], "float32"))
            p1 = R.add(p, R.const([1, 1, 2], "float32"))
            p2 = R.multiply(R.const([2, -1, 0], "float32"), p1)
            p3 = R.subtract(p2, R.const(3, "float32"))
            c = R.nn.conv2d(i, R.const([[[[1]]], [[[3]]], [[[2]]], [[[-1]]]], "float32"), groups=2, data_layout="NHWC", kernel_layout="OHWI")
            c1 = R.multiply(c, R.const([1, 2, 3, 4], "float32"))
            d = R.nn.conv1d_transpose(t, R.const([[[1, 2], [3, 4]], [[5, 6], [7, -8]]], "float32"))
            d1 = R.divide(d, R.const([[2], [-4]], "float32"))
            e = R.matmul(x, R.const([[1], [-1]], "float32"))
            e1 = R.multiply(e, R.const(0.5, "float32"))
            R.output(p3, c1, d1, e1)
        return (p3, c1, d1, e1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32"), i: R.Tensor((1, 5, 5, 2), dtype="float32"), t: R.Tensor((1, 2, 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 3), dtype="float32"), R.Tensor((1, 5, 5, 4), dtype="float32"), R.Tensor((1, 2, 5), dtype="float32"), R.Tensor(("n", 1), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 3), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][0], out_dtype="void")
            p3: R.Tensor((n, 3), dtype="float32") = R.add(lv, metadata["relax.expr.Constant"][1])
            c1: R.Tensor((1, 5, 5, 4), dtype="float32") = R.nn.conv2d(i, metadata["relax.expr.Constant"][2], strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NHWC", kernel_layout="OHWI", out_layout="NHWC", out_dtype="void")
            d1: R.Tensor((1, 2, 5), dtype="float32") = R.nn.conv1d_transpose(t, metadata["relax.expr.Constant"][3], strides=[1], padding=[0, 0], output_padding=[0], dilation=[1], groups=1, data_layout="NCW", kernel_layout="IOW", out_layout="NCW", out_dtype="void")
            e1: R.Tensor((n, 1), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][4], out_dtype="void")
            R.output(p3, c1, d1, e1)
        return (p3, c1, d1, e1)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 3], "data": "AAAAQAAAAMAAAAAAAAAAQQAAoMAAAAAA"},
    {"dtype": "float32", "shape": [3], "data": "AACAvwAAgMAAAEDA"},
    {"dtype": "float32", "shape": [4, 1, 1, 1], "data": "AACAPwAAwEAAAMBAAACAwA=="},
    {"dtype": "float32", "shape": [2, 2, 2], "data": "AAAAPwAAgD8AAEC/AACAvwAAIEAAAEBAAADgvwAAAEA="},
    {"dtype": "float32", "shape": [2, 1], "data": "AAAAPwAAAL8="},
]}
