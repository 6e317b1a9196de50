# Wrong operands of a pool.
# test: diagnostics


@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), empty: R.Tensor((1, 2, 0, 4), "float32")):
    a = R.nn.max_pool2d(x, pool_size=5)
    b = R.nn.avg_pool2d(x, pool_size=(2, 2, 2))
    c = R.nn.max_pool1d(x, pool_size=2)
    d = R.nn.max_pool2d(x, pool_size=2, padding=-1)
    e = R.nn.adaptive_avg_pool2d(empty, output_size=2)
    f = R.nn.adaptive_avg_pool2d(x, output_size=0)
    return x

# expect:
# error[TW0305]: `nn.max_pool2d`: a window of 5 is larger than the 4 elements of spatial dimension 0 with its border
#  --> crates/tilewright-ops/src/nn/pools_errors.py:7:25
#   |
# 7 |     a = R.nn.max_pool2d(x, pool_size=5)
#   |                         ^ a float32 tensor of shape (1, 2, 4, 4)
#
# error[TW0305]: attribute `pool_size` of `nn.avg_pool2d` must be an integer, or one for each spatial dimension, found a list of the integer 2, the integer 2, the integer 2
#  --> crates/tilewright-ops/src/nn/pools_errors.py:8:9
#   |
# 8 |     b = R.nn.avg_pool2d(x, pool_size=(2, 2, 2))
#   |         ^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^^^^^^^
#   |                         |
#   |                         a float32 tensor of shape (1, 2, 4, 4)
#
# error[TW0305]: `nn.max_pool1d`: `data` in the layout NCW has 3 dimensions, found 4
#  --> crates/tilewright-ops/src/nn/pools_errors.py:9:25
#   |
# 9 |     c = R.nn.max_pool1d(x, pool_size=2)
#   |                         ^ a float32 tensor of shape (1, 2, 4, 4)
#
# error[TW0305]: `nn.max_pool2d`: attribute `padding` must be from 0 to 2147483647, found -1
#   --> crates/tilewright-ops/src/nn/pools_errors.py:10:9
#    |
# 10 |     d = R.nn.max_pool2d(x, pool_size=2, padding=-1)
#    |         ^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^^^^^^^^^^^
#    |                         |
#    |                         a float32 tensor of shape (1, 2, 4, 4)
#
# error[TW0305]: `nn.adaptive_avg_pool2d`: spatial dimension 0 of the data has no elements to average
#   --> crates/tilewright-ops/src/nn/pools_errors.py:11:34
#    |
# 11 |     e = R.nn.adaptive_avg_pool2d(empty, output_size=2)
#    |                                  ^^^^^ a float32 tensor of shape (1, 2, 0, 4)
#
# error[TW0305]: `nn.adaptive_avg_pool2d`: attribute `output_size` must be from 1 to 2147483647, found 0
#   --> crates/tilewright-ops/src/nn/pools_errors.py:12:9
#    |
# 12 |     f = R.nn.adaptive_avg_pool2d(x, output_size=0)
#    |         ^^^^^^^^^^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^
#    |                                  |
#    |                                  a float32 tensor of shape (1, 2, 4, 4)
