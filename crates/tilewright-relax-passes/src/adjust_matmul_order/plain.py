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

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 16), dtype="float32"), a: R.Tensor((16, "r"), dtype="float32"), b: R.Tensor(("r", 32), dtype="float32"), c: R.Tensor((8, 16), dtype="float32"), d: R.Tensor((32, 8), dtype="float32")) -> R.Tuple(R.Tensor((1, 32), dtype="float32"), R.Tensor((1, 32), dtype="float32")):
        r = T.int64()
        gv: R.Tensor((1, r), dtype="float32") = R.matmul(x, a, out_dtype="void")
        y: R.Tensor((1, 32), dtype="float32") = R.matmul(gv, b, out_dtype="void")
        gv_1: R.Tensor((16, 8), dtype="float32") = R.permute_dims(c, axes=None)
        gv_2: R.Tensor((1, 8), dtype="float32") = R.matmul(x, gv_1, out_dtype="void")
        gv_3: R.Tensor((8, 32), dtype="float32") = R.permute_dims(d, axes=None)
        z: R.Tensor((1, 32), dtype="float32") = R.matmul(gv_2, gv_3, out_dtype="void")
        return (y, z)
