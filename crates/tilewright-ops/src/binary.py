# Ops of two and three tensors, element by element.
# test: run
# run: floats special == same
# run: bits special == same
# run: truth == same
# run: whole(i32[4]=[7, -7, 7, -7], i32[4]=[2, 2, -2, -2]) == same
# run: floors(f32[5]=[1, -1, 5.5, -5, 0], f32[5]=[0.1, 3, -2, inf, -1]) == same
# run: rounded_once special == same
# run: chosen special n=3 == same


@I.ir_module
class Module:
    @R.function
    def floats(a: R.Tensor((7, 5), "float32"), b: R.Tensor((5,), "float32")):
        return (R.power(a, b), R.atan2(a, b), R.floor_divide(a, b), R.floor_mod(a, b), R.mod(a, b))

    @R.function
    def bits(a: R.Tensor((7, 5), "int8"), b: R.Tensor((7, 1), "int8")):
        return (
            R.bitwise_and(a, b), R.bitwise_or(a, b), R.bitwise_xor(a, b), R.left_shift(a, b), R.right_shift(a, b),
        )

    @R.function
    def truth(a: R.Tensor((7, 5), "bool"), b: R.Tensor((5,), "bool")):
        return (R.logical_and(a, b), R.logical_or(a, b), R.logical_xor(a, b), R.bitwise_and(a, b))

    @R.function
    def whole(a: R.Tensor((4,), "int32"), b: R.Tensor((4,), "int32")):
        return (R.divide(a, b), R.floor_divide(a, b), R.floor_mod(a, b), R.mod(a, b))

    @R.function
    def floors(a: R.Tensor((5,), "float32"), b: R.Tensor((5,), "float32")):
        return (R.floor_divide(a, b), R.floor_mod(a, b))

    @R.function
    def rounded_once(a: R.Tensor((7, 5), "float32"), b: R.Tensor((7, 5), "float32"), c: R.Tensor((7, 5), "float32")):
        return R.ewise_fma(a, b, c)

    @R.function
    def chosen(c: R.Tensor(("n", 1), "bool"), a: R.Tensor((4,), "float32"), b: R.Tensor((), "float32")):
        return R.where(c, a, b)
