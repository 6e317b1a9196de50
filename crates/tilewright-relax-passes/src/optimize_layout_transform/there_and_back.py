# Parts and whole again, orders that undo or follow each other; what was filled up, and another map, stay.
# test: opt --pass OptimizeLayoutTransform --pass DeadCodeElimination
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8, 3), "float32"), y: R.Tensor((6,), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.layout_transform(x, index_map=lambda i, j, k: (i, j // 4, k, j % 4))
            b = R.layout_transform(a, index_map=lambda i, j, k, l: (i, j * 4 + l, k))
            c = R.permute_dims(x, axes=[1, 2, 0])
            d = R.permute_dims(c, axes=[2, -3, 1])
            e = R.permute_dims(c)
            f = R.layout_transform(y, index_map=lambda i: (i // 4, i % 4))
            g = R.layout_transform(f, index_map=lambda i, j: (i * 4 + j,))
            h = R.layout_transform(y, index_map=lambda i: (i // 2, i % 2))
            j = R.layout_transform(h, index_map=lambda i, j: (j * 3 + i,))
            k = R.subtract(b, R.const(2.0, "float32"))
            R.output(d, e, g, j, k)
        return (d, e, g, j, k)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8, 3), dtype="float32"), y: R.Tensor((6,), dtype="float32")) -> R.Tuple(R.Tensor(("n", 8, 3), dtype="float32"), R.Tensor(("n", 3, 8), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((6,), dtype="float32"), R.Tensor(("n", 8, 3), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            b: R.Tensor((n, 8, 3), dtype="float32") = x
            d: R.Tensor((n, 8, 3), dtype="float32") = x
            e: R.Tensor((n, 3, 8), dtype="float32") = R.permute_dims(x, axes=[0, 2, 1])
            f: R.Tensor((2, 4), dtype="float32") = R.layout_transform(y, index_map=T.index_map(lambda i: (i // 4, i % 4)), pad_value=None, axis_separators=None, input_axis_separators=None)
            g: R.Tensor((8,), dtype="float32") = R.layout_transform(f, index_map=T.index_map(lambda i, j: (i * 4 + j,)), pad_value=None, axis_separators=None, input_axis_separators=None)
            h: R.Tensor((3, 2), dtype="float32") = R.layout_transform(y, index_map=T.index_map(lambda i: (i // 2, i % 2)), pad_value=None, axis_separators=None, input_axis_separators=None)
            j: R.Tensor((6,), dtype="float32") = R.layout_transform(h, index_map=T.index_map(lambda i, j_1: (j_1 * 3 + i,)), pad_value=None, axis_separators=None, input_axis_separators=None)
            k: R.Tensor((n, 8, 3), dtype="float32") = R.subtract(b, R.const(2.0, "float32"))
            R.output(d, e, g, j, k)
        return (d, e, g, j, k)
