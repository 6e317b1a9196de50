# What uses nothing but weights moves, what the rest needs comes back, weights that are used as they are first. A weight that
# nothing uses any more is no parameter.
# test: opt --pass LiftTransformParams


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"),
        w0: R.Tensor((3, 4), "float32"),
        w1: R.Tensor((3, 5), "float32"),
        b: R.Tensor((5,), "float32"),
        unused: R.Tensor((9,), "float32"),
    ):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w0t = R.permute_dims(w0)
            y = R.matmul(x, w0t)
            w1n = R.negative(w1)
            shift = R.add(w1n, b)
            both = R.split(w1, 3, axis=0)
            first = both[0]
            s = R.sin(y)
            z = R.matmul(s, shift)
            z1 = R.add(z, first)
            z2 = R.multiply(z1, b)
            R.output(z2)
        return z2

    @R.function
    def other(x: R.Tensor((2, 4), "float32"), w0: R.Tensor((3, 4), "float32")):
        y = R.sin(w0)
        return (x, y)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), b: R.Tensor((5,), dtype="float32"), w0t: R.Tensor((4, 3), dtype="float32"), shift: R.Tensor((3, 5), dtype="float32"), first: R.Tensor((1, 5), dtype="float32")) -> R.Tensor((2, 5), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y: R.Tensor((2, 3), dtype="float32") = R.matmul(x, w0t, out_dtype="void")
            s: R.Tensor((2, 3), dtype="float32") = R.sin(y)
            z: R.Tensor((2, 5), dtype="float32") = R.matmul(s, shift, out_dtype="void")
            z1: R.Tensor((2, 5), dtype="float32") = R.add(z, first)
            z2: R.Tensor((2, 5), dtype="float32") = R.multiply(z1, b)
            R.output(z2)
        return z2

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3, 5), dtype="float32"), R.Tensor((5,), dtype="float32"), R.Tensor((9,), dtype="float32"))) -> R.Tuple(R.Tensor((5,), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor((3, 5), dtype="float32"), R.Tensor((1, 5), dtype="float32")):
        R.func_attr({"num_input": 0})
        with R.dataflow():
            w0: R.Tensor((3, 4), dtype="float32") = model_params[0]
            w0t: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w0, axes=None)
            w1: R.Tensor((3, 5), dtype="float32") = model_params[1]
            w1n: R.Tensor((3, 5), dtype="float32") = R.negative(w1)
            b: R.Tensor((5,), dtype="float32") = model_params[2]
            shift: R.Tensor((3, 5), dtype="float32") = R.add(w1n, b)
            both: R.Tuple(R.Tensor((1, 5), dtype="float32"), R.Tensor((1, 5), dtype="float32"), R.Tensor((1, 5), dtype="float32")) = R.split(w1, indices_or_sections=3, axis=0)
            first: R.Tensor((1, 5), dtype="float32") = both[0]
            output_tuple: R.Tuple(R.Tensor((5,), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor((3, 5), dtype="float32"), R.Tensor((1, 5), dtype="float32")) = (b, w0t, shift, first)
            R.output(output_tuple)
        return output_tuple

    @R.function
    def other(x: R.Tensor((2, 4), dtype="float32"), w0: R.Tensor((3, 4), dtype="float32")) -> R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((3, 4), dtype="float32")):
        y: R.Tensor((3, 4), dtype="float32") = R.sin(w0)
        return (x, y)
