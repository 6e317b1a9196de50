# Ops of one tensor, element by element: mathematical functions, signs, tests and bits.
# test: run
# run: functions special == same
# run: narrow special == same
# run: tests special == same
# run: bits special == same
# run: held special == same
# run: held_bytes special == same


@I.ir_module
class Module:
    @R.function
    def functions(x: R.Tensor((7, 5), "float32")):
        return (
            R.acos(x), R.acosh(x), R.asin(x), R.asinh(x), R.atan(x), R.atanh(x), R.cos(x), R.cosh(x), R.erf(x), R.exp(x),
            R.log(x), R.round(x), R.rsqrt(x), R.sigmoid(x), R.sign(x), R.sin(x), R.sinh(x), R.tan(x), R.tanh(x),
        )

    @R.function
    def narrow(x: R.Tensor((3, 0, 5), "float16"), y: R.Tensor((), "float64")):
        return (R.exp(x), R.tanh(y), R.sign(y), R.abs(y))

    @R.function
    def tests(x: R.Tensor((33,), "float32"), y: R.Tensor((33,), "bool"), z: R.Tensor((33,), "uint8")):
        return (R.isfinite(x), R.isinf(x), R.isnan(x), R.logical_not(x), R.logical_not(y), R.logical_not(z), R.sign(z))

    @R.function
    def bits(x: R.Tensor((9,), "int32"), y: R.Tensor((9,), "bool"), z: R.Tensor((9,), "uint8")):
        return (R.bitwise_not(x), R.bitwise_not(y), R.bitwise_not(z), R.sign(x))

    @R.function
    def held(x: R.Tensor((33,), "float32")):
        return R.clip(x, R.prim_value(-0.5), R.prim_value(2))

    @R.function
    def held_bytes(x: R.Tensor((33,), "int8"), y: R.Tensor((33,), "uint8")):
        return (R.clip(x, -300, 3), R.clip(y, -1, 1000))
