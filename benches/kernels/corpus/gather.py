# Indices that are data: embeddings, gathers, scatters.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def embedding(x: R.Tensor((1000, 64), "float32"), i: R.Tensor((50,), "int64")):
        v1 = R.take(x, i, axis=0)
        return v1

    @R.function
    def embedding_of_tokens(x: R.Tensor((500, 128), "float32"), i: R.Tensor((2, "n"), "int32")):
        v1 = R.take(x, i, axis=0)
        return v1

    @R.function
    def embedding_added(x: R.Tensor((300, 96), "float32"), i: R.Tensor((40,), "int64"), p: R.Tensor((40, 96), "float32")):
        v1 = R.take(x, i, axis=0)
        v2 = R.add(v1, p)
        return v2

    @R.function
    def embedding_f16(x: R.Tensor((300, 80), "float16"), i: R.Tensor((40,), "int64")):
        v1 = R.take(x, i, axis=0)
        return v1

    @R.function
    def take_columns(x: R.Tensor((60, 90), "float32"), i: R.Tensor((30,), "int32")):
        v1 = R.take(x, i, axis=1)
        return v1

    @R.function
    def take_wrapped(x: R.Tensor((70,), "float32"), i: R.Tensor((200,), "int64")):
        v1 = R.take(x, i, axis=0, mode="wrap")
        return v1

    @R.function
    def elements(x: R.Tensor((40, 50), "float32"), i: R.Tensor((40, 20), "int64")):
        v1 = R.gather_elements(x, i, axis=1)
        return v1

    @R.function
    def nd(x: R.Tensor((20, 30, 8), "float32"), i: R.Tensor((50, 2), "int64")):
        v1 = R.gather_nd(x, i)
        return v1

    @R.function
    def indexed(x: R.Tensor((20, 30), "float32"), i: R.Tensor((60,), "int64"), j: R.Tensor((60,), "int64")):
        v1 = R.index_tensor(x, (i, j))
        return v1

    @R.function
    def scatter(x: R.Tensor((40, 50), "float32"), i: R.Tensor((40, 20), "int64"), u: R.Tensor((40, 20), "float32")):
        v1 = R.scatter_elements(x, i, u, axis=1)
        return v1

    @R.function
    def scatter_added(x: R.Tensor((60, 16), "float32"), i: R.Tensor((30, 1), "int64"), u: R.Tensor((30, 16), "float32")):
        v1 = R.scatter_nd(x, i, u, reduction="add")
        return v1

    @R.function
    def put(x: R.Tensor((60, 16), "float32"), i: R.Tensor((30,), "int64"), u: R.Tensor((30, 16), "float32")):
        v1 = R.index_put(x, (i,), u)
        return v1

    @R.function
    def one_hot(i: R.Tensor((40,), "int64")):
        v1 = R.one_hot(i, R.prim_value(T.float32(1)), R.prim_value(T.float32(0)), 32, axis=-1)
        return v1
