# Elements that move: transposes, joins, borders, slices, repetitions, reversals.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def transpose_128_256(x: R.Tensor((128, 256), "float32")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_33_77(x: R.Tensor((33, 77), "float32")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_2_64_12_32(x: R.Tensor((2, 64, 12, 32), "float32")):
        v1 = R.permute_dims(x, axes=[0, 2, 1, 3])
        return v1

    @R.function
    def transpose_4_16_14_14(x: R.Tensor((4, 16, 14, 14), "float32")):
        v1 = R.permute_dims(x, axes=[0, 2, 3, 1])
        return v1

    @R.function
    def transpose_2_14_14_24(x: R.Tensor((2, 14, 14, 24), "float32")):
        v1 = R.permute_dims(x, axes=[0, 3, 1, 2])
        return v1

    @R.function
    def transpose_8_10_12(x: R.Tensor((8, 10, 12), "float32")):
        v1 = R.permute_dims(x, axes=[2, 1, 0])
        return v1

    @R.function
    def transpose_1000_3(x: R.Tensor((1000, 3), "float32")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_f16(x: R.Tensor((96, 160), "float16")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_i8(x: R.Tensor((96, 160), "int8")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_f64(x: R.Tensor((96, 160), "float64")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_i32(x: R.Tensor((96, 160), "int32")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_n(x: R.Tensor(("n", 64), "float32")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def transpose_added(x: R.Tensor((64, 80), "float32"), y: R.Tensor((80, 64), "float32")):
        v1 = R.permute_dims(x, axes=[1, 0])
        v2 = R.add(v1, y)
        return v2

    @R.function
    def concat_rows(x: R.Tensor((20, 30), "float32"), y: R.Tensor((25, 30), "float32")):
        v1 = R.concat((x, y), axis=0)
        return v1

    @R.function
    def concat_columns(x: R.Tensor((20, 30), "float32"), y: R.Tensor((20, 31), "float32")):
        v1 = R.concat((x, y), axis=1)
        return v1

    @R.function
    def concat_channels(x: R.Tensor((1, 16, 14, 14), "float32"), y: R.Tensor((1, 24, 14, 14), "float32"), z: R.Tensor((1, 8, 14, 14), "float32")):
        v1 = R.concat((x, y, z), axis=1)
        return v1

    @R.function
    def concat_relu(x: R.Tensor((20, 33), "float32"), y: R.Tensor((20, 34), "float32")):
        v1 = R.concat((x, y), axis=1)
        v2 = R.nn.relu(v1)
        return v2

    @R.function
    def concat_n(x: R.Tensor(("n", 32), "float32"), y: R.Tensor(("m", 32), "float32")):
        v1 = R.concat((x, y), axis=0)
        return v1

    @R.function
    def pad_zeros(x: R.Tensor((1, 8, 14, 14), "float32")):
        v1 = R.nn.pad(x, pad_width=[0, 0, 0, 0, 1, 1, 2, 2])
        return v1

    @R.function
    def pad_edge(x: R.Tensor((16, 40), "float32")):
        v1 = R.nn.pad(x, pad_width=[2, 2, 3, 1], pad_mode="edge")
        return v1

    @R.function
    def pad_reflect(x: R.Tensor((16, 40), "float32")):
        v1 = R.nn.pad(x, pad_width=[2, 2, 3, 1], pad_mode="reflect")
        return v1

    @R.function
    def pad_circular(x: R.Tensor((16, 40), "float32")):
        v1 = R.nn.pad(x, pad_width=[2, 2, 3, 1], pad_mode="circular")
        return v1

    @R.function
    def slice(x: R.Tensor((40, 50), "float32")):
        v1 = R.strided_slice(x, axes=[1], begin=[5], end=[45])
        return v1

    @R.function
    def slice_strided(x: R.Tensor((40, 50), "float32")):
        v1 = R.strided_slice(x, axes=[0, 1], begin=[1, 2], end=[39, 50], strides=[2, 3])
        return v1

    @R.function
    def slice_back(x: R.Tensor((40, 50), "float32")):
        v1 = R.strided_slice(x, axes=[1], begin=[49], end=[0], strides=[-1])
        return v1

    @R.function
    def split(x: R.Tensor((30, 48), "float32")):
        v1 = R.split(x, 3, axis=1)
        v2 = v1[0]
        v3 = v1[2]
        v4 = R.add(v2, v3)
        return v4

    @R.function
    def flip(x: R.Tensor((40, 60), "float32")):
        v1 = R.flip(x, axis=1)
        return v1

    @R.function
    def repeat(x: R.Tensor((20, 30), "float32")):
        v1 = R.repeat(x, repeats=3, axis=1)
        return v1

    @R.function
    def tile(x: R.Tensor((20, 30), "float32")):
        v1 = R.tile(x, [2, 3])
        return v1

    @R.function
    def broadcast(x: R.Tensor((1, 70), "float32")):
        v1 = R.broadcast_to(x, (50, 70))
        return v1

    @R.function
    def stack(x: R.Tensor((20, 30), "float32"), y: R.Tensor((20, 30), "float32")):
        v1 = R.stack((x, y), axis=1)
        return v1

    @R.function
    def triu(x: R.Tensor((60, 60), "float32")):
        v1 = R.triu(x, 1)
        return v1

    @R.function
    def shuffle(x: R.Tensor((1, 36, 7, 7), "float32")):
        v1 = R.nn.pixel_shuffle(x, upscale_factor=3)
        return v1
