# Scans, sorts, ranks and searches.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def cumsum_rows(x: R.Tensor((64, 300), "float32")):
        v1 = R.cumsum(x, axis=1)
        return v1

    @R.function
    def cumsum_columns(x: R.Tensor((300, 64), "float32")):
        v1 = R.cumsum(x, axis=0)
        return v1

    @R.function
    def cumsum_long(x: R.Tensor((100000,), "float32")):
        v1 = R.cumsum(x, axis=0)
        return v1

    @R.function
    def cumsum_exclusive(x: R.Tensor((40, 100), "float32")):
        v1 = R.cumsum(x, axis=1, exclusive=True)
        return v1

    @R.function
    def cumsum_i64(x: R.Tensor((40, 100), "int64")):
        v1 = R.cumsum(x, axis=1)
        return v1

    @R.function
    def cumprod(x: R.Tensor((30, 90), "float32")):
        v1 = R.cumprod(x, axis=1)
        return v1

    @R.function
    def cumsum_n(x: R.Tensor(("n", 50), "float32")):
        v1 = R.cumsum(x, axis=1)
        return v1

    @R.function
    def sort_rows(x: R.Tensor((30, 100), "float32")):
        v1 = R.sort(x, axis=1)
        return v1

    @R.function
    def sort_short(x: R.Tensor((200, 12), "float32")):
        v1 = R.sort(x, axis=1, descending=True)
        return v1

    @R.function
    def sort_columns(x: R.Tensor((100, 30), "int32")):
        v1 = R.sort(x, axis=0)
        return v1

    @R.function
    def argsort(x: R.Tensor((20, 150), "float32")):
        v1 = R.argsort(x, axis=1)
        return v1

    @R.function
    def topk_1(x: R.Tensor((20, 500), "float32")):
        v1 = R.topk(x, k=1, axis=1, ret_type="values")
        return v1

    @R.function
    def topk_4(x: R.Tensor((20, 500), "float32")):
        v1 = R.topk(x, k=4, axis=1)
        v2 = v1[0]
        v3 = v1[1]
        v4 = R.astype(v3, "float32")
        v5 = R.add(v2, v4)
        return v5

    @R.function
    def topk_50(x: R.Tensor((4, 2000), "float32")):
        v1 = R.topk(x, k=50, axis=1, ret_type="values")
        return v1

    @R.function
    def kth(x: R.Tensor((20, 99), "float32")):
        v1 = R.kthvalue(x, k=10, axis=1)
        v2 = v1[0]
        return v2

    @R.function
    def median(x: R.Tensor((20, 101), "float32")):
        v1 = R.median(x, axis=[1])
        v2 = v1[0]
        return v2

    @R.function
    def bucketize(x: R.Tensor((500,), "float32"), b: R.Tensor((20,), "float32")):
        v1 = R.bucketize(x, b)
        return v1
