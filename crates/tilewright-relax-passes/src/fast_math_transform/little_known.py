# An exponential of a tensor whose shape is not known has no function.
# test: opt --pass FastMathTransform


@I.ir_module
class Module:
    @R.function
    def unknown(x: R.Tensor(ndim=2, dtype="float32")):
        y = R.exp(x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def unknown(x: R.Tensor(dtype="float32", ndim=2)) -> R.Tensor(dtype="float32", ndim=2):
        y: R.Tensor(dtype="float32", ndim=2) = R.exp(x)
        return y
