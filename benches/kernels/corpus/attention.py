# The operator of attention: masks, windows, biases, few queries, symbolic lengths.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def plain_64(q: R.Tensor((2, 64, 4, 32), "float32"), k: R.Tensor((2, 64, 4, 32), "float32"), v: R.Tensor((2, 64, 4, 32), "float32")):
        v1 = R.nn.attention(q, k, v)
        return v1

    @R.function
    def plain_128(q: R.Tensor((2, 128, 12, 64), "float32"), k: R.Tensor((2, 128, 12, 64), "float32"), v: R.Tensor((2, 128, 12, 64), "float32")):
        v1 = R.nn.attention(q, k, v)
        return v1

    @R.function
    def ragged(q: R.Tensor((2, 50, 3, 40), "float32"), k: R.Tensor((2, 77, 3, 40), "float32"), v: R.Tensor((2, 77, 3, 40), "float32")):
        v1 = R.nn.attention(q, k, v)
        return v1

    @R.function
    def one_query(q: R.Tensor((2, 1, 8, 64), "float32"), k: R.Tensor((2, 256, 8, 64), "float32"), v: R.Tensor((2, 256, 8, 64), "float32")):
        v1 = R.nn.attention(q, k, v)
        return v1

    @R.function
    def three_queries(q: R.Tensor((2, 3, 4, 64), "float32"), k: R.Tensor((2, 100, 4, 64), "float32"), v: R.Tensor((2, 100, 4, 64), "float32")):
        v1 = R.nn.attention(q, k, v)
        return v1

    @R.function
    def causal(q: R.Tensor((2, 96, 4, 64), "float32"), k: R.Tensor((2, 96, 4, 64), "float32"), v: R.Tensor((2, 96, 4, 64), "float32")):
        v1 = R.nn.attention(q, k, v, causal_mask="TopLeft")
        return v1

    @R.function
    def causal_below(q: R.Tensor((2, 16, 4, 32), "float32"), k: R.Tensor((2, 80, 4, 32), "float32"), v: R.Tensor((2, 80, 4, 32), "float32")):
        v1 = R.nn.attention(q, k, v, causal_mask="BottomRight")
        return v1

    @R.function
    def window(q: R.Tensor((2, 64, 2, 32), "float32"), k: R.Tensor((2, 64, 2, 32), "float32"), v: R.Tensor((2, 64, 2, 32), "float32")):
        v1 = R.nn.attention(q, k, v, causal_mask="BottomRight", window_size=16)
        return v1

    @R.function
    def scaled(q: R.Tensor((2, 40, 2, 48), "float32"), k: R.Tensor((2, 40, 2, 48), "float32"), v: R.Tensor((2, 40, 2, 48), "float32")):
        v1 = R.nn.attention(q, k, v, scale=0.125)
        return v1

    @R.function
    def bias(q: R.Tensor((2, 48, 4, 32), "float32"), k: R.Tensor((2, 60, 4, 32), "float32"), v: R.Tensor((2, 60, 4, 32), "float32"), b: R.Tensor((2, 4, 48, 60), "float32")):
        v1 = R.nn.attention_bias(q, k, v, b)
        return v1

    @R.function
    def bias_of_keys(q: R.Tensor((2, 48, 4, 32), "float32"), k: R.Tensor((2, 60, 4, 32), "float32"), v: R.Tensor((2, 60, 4, 32), "float32"), b: R.Tensor((2, 1, 1, 60), "float32")):
        v1 = R.nn.attention_bias(q, k, v, b)
        return v1

    @R.function
    def lengths(q: R.Tensor((2, "n", 4, 64), "float32"), k: R.Tensor((2, "n", 4, 64), "float32"), v: R.Tensor((2, "n", 4, 64), "float32")):
        v1 = R.nn.attention(q, k, v)
        return v1

    @R.function
    def keys(q: R.Tensor((2, 1, 8, 64), "float32"), k: R.Tensor((2, "n", 8, 64), "float32"), v: R.Tensor((2, "n", 8, 64), "float32")):
        v1 = R.nn.attention(q, k, v)
        return v1

    @R.function
    def causal_lengths(q: R.Tensor((2, "n", 4, 32), "float32"), k: R.Tensor((2, "n", 4, 32), "float32"), v: R.Tensor((2, "n", 4, 32), "float32")):
        v1 = R.nn.attention(q, k, v, causal_mask="TopLeft")
        return v1
