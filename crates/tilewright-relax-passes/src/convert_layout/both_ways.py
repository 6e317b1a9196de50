# A result has the layout that is asked for, the first one if none is; other convolutions follow their data, and split
# layouts stay. Both operands of a sum get one layout.
# test: opt --pass ConvertLayout:desired_layouts=nn.conv2d:NHWC:OIHW:NCHW+nn.conv1d:NWC
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, 4, 5, 5), "float32"),
        w: R.Tensor((4, 4, 3, 3), "float32"),
        s: R.Tensor((1, 2, 6), "float32"),
        v: R.Tensor((2, 2, 3), "float32"),
        k: R.Tensor((2, 3, 2), "float32"),
        p: R.Tensor((1, 2, 5, 5, 2), "float32"),
    ):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.nn.relu(a)
            c = R.nn.conv1d(s, v)
            d = R.nn.conv1d_transpose(c, k)
            e = R.add(d, R.nn.conv1d_transpose(R.negative(c), k))
            f = R.nn.conv2d(p, w, data_layout="NCHW2c", out_layout="NCHW")
            g = R.permute_dims(c, axes=[2, 0, 1])
            R.output(b, e, f, g)
        return (b, e, f, g)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4, 5, 5), dtype="float32"), w: R.Tensor((4, 4, 3, 3), dtype="float32"), s: R.Tensor((1, 2, 6), dtype="float32"), v: R.Tensor((2, 2, 3), dtype="float32"), k: R.Tensor((2, 3, 2), dtype="float32"), p: R.Tensor((1, 2, 5, 5, 2), dtype="float32")) -> R.Tuple(R.Tensor((1, 4, 3, 3), dtype="float32"), R.Tensor((1, 3, 5), dtype="float32"), R.Tensor((1, 4, 3, 3), dtype="float32"), R.Tensor((4, 1, 2), dtype="float32")):
        with R.dataflow():
            lv: R.Tensor((1, 5, 5, 4), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            a: R.Tensor((1, 4, 3, 3), dtype="float32") = R.nn.conv2d(lv, w, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NHWC", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            b: R.Tensor((1, 4, 3, 3), dtype="float32") = R.nn.relu(a)
            lv_1: R.Tensor((1, 6, 2), dtype="float32") = R.permute_dims(s, axes=[0, 2, 1])
            c: R.Tensor((1, 4, 2), dtype="float32") = R.nn.conv1d(lv_1, v, strides=[1], padding=[0, 0], dilation=[1], groups=1, data_layout="NWC", kernel_layout="OIW", out_layout="NWC", out_dtype="void")
            d: R.Tensor((1, 5, 3), dtype="float32") = R.nn.conv1d_transpose(c, k, strides=[1], padding=[0, 0], output_padding=[0], dilation=[1], groups=1, data_layout="NWC", kernel_layout="IOW", out_layout="NWC", out_dtype="void")
            lv_2: R.Tensor((1, 4, 2), dtype="float32") = R.negative(c)
            lv1: R.Tensor((1, 5, 3), dtype="float32") = R.nn.conv1d_transpose(lv_2, k, strides=[1], padding=[0, 0], output_padding=[0], dilation=[1], groups=1, data_layout="NWC", kernel_layout="IOW", out_layout="NWC", out_dtype="void")
            e: R.Tensor((1, 5, 3), dtype="float32") = R.add(d, lv1)
            e_1: R.Tensor((1, 3, 5), dtype="float32") = R.permute_dims(e, axes=[0, 2, 1])
            f: R.Tensor((1, 4, 3, 3), dtype="float32") = R.nn.conv2d(p, w, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW2c", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            c_1: R.Tensor((1, 2, 4), dtype="float32") = R.permute_dims(c, axes=[0, 2, 1])
            g: R.Tensor((4, 1, 2), dtype="float32") = R.permute_dims(c_1, axes=[2, 0, 1])
            R.output(b, e_1, f, g)
        return (b, e_1, f, g)
