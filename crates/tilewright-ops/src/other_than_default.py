# Attributes with other values than those that a caller gets who says nothing.
# test: print
# run: created == same
# run: reduced == same
# run: normalised == same

@I.ir_module
class Module:
    @R.function
    def created(x: R.Tensor((2, 3), "float32")):
        a = R.full_like(x, R.const(3, "int32"), dtype="int8")
        b = R.ones_like(x, dtype="float64")
        return (a, b)

    @R.function
    def reduced(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "int32")):
        a = R.argmax(x, axis=1, keepdims=True)
        b = R.max(x, axis=[0], keepdims=True)
        c = R.prod(x, axis=[1], keepdims=True)
        d = R.cumprod(y, axis=1, dtype="int64", exclusive=True)
        return (a, b, c, d)

    @R.function
    def normalised(x: R.Tensor((2, 4), "float32"), g: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
        a = R.nn.batch_norm(x, g, b, b, R.square(g), axis=1, epsilon=0.5, center=False, scale=False, training=False)
        c = R.nn.group_norm(x, g, b, num_groups=2, channel_axis=1, axes=[], epsilon=0.5, center=False)
        d = R.nn.layer_norm(x, g, b, axes=[-1], scale=False)
        return (a, c, d)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def created(x: R.Tensor((2, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3), dtype="int8"), R.Tensor((2, 3), dtype="float64")):
        a: R.Tensor((2, 3), dtype="int8") = R.full_like(x, R.const(3, "int32"), dtype="int8")
        b: R.Tensor((2, 3), dtype="float64") = R.ones_like(x, dtype="float64")
        return (a, b)

    @R.function
    def normalised(x: R.Tensor((2, 4), dtype="float32"), g: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32")):
        gv: R.Tensor((4,), dtype="float32") = R.square(g)
        a: R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = R.nn.batch_norm(x, g, b, b, gv, axis=1, epsilon=0.5, center=False, scale=False, momentum=0.1, training=False)
        c: R.Tensor((2, 4), dtype="float32") = R.nn.group_norm(x, g, b, num_groups=2, channel_axis=1, axes=[], epsilon=0.5, center=False, scale=True)
        d: R.Tensor((2, 4), dtype="float32") = R.nn.layer_norm(x, g, b, axes=[-1], epsilon=1e-5, center=True, scale=False)
        return (a, c, d)

    @R.function
    def reduced(x: R.Tensor((2, 3), dtype="float32"), y: R.Tensor((2, 3), dtype="int32")) -> R.Tuple(R.Tensor((2, 1), dtype="int64"), R.Tensor((1, 3), dtype="float32"), R.Tensor((2, 1), dtype="float32"), R.Tensor((2, 3), dtype="int64")):
        a: R.Tensor((2, 1), dtype="int64") = R.argmax(x, axis=1, keepdims=True)
        b: R.Tensor((1, 3), dtype="float32") = R.max(x, axis=[0], keepdims=True)
        c: R.Tensor((2, 1), dtype="float32") = R.prod(x, axis=[1], keepdims=True)
        d: R.Tensor((2, 3), dtype="int64") = R.cumprod(y, axis=1, dtype="int64", exclusive=True)
        return (a, b, c, d)
