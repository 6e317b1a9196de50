# Tensors are joined, divided, reversed and summed along the dimensions that they had; an operator that cannot follow gets its
# operand in the order that it had, once.
# test: opt --pass ConvertLayout:desired_layouts=nn.conv2d:NHWC:HWIO
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 5, 4), "float32"), w: R.Tensor((4, 3, 2, 1), "float32"), y: R.Tensor((2, 2, 4, 4), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.concat((y, a), axis=1)
            c = R.split(b, 3, axis=-3)
            d = R.flip(c[1], axis=2)
            e = R.sum(d, axis=[1], keepdims=True)
            f = R.max(d, axis=0)
            g = R.reshape(b, (2, 96))
            h = R.cumsum(b, axis=1)
            i = R.nn.softmax(b, axis=1)
            R.output(c, e, f, g, h, i)
        return (c, e, f, g, h, i)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 5, 4), dtype="float32"), w: R.Tensor((4, 3, 2, 1), dtype="float32"), y: R.Tensor((2, 2, 4, 4), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor((2, 2, 4, 4), dtype="float32"), R.Tensor((2, 2, 4, 4), dtype="float32"), R.Tensor((2, 2, 4, 4), dtype="float32")), R.Tensor((2, 1, 4, 4), dtype="float32"), R.Tensor((2, 4, 4), dtype="float32"), R.Tensor((2, 96), dtype="float32"), R.Tensor((2, 6, 4, 4), dtype="float32"), R.Tensor((2, 6, 4, 4), dtype="float32")):
        with R.dataflow():
            lv: R.Tensor((2, 5, 4, 3), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv_1: R.Tensor((2, 1, 3, 4), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            a: R.Tensor((2, 4, 4, 4), dtype="float32") = R.nn.conv2d(lv, lv_1, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NHWC", kernel_layout="HWIO", out_layout="NHWC", out_dtype="void")
            lv_2: R.Tensor((2, 4, 4, 2), dtype="float32") = R.permute_dims(y, axes=[0, 2, 3, 1])
            b: R.Tensor((2, 4, 4, 6), dtype="float32") = R.concat((lv_2, a), axis=3)
            c: R.Tuple(R.Tensor((2, 4, 4, 2), dtype="float32"), R.Tensor((2, 4, 4, 2), dtype="float32"), R.Tensor((2, 4, 4, 2), dtype="float32")) = R.split(b, indices_or_sections=3, axis=3)
            lv_3: R.Tensor((2, 4, 4, 2), dtype="float32") = c[0]
            lv_4: R.Tensor((2, 2, 4, 4), dtype="float32") = R.permute_dims(lv_3, axes=[0, 3, 1, 2])
            lv_5: R.Tensor((2, 4, 4, 2), dtype="float32") = c[1]
            lv_6: R.Tensor((2, 2, 4, 4), dtype="float32") = R.permute_dims(lv_5, axes=[0, 3, 1, 2])
            lv_7: R.Tensor((2, 4, 4, 2), dtype="float32") = c[2]
            lv_8: R.Tensor((2, 2, 4, 4), dtype="float32") = R.permute_dims(lv_7, axes=[0, 3, 1, 2])
            c_1: R.Tuple(R.Tensor((2, 2, 4, 4), dtype="float32"), R.Tensor((2, 2, 4, 4), dtype="float32"), R.Tensor((2, 2, 4, 4), dtype="float32")) = (lv_4, lv_6, lv_8)
            lv_9: R.Tensor((2, 4, 4, 2), dtype="float32") = c[1]
            d: R.Tensor((2, 4, 4, 2), dtype="float32") = R.flip(lv_9, axis=1)
            e: R.Tensor((2, 4, 4, 1), dtype="float32") = R.sum(d, axis=[3], keepdims=True)
            e_1: R.Tensor((2, 1, 4, 4), dtype="float32") = R.permute_dims(e, axes=[0, 3, 1, 2])
            f: R.Tensor((4, 4, 2), dtype="float32") = R.max(d, axis=[0], keepdims=False)
            f_1: R.Tensor((2, 4, 4), dtype="float32") = R.permute_dims(f, axes=[2, 0, 1])
            b_1: R.Tensor((2, 6, 4, 4), dtype="float32") = R.permute_dims(b, axes=[0, 3, 1, 2])
            g: R.Tensor((2, 96), dtype="float32") = R.reshape(b_1, R.shape([2, 96]))
            h: R.Tensor((2, 6, 4, 4), dtype="float32") = R.cumsum(b_1, axis=1, dtype="void", exclusive=False)
            i: R.Tensor((2, 4, 4, 6), dtype="float32") = R.nn.softmax(b, axis=3)
            i_1: R.Tensor((2, 6, 4, 4), dtype="float32") = R.permute_dims(i, axes=[0, 3, 1, 2])
            R.output(c_1, e_1, f_1, g, h, i_1)
        return (c_1, e_1, f_1, g, h, i_1)
