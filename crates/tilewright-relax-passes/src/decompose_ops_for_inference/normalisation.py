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
