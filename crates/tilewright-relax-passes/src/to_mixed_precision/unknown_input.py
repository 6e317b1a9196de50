# A name that no parameter has.
# test: diagnostics --pass ToMixedPrecision:fp16_input_names=weight


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 6), "float32")):
        a = R.matmul(x, w)
        return a

# expect:
# error[TW0702]: no function has a parameter `weight`
