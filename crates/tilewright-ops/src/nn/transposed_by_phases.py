# Transposed convolutions with strides, whatever their groups, gaps, borders and sizes.
# test: run
# run: uneven n=4 h=1 w=3 == same
# run: uneven n=1 h=7 w=2 == same
# run: uneven n=0 h=2 w=2 == same
# run: groups == same
# run: gaps == same
# run: gaps_in_front == same
# run: cut == same
# run: more == same
# run: few_places == same
# run: many == same
# run: volume == same
# run: line n=1 == same
# run: line n=9 == same
# run: narrow == same
# run: integers == same
# run: other_order == same

@I.ir_module
class Module:
    @R.function
    def uneven(x: R.Tensor(("n", 3, "h", "w"), "float32"), w: R.Tensor((3, 9, 3, 5), "float32")):
        return R.nn.conv2d_transpose(x, w, strides=2, padding=[1, 2, 1, 2], output_padding=1)

    @R.function
    def groups(x: R.Tensor((2, 6, 5, 4), "float32"), w: R.Tensor((6, 2, 4, 3), "float32")):
        return R.nn.conv2d_transpose(x, w, strides=[2, 3], groups=3)

    @R.function
    def gaps(x: R.Tensor((1, 2, 6, 5), "float32"), w: R.Tensor((2, 3, 3, 4), "float32")):
        return R.nn.conv2d_transpose(x, w, strides=[3, 4], dilation=[2, 3], padding=[1, 0, 2, 3])

    @R.function
    def gaps_in_front(x: R.Tensor((1, 2, 5), "float32"), w: R.Tensor((2, 3, 4), "float32")):
        return R.nn.conv1d_transpose(x, w, strides=2, dilation=5)

    @R.function
    def cut(x: R.Tensor((1, 2, 5), "float32"), w: R.Tensor((2, 3, 3), "float32")):
        return R.nn.conv1d_transpose(x, w, strides=2, padding=[6, 1])

    @R.function
    def more(x: R.Tensor((1, 2, 5), "float32"), w: R.Tensor((2, 3, 4), "float32")):
        return R.nn.conv1d_transpose(x, w, strides=3, output_padding=2)

    @R.function
    def few_places(x: R.Tensor((1, 2, 5), "float32"), w: R.Tensor((2, 3, 2), "float32")):
        return R.nn.conv1d_transpose(x, w, strides=3, padding=1)

    @R.function
    def many(x: R.Tensor((1, 2, 3, 3), "float32"), w: R.Tensor((2, 1, 7, 7), "float32")):
        return R.nn.conv2d_transpose(x, w, strides=6)

    @R.function
    def volume(x: R.Tensor((1, 3, 2, 3, 4), "float32"), w: R.Tensor((3, 4, 3, 2, 3), "float32")):
        return R.nn.conv3d_transpose(x, w, strides=2, padding=[1, 0, 1, 1, 0, 0])

    @R.function
    def line(x: R.Tensor((1, 4, "n"), "float32"), w: R.Tensor((4, 2, 11), "float32")):
        return R.nn.conv1d_transpose(x, w, strides=5, padding=3, groups=2)

    @R.function
    def narrow(x: R.Tensor((1, 3, 4, 4), "float16"), w: R.Tensor((3, 2, 3, 3), "float16")):
        return R.nn.conv2d_transpose(x, w, strides=2, padding=1)

    @R.function
    def integers(x: R.Tensor((1, 3, 4, 4), "int32"), w: R.Tensor((3, 2, 3, 3), "int32")):
        return R.nn.conv2d_transpose(x, w, strides=2, padding=1)

    @R.function
    def other_order(x: R.Tensor((1, 4, 4, 3), "float32"), w: R.Tensor((3, 2, 3, 3), "float32")):
        return R.nn.conv2d_transpose(x, w, strides=2, data_layout="NHWC")
