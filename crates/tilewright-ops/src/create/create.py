# Tensors from nothing, from numbers, and from the shape or type of another one.
# test: run
# run: filled n=3 == same
# run: counted n=5 == same
# run: counted n=0 == same
# run: counted_sums n=3 m=4 == same
# run: counted_sums n=1 m=0 == same
# run: down == i64[3]=[7, 4, 1]
# run: quarters == f32[4]=[0, 0.25, 0.5, 0.75]
# run: none == same
# run: triangles special == same
# run: converted special == same
# run: diagonal n=4 == same


@I.ir_module
class Module:
    @R.function
    def filled(x: R.Tensor(("n", 2), "float32"), v: R.Tensor((), "int32")):
        n = T.int64()
        return (
            R.ones((n, 3), "float32"),
            R.zeros((2, n), "int8"),
            R.ones_like(x),
            R.zeros_like(x, dtype="bool"),
            R.full((n,), v),
            R.full((2, 2), v, dtype="float16"),
            R.full_like(x, v),
        )

    @R.function
    def counted(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        return (R.arange(n), R.arange(2, n + 2, 2), R.arange(n, 0, -1, dtype="float32"))

    @R.function
    def counted_sums(x: R.Tensor(("n", "m"), "float32")):
        n, m = T.int64(), T.int64()
        sums: R.Tensor((n + m,), "int64") = R.arange(n + m)
        halves: R.Tensor((n // 2 + m,), "int64") = R.arange(3, n // 2 + m + 3)
        return (sums, halves)

    @R.function
    def down():
        return R.arange(7, 0, -3)

    @R.function
    def quarters():
        return R.arange(0.0, 1.0, 0.25)

    @R.function
    def none():
        return (R.arange(3, 1), R.arange(2, dtype="int32"))

    @R.function
    def triangles(x: R.Tensor((2, 4, 5), "float32")):
        return (R.tril(x), R.triu(x), R.tril(x, k=-1), R.triu(x, k=2))

    @R.function
    def converted(x: R.Tensor((9,), "float32")):
        return (R.astype(x, "int8"), R.astype(x, "bool"), R.astype(x, "float16"), R.wrap_param(x, "float64"))

    @R.function
    def diagonal(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        return (R.eye(n), R.eye(n, 3, k=1, dtype="int32"), R.eye(2, n, k=-1))
