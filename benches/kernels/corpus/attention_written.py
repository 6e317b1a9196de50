# Attention written out, as models have it: scaled scores, masks, heads that share keys.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def written(q: R.Tensor((1, 6, 64, 64), "float32"), k: R.Tensor((1, 6, 64, 64), "float32"), v: R.Tensor((1, 6, 64, 64), "float32")):
        v1 = R.permute_dims(k, axes=[0, 1, 3, 2])
        v2 = R.matmul(q, v1)
        v3 = R.multiply(v2, R.const(0.125, "float32"))
        v4 = R.nn.softmax(v3, axis=-1)
        v5 = R.matmul(v4, v)
        return v5

    @R.function
    def written_added(q: R.Tensor((1, 4, 48, 32), "float32"), k: R.Tensor((1, 4, 48, 32), "float32"), v: R.Tensor((1, 4, 48, 32), "float32"), m: R.Tensor((48, 48), "float32")):
        v1 = R.permute_dims(k, axes=[0, 1, 3, 2])
        v2 = R.matmul(q, v1)
        v3 = R.multiply(v2, R.const(0.1767766952966369, "float32"))
        v4 = R.add(v3, m)
        v5 = R.nn.softmax(v4, axis=-1)
        v6 = R.matmul(v5, v)
        return v6

    @R.function
    def written_chosen(q: R.Tensor((1, 4, 40, 32), "float32"), k: R.Tensor((1, 4, 56, 32), "float32"), v: R.Tensor((1, 4, 56, 32), "float32"), m: R.Tensor((40, 56), "bool")):
        v1 = R.permute_dims(k, axes=[0, 1, 3, 2])
        v2 = R.matmul(q, v1)
        v3 = R.multiply(v2, R.const(0.1767766952966369, "float32"))
        v4 = R.where(m, v3, R.const(-10000.0, "float32"))
        v5 = R.nn.softmax(v4, axis=-1)
        v6 = R.matmul(v5, v)
        return v6

    @R.function
    def written_f16(q: R.Tensor((1, 4, 64, 32), "float16"), k: R.Tensor((1, 4, 64, 32), "float16"), v: R.Tensor((1, 4, 64, 32), "float16")):
        v1 = R.permute_dims(k, axes=[0, 1, 3, 2])
        v2 = R.matmul(q, v1)
        v3 = R.multiply(v2, R.const(0.1767766952966369, "float16"))
        v4 = R.nn.softmax(v3, axis=-1)
        v5 = R.matmul(v4, v)
        return v5

    @R.function
    def written_one(q: R.Tensor((1, 8, 1, 64), "float32"), k: R.Tensor((1, 8, "n", 64), "float32"), v: R.Tensor((1, 8, "n", 64), "float32")):
        v1 = R.permute_dims(k, axes=[0, 1, 3, 2])
        v2 = R.matmul(q, v1)
        v3 = R.multiply(v2, R.const(0.125, "float32"))
        v4 = R.nn.softmax(v3, axis=-1)
        v5 = R.matmul(v4, v)
        return v5

    @R.function
    def shared_heads(q: R.Tensor((1, 8, 32, 64), "float32"), k: R.Tensor((1, 2, 32, 64), "float32"), v: R.Tensor((1, 2, 32, 64), "float32")):
        v1 = R.repeat(k, repeats=4, axis=1)
        v2 = R.repeat(v, repeats=4, axis=1)
        v3 = R.permute_dims(v1, axes=[0, 1, 3, 2])
        v4 = R.matmul(q, v3)
        v5 = R.multiply(v4, R.const(0.125, "float32"))
        v6 = R.nn.softmax(v5, axis=-1)
        v7 = R.matmul(v6, v2)
        return v7

    @R.function
    def shared_heads_one(q: R.Tensor((1, 8, 1, 64), "float32"), k: R.Tensor((1, 2, "n", 64), "float32"), v: R.Tensor((1, 2, "n", 64), "float32")):
        v1 = R.repeat(k, repeats=4, axis=1)
        v2 = R.repeat(v, repeats=4, axis=1)
        v3 = R.permute_dims(v1, axes=[0, 1, 3, 2])
        v4 = R.matmul(q, v3)
        v5 = R.multiply(v4, R.const(0.125, "float32"))
        v6 = R.nn.softmax(v5, axis=-1)
        v7 = R.matmul(v6, v2)
        return v7
