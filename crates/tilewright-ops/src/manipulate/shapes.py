# The same elements under other shapes.
# test: run
# run: reshaped n=5 == same
# run: reshaped n=0 == same
# run: copied == same
# run: nothing == same
# run: ones n=4 == same
# run: wide n=3 == same


@I.ir_module
class Module:
    @R.function
    def reshaped(x: R.Tensor(("n", 3, 4), "float32")):
        n = T.int64()
        return (
            R.reshape(x, (n, 12)),
            R.reshape(x, (n * 3, 2, 2)),
            R.reshape(x, (4, -1)),
            R.reshape(x, (0, 2, 6)),
            R.flatten(x),
        )

    @R.function
    def copied(x: R.Tensor((2, 3, 4), "float32")):
        return (R.reshape(x, (4, 3, 2)), R.reshape(x, (0, -1)), R.reshape(x, (-1,)), R.reshape(x, (1, 2, 1, 12)))

    @R.function
    def nothing(x: R.Tensor((2, 0, 4), "float32"), y: R.Tensor((), "float32")):
        return (R.reshape(x, (0, 7)), R.flatten(x), R.flatten(y), R.reshape(y, (1, 1)))

    @R.function
    def ones(x: R.Tensor(("n", 1, 3, 1), "float32")):
        return (
            R.squeeze(x, axis=[1, -1]),
            R.squeeze(x, axis=1),
            R.expand_dims(x, axis=[0, -1]),
            R.expand_dims(x, axis=2),
        )

    @R.function
    def wide(x: R.Tensor((1, 3), "float32"), y: R.Tensor(("n",), "float32")):
        n = T.int64()
        return (R.broadcast_to(x, (2, n, 3)), R.broadcast_to(y, (2, n)), R.squeeze(x))
