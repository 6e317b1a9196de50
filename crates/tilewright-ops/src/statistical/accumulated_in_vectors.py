# Lines that lie together in memory are accumulated in vectors, the last of which may be a part of one.
# test: run
# run: whole special == same
# run: ragged special == same
# run: symbolic n=0 == same
# run: symbolic n=1 == same
# run: symbolic n=16 == same
# run: symbolic n=47 == same
# run: other_types == same


@I.ir_module
class Module:
    @R.function
    def whole(x: R.Tensor((3, 48), "float32")):
        return (R.cumsum(x, axis=1), R.cumprod(x, axis=1), R.cumsum(x, axis=1, exclusive=True))

    @R.function
    def ragged(x: R.Tensor((2, 2, 37), "float32")):
        return (R.cumsum(x, axis=2), R.cumprod(x, axis=-1, exclusive=True), R.cumsum(x))

    @R.function
    def symbolic(x: R.Tensor((3, "n"), "float32")):
        return (R.cumsum(x, axis=1), R.cumprod(x, axis=1, exclusive=True))

    @R.function
    def other_types(x: R.Tensor((2, 21), "float64"), y: R.Tensor((2, 21), "int8"), z: R.Tensor((2, 21), "bool")):
        return (R.cumsum(x, axis=1), R.cumprod(y, axis=1), R.cumsum(z, axis=1, dtype="int64"), R.cumsum(y, axis=1))
