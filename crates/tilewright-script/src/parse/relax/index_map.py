# A map of indices is written as the lambda that it is; its indices are its own.
# test: print


@R.function
def main(i: R.Tensor(("n", 8), "float32")):
    n = T.int64()
    a = R.layout_transform(i, index_map=T.index_map(lambda i, n: (n // 4, i, n % 4)))
    b = R.layout_transform(a, index_map=lambda a, b, c: b * 8 + (a * 4 + c))
    return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(i: R.Tensor(("n", 8), dtype="float32")) -> R.Tensor(("n * 8",), dtype="float32"):
        n = T.int64()
        a: R.Tensor((2, n, 4), dtype="float32") = R.layout_transform(i, index_map=T.index_map(lambda i_1, n_1: (n_1 // 4, i_1, n_1 % 4)), pad_value=None, axis_separators=None, input_axis_separators=None)
        b: R.Tensor((n * 8,), dtype="float32") = R.layout_transform(a, index_map=T.index_map(lambda a_1, b_1, c: (b_1 * 8 + (a_1 * 4 + c),)), pad_value=None, axis_separators=None, input_axis_separators=None)
        return b
