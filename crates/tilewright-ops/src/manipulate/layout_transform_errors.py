# Maps that are none, or none of the tensor.
# test: diagnostics


@R.function
def main(x: R.Tensor((4, 6), "float32")):
    a = R.layout_transform(x, index_map=T.index_map(lambda i: (i,)))
    b = R.layout_transform(x, index_map=T.index_map(lambda i, j: (i + j,)))
    c = R.layout_transform(x, index_map=lambda i, j: (i, j, m))
    d = R.layout_transform(x, index_map=(1, 0))
    e = R.layout_transform(x, index_map=lambda i, j: (j, i), axis_separators=[1])
    f = R.layout_transform(x, index_map=lambda *all: all)
    return x

# expect:
# error[TW0305]: `layout_transform`: the tensor has 2 dimensions, the initial indices of the map are 1
#  --> crates/tilewright-ops/src/manipulate/layout_transform_errors.py:7:28
#   |
# 7 |     a = R.layout_transform(x, index_map=T.index_map(lambda i: (i,)))
#   |                            ^ a float32 tensor of shape (4, 6)
#
# error[TW0305]: `layout_transform`: the map is not known to be one-to-one on the shape (4, 6)
#  --> crates/tilewright-ops/src/manipulate/layout_transform_errors.py:8:9
#   |
# 8 |     b = R.layout_transform(x, index_map=T.index_map(lambda i, j: (i + j,)))
#   |         ^^^^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#   |                            |
#   |                            a float32 tensor of shape (4, 6)
#
# error[TW0201]: unknown name `m`
#  --> crates/tilewright-ops/src/manipulate/layout_transform_errors.py:9:61
#   |
# 9 |     c = R.layout_transform(x, index_map=lambda i, j: (i, j, m))
#   |                                                             ^ not found in this scope
#
# error[TW0302]: expected a map of indices, such as `T.index_map(lambda i, j: (j, i))`
#   --> crates/tilewright-ops/src/manipulate/layout_transform_errors.py:10:41
#    |
# 10 |     d = R.layout_transform(x, index_map=(1, 0))
#    |                                         ^^^^^^
#
# error[TW0305]: `layout_transform`: memory of several dimensions (`axis_separators`) is not known here
#   --> crates/tilewright-ops/src/manipulate/layout_transform_errors.py:11:9
#    |
# 11 |     e = R.layout_transform(x, index_map=lambda i, j: (j, i), axis_separators=[1])
#    |         ^^^^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#    |                            |
#    |                            a float32 tensor of shape (4, 6)
#
# error[TW0104]: a map of indices names each index
#   --> crates/tilewright-ops/src/manipulate/layout_transform_errors.py:12:41
#    |
# 12 |     f = R.layout_transform(x, index_map=lambda *all: all)
#    |                                         ^^^^^^^^^^^^^^^^
