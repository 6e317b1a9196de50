# Products of one or few rows with a matrix, where its weights are what is waited for.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def rows_1(a: R.Tensor((1, 1024), "float32"), b: R.Tensor((1024, 2048), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def rows_2(a: R.Tensor((2, 1024), "float32"), b: R.Tensor((1024, 2048), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def rows_3(a: R.Tensor((3, 1024), "float32"), b: R.Tensor((1024, 2048), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def rows_4(a: R.Tensor((4, 1024), "float32"), b: R.Tensor((1024, 2048), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def rows_8(a: R.Tensor((8, 1024), "float32"), b: R.Tensor((1024, 2048), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def rows_1_nt(a: R.Tensor((1, 768), "float32"), b: R.Tensor((3072, 768), "float32")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def rows_4_nt(a: R.Tensor((4, 768), "float32"), b: R.Tensor((3072, 768), "float32")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def rows_4_of_4096(a: R.Tensor((4, 4096), "float32"), b: R.Tensor((4096, 4096), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def rows_1_of_11008(a: R.Tensor((1, 4096), "float32"), b: R.Tensor((4096, 11008), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def vector_matrix(a: R.Tensor((300,), "float32"), b: R.Tensor((300, 500), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def matrix_vector(a: R.Tensor((700, 260), "float32"), b: R.Tensor((260,), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def dot(a: R.Tensor((5000,), "float32"), b: R.Tensor((5000,), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def columns_3(a: R.Tensor((1000, 512), "float32"), b: R.Tensor((512, 3), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def near(a: R.Tensor((1, 48), "float32"), b: R.Tensor((48, 64), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def constant(a: R.Tensor((1, 128), "float32")):
        v1 = R.full((128, 120), R.const(0.125, "float32"), dtype="float32")
        v2 = R.matmul(a, v1)
        return v2
