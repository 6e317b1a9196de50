# A transposed convolution becomes its polyphase components: convolutions without strides, one per residue of the output
# index.
# test: opt --pass DecomposeOps --pass FoldConstant --pass DeadCodeElimination
# run: uneven n=5 == same
# run: uneven n=1 == same
# run: behind == same

@I.ir_module
class Module:
    @R.function
    def uneven(x: R.Tensor(("n", 3, 4, 5), "float32"), w: R.Tensor((3, 2, 3, 3), "float32")):
        with R.dataflow():
            gv = R.nn.conv2d_transpose(x, w, strides=2, padding=1, output_padding=1)
            R.output(gv)
        return gv

    @R.function
    def behind(x: R.Tensor((1, 2, 4), "float32"), w: R.Tensor((2, 3, 5), "float32")):
        with R.dataflow():
            gv = R.nn.conv1d_transpose(x, w, strides=3)
            R.output(gv)
        return gv

    @R.function
    def even(x: R.Tensor((1, 2, 4), "float32"), w: R.Tensor((2, 3, 6), "float32")):
        with R.dataflow():
            gv = R.nn.conv1d_transpose(x, w, strides=3)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def behind(x: R.Tensor((1, 2, 4), dtype="float32"), w: R.Tensor((2, 3, 5), dtype="float32")) -> R.Tensor((1, 3, 14), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((1, 2, 5), dtype="float32") = R.nn.pad(x, pad_width=[0, 0, 0, 0, 0, 1], pad_value=0.0, pad_mode="constant")
            lv_1: R.Tensor((2, 3, 2), dtype="float32") = R.strided_slice(w, (R.prim_value(2),), (R.prim_value(0),), (R.prim_value(5),), (R.prim_value(3),), assume_inbound=False)
            lv_2: R.Tensor((1, 3, 5), dtype="float32") = R.nn.conv1d_transpose(lv, lv_1, strides=[1], padding=[0, 1], output_padding=[0], dilation=[1], groups=1, data_layout="NCW", kernel_layout="IOW", out_layout="NCW", out_dtype="void")
            lv_3: R.Tensor((1, 3, 1, 5), dtype="float32") = R.expand_dims(lv_2, axis=[2])
            lv_4: R.Tensor((2, 3, 2), dtype="float32") = R.strided_slice(w, (R.prim_value(2),), (R.prim_value(1),), (R.prim_value(5),), (R.prim_value(3),), assume_inbound=False)
            lv_5: R.Tensor((1, 3, 5), dtype="float32") = R.nn.conv1d_transpose(lv, lv_4, strides=[1], padding=[0, 1], output_padding=[0], dilation=[1], groups=1, data_layout="NCW", kernel_layout="IOW", out_layout="NCW", out_dtype="void")
            lv_6: R.Tensor((1, 3, 1, 5), dtype="float32") = R.expand_dims(lv_5, axis=[2])
            lv_7: R.Tensor((2, 3, 1), dtype="float32") = R.strided_slice(w, (R.prim_value(2),), (R.prim_value(2),), (R.prim_value(5),), (R.prim_value(3),), assume_inbound=False)
            lv_8: R.Tensor((1, 3, 5), dtype="float32") = R.nn.conv1d_transpose(lv, lv_7, strides=[1], padding=[0, 0], output_padding=[0], dilation=[1], groups=1, data_layout="NCW", kernel_layout="IOW", out_layout="NCW", out_dtype="void")
            lv_9: R.Tensor((1, 3, 1, 5), dtype="float32") = R.expand_dims(lv_8, axis=[2])
            lv_10: R.Tensor((1, 3, 3, 5), dtype="float32") = R.concat((lv_3, lv_6, lv_9), axis=2)
            lv_11: R.Tensor((1, 3, 3, 5), dtype="float32") = R.reshape(lv_10, R.shape([1, 3, 3, 5]))
            lv_12: R.Tensor((1, 3, 5, 3), dtype="float32") = R.permute_dims(lv_11, axes=[0, 1, 3, 2])
            lv_13: R.Tensor((1, 3, 15), dtype="float32") = R.reshape(lv_12, R.shape([1, 3, 15]))
            gv: R.Tensor((1, 3, 14), dtype="float32") = R.strided_slice(lv_13, (R.prim_value(2),), (R.prim_value(0),), (R.prim_value(14),), (R.prim_value(1),), assume_inbound=True)
            R.output(gv)
        return gv

    @R.function
    def even(x: R.Tensor((1, 2, 4), dtype="float32"), w: R.Tensor((2, 3, 6), dtype="float32")) -> R.Tensor((1, 3, 15), dtype="float32"):
        with R.dataflow():
            gv: R.Tensor((1, 3, 15), dtype="float32") = R.nn.conv1d_transpose(x, w, strides=[3], padding=[0, 0], output_padding=[0], dilation=[1], groups=1, data_layout="NCW", kernel_layout="IOW", out_layout="NCW", out_dtype="void")
            R.output(gv)
        return gv

    @R.function
    def uneven(x: R.Tensor(("n", 3, 4, 5), dtype="float32"), w: R.Tensor((3, 2, 3, 3), dtype="float32")) -> R.Tensor(("n", 2, 8, 10), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((3, 2, 1, 1), dtype="float32") = R.strided_slice(w, (R.prim_value(2), R.prim_value(3)), (R.prim_value(1), R.prim_value(1)), (R.prim_value(3), R.prim_value(3)), (R.prim_value(2), R.prim_value(2)), assume_inbound=False)
            lv_1: R.Tensor((n, 2, 4, 5), dtype="float32") = R.nn.conv2d_transpose(x, lv, strides=[1, 1], padding=[0, 0, 0, 0], output_padding=[0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="IOHW", out_layout="NCHW", out_dtype="void")
            lv_2: R.Tensor((n, 2, 1, 4, 5), dtype="float32") = R.expand_dims(lv_1, axis=[2])
            lv_3: R.Tensor((3, 2, 1, 2), dtype="float32") = R.strided_slice(w, (R.prim_value(2), R.prim_value(3)), (R.prim_value(1), R.prim_value(0)), (R.prim_value(3), R.prim_value(3)), (R.prim_value(2), R.prim_value(2)), assume_inbound=False)
            lv_4: R.Tensor((n, 2, 4, 5), dtype="float32") = R.nn.conv2d_transpose(x, lv_3, strides=[1, 1], padding=[0, 1, 0, 0], output_padding=[0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="IOHW", out_layout="NCHW", out_dtype="void")
            lv_5: R.Tensor((n, 2, 1, 4, 5), dtype="float32") = R.expand_dims(lv_4, axis=[2])
            lv_6: R.Tensor((3, 2, 2, 1), dtype="float32") = R.strided_slice(w, (R.prim_value(2), R.prim_value(3)), (R.prim_value(0), R.prim_value(1)), (R.prim_value(3), R.prim_value(3)), (R.prim_value(2), R.prim_value(2)), assume_inbound=False)
            lv_7: R.Tensor((n, 2, 4, 5), dtype="float32") = R.nn.conv2d_transpose(x, lv_6, strides=[1, 1], padding=[1, 0, 0, 0], output_padding=[0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="IOHW", out_layout="NCHW", out_dtype="void")
            lv_8: R.Tensor((n, 2, 1, 4, 5), dtype="float32") = R.expand_dims(lv_7, axis=[2])
            lv_9: R.Tensor((3, 2, 2, 2), dtype="float32") = R.strided_slice(w, (R.prim_value(2), R.prim_value(3)), (R.prim_value(0), R.prim_value(0)), (R.prim_value(3), R.prim_value(3)), (R.prim_value(2), R.prim_value(2)), assume_inbound=False)
            lv_10: R.Tensor((n, 2, 4, 5), dtype="float32") = R.nn.conv2d_transpose(x, lv_9, strides=[1, 1], padding=[1, 1, 0, 0], output_padding=[0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="IOHW", out_layout="NCHW", out_dtype="void")
            lv_11: R.Tensor((n, 2, 1, 4, 5), dtype="float32") = R.expand_dims(lv_10, axis=[2])
            lv_12: R.Tensor((n, 2, 4, 4, 5), dtype="float32") = R.concat((lv_2, lv_5, lv_8, lv_11), axis=2)
            lv_13: R.Tensor((n, 2, 2, 2, 4, 5), dtype="float32") = R.reshape(lv_12, R.shape([n, 2, 2, 2, 4, 5]))
            lv_14: R.Tensor((n, 2, 4, 2, 5, 2), dtype="float32") = R.permute_dims(lv_13, axes=[0, 1, 4, 2, 5, 3])
            gv: R.Tensor((n, 2, 8, 10), dtype="float32") = R.reshape(lv_14, R.shape([n, 2, 8, 10]))
            R.output(gv)
        return gv
