# The moving mean and variance are used whatever the call takes, and stay; other operators stay too.
# test: opt --pass DecomposeOpsForInference
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
    ):
        n = T.int64()
        with R.dataflow():
            var = R.abs(y)
            bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1, training=False)
            d = R.nn.dropout(bn[0], rate=0.5)
            R.output(d, bn)
        return (d, bn)

    @R.function
    def training(
        x: R.Tensor((2, 3), "float32"),
        gamma: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        var: R.Tensor((3,), "float32"),
    ):
        return R.nn.batch_norm(x, gamma, gamma, mean, var, axis=1, center=False)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 4), dtype="float32"), gamma: R.Tensor((3,), dtype="float32"), beta: R.Tensor((3,), dtype="float32"), mean: R.Tensor((3,), dtype="float32"), y: R.Tensor((3,), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor(("n", 3, 4), dtype="float32"), R.Tensor(("n", 3, 4), dtype="float32")), R.Tuple(R.Tensor(("n", 3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32"))):
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
            lv_10: R.Tensor((n, 3, 4), dtype="float32") = bn[0]
            d: R.Tuple(R.Tensor((n, 3, 4), dtype="float32"), R.Tensor((n, 3, 4), dtype="float32")) = R.nn.dropout(lv_10, rate=0.5)
            R.output(bn, d)
        return (d, bn)

    @R.function
    def training(x: R.Tensor((2, 3), dtype="float32"), gamma: R.Tensor((3,), dtype="float32"), mean: R.Tensor((3,), dtype="float32"), var: R.Tensor((3,), dtype="float32")) -> R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")):
        gv: R.Tensor((1, 3), dtype="float32") = R.expand_dims(mean, axis=[0])
        gv_1: R.Tensor((2, 3), dtype="float32") = R.subtract(x, gv)
        gv_2: R.Tensor((1, 3), dtype="float32") = R.expand_dims(var, axis=[0])
        gv_3: R.Tensor((1, 3), dtype="float32") = R.add(gv_2, R.const(1e-5, "float32"))
        gv_4: R.Tensor((1, 3), dtype="float32") = R.sqrt(gv_3)
        gv_5: R.Tensor((2, 3), dtype="float32") = R.divide(gv_1, gv_4)
        gv_6: R.Tensor((1, 3), dtype="float32") = R.expand_dims(gamma, axis=[0])
        gv_7: R.Tensor((2, 3), dtype="float32") = R.multiply(gv_5, gv_6)
        gv_8: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")) = (gv_7, mean, var)
        return gv_8
