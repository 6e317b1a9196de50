# Elements by their numbers, those in the call and those in tensors.
# test: run
# run: taken(f32[2,3], i32[2,2]=[0, 1, -5, 9]) == same
# run: flat(f32[6], i64[3]=[5, 0, 9]) == same
# run: gathered(f32[3,2], i32[2,2]=[0, 2, -1, 7]) == same
# run: rows(f32[2,3,4], i64[5,2]=[0, 0, 1, 2, -1, -1, 9, 9, 0, 1]) == same
# run: batches(f32[2,3,4], i64[2,1]=[2, 0]) == same
# run: scattered(f32[3,2], i32[2,2]=[0, 2, 0, -1], f32[2,2]) == same
# run: hot(i32[3]=[0, 2, 5]) == same
# run: sliced n=5 == same
# run: sliced n=0 == same
# run: backwards == same
# run: symbolic n=5 == same
# run: last_of_few n=5 == same
# run: last_of_few n=2 == same
# run: last_of_few n=0 == same


@I.ir_module
class Module:
    @R.function
    def taken(x: R.Tensor((2, 3), "float32"), i: R.Tensor((2, 2), "int32")):
        return (
            R.take(x, i, axis=1),
            R.take(x, i, axis=0, mode="clip"),
            R.take(x, i, axis=-1, mode="wrap"),
            R.take(x, i, axis=1, mode="nan"),
        )

    @R.function
    def flat(x: R.Tensor((6,), "float32"), i: R.Tensor((3,), "int64")):
        return R.take(x, i)

    @R.function
    def gathered(x: R.Tensor((3, 2), "float32"), i: R.Tensor((2, 2), "int32")):
        return (R.gather_elements(x, i), R.gather_elements(x, i, axis=1))

    @R.function
    def rows(x: R.Tensor((2, 3, 4), "float32"), i: R.Tensor((5, 2), "int64")):
        return R.gather_nd(x, i)

    @R.function
    def batches(x: R.Tensor((2, 3, 4), "float32"), i: R.Tensor((2, 1), "int64")):
        return R.gather_nd(x, i, batch_dims=1)

    @R.function
    def scattered(x: R.Tensor((3, 2), "float32"), i: R.Tensor((2, 2), "int32"), u: R.Tensor((2, 2), "float32")):
        return (
            R.scatter_elements(x, i, u),
            R.scatter_elements(x, i, u, axis=1, reduction="add"),
            R.scatter_elements(x, i, u, reduction="mul"),
            R.scatter_elements(x, i, u, reduction="max"),
            R.scatter_elements(x, i, u, reduction="min"),
        )

    @R.function
    def hot(i: R.Tensor((3,), "int32")):
        return (R.one_hot(i, R.prim_value(1), R.prim_value(0), depth=4), R.one_hot(i, 2.5, -1.0, depth=3, axis=0))

    @R.function
    def sliced(x: R.Tensor(("n", 7), "float32")):
        return (
            R.strided_slice(x, axes=[1], begin=[1], end=[6], strides=[2]),
            R.strided_slice(x, axes=[0], begin=[1], end=[3]),
            R.strided_slice(x, axes=[0, -1], begin=[-2, -3], end=[9223372036854775807, 100]),
            R.strided_slice(x, axes=[1], begin=[5], end=[2]),
        )

    @R.function
    def backwards(x: R.Tensor((5, 3), "int8")):
        return (
            R.strided_slice(x, axes=[0], begin=[-1], end=[-9], strides=[-1]),
            R.strided_slice(x, axes=[0], begin=[3], end=[0], strides=[-2]),
        )

    @R.function
    def symbolic(x: R.Tensor((9, "n"), "float32")):
        n = T.int64()
        return (
            R.strided_slice(x, axes=[0], begin=[0], end=[n]),
            R.strided_slice(x, axes=[0], begin=[n - 2], end=[n], assume_inbound=True),
        )

    @R.function
    def last_of_few(x: R.Tensor((2, "n"), "float32")):
        n = T.int64()
        last: R.Tensor((2, T.min(n, 1)), "float32") = R.strided_slice(x, axes=[1], begin=[-1], end=[n])
        return (last, R.strided_slice(x, axes=[1], begin=[T.max(n - 3, 0)], end=[T.max(n - 1, 0)]))
