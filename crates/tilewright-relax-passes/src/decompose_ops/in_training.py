# Mean and variance of the batch where the call asks for them; narrow elements are computed in float32.
# test: opt --pass DecomposeOps
# run: main tol=2e-3 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 4, 3), "float16"),
        gamma: R.Tensor((3,), "float16"),
        beta: R.Tensor((3,), "float16"),
        mean: R.Tensor((3,), "float16"),
        var: R.Tensor((3,), "float16"),
    ):
        bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=2, epsilon=0.01, scale=False, momentum=0.25, training=True)
        return bn

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4, 3), dtype="float16"), gamma: R.Tensor((3,), dtype="float16"), beta: R.Tensor((3,), dtype="float16"), mean: R.Tensor((3,), dtype="float16"), var: R.Tensor((3,), dtype="float16")) -> R.Tuple(R.Tensor((2, 4, 3), dtype="float16"), R.Tensor((3,), dtype="float16"), R.Tensor((3,), dtype="float16")):
        gv: R.Tensor((2, 4, 3), dtype="float32") = R.astype(x, dtype="float32")
        gv_1: R.Tensor((3,), dtype="float32") = R.mean(gv, axis=[0, 1], keepdims=False)
        gv_2: R.Tensor((1, 1, 3), dtype="float32") = R.expand_dims(gv_1, axis=[0, 1])
        gv_3: R.Tensor((2, 4, 3), dtype="float32") = R.subtract(gv, gv_2)
        gv_4: R.Tensor((3,), dtype="float32") = R.variance(gv, axis=[0, 1], keepdims=False)
        gv_5: R.Tensor((1, 1, 3), dtype="float32") = R.expand_dims(gv_4, axis=[0, 1])
        gv_6: R.Tensor((1, 1, 3), dtype="float32") = R.add(gv_5, R.const(0.01, "float32"))
        gv_7: R.Tensor((1, 1, 3), dtype="float32") = R.sqrt(gv_6)
        gv_8: R.Tensor((2, 4, 3), dtype="float32") = R.divide(gv_3, gv_7)
        gv_9: R.Tensor((3,), dtype="float32") = R.astype(beta, dtype="float32")
        gv_10: R.Tensor((1, 1, 3), dtype="float32") = R.expand_dims(gv_9, axis=[0, 1])
        gv_11: R.Tensor((2, 4, 3), dtype="float32") = R.add(gv_8, gv_10)
        gv_12: R.Tensor((2, 4, 3), dtype="float16") = R.astype(gv_11, dtype="float16")
        gv_13: R.Tensor((3,), dtype="float32") = R.astype(mean, dtype="float32")
        gv_14: R.Tensor((3,), dtype="float32") = R.multiply(gv_13, R.const(0.75, "float32"))
        gv_15: R.Tensor((3,), dtype="float32") = R.multiply(gv_1, R.const(0.25, "float32"))
        gv_16: R.Tensor((3,), dtype="float32") = R.add(gv_14, gv_15)
        gv_17: R.Tensor((3,), dtype="float16") = R.astype(gv_16, dtype="float16")
        gv_18: R.Tensor((3,), dtype="float32") = R.astype(var, dtype="float32")
        gv_19: R.Tensor((3,), dtype="float32") = R.multiply(gv_18, R.const(0.75, "float32"))
        gv_20: R.Tensor((3,), dtype="float32") = R.multiply(gv_4, R.const(0.25, "float32"))
        gv_21: R.Tensor((3,), dtype="float32") = R.add(gv_19, gv_20)
        gv_22: R.Tensor((3,), dtype="float16") = R.astype(gv_21, dtype="float16")
        bn: R.Tuple(R.Tensor((2, 4, 3), dtype="float16"), R.Tensor((3,), dtype="float16"), R.Tensor((3,), dtype="float16")) = (gv_12, gv_17, gv_22)
        return bn
