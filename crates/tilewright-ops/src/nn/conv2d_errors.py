# Wrong operands of a convolution.
# test: diagnostics


@R.function
def main(x: R.Tensor(("n", 4, 8, 8), "float32"), w: R.Tensor((6, 3, 3, 3), "float32"), v: R.Tensor((6, 4, 3, 3), "float32")):
    a = R.nn.conv2d(x, w)
    b = R.nn.conv2d(x, v, groups=3)
    c = R.nn.conv2d(x, v, groups=0)
    d = R.nn.conv2d(x, v, strides=0)
    e = R.nn.conv2d(x, v, padding=(1, 2, 3))
    f = R.nn.conv2d(x, v, data_layout="NCWD")
    g = R.nn.conv2d(x, v, dilation=4)
    h = R.nn.conv2d(x, v, out_layout="NCHW4c")
    i = R.nn.conv2d(x, v, data_layout="NCHW4c")
    return x

# expect:
# error[TW0305]: `nn.conv2d`: the data has 4 channels, the kernel takes 3
#  --> crates/tilewright-ops/src/nn/conv2d_errors.py:7:24
#   |
# 7 |     a = R.nn.conv2d(x, w)
#   |                     -  ^ a float32 tensor of shape (6, 3, 3, 3)
#   |                     |
#   |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: `nn.conv2d`: 3 groups do not divide 4 channels of `data`
#  --> crates/tilewright-ops/src/nn/conv2d_errors.py:8:21
#   |
# 8 |     b = R.nn.conv2d(x, v, groups=3)
#   |                     ^  - a float32 tensor of shape (6, 4, 3, 3)
#   |                     |
#   |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: `nn.conv2d` needs at least one group, found 0
#  --> crates/tilewright-ops/src/nn/conv2d_errors.py:9:9
#   |
# 9 |     c = R.nn.conv2d(x, v, groups=0)
#   |         ^^^^^^^^^^^^-^^-^^^^^^^^^^^
#   |                     |  |
#   |                     |  a float32 tensor of shape (6, 4, 3, 3)
#   |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: `nn.conv2d`: attribute `strides` must be from 1 to 2147483647, found 0
#   --> crates/tilewright-ops/src/nn/conv2d_errors.py:10:9
#    |
# 10 |     d = R.nn.conv2d(x, v, strides=0)
#    |         ^^^^^^^^^^^^-^^-^^^^^^^^^^^^
#    |                     |  |
#    |                     |  a float32 tensor of shape (6, 4, 3, 3)
#    |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: attribute `padding` of `nn.conv2d` must be an integer, or one for each spatial dimension or for each of their sides, found a list of the integer 1, the integer 2, the integer 3
#   --> crates/tilewright-ops/src/nn/conv2d_errors.py:11:9
#    |
# 11 |     e = R.nn.conv2d(x, v, padding=(1, 2, 3))
#    |         ^^^^^^^^^^^^-^^-^^^^^^^^^^^^^^^^^^^^
#    |                     |  |
#    |                     |  a float32 tensor of shape (6, 4, 3, 3)
#    |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: `nn.conv2d`: attribute `data_layout`: `NCWD` is no layout of the axes NCHW: `D` is none of them
#   --> crates/tilewright-ops/src/nn/conv2d_errors.py:12:9
#    |
# 12 |     f = R.nn.conv2d(x, v, data_layout="NCWD")
#    |         ^^^^^^^^^^^^-^^-^^^^^^^^^^^^^^^^^^^^^
#    |                     |  |
#    |                     |  a float32 tensor of shape (6, 4, 3, 3)
#    |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: `nn.conv2d`: a window of 9 is larger than the 8 elements of spatial dimension 0 with its border
#   --> crates/tilewright-ops/src/nn/conv2d_errors.py:13:21
#    |
# 13 |     g = R.nn.conv2d(x, v, dilation=4)
#    |                     ^  - a float32 tensor of shape (6, 4, 3, 3)
#    |                     |
#    |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: `nn.conv2d`: 6 channels do not divide into the parts of the layout NCHW4c
#   --> crates/tilewright-ops/src/nn/conv2d_errors.py:14:9
#    |
# 14 |     h = R.nn.conv2d(x, v, out_layout="NCHW4c")
#    |         ^^^^^^^^^^^^-^^-^^^^^^^^^^^^^^^^^^^^^^
#    |                     |  |
#    |                     |  a float32 tensor of shape (6, 4, 3, 3)
#    |                     a float32 tensor of shape (n, 4, 8, 8)
#
# error[TW0305]: `nn.conv2d`: `data` in the layout NCHW4c has 5 dimensions, found 4
#   --> crates/tilewright-ops/src/nn/conv2d_errors.py:15:21
#    |
# 15 |     i = R.nn.conv2d(x, v, data_layout="NCHW4c")
#    |                     ^  - a float32 tensor of shape (6, 4, 3, 3)
#    |                     |
#    |                     a float32 tensor of shape (n, 4, 8, 8)
