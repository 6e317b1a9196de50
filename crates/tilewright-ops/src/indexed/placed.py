# Elements and slices that tensors of indices name: negative ones count from the end, those out of range are held.
# test: run
# run: taken(f32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9], i64[2]=[0, -1]) == f32[2,3]=[1, 2, 3, 7, 8, 9]
# run: taken_of_both(f32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9], i64[2]=[0, -1], i32[2,1]=[2, 1]) == f32[2,2]=[3, 9, 2, 8]
# run: taken_out_of_range(f32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9], i64[2]=[9, -9]) == f32[2,3]=[7, 8, 9, 1, 2, 3]
# run: put(f32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9], i64[2]=[0, -1], i32[1]=[1], f32[2]=[10, 20]) == f32[3,3]=[1, 10, 3, 4, 5, 6, 7, 20, 9]
# run: added(f32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9], i64[3]=[0, 0, -1], f32[3,1]=[10, 20, 30]) == f32[3,3]=[31, 32, 33, 4, 5, 6, 37, 38, 39]
# run: the_last_one_stays(f32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9], i64[2]=[0, -9], f32[2,1]=[10, 20]) == f32[3,3]=[20, 20, 20, 4, 5, 6, 7, 8, 9]
# run: scattered_update(f32[4]=[5, -6, 7, 8], i64[3,1]=[1, -1, 1], f32[3]=[2, -3, 4]) == f32[4]=[5, 4, 7, -3]
# run: scattered_add(f32[4]=[5, -6, 7, 8], i64[3,1]=[1, -1, 1], f32[3]=[2, -3, 4]) == f32[4]=[5, 0, 7, 5]
# run: scattered_mul(f32[4]=[5, -6, 7, 8], i64[3,1]=[1, -1, 1], f32[3]=[2, -3, 4]) == f32[4]=[5, -48, 7, -24]
# run: scattered_min(f32[4]=[5, -6, 7, 8], i64[3,1]=[1, -1, 1], f32[3]=[2, -3, 4]) == f32[4]=[5, -6, 7, -3]
# run: scattered_max(f32[4]=[5, -6, 7, 8], i64[3,1]=[1, -1, 1], f32[3]=[2, -3, 4]) == f32[4]=[5, 4, 7, 8]
# run: scattered_elements(f32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9], i32[2,2]=[1, -1, -9, 0], f32[2]=[-1, -2]) == f32[3,3]=[-2, 2, 3, 4, 5, -1, 7, 8, 9]
# run: scattered_in_symbolic(f32[2,2,2]=[1, 2, 3, 4, 5, 6, 7, 8], i64[3,2]=[1, -1, -9, 0, 1, 9], f32[3,2]=[10, 20, 30, 40, 50, 60]) == f32[2,2,2]=[30, 40, 3, 4, 5, 6, 50, 60]
# run: scattered_in_symbolic(f32[2,2,0]=[], i64[1,2]=[1, -1], f32[1,0]=[]) == f32[2,2,0]=[]
# run: sliced(f32[8,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24], i64[2]=[-2, 0], i64[2]=[0, 9], i64[2]=[-3, 2]) == f32[2,2]=[19, 21, 10, 12]
# run: sliced(f32[8,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24], i64[2]=[5, 3], i64[2]=[2, 1], i64[2]=[1, 1]) == f32[0,0]=[]
# run: sliced(f32[8,3]=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24], i64[2]=[-99, -1], i64[2]=[99, -99], i64[2]=[3, -1]) == f32[3,3]=[3, 2, 1, 12, 11, 10, 21, 20, 19]


@I.ir_module
class Module:
    @R.function
    def taken(x: R.Tensor((3, 3), "float32"), i: R.Tensor((2,), "int64")):
        return R.index_tensor(x, (i,))

    @R.function
    def taken_of_both(x: R.Tensor((3, 3), "float32"), i: R.Tensor((2,), "int64"), j: R.Tensor((2, 1), "int32")):
        return R.index_tensor(x, (i, j))

    @R.function
    def taken_out_of_range(x: R.Tensor((3, 3), "float32"), i: R.Tensor((2,), "int64")):
        return R.index_tensor(x, (i,))

    @R.function
    def put(x: R.Tensor((3, 3), "float32"), i: R.Tensor((2,), "int64"), j: R.Tensor((1,), "int32"), v: R.Tensor((2,), "float32")):
        return R.index_put(x, (i, j), v)

    @R.function
    def added(x: R.Tensor((3, 3), "float32"), i: R.Tensor((3,), "int64"), v: R.Tensor((3, 1), "float32")):
        return R.index_put(x, (i,), v, accumulate=True)

    @R.function
    def the_last_one_stays(x: R.Tensor((3, 3), "float32"), i: R.Tensor((2,), "int64"), v: R.Tensor((2, 1), "float32")):
        return R.index_put(x, (i,), v)

    @R.function
    def scattered_update(y: R.Tensor((4,), "float32"), i: R.Tensor((3, 1), "int64"), u: R.Tensor((3,), "float32")):
        return R.scatter_nd(y, i, u, reduction="update")

    @R.function
    def scattered_add(y: R.Tensor((4,), "float32"), i: R.Tensor((3, 1), "int64"), u: R.Tensor((3,), "float32")):
        return R.scatter_nd(y, i, u, reduction="add")

    @R.function
    def scattered_mul(y: R.Tensor((4,), "float32"), i: R.Tensor((3, 1), "int64"), u: R.Tensor((3,), "float32")):
        return R.scatter_nd(y, i, u, reduction="mul")

    @R.function
    def scattered_min(y: R.Tensor((4,), "float32"), i: R.Tensor((3, 1), "int64"), u: R.Tensor((3,), "float32")):
        return R.scatter_nd(y, i, u, reduction="min")

    @R.function
    def scattered_max(y: R.Tensor((4,), "float32"), i: R.Tensor((3, 1), "int64"), u: R.Tensor((3,), "float32")):
        return R.scatter_nd(y, i, u, reduction="max")

    @R.function
    def scattered_elements(x: R.Tensor((3, 3), "float32"), i: R.Tensor((2, 2), "int32"), u: R.Tensor((2,), "float32")):
        return R.scatter_nd(x, i, u)

    @R.function
    def scattered_in_symbolic(x: R.Tensor(("n", 2, "m"), "float32"), i: R.Tensor(("k", 2), "int64"), u: R.Tensor(("k", "m"), "float32")):
        return R.scatter_nd(x, i, u)

    @R.function
    def sliced(x: R.Tensor((8, 3), "float32"), begin: R.Tensor((2,), "int64"), end: R.Tensor((2,), "int64"), strides: R.Tensor((2,), "int64")):
        return R.dynamic_strided_slice(x, begin, end, strides)
