# The element in the middle, of an even number the smaller of both.
# test: run
# run: of_all(f32[2,4]=[3, -1, 7, 2, 5, 5, -2, 0.5]) == f32[]=[2]
# run: of_both(f32[2,4]=[3, -1, 7, 2, 5, 5, -2, 0.5]) == f32[1,1]=[2]
# run: of_rows(f32[2,4]=[3, -1, 7, 2, 5, 5, -2, 0.5]) == f32[2]=[2, 0.5]
# run: places(f32[2,4]=[3, -1, 7, 2, 5, 5, -2, 0.5]) == i64[2,1]=[3, 3]
# run: of_columns(f32[2,4]=[3, -1, 7, 2, 5, 5, -2, 0.5]) == same
# run: of_nan(f32[3]=[1, nan, 0]) == f32[]=[nan]


@I.ir_module
class Module:
    @R.function
    def of_all(x: R.Tensor((2, 4), "float32")):
        return R.median(x)

    @R.function
    def of_both(x: R.Tensor((2, 4), "float32")):
        return R.median(x, axis=[0, 1], keepdims=True)

    @R.function
    def of_rows(x: R.Tensor((2, 4), "float32")):
        return R.median(x, axis=[1])[0]

    @R.function
    def places(x: R.Tensor((2, 4), "float32")):
        return R.median(x, axis=[-1], keepdims=True)[1]

    @R.function
    def of_columns(x: R.Tensor((2, 4), "float32")):
        return R.median(x, axis=[0], keepdims=True)

    @R.function
    def of_nan(y: R.Tensor((3,), "float32")):
        return R.median(y)
