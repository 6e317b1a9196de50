# Sums of uses, operands that broadcast, fields of tuples, transposes that cancel; zeros where the target needs nothing.
# test: opt --pass Gradient:func_name=main
# run: main_adjoint


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 3), "float32"),
        w: R.Tensor((4, 3), "float32"),
        b: R.Tensor((4,), "float32"),
        unused: R.Tensor((2,), "float32"),
    ):
        with R.dataflow():
            t = R.permute_dims(w)
            y = R.add(R.matmul(x, t), b)
            parts = R.split(y, 2, axis=1)
            z = R.multiply(parts[0], parts[0])
            pair = (z, parts[1])
            gv = R.sum(R.add(pair[0], pair[1]))
            R.output(gv)
        return gv
