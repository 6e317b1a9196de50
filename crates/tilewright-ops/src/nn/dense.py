# Rows of the data times rows of the weight; a batch of any rank, sums in another type.
# test: run
# run: rows(f32[2,3]=[1, -2, 3, 0.5, 4, -1], f32[2,3]=[2, 0, -1, 1, 1, 1]) == f32[2,2]=[-1, 2, 2, 3.5]
# run: batch n=3 == same
# run: batch n=0 == same
# run: vector == same
# run: wide(i8[1,2]=[100, 100], i8[1,2]=[100, 100]) == i32[1,1]=[20000]

@I.ir_module
class Module:
    @R.function
    def rows(x: R.Tensor((2, 3), "float32"), w: R.Tensor((2, 3), "float32")):
        return R.nn.dense(x, w)

    @R.function
    def batch(x: R.Tensor((2, "n", 5), "float16"), w: R.Tensor((4, 5), "float16")):
        return R.nn.dense(x, w, out_dtype="float32")

    @R.function
    def vector(x: R.Tensor((7,), "float64"), w: R.Tensor((1, 7), "float64")):
        return R.nn.dense(x, w)

    @R.function
    def wide(x: R.Tensor((1, 2), "int8"), w: R.Tensor((1, 2), "int8")):
        return R.nn.dense(x, w, out_dtype="int32")
