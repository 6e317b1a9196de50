# More elements than a few are found by the rank of the last one, and sorted: of equal ones the first, and as many as asked for.
# test: run
# run: largest special == same
# run: smallest special == same
# run: alike(f32[2,200]) == same
# run: of_columns special == same
# run: integers seed=5 == same
# run: truths == same
# run: wide special == same
# run: candidates special == same
# run: least_alike == same
# run: symbolic n=40 == same
# run: symbolic n=41 special == same
# run: symbolic n=400 special == same


@I.ir_module
class Module:
    @R.function
    def largest(x: R.Tensor((3, 333), "float32")):
        return (R.topk(x, k=50), R.topk(x, k=332, dtype="int64"))

    @R.function
    def smallest(x: R.Tensor((3, 333), "float32")):
        return (R.topk(x, k=70, largest=False, ret_type="values"), R.topk(x, k=33, largest=False, ret_type="indices"))

    @R.function
    def alike(x: R.Tensor((2, 200), "float32")):
        y = R.round(x)
        return (R.topk(y, k=90), R.topk(y, k=90, largest=False), R.topk(R.multiply(x, R.const(0, "float32")), k=64))

    @R.function
    def of_columns(x: R.Tensor((2, 90, 3), "float32")):
        return (R.topk(x, k=40, axis=1), R.topk(x, k=40, axis=1, largest=False))

    @R.function
    def integers(x: R.Tensor((2, 261), "int32"), y: R.Tensor((2, 261), "uint8")):
        return (R.topk(x, k=44), R.topk(x, k=44, largest=False), R.topk(y, k=100), R.topk(y, k=100, largest=False))

    @R.function
    def truths(x: R.Tensor((2, 150), "bool"), y: R.Tensor((2, 150), "float16")):
        return (R.topk(x, k=80), R.topk(y, k=80))

    @R.function
    def wide(x: R.Tensor((2, 150), "int64"), y: R.Tensor((2, 150), "float64")):
        return (R.topk(x, k=80), R.topk(y, k=80), R.topk(y, k=80, largest=False))

    @R.function
    def symbolic(x: R.Tensor((2, "n"), "float32")):
        return (R.topk(x, k=40), R.topk(x, k=40, largest=False))

    @R.function
    def candidates(x: R.Tensor((2, 700), "float32"), y: R.Tensor((520, 2), "int16"), z: R.Tensor((1, 320), "float64")):
        return (R.topk(x, k=9), R.topk(x, k=21, largest=False), R.topk(y, k=10, axis=0), R.topk(z, k=8, dtype="int64"))

    @R.function
    def least_alike(x: R.Tensor((1, 640), "uint8"), y: R.Tensor((1, 700), "float32")):
        zeros = R.multiply(x, R.const(0, "uint8"))
        nans = R.divide(R.multiply(y, R.const(0, "float32")), R.const(0, "float32"))
        return (R.topk(zeros, k=20, largest=False), R.topk(zeros, k=20), R.topk(nans, k=20), R.topk(R.round(y), k=20))
