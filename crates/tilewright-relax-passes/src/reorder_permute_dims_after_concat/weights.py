# Joined along the dimension that the other one was; what is permuted otherwise, or used elsewhere, stays.
# test: opt --pass ReorderPermuteDimsAfterConcat --pass DeadCodeElimination
# run: main n=2 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor((5, 3), "float32"), z: R.Tensor((2, 3, 4), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.permute_dims(x)
            b = R.permute_dims(y)
            c = R.concat((a, b), axis=-1)
            d = R.permute_dims(z, axes=[1, 2, 0])
            e = R.permute_dims(z, axes=[1, -1, 0])
            f = R.permute_dims(z, axes=[1, 2, 0])
            g = R.concat((d, f), axis=2)
            cube = R.permute_dims(z, axes=[2, 1, 0])
            h = R.concat((e, R.permute_dims(cube, axes=[1, 0, 2])), axis=1)
            u = R.permute_dims(y)
            v = R.concat((u, u), axis=0)
            R.output(c, h, v)
        return (c, h, v)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32"), y: R.Tensor((5, 3), dtype="float32"), z: R.Tensor((2, 3, 4), dtype="float32")) -> R.Tuple(R.Tensor((3, "n + 5"), dtype="float32"), R.Tensor((3, 8, 2), dtype="float32"), R.Tensor((6, 5), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n + 5, 3), dtype="float32") = R.concat((x, y), axis=0)
            c: R.Tensor((3, n + 5), dtype="float32") = R.permute_dims(lv, axes=None)
            e: R.Tensor((3, 4, 2), dtype="float32") = R.permute_dims(z, axes=[1, -1, 0])
            cube: R.Tensor((4, 3, 2), dtype="float32") = R.permute_dims(z, axes=[2, 1, 0])
            lv_1: R.Tensor((3, 4, 2), dtype="float32") = R.permute_dims(cube, axes=[1, 0, 2])
            h: R.Tensor((3, 8, 2), dtype="float32") = R.concat((e, lv_1), axis=1)
            lv_2: R.Tensor((5, 6), dtype="float32") = R.concat((y, y), axis=1)
            v: R.Tensor((6, 5), dtype="float32") = R.permute_dims(lv_2, axes=None)
            R.output(c, h, v)
        return (c, h, v)
