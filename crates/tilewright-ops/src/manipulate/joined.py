# Tensors concatenated, split, repeated and flipped.
# test: run
# run: joined n=3 == same
# run: joined n=0 == same
# run: of_tuple n=2 == same
# run: apart == same
# run: symbolic n=7 == same
# run: symbolic n=0 == same
# run: repeated n=3 == same
# run: backwards n=5 == same
# run: collapsed n=3 == same
# run: perhaps_one k=1 m=3 == same
# run: perhaps_one k=4 m=1 == same
# run: perhaps_one k=1 m=1 == same


@I.ir_module
class Module:
    @R.function
    def joined(a: R.Tensor((2, "n"), "float32"), b: R.Tensor((2, 3), "float32"), c: R.Tensor((2, 0), "float32")):
        return (R.concat((a, b, c), axis=-1), R.concat((a,), axis=0), R.stack((b, b), axis=1), R.stack([a, a]))

    @R.function
    def of_tuple(a: R.Tensor((2, "n"), "int32"), b: R.Tensor((3, "n"), "int32")):
        t = (a, b)
        return R.concat(t, axis=0)

    @R.function
    def apart(x: R.Tensor((7, 4), "float32")):
        return (
            R.split(x, 3, axis=0),
            R.split(x, 2, axis=-1),
            R.split(x, [2, 3], axis=0),
            R.split(x, [0, 9], axis=0),
        )

    @R.function
    def symbolic(x: R.Tensor((2, "n"), "float32")):
        return (R.split(x, 3, axis=1), R.split(x, [2], axis=1))

    @R.function
    def repeated(x: R.Tensor((2, "n"), "float32"), y: R.Tensor((3,), "int8")):
        return (
            R.repeat(x, 3, axis=1),
            R.repeat(x, 2),
            R.repeat(y, 0, axis=0),
            R.tile(x, [2, 3]),
            R.tile(y, [2, 1, 2]),
            R.tile(x, [2]),
        )

    @R.function
    def backwards(x: R.Tensor((2, "n"), "float32")):
        return (R.flip(x, axis=1), R.flip(x, axis=0))

    @R.function
    def collapsed(x: R.Tensor((2, "n", 4), "float32"), like: R.Tensor(("n", 1), "float32")):
        n = T.int64()
        return (R.collapse_sum_to(x, (n, 4)), R.collapse_sum_like(x, like), R.collapse_sum_to(x, (2, n, 4)))

    @R.function
    def perhaps_one(x: R.Tensor((4, 3), "float32"), y: R.Tensor(("k", "m"), "float32")):
        k, m = T.int64(), T.int64()
        put = R.index_put(x, (R.expand_dims(R.const([0, 1, 2, 3], "int64"), 1), R.const([0, 1, 2], "int64")), y)
        return (R.broadcast_to(y, (4, 3)), put)
