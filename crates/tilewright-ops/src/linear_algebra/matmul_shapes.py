# Matrices that do not fit: the error has both shapes.
# test: diagnostics


@I.ir_module
class Module:
    @R.function
    def inner(a: R.Tensor((2, 3), "float32"), b: R.Tensor((4, 5), "float32")):
        return R.matmul(a, b)

    @R.function
    def batches(a: R.Tensor((2, 2, 3), "float32"), b: R.Tensor((5, 3, 4), "float32")):
        return R.matmul(a, b)

    @R.function
    def types(a: R.Tensor((2, 3), "float32"), b: R.Tensor((3, 4), "float16")):
        return R.matmul(a, b)

    @R.function
    def scalar(a: R.Tensor((), "float32"), b: R.Tensor((3, 4), "float32")):
        return R.matmul(a, b)

# expect:
# error[TW0305]: `matmul` of shapes (2, 3) and (4, 5): the last dimension of the first, 3, must be the last but one of the second, 4
#  --> crates/tilewright-ops/src/linear_algebra/matmul_shapes.py:9:28
#   |
# 9 |         return R.matmul(a, b)
#   |                         -  ^ a float32 tensor of shape (4, 5)
#   |                         |
#   |                         a float32 tensor of shape (2, 3)
#
# error[TW0305]: `matmul` of shapes (2, 2, 3) and (5, 3, 4): of the batch dimensions, shapes (2,) and (5,) do not broadcast: 2 and 5 differ and neither is 1
#   --> crates/tilewright-ops/src/linear_algebra/matmul_shapes.py:13:28
#    |
# 13 |         return R.matmul(a, b)
#    |                         -  ^ a float32 tensor of shape (5, 3, 4)
#    |                         |
#    |                         a float32 tensor of shape (2, 2, 3)
#
# error[TW0305]: operands of `matmul` must have one data type, found float32 and float16
#   --> crates/tilewright-ops/src/linear_algebra/matmul_shapes.py:17:28
#    |
# 17 |         return R.matmul(a, b)
#    |                         -  ^ a float16 tensor of shape (3, 4)
#    |                         |
#    |                         a float32 tensor of shape (2, 3)
#
# error[TW0305]: `matmul` takes tensors of at least one dimension, found a scalar
#   --> crates/tilewright-ops/src/linear_algebra/matmul_shapes.py:21:25
#    |
# 21 |         return R.matmul(a, b)
#    |                         ^  - a float32 tensor of shape (3, 4)
#    |                         |
#    |                         a float32 tensor of shape ()
