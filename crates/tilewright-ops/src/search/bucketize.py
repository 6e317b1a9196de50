# The bucket of each element: a boundary belongs to the one before it, with `right` to the one after.
# test: run
# run: before(f32[2,3]=[3, -5, nan, 7, 7.5, inf], f32[3]=[-5, 3, 7]) == i64[2,3]=[1, 0, 3, 2, 3, 3]
# run: behind(f32[2,3]=[3, -5, nan, 7, 7.5, inf], f32[3]=[-5, 3, 7]) == i32[2,3]=[2, 1, 3, 3, 3, 3]
# run: symbolic(i32[4]=[4, 5, -9, 100], i32[5]=[0, 4, 5, 6, 9]) == i64[4]=[1, 2, 0, 5]
# run: symbolic(i32[2]=[4, 5], i32[0]=[]) == i64[2]=[0, 0]


@I.ir_module
class Module:
    @R.function
    def before(x: R.Tensor((2, 3), "float32"), b: R.Tensor((3,), "float32")):
        return R.bucketize(x, b)

    @R.function
    def behind(x: R.Tensor((2, 3), "float32"), b: R.Tensor((3,), "float32")):
        return R.bucketize(x, b, out_int32=True, right=True)

    @R.function
    def symbolic(x: R.Tensor(("n",), "int32"), b: R.Tensor(("m",), "int32")):
        return R.bucketize(x, b)
