# A convolution and its normalisation become one convolution; the following relu stays.
# test: opt --pass DecomposeOps --pass FoldConstant --pass FoldScaleAxis --pass FoldConstant --pass DeadCodeElimination
# run: main == same
# run: main seed=1 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2, 4, 4), "float32")):
        with R.dataflow():
            w = R.const([[[[1]], [[-2]]], [[[3]], [[0.5]]], [[[0]], [[1]]]], "float32")
            c = R.nn.conv2d(x, w, padding=1)
            n = R.nn.batch_norm(
                c, R.const([1.5, -2, 0.25], "float32"), R.const([0.5, 1, -1], "float32"), R.const([0.1, -0.2, 0], "float32"),
                R.const([1, 4, 0.25], "float32"), axis=1, training=False,
            )
            y = R.nn.relu(n[0])
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2, 4, 4), dtype="float32")) -> R.Tensor((2, 3, 6, 6), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((2, 3, 6, 6), dtype="float32") = R.nn.conv2d(x, metadata["relax.expr.Constant"][0], strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv_1: R.Tensor((2, 3, 6, 6), dtype="float32") = R.add(lv, metadata["relax.expr.Constant"][1])
            y: R.Tensor((2, 3, 6, 6), dtype="float32") = R.nn.relu(lv_1)
            R.output(y)
        return y

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [3, 2, 1, 1], "data": "wf+/P8H/P8Dx/z/A7P//vgAAAACw/v8+"},
    {"dtype": "float32", "shape": [1, 3, 1, 1], "data": "TDOzPtHMTD8AAIC/"},
]}
