# Ops on images, with all their attributes.
# test: run
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x1: R.Tensor((2, 5, 4), "float32"), x2: R.Tensor((2, 5, 5, 4), "float32"), x3: R.Tensor((2, 5, 5, 5, 4), "float32"), w1: R.Tensor((3, 2, 2), "float32"), w2: R.Tensor((3, 3, 2, 2), "float32"), w3: R.Tensor((3, 3, 3, 2, 2), "float32"), t1: R.Tensor((3, 2, 4), "float32"), t2: R.Tensor((3, 3, 2, 4), "float32"), t3: R.Tensor((3, 3, 3, 2, 4), "float32"), grid: R.Tensor((2, 2, 3, 3), "float32"), slopes: R.Tensor((4,), "float32"), steps: R.Tensor((2,), "float32"), zero: R.Tensor((2,), "float32")):
        return (
            R.nn.conv1d(x1, w1, strides=2, padding=1, dilation=2, groups=2, data_layout="NWC", kernel_layout="WOI", out_layout="NCW", out_dtype="float64"),
            R.nn.conv1d_transpose(x1, t1, strides=2, padding=1, output_padding=1, dilation=2, groups=2, data_layout="NWC", kernel_layout="WOI", out_layout="NCW", out_dtype="float64"),
            R.nn.max_pool1d(x1, pool_size=2, strides=2, padding=1, dilation=2, ceil_mode=True, count_include_pad=True, layout="NWC", out_layout="NCW"),
            R.nn.avg_pool1d(x1, pool_size=2, strides=2, padding=1, dilation=2, ceil_mode=True, count_include_pad=False, layout="NWC", out_layout="NCW"),
            R.nn.adaptive_avg_pool1d(x1, output_size=2, layout="NWC", out_layout="NCW"),
            R.nn.conv2d(x2, w2, strides=2, padding=1, dilation=2, groups=2, data_layout="NHWC", kernel_layout="HWOI", out_layout="NCHW", out_dtype="float64"),
            R.nn.conv2d_transpose(x2, t2, strides=2, padding=1, output_padding=1, dilation=2, groups=2, data_layout="NHWC", kernel_layout="HWOI", out_layout="NCHW", out_dtype="float64"),
            R.nn.max_pool2d(x2, pool_size=2, strides=2, padding=1, dilation=2, ceil_mode=True, count_include_pad=True, layout="NHWC", out_layout="NCHW"),
            R.nn.avg_pool2d(x2, pool_size=2, strides=2, padding=1, dilation=2, ceil_mode=True, count_include_pad=True, layout="NHWC", out_layout="NCHW"),
            R.nn.adaptive_avg_pool2d(x2, output_size=2, layout="NHWC", out_layout="NCHW"),
            R.nn.conv3d(x3, w3, strides=2, padding=1, dilation=2, groups=2, data_layout="NDHWC", kernel_layout="DHWOI", out_layout="NCDHW", out_dtype="float64"),
            R.nn.conv3d_transpose(x3, t3, strides=2, padding=1, output_padding=1, dilation=2, groups=2, data_layout="NDHWC", kernel_layout="DHWOI", out_layout="NCDHW", out_dtype="float64"),
            R.nn.max_pool3d(x3, pool_size=2, strides=2, padding=1, dilation=2, ceil_mode=True, count_include_pad=True, layout="NDHWC", out_layout="NCDHW"),
            R.nn.avg_pool3d(x3, pool_size=2, strides=2, padding=1, dilation=2, ceil_mode=True, count_include_pad=False, layout="NDHWC", out_layout="NCDHW"),
            R.nn.adaptive_avg_pool3d(x3, output_size=2, layout="NDHWC", out_layout="NCDHW"),
            R.image.resize2d(x2, R.shape([3, 7]), roi=[0.1, 0.1, 0.9, 0.9], layout="NHWC", method="cubic", coordinate_transformation_mode="tf_crop_and_resize", rounding_method="floor", cubic_alpha=-0.75, cubic_exclude=1, extrapolation_value=1.5, out_dtype="float64"),
            R.image.grid_sample(x2, grid, method="nearest", layout="NHWC", padding_mode="border", align_corners=True),
            R.nn.pixel_shuffle(x2, upscale_factor=1),
            R.nn.selu(x1),
            R.nn.prelu(x1, slopes, axis=-1),
            R.nn.instance_norm(x1, slopes, slopes, channel_axis=2, axes=[1], epsilon=0.1, center=False, scale=False),
            R.quantize(x1, steps, zero, axis=0, out_dtype="uint8"),
            R.dequantize(x1, steps, zero, axis=0, out_dtype="float64"),
            R.layout_transform(x1, index_map=lambda i, j, k: (i, j, k // 3, k % 3), pad_value=2.0, axis_separators=[], input_axis_separators=[]),
            R.meshgrid((slopes, steps), indexing="xy"),
        )
