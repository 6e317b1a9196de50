# Mean and variance of the batch, and over the dimensions of a layer; dropout stays, and what is not known.
# test: opt --pass DecomposeOpsForTraining
# run: main n=3 tol=1e-4 == same
# run: main n=1 tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 3, 4), "float32"),
        gamma: R.Tensor((3,), "float32"),
        beta: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        var: R.Tensor((3,), "float32"),
        g: R.Tensor((3, 4), "float32"),
        b: R.Tensor((3, 4), "float32"),
        h: R.Tensor((4, 3), "float32"),
    ):
        n = T.int64()
        with R.dataflow():
            bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1, momentum=0.25, training=True)
            a = bn[0]
            c = R.nn.layer_norm(a, g, b, axes=[1, 2], epsilon=0.5)
            d = R.nn.layer_norm(c, h, h, axes=[2, 1], scale=False)
            e = R.nn.dropout(d)
            R.output(e, bn)
        return (e, bn)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 4), dtype="float32"), gamma: R.Tensor((3,), dtype="float32"), beta: R.Tensor((3,), dtype="float32"), mean: R.Tensor((3,), dtype="float32"), var: R.Tensor((3,), dtype="float32"), g: R.Tensor((3, 4), dtype="float32"), b: R.Tensor((3, 4), dtype="float32"), h: R.Tensor((4, 3), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor(("n", 3, 4), dtype="float32"), R.Tensor(("n", 3, 4), dtype="float32")), R.Tuple(R.Tensor(("n", 3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32"))):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((3,), dtype="float32") = R.mean(x, axis=[0, 2], keepdims=False)
            lv_1: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(lv, axis=[0, 2])
            lv_2: R.Tensor((n, 3, 4), dtype="float32") = R.subtract(x, lv_1)
            lv_3: R.Tensor((3,), dtype="float32") = R.variance(x, axis=[0, 2], keepdims=False)
            lv_4: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(lv_3, axis=[0, 2])
            lv_5: R.Tensor((1, 3, 1), dtype="float32") = R.add(lv_4, R.const(1e-5, "float32"))
            lv_6: R.Tensor((1, 3, 1), dtype="float32") = R.sqrt(lv_5)
            lv_7: R.Tensor((n, 3, 4), dtype="float32") = R.divide(lv_2, lv_6)
            lv_8: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(gamma, axis=[0, 2])
            lv_9: R.Tensor((n, 3, 4), dtype="float32") = R.multiply(lv_7, lv_8)
            lv_10: R.Tensor((1, 3, 1), dtype="float32") = R.expand_dims(beta, axis=[0, 2])
            lv_11: R.Tensor((n, 3, 4), dtype="float32") = R.add(lv_9, lv_10)
            lv_12: R.Tensor((3,), dtype="float32") = R.multiply(mean, R.const(0.75, "float32"))
            lv_13: R.Tensor((3,), dtype="float32") = R.multiply(lv, R.const(0.25, "float32"))
            lv_14: R.Tensor((3,), dtype="float32") = R.add(lv_12, lv_13)
            lv_15: R.Tensor((3,), dtype="float32") = R.multiply(var, R.const(0.75, "float32"))
            lv_16: R.Tensor((3,), dtype="float32") = R.multiply(lv_3, R.const(0.25, "float32"))
            lv_17: R.Tensor((3,), dtype="float32") = R.add(lv_15, lv_16)
            bn: R.Tuple(R.Tensor((n, 3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")) = (lv_11, lv_14, lv_17)
            a: R.Tensor((n, 3, 4), dtype="float32") = bn[0]
            lv_18: R.Tensor((n, 1, 1), dtype="float32") = R.mean(a, axis=[1, 2], keepdims=True)
            lv_19: R.Tensor((n, 3, 4), dtype="float32") = R.subtract(a, lv_18)
            lv_20: R.Tensor((n, 1, 1), dtype="float32") = R.variance(a, axis=[1, 2], keepdims=True)
            lv_21: R.Tensor((n, 1, 1), dtype="float32") = R.add(lv_20, R.const(0.5, "float32"))
            lv_22: R.Tensor((n, 1, 1), dtype="float32") = R.sqrt(lv_21)
            lv_23: R.Tensor((n, 3, 4), dtype="float32") = R.divide(lv_19, lv_22)
            lv_24: R.Tensor((1, 3, 4), dtype="float32") = R.expand_dims(g, axis=[0])
            lv_25: R.Tensor((n, 3, 4), dtype="float32") = R.multiply(lv_23, lv_24)
            lv_26: R.Tensor((1, 3, 4), dtype="float32") = R.expand_dims(b, axis=[0])
            c: R.Tensor((n, 3, 4), dtype="float32") = R.add(lv_25, lv_26)
            d: R.Tensor((n, 3, 4), dtype="float32") = R.nn.layer_norm(c, h, h, axes=[2, 1], epsilon=1e-5, center=True, scale=False)
            e: R.Tuple(R.Tensor((n, 3, 4), dtype="float32"), R.Tensor((n, 3, 4), dtype="float32")) = R.nn.dropout(d, rate=0.5)
            R.output(bn, e)
        return (e, bn)
