# Lines whose elements are neighbours are accumulated side by side, in pieces that are whole, ragged, or fewer than one.
# test: run
# run: even special == same
# run: ragged == same
# run: inside n=1 == same
# run: inside n=9 == same
# run: inside n=0 == same
# run: symbolic n=1 == same
# run: symbolic n=512 == same
# run: symbolic n=1100 == same
# run: symbolic n=0 == same
# run: other_types == same


@I.ir_module
class Module:
    @R.function
    def even(x: R.Tensor((5, 1024), "float32")):
        return (R.cumsum(x, axis=0), R.cumprod(x, axis=0, exclusive=True), R.cumsum(x, axis=1))

    @R.function
    def ragged(x: R.Tensor((2, 4, 1031), "float32")):
        return (R.cumsum(x, axis=1), R.cumsum(x, axis=0, exclusive=True), R.cumprod(x, axis=2))

    @R.function
    def inside(x: R.Tensor((2, "n", 3, 5), "float32")):
        return (R.cumsum(x, axis=1), R.cumsum(x, axis=2), R.cumsum(x, axis=0))

    @R.function
    def symbolic(x: R.Tensor((4, "n"), "float32")):
        return (R.cumsum(x, axis=0), R.cumprod(x, axis=0, exclusive=True))

    @R.function
    def other_types(x: R.Tensor((7, 33), "float16"), y: R.Tensor((7, 33), "int64"), z: R.Tensor((7, 33), "bool")):
        return (R.cumsum(x, axis=0), R.cumprod(y, axis=0), R.cumsum(z, axis=0, dtype="int32"), R.cumsum(x, axis=1))
