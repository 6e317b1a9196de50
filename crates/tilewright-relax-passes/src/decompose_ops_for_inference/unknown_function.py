# A function that the module does not have.
# test: diagnostics --pass DecomposeOpsForInference:func_name=mian


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32")):
        y = R.nn.dropout(x)
        return y

# expect:
# error[TW0701]: the module has no function `mian`
#  |
#  = help: did you mean `main`?
