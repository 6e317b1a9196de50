# Operands that do not broadcast, or are of two types: the error has both.
# test: diagnostics


@I.ir_module
class Module:
    @R.function
    def shapes(a: R.Tensor((2, 3), "float32"), b: R.Tensor((4,), "float32")):
        return R.add(a, b)

    @R.function
    def types(a: R.Tensor((2, 3), "float32"), b: R.Tensor((3,), "int32")):
        return R.maximum(a, b)

    @R.function
    def count(a: R.Tensor((2, 3), "float32")):
        return R.add(a)

# expect:
# error[TW0305]: `add`: shapes (2, 3) and (4,) do not broadcast: 3 and 4 differ and neither is 1
#  --> crates/tilewright-ops/src/binary_operands.py:9:25
#   |
# 9 |         return R.add(a, b)
#   |                      -  ^ a float32 tensor of shape (4,)
#   |                      |
#   |                      a float32 tensor of shape (2, 3)
#
# error[TW0305]: operands of `maximum` must have one data type, found float32 and int32
#   --> crates/tilewright-ops/src/binary_operands.py:13:29
#    |
# 13 |         return R.maximum(a, b)
#    |                          -  ^ an int32 tensor of shape (3,)
#    |                          |
#    |                          a float32 tensor of shape (2, 3)
#
# error[TW0301]: `R.add` needs the argument `x2`
#   --> crates/tilewright-ops/src/binary_operands.py:17:16
#    |
# 17 |         return R.add(a)
#    |                ^^^^^^^^
