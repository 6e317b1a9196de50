# Equal types without dimensions do not imply equal shapes: a reshape is removed only if all dimensions are known.
# test: opt --pass RemoveRedundantReshape


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 6), "float32"), like: R.Tensor((3, 4), "float32")):
        with R.dataflow():
            matrix = R.match_cast(x, R.Tensor(dtype="float32", ndim=2))
            other = R.match_cast(like, R.Tensor(dtype="float32", ndim=2))
            shape = R.shape_of(other)
            a = R.reshape(matrix, shape)
            anything = R.match_cast(x, R.Tensor(dtype="float32"))
            b = R.expand_dims(anything, axis=0)
            known = R.match_cast(b, R.Tensor((1, 2, 6), "float32"))
            c = R.squeeze(b)
            R.output(a, known, c)
        return (a, known, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 6), dtype="float32"), like: R.Tensor((3, 4), dtype="float32")) -> R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Tensor((1, 2, 6), dtype="float32"), R.Tensor(dtype="float32")):
        with R.dataflow():
            matrix: R.Tensor(dtype="float32", ndim=2) = R.match_cast(x, R.Tensor(dtype="float32", ndim=2))
            other: R.Tensor(dtype="float32", ndim=2) = R.match_cast(like, R.Tensor(dtype="float32", ndim=2))
            shape: R.Shape(ndim=2) = R.shape_of(other)
            a: R.Tensor(dtype="float32", ndim=2) = R.reshape(matrix, shape)
            anything: R.Tensor(dtype="float32") = R.match_cast(x, R.Tensor(dtype="float32"))
            b: R.Tensor(dtype="float32") = R.expand_dims(anything, axis=[0])
            known: R.Tensor((1, 2, 6), dtype="float32") = R.match_cast(b, R.Tensor((1, 2, 6), dtype="float32"))
            c: R.Tensor(dtype="float32") = R.squeeze(b, axis=None)
            R.output(a, known, c)
        return (a, known, c)
