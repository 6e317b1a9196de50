# The element of a rank: of equal ones that which stands there in a stable sort, NaN above every number.
# test: run
# run: second(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[2]=[-1, 0.5]
# run: place_of_second(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == i64[2]=[3, 1]
# run: last(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[2,1]=[nan, inf]
# run: of_columns(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[4]=[inf, 0.5, nan, 2]
# run: places_of_columns(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == i64[4]=[1, 1, 0, 1]
# run: place_of_zero(f32[1,5]=[0, -0, 1, -0, 0]) == i64[1]=[3]
# run: of_sort special == same
# run: of_sort_of_columns special == same
# run: place_of_byte(i8[6]=[-128, 127, 0, -1, 1, -128]) == i64[]=[5]
# run: byte(u8[6]=[255, 0, 128, 127, 1, 0]) == u8[]=[127]
# run: wide(i64[4]=[-9223372036854775808, 9223372036854775807, 0, -1], f64[4]=[-1e300, nan, 1e300, -0]) == same
# run: truths == same
# run: halves special == same
# run: symbolic n=3 special == same
# run: symbolic n=64 special == same
# run: symbolic n=131 special == same


@I.ir_module
class Module:
    @R.function
    def second(x: R.Tensor((2, 4), "float32")):
        return R.kthvalue(x, k=2)[0]

    @R.function
    def place_of_second(x: R.Tensor((2, 4), "float32")):
        return R.kthvalue(x, k=2)[1]

    @R.function
    def last(x: R.Tensor((2, 4), "float32")):
        return R.kthvalue(x, k=4, keepdims=True)[0]

    @R.function
    def of_columns(x: R.Tensor((2, 4), "float32")):
        return R.kthvalue(x, k=2, axis=0)[0]

    @R.function
    def places_of_columns(x: R.Tensor((2, 4), "float32")):
        return R.kthvalue(x, k=2, axis=0)[1]

    @R.function
    def place_of_zero(x: R.Tensor((1, 5), "float32")):
        return R.kthvalue(x, k=3)[1]

    @R.function
    def of_sort(x: R.Tensor((3, 150), "float32")):
        return (R.kthvalue(x, k=1), R.kthvalue(x, k=75), R.kthvalue(x, k=150), R.sort(x), R.argsort(x))

    @R.function
    def of_sort_of_columns(x: R.Tensor((70, 3, 2), "float64")):
        return (R.kthvalue(x, k=40, axis=0), R.sort(x, axis=0), R.argsort(x, axis=0))

    @R.function
    def place_of_byte(x: R.Tensor((6,), "int8")):
        return R.kthvalue(x, k=2)[1]

    @R.function
    def byte(x: R.Tensor((6,), "uint8")):
        return R.kthvalue(x, k=4)[0]

    @R.function
    def wide(x: R.Tensor((4,), "int64"), y: R.Tensor((4,), "float64")):
        return (R.kthvalue(x, k=1), R.kthvalue(x, k=3), R.kthvalue(x, k=4), R.kthvalue(y, k=1), R.kthvalue(y, k=3))

    @R.function
    def truths(x: R.Tensor((2, 90), "bool"), y: R.Tensor((2, 90), "uint16")):
        return (R.kthvalue(x, k=40), R.kthvalue(x, k=60), R.kthvalue(y, k=11))

    @R.function
    def halves(x: R.Tensor((2, 90), "float16"), y: R.Tensor((2, 90), "bfloat16")):
        return (R.kthvalue(x, k=40), R.kthvalue(y, k=60), R.median(x, axis=[1]), R.median(y, axis=[1]))

    @R.function
    def symbolic(x: R.Tensor((2, "n"), "float32"), y: R.Tensor(("n", 3), "int32")):
        return (R.kthvalue(x, k=3), R.kthvalue(y, k=2, axis=0), R.median(x, axis=[1]), R.median(y, axis=[0]))
