# The last shape counts; the first one again is the tensor itself.
# test: opt --pass RemoveRedundantReshape --pass CanonicalizeBindings --pass DeadCodeElimination
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 1, 6), "float32")):
        with R.dataflow():
            a = R.reshape(x, (3, 4))
            b = R.flatten(a)
            c = R.expand_dims(b, axis=0)
            d = R.reshape(c, (4, 3))
            e = R.negative(d)
            f = R.reshape(e, (12,))
            g = R.squeeze(x)
            h = R.reshape(g, (2, 1, 6))
            k = R.exp(h)
            same = R.reshape(k, (2, 1, 6))
            R.output(f, same, c)
        return (f, same, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 1, 6), dtype="float32")) -> R.Tuple(R.Tensor((12,), dtype="float32"), R.Tensor((2, 1, 6), dtype="float32"), R.Tensor((1, 12), dtype="float32")):
        with R.dataflow():
            c: R.Tensor((1, 12), dtype="float32") = R.reshape(x, R.shape([1, 12]))
            d: R.Tensor((4, 3), dtype="float32") = R.reshape(x, R.shape([4, 3]))
            e: R.Tensor((4, 3), dtype="float32") = R.negative(d)
            f: R.Tensor((12,), dtype="float32") = R.reshape(e, R.shape([12]))
            same: R.Tensor((2, 1, 6), dtype="float32") = R.exp(x)
            R.output(c, f, same)
        return (f, same, c)
