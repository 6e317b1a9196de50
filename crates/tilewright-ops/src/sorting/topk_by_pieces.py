# Long slices are read in pieces: elements that enter are found whatever else the piece holds, in slices without a whole
# piece and without elements, too.
# test: run
# run: largest special == same
# run: smallest special == same
# run: rising(f32[1,200]) == same
# run: integers seed=5 == same
# run: truths == same
# run: wide special == same
# run: symbolic n=4 == same
# run: symbolic n=67 == same
# run: symbolic n=68 == same
# run: symbolic n=400 special == same


@I.ir_module
class Module:
    @R.function
    def largest(x: R.Tensor((3, 333), "float32")):
        return R.topk(x, k=4)

    @R.function
    def smallest(x: R.Tensor((3, 333), "float32")):
        return R.topk(x, k=4, largest=False)

    @R.function
    def rising(x: R.Tensor((1, 200), "float32")):
        return R.topk(R.cumsum(R.abs(x), axis=1), k=2)

    @R.function
    def integers(x: R.Tensor((2, 261), "int32")):
        return (R.topk(x, k=4), R.topk(x, k=4, largest=False), R.topk(x, k=1, dtype="int64"))

    @R.function
    def truths(x: R.Tensor((2, 150), "bool"), y: R.Tensor((2, 150), "float16")):
        return (R.topk(x, k=3), R.topk(y, k=3))

    @R.function
    def wide(x: R.Tensor((2, 150, 2), "float64"), y: R.Tensor((2, 150), "float64")):
        return (R.topk(x, k=3, axis=1), R.topk(y, k=3))

    @R.function
    def symbolic(x: R.Tensor((2, "n"), "float32")):
        return R.topk(x, k=4)
