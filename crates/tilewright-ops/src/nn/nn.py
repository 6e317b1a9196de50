# Activations, shares, normalisations and borders.
# test: run
# run: activations special == same
# run: half == same
# run: shares n=5 == same
# run: shares n=0 == same
# run: large(f32[3]=[1000, 999, -inf]) == same
# run: layers n=4 == same
# run: groups n=3 == same
# run: inferring n=2 == same
# run: training n=2 == same
# run: kept n=3 == same
# run: borders n=3 == same


@I.ir_module
class Module:
    @R.function
    def activations(x: R.Tensor((7, 5), "float32")):
        return (
            R.nn.silu(x),
            R.nn.gelu(x),
            R.nn.gelu_tanh(x),
            R.nn.leakyrelu(x, alpha=0.2),
            R.nn.softplus(x),
            R.nn.softplus(x, beta=2.0, threshold=1.0),
        )

    @R.function
    def half(x: R.Tensor((3, 4), "float16")):
        return (R.nn.softmax(x), R.nn.log_softmax(x, axis=0), R.nn.silu(x))

    @R.function
    def shares(x: R.Tensor((2, "n", 3), "float32")):
        return (R.nn.softmax(x), R.nn.softmax(x, axis=1), R.nn.log_softmax(x, axis=0), R.nn.log_softmax(x, axis=-2))

    @R.function
    def large(x: R.Tensor((3,), "float32")):
        return (R.nn.softmax(x), R.nn.log_softmax(x))

    @R.function
    def layers(x: R.Tensor(("n", 3, 5), "float32"), g: R.Tensor((3, 5), "float32"), b: R.Tensor((3, 5), "float32"), w: R.Tensor((5,), "float32")):
        return (
            R.nn.layer_norm(x, g, b, axes=[-2, -1]),
            R.nn.layer_norm(x, w, w, axes=-1, epsilon=0.1, center=False),
            R.nn.rms_norm(x, w),
            R.nn.rms_norm(x, g, axes=[1, 2], epsilon=0.01),
        )

    @R.function
    def groups(x: R.Tensor(("n", 6, 3), "float32"), g: R.Tensor((6,), "float32"), b: R.Tensor((6,), "float32")):
        return (
            R.nn.group_norm(x, g, b, num_groups=3, channel_axis=1, axes=[2]),
            R.nn.group_norm(x, g, b, num_groups=1, channel_axis=1, axes=[-1], scale=False),
        )

    @R.function
    def inferring(x: R.Tensor(("n", 3, 2), "float32"), g: R.Tensor((3,), "float32"), b: R.Tensor((3,), "float32"), m: R.Tensor((3,), "float32")):
        return R.nn.batch_norm(x, g, b, m, R.square(m), axis=1, training=False)

    @R.function
    def training(x: R.Tensor(("n", 3, 2), "float32"), g: R.Tensor((3,), "float32"), b: R.Tensor((3,), "float32"), m: R.Tensor((3,), "float32")):
        return R.nn.batch_norm(x, g, b, m, R.square(m), axis=1, momentum=0.25)

    @R.function
    def kept(x: R.Tensor(("n", 2), "float32")):
        return R.nn.dropout(x, rate=0.25)

    @R.function
    def borders(x: R.Tensor((4, "n"), "float32")):
        return (
            R.nn.pad(x, pad_width=[1, 0, 2, 3]),
            R.nn.pad(x, pad_width=[0, 2, 0, 1], pad_value=1.5),
            R.nn.pad(x, pad_width=[1, 1, 2, 3], pad_mode="edge"),
            R.nn.pad(x, pad_width=[3, 2, 0, 1], pad_mode="reflect"),
            R.nn.pad(x, pad_width=[1, 2, 0, 3], pad_mode="circular"),
        )
