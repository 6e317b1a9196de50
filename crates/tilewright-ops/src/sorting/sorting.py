# Elements in order: equal ones keep theirs, and NaN is greater than every number.
# test: run
# run: ascending(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[2,4]=[-1, -1, 3, nan, -inf, 0.5, 2, inf]
# run: descending(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[2,4]=[inf, 0.5, nan, 2, 3, -1, -inf, -1]
# run: places(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == i32[2,4]=[1, 3, 0, 2, 2, 1, 3, 0]
# run: places_descending(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == i64[2,4]=[2, 0, 1, 3, 0, 3, 1, 2]
# run: places_of_columns(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == i64[2,4]=[0, 0, 1, 0, 1, 1, 0, 1]
# run: greatest(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[2,2]=[nan, 3, inf, 2]
# run: places_of_greatest(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == i64[2,4]=[2, 0, 1, 3, 0, 3, 1, 2]
# run: places_of_smallest(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == i32[2,2]=[1, 3, 2, 1]
# run: smallest_of_columns(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[1,4]=[3, -1, -inf, -1]
# run: both(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == same
# run: all_in_order(f32[2,4]=[3, -1, nan, -1, inf, 0.5, -inf, 2]) == f32[2,4]=[nan, 3, -1, -1, inf, 2, 0.5, -inf]
# run: symbolic n=0 == same
# run: symbolic n=1 == same
# run: symbolic n=37 == same
# run: long n=127 special == same
# run: long n=128 special == same
# run: long n=129 special == same
# run: long n=300 special == same
# run: known special == same
# run: agreeing == same


@I.ir_module
class Module:
    @R.function
    def ascending(x: R.Tensor((2, 4), "float32")):
        return R.sort(x)

    @R.function
    def descending(x: R.Tensor((2, 4), "float32")):
        return R.sort(x, axis=0, descending=True)

    @R.function
    def places(x: R.Tensor((2, 4), "float32")):
        return R.argsort(x)

    @R.function
    def places_descending(x: R.Tensor((2, 4), "float32")):
        return R.argsort(x, descending=True, dtype="int64")

    @R.function
    def places_of_columns(x: R.Tensor((2, 4), "float32")):
        return R.argsort(x, axis=0, dtype="int64")

    @R.function
    def greatest(x: R.Tensor((2, 4), "float32")):
        return R.topk(x, k=2, ret_type="values")

    @R.function
    def places_of_greatest(x: R.Tensor((2, 4), "float32")):
        return R.topk(x, k=4, ret_type="indices", dtype="int64")

    @R.function
    def places_of_smallest(x: R.Tensor((2, 4), "float32")):
        return R.topk(x, k=2, ret_type="indices", largest=False)

    @R.function
    def smallest_of_columns(x: R.Tensor((2, 4), "float32")):
        return R.topk(x, k=1, axis=0, ret_type="values", largest=False)

    @R.function
    def all_in_order(x: R.Tensor((2, 4), "float32")):
        return R.topk(x, k=0, ret_type="values")

    @R.function
    def both(x: R.Tensor((2, 4), "float32")):
        return R.topk(x)

    @R.function
    def symbolic(x: R.Tensor(("n", 3), "int8")):
        return (R.sort(x, axis=0), R.argsort(x, axis=0, descending=True), R.topk(x, k=2), R.topk(x, k=-1, axis=0))

    @R.function
    def long(x: R.Tensor((2, "n"), "float32"), y: R.Tensor(("n", 2), "int64")):
        return (R.sort(x), R.argsort(x, descending=True), R.argsort(y, axis=0), R.sort(y, axis=0, descending=True))

    @R.function
    def known(x: R.Tensor((2, 141), "float16"), y: R.Tensor((70, 2), "float64"), z: R.Tensor((200,), "uint8")):
        return (R.argsort(x), R.argsort(y, axis=0), R.argsort(z), R.sort(z, descending=True))

    @R.function
    def agreeing(x: R.Tensor((200,), "bool"), y: R.Tensor((150,), "int8")):
        return (R.argsort(x), R.argsort(R.multiply(y, R.const(0, "int8"))), R.argsort(R.astype(y, "int64"), descending=True))
