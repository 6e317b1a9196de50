# A shape between which something is computed stays.
# test: opt --pass RemoveRedundantReshape
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.reshape(x, (3, 2))
            b = R.permute_dims(a)
            c = R.reshape(b, (6,))
            R.output(c)
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((6,), dtype="float32"):
        with R.dataflow():
            a: R.Tensor((3, 2), dtype="float32") = R.reshape(x, R.shape([3, 2]))
            b: R.Tensor((2, 3), dtype="float32") = R.permute_dims(a, axes=None)
            c: R.Tensor((6,), dtype="float32") = R.reshape(b, R.shape([6]))
            R.output(c)
        return c
