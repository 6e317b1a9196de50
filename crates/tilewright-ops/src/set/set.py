# Which elements there are, where they are, and how many.
# test: run
# run: distinct(f32[8]=[2, nan, -1, 2, nan, 0, -1, 2]) == f32[4]=[-1, 0, 2, nan]
# run: in_order_of_appearance(f32[8]=[2, nan, -1, 2, nan, 0, -1, 2]) == f32[4]=[2, nan, -1, 0]
# run: first_places(f32[8]=[2, nan, -1, 2, nan, 0, -1, 2]) == i64[4]=[2, 5, 0, 1]
# run: numbers(f32[8]=[2, nan, -1, 2, nan, 0, -1, 2]) == i64[8]=[2, 3, 0, 2, 3, 1, 0, 2]
# run: counts(f32[8]=[2, nan, -1, 2, nan, 0, -1, 2]) == i64[4]=[2, 1, 3, 2]
# run: counts_in_order_of_appearance(f32[8]=[2, nan, -1, 2, nan, 0, -1, 2]) == i64[4]=[3, 2, 2, 1]
# run: rows(i32[3,2]=[3, 1, 1, 5, 3, 1]) == i32[2,2]=[1, 5, 3, 1]
# run: columns(i32[3,2]=[3, 1, 1, 5, 3, 1]) == i32[3,2]=[1, 3, 5, 1, 1, 3]
# run: where(f32[2,3]=[0, 3, 0, nan, 0, -1]) == i64[2,3]=[0, 1, 1, 1, 0, 2]
# run: of_one(bool[]=[1]) == i64[1,1]=[0]
# run: of_one(bool[]=[0]) == i64[1,0]=[]


@I.ir_module
class Module:
    @R.function
    def distinct(x: R.Tensor((8,), "float32")):
        return R.unique(x)

    @R.function
    def in_order_of_appearance(x: R.Tensor((8,), "float32")):
        return R.unique(x, sorted=False)

    @R.function
    def first_places(x: R.Tensor((8,), "float32")):
        return R.unique(x, return_index=True)[1]

    @R.function
    def numbers(x: R.Tensor((8,), "float32")):
        return R.unique(x, return_inverse=True)[1]

    @R.function
    def counts(x: R.Tensor((8,), "float32")):
        return R.unique(x, return_counts=True)[1]

    @R.function
    def counts_in_order_of_appearance(x: R.Tensor((8,), "float32")):
        return R.unique(x, sorted=False, return_index=True, return_inverse=True, return_counts=True)[3]

    @R.function
    def rows(y: R.Tensor((3, 2), "int32")):
        return R.unique(y, axis=0)

    @R.function
    def columns(y: R.Tensor((3, 2), "int32")):
        return R.unique(y, axis=-1, return_index=True)[0]

    @R.function
    def where(z: R.Tensor((2, 3), "float32")):
        return R.nonzero(z)

    @R.function
    def of_one(s: R.Tensor((), "bool")):
        return R.nonzero(s)
