# Batches of products, of the same matrix or each of its own, and sums of products by letters.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def bmm_4(a: R.Tensor((4, 64, 96), "float32"), b: R.Tensor((4, 96, 80), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bmm_12_heads(a: R.Tensor((2, 12, 128, 64), "float32"), b: R.Tensor((2, 12, 64, 128), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bmm_small(a: R.Tensor((100, 7, 9), "float32"), b: R.Tensor((100, 9, 5), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bmm_one_row(a: R.Tensor((32, 1, 128), "float32"), b: R.Tensor((32, 128, 256), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bmm_shared(a: R.Tensor((8, 50, 64), "float32"), b: R.Tensor((64, 128), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bmm_shared_left(a: R.Tensor((40, 64), "float32"), b: R.Tensor((6, 64, 72), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bmm_nt(a: R.Tensor((6, 40, 64), "float32"), b: R.Tensor((6, 72, 64), "float32")):
        v1 = R.permute_dims(b, axes=[0, 2, 1])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def bmm_heads_apart(a: R.Tensor((2, 64, 8, 32), "float32"), b: R.Tensor((2, 64, 8, 32), "float32")):
        v1 = R.einsum((a, b), subscripts="bqhd,bkhd->bhqk")
        return v1

    @R.function
    def values_of_heads(a: R.Tensor((2, 8, 64, 64), "float32"), b: R.Tensor((2, 8, 64, 32), "float32")):
        v1 = R.einsum((a, b), subscripts="bhqk,bhkd->bqhd")
        return v1

    @R.function
    def einsum_outer(a: R.Tensor((300,), "float32"), b: R.Tensor((200,), "float32")):
        v1 = R.einsum((a, b), subscripts="i,j->ij")
        return v1

    @R.function
    def einsum_batch_last(a: R.Tensor((20, 30, 16), "float32"), b: R.Tensor((30, 40, 16), "float32")):
        v1 = R.einsum((a, b), subscripts="ijb,jkb->ikb")
        return v1

    @R.function
    def einsum_three_axes(a: R.Tensor((12, 10, 8), "float32"), b: R.Tensor((8, 10, 33), "float32")):
        v1 = R.einsum((a, b), subscripts="ijk,kjl->il")
        return v1

    @R.function
    def einsum_all(a: R.Tensor((64, 80), "float32"), b: R.Tensor((64, 80), "float32")):
        v1 = R.einsum((a, b), subscripts="ij,ij->")
        return v1
