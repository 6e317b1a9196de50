# In a block without side effects; sizes that are symbols; a product that is transposed.
# test: opt --pass AdjustMatmulOrder
# run: main r=3 tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, 16), "float32"),
        a: R.Tensor((16, "r"), "float32"),
        b: R.Tensor(("r", 32), "float32"),
        c: R.Tensor((8, 16), "float32"),
        d: R.Tensor((32, 8), "float32"),
    ):
        r = T.int64()
        w = R.matmul(a, b)
        y = R.matmul(x, w)
        v = R.matmul(d, c)
        z = R.matmul(x, R.permute_dims(v))
        return (y, z)
