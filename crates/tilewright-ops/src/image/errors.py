# Tensors that are no images.
# test: diagnostics


@R.function
def main(x: R.Tensor((2, 3, 4, 5), "float32"), grid: R.Tensor((1, 2, 6, 6), "float32"), places: R.Tensor((2, 3, 6, 6), "float32")):
    a = R.image.resize2d(x, R.shape([0, 3]))
    b = R.image.resize2d(x, R.shape([3]))
    c = R.image.resize2d(x, R.shape([2, 3]), method="quadratic")
    d = R.image.resize2d(x, R.shape([2, 3]), roi=[0.5, 0.5])
    e = R.image.grid_sample(x, grid)
    f = R.image.grid_sample(x, places)
    g = R.image.grid_sample(x, places, padding_mode="wrap")
    return x

# expect:
# error[TW0305]: `image.resize2d`: an image cannot have a size of 0
#  --> crates/tilewright-ops/src/image/errors.py:7:29
#   |
# 7 |     a = R.image.resize2d(x, R.shape([0, 3]))
#   |                          -  ^^^^^^^^^^^^^^^
#   |                          |
#   |                          a float32 tensor of shape (2, 3, 4, 5)
#
# error[TW0305]: `image.resize2d`: `size` has two dimensions, height and width
#  --> crates/tilewright-ops/src/image/errors.py:8:29
#   |
# 8 |     b = R.image.resize2d(x, R.shape([3]))
#   |                          -  ^^^^^^^^^^^^
#   |                          |
#   |                          a float32 tensor of shape (2, 3, 4, 5)
#
# error[TW0305]: `image.resize2d` knows `nearest_neighbor`, `linear`, `cubic` as `method`, not `quadratic`
#  --> crates/tilewright-ops/src/image/errors.py:9:9
#   |
# 9 |     c = R.image.resize2d(x, R.shape([2, 3]), method="quadratic")
#   |         ^^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#   |                          |
#   |                          a float32 tensor of shape (2, 3, 4, 5)
#
# error[TW0305]: `image.resize2d`: `roi` has 4 ends, found [0.5, 0.5]
#   --> crates/tilewright-ops/src/image/errors.py:10:9
#    |
# 10 |     d = R.image.resize2d(x, R.shape([2, 3]), roi=[0.5, 0.5])
#    |         ^^^^^^^^^^^^^^^^^-^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#    |                          |
#    |                          a float32 tensor of shape (2, 3, 4, 5)
#
# error[TW0305]: `image.grid_sample`: a batch of 2 images has a batch of 1 grids
#   --> crates/tilewright-ops/src/image/errors.py:11:32
#    |
# 11 |     e = R.image.grid_sample(x, grid)
#    |                             -  ^^^^ a float32 tensor of shape (1, 2, 6, 6)
#    |                             |
#    |                             a float32 tensor of shape (2, 3, 4, 5)
#
# error[TW0305]: `image.grid_sample`: the grid has 2 coordinates in dimension 1, found 3
#   --> crates/tilewright-ops/src/image/errors.py:12:32
#    |
# 12 |     f = R.image.grid_sample(x, places)
#    |                             -  ^^^^^^ a float32 tensor of shape (2, 3, 6, 6)
#    |                             |
#    |                             a float32 tensor of shape (2, 3, 4, 5)
#
# error[TW0305]: `image.grid_sample`: `padding_mode` is `zeros`, `border` or `reflection`, not `wrap`
#   --> crates/tilewright-ops/src/image/errors.py:13:9
#    |
# 13 |     g = R.image.grid_sample(x, places, padding_mode="wrap")
#    |         ^^^^^^^^^^^^^^^^^^^^-^^------^^^^^^^^^^^^^^^^^^^^^^
#    |                             |  |
#    |                             |  a float32 tensor of shape (2, 3, 6, 6)
#    |                             a float32 tensor of shape (2, 3, 4, 5)
