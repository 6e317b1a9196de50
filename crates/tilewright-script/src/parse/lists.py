# Lists are concatenated and repeated as in Python.
# test: print

@R.function
def main(x: R.Tensor((2, 3) + (1,) * 2, "float32")):
    a = R.sum(x, axis=[0] + [1, 2] * 1)
    b = R.reshape(x, (1,) * 3 + (6,) + [] * 9223372036854775807)
    c = R.permute_dims(x, [3, 2] + 0 * [7] + [1, 0])
    return (a, b, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 1, 1), dtype="float32")) -> R.Tuple(R.Tensor((1,), dtype="float32"), R.Tensor((1, 1, 1, 6), dtype="float32"), R.Tensor((1, 1, 3, 2), dtype="float32")):
        a: R.Tensor((1,), dtype="float32") = R.sum(x, axis=[0, 1, 2], keepdims=False)
        b: R.Tensor((1, 1, 1, 6), dtype="float32") = R.reshape(x, R.shape([1, 1, 1, 6]))
        c: R.Tensor((1, 1, 3, 2), dtype="float32") = R.permute_dims(x, axes=[3, 2, 1, 0])
        return (a, b, c)
