# What follows a convolution takes its order: sums with a bias, normalisation, pools, means. The bias gets the dimensions that
# it lacks; what was there before is put back only where it is needed.
# test: opt --pass ConvertLayout:desired_layouts=relax.nn.conv2d:NHWC:OHWI
# run: main n=2 tol=1e-4 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 3, 8, 6), "float32"),
        w: R.Tensor((4, 3, 3, 3), "float32"),
        bias: R.Tensor((4, 1, 1), "float32"),
        gamma: R.Tensor((4,), "float32"),
        beta: R.Tensor((4,), "float32"),
        mean: R.Tensor((4,), "float32"),
        variance: R.Tensor((4,), "float32"),
    ):
        n = T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=1)
            b = R.add(bias, a)
            c = R.nn.batch_norm(b, gamma, beta, mean, R.abs(variance), axis=1, training=False)
            d = R.nn.relu(c[0])
            e = R.add(d, a)
            f = R.nn.max_pool2d(e, pool_size=(2, 3), strides=2)
            g = R.mean(f, axis=[2, -1])
            h = R.multiply(g, R.const(2.0, "float32"))
            R.output(d, h)
        return (d, h)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 8, 6), dtype="float32"), w: R.Tensor((4, 3, 3, 3), dtype="float32"), bias: R.Tensor((4, 1, 1), dtype="float32"), gamma: R.Tensor((4,), dtype="float32"), beta: R.Tensor((4,), dtype="float32"), mean: R.Tensor((4,), dtype="float32"), variance: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4, 8, 6), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 8, 6, 3), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv_1: R.Tensor((4, 3, 3, 3), dtype="float32") = R.permute_dims(w, axes=[0, 2, 3, 1])
            a: R.Tensor((n, 8, 6, 4), dtype="float32") = R.nn.conv2d(lv, lv_1, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NHWC", kernel_layout="OHWI", out_layout="NHWC", out_dtype="void")
            lv_2: R.Tensor((1, 4, 1, 1), dtype="float32") = R.expand_dims(bias, axis=[0])
            lv_3: R.Tensor((1, 1, 1, 4), dtype="float32") = R.permute_dims(lv_2, axes=[0, 2, 3, 1])
            b: R.Tensor((n, 8, 6, 4), dtype="float32") = R.add(lv_3, a)
            lv_4: R.Tensor((4,), dtype="float32") = R.abs(variance)
            c: R.Tuple(R.Tensor((n, 8, 6, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = R.nn.batch_norm(b, gamma, beta, mean, lv_4, axis=3, epsilon=1e-5, center=True, scale=True, momentum=0.1, training=False)
            lv1: R.Tensor((n, 8, 6, 4), dtype="float32") = c[0]
            d: R.Tensor((n, 8, 6, 4), dtype="float32") = R.nn.relu(lv1)
            d_1: R.Tensor((n, 4, 8, 6), dtype="float32") = R.permute_dims(d, axes=[0, 3, 1, 2])
            e: R.Tensor((n, 8, 6, 4), dtype="float32") = R.add(d, a)
            f: R.Tensor((n, 4, 2, 4), dtype="float32") = R.nn.max_pool2d(e, pool_size=[2, 3], strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], ceil_mode=False, count_include_pad=False, layout="NHWC", out_layout="NHWC")
            g: R.Tensor((n, 4), dtype="float32") = R.mean(f, axis=[1, 2], keepdims=False)
            h: R.Tensor((n, 4), dtype="float32") = R.multiply(g, R.const(2.0, "float32"))
            R.output(d_1, h)
        return (d_1, h)
