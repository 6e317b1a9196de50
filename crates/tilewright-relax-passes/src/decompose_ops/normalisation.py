# The moving mean and variance are used as they are; dropout drops nothing; other operators stay.
# test: opt --pass DecomposeOps --pass CanonicalizeBindings --pass DeadCodeElimination
# run: main n=2 tol=1e-5 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 3, 4), "float32"),
        gamma: R.Tensor((3,), "float32"),
        beta: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        y: R.Tensor((3,), "float32"),
        g: R.Tensor((4,), "float32"),
    ):
        n = T.int64()
        with R.dataflow():
            var = R.abs(y)
            bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1, training=False)
            a = bn[0]
            d = R.nn.dropout(a, rate=0.5)
            b = d[0]
            mask = d[1]
            c = R.nn.layer_norm(b, g, g, axes=-1)
            R.output(c, mask, bn)
        return (c, mask, bn)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 4), dtype="float32"), gamma: R.Tensor((3,), dtype="float32"), beta: R.Tensor((3,), dtype="float32"), mean: R.Tensor((3,), dtype="float32"), y: R.Tensor((3,), dtype="float32"), g: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor(("n", 3, 4), dtype="float32"), R.Tensor(("n", 3, 4), dtype="float32"), R.Tuple(R.Tensor(("n", 3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32"))):
        n = T.int64()
        with R.dataflow():
            var: R.Tensor((3,), dtype="float32") = R.abs(y)
            lv: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(mean, axis=[0, 2])
            lv_1: R.Tensor((n, 3, 4), dtype="float32") = R.subtract(x, lv)
            lv_2: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(var, axis=[0, 2])
            lv_3: R.Tensor((1, 3, 1), dtype="float32") = R.add(lv_2, R.const(1e-5, "float32"))
            lv_4: R.Tensor((1, 3, 1), dtype="float32") = R.sqrt(lv_3)
            lv_5: R.Tensor((n, 3, 4), dtype="float32") = R.divide(lv_1, lv_4)
            lv_6: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(gamma, axis=[0, 2])
            lv_7: R.Tensor((n, 3, 4), dtype="float32") = R.multiply(lv_5, lv_6)
            lv_8: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(beta, axis=[0, 2])
            lv_9: R.Tensor((n, 3, 4), dtype="float32") = R.add(lv_7, lv_8)
            bn: R.Tuple(R.Tensor((n, 3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")) = (lv_9, mean, var)
            mask: R.Tensor((n, 3, 4), dtype="float32") = R.ones_like(lv_9, dtype="void")
            c: R.Tensor((n, 3, 4), dtype="float32") = R.nn.layer_norm(lv_9, g, g, axes=[-1], epsilon=1e-5, center=True, scale=True)
            R.output(bn, mask, c)
        return (c, mask, bn)
