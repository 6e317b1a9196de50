# Reductions over some dimensions or all, where extremes are, and accumulation.
# test: run
# run: totals n=5 == same
# run: totals n=0 == same
# run: extremes special n=7 == same
# run: moments n=7 == same
# run: narrow == same
# run: integers special == same
# run: places special n=7 == same
# run: accumulated n=6 == same
# run: accumulated n=0 == same
# run: scalar == same


@I.ir_module
class Module:
    @R.function
    def totals(x: R.Tensor((2, "n", 3), "float32")):
        return (
            R.sum(x), R.sum(x, axis=1), R.sum(x, axis=[0, -1], keepdims=True), R.prod(x, axis=[1]), R.sum(x, axis=[]),
        )

    @R.function
    def extremes(x: R.Tensor((4, "n"), "float32")):
        return (R.max(x), R.max(x, axis=1), R.min(x, axis=0, keepdims=True), R.min(x))

    @R.function
    def moments(x: R.Tensor((3, "n", 2), "float32")):
        return (
            R.mean(x),
            R.mean(x, axis=1, keepdims=True),
            R.variance(x, axis=[0, 1]),
            R.variance(x, axis=-1, keepdims=True),
            R.std(x, axis=1),
        )

    @R.function
    def narrow(x: R.Tensor((3, 5), "float16")):
        return (R.sum(x, axis=1), R.mean(x), R.std(x, axis=0), R.cumsum(x, axis=1), R.max(x))

    @R.function
    def integers(x: R.Tensor((3, 5), "int8"), y: R.Tensor((3, 5), "uint8")):
        return (R.sum(x, axis=1), R.prod(y), R.max(x), R.min(y, axis=0), R.argmax(y, axis=0), R.cumsum(x, dtype="int32"))

    @R.function
    def places(x: R.Tensor((4, "n"), "float32")):
        return (R.argmax(x), R.argmax(x, axis=1), R.argmin(x, axis=0, keepdims=True), R.argmin(x, keepdims=True))

    @R.function
    def accumulated(x: R.Tensor((2, "n", 3), "float32")):
        return (
            R.cumsum(x, axis=1),
            R.cumsum(x),
            R.cumprod(x, axis=-1),
            R.cumsum(x, axis=0, exclusive=True),
            R.cumprod(x, axis=1, exclusive=True),
        )

    @R.function
    def scalar(x: R.Tensor((), "float32")):
        return (R.sum(x), R.mean(x), R.argmax(x), R.cumsum(x), R.std(x, keepdims=True))
