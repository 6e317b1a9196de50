# Images in another size, and read at the points of a grid.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def linear_2(x: R.Tensor((1, 8, 16, 16), "float32")):
        v1 = R.image.resize2d(x, R.shape([32, 32]), layout="NCHW", method="linear", coordinate_transformation_mode="half_pixel")
        return v1

    @R.function
    def linear_ragged(x: R.Tensor((1, 3, 20, 30), "float32")):
        v1 = R.image.resize2d(x, R.shape([33, 47]), layout="NCHW", method="linear", coordinate_transformation_mode="align_corners")
        return v1

    @R.function
    def linear_smaller(x: R.Tensor((1, 4, 40, 40), "float32")):
        v1 = R.image.resize2d(x, R.shape([17, 19]), layout="NCHW", method="linear", coordinate_transformation_mode="half_pixel")
        return v1

    @R.function
    def linear_pytorch(x: R.Tensor((2, 4, 24, 24), "float32")):
        v1 = R.image.resize2d(x, R.shape([48, 48]), layout="NCHW", method="linear", coordinate_transformation_mode="pytorch_half_pixel")
        return v1

    @R.function
    def linear_last(x: R.Tensor((1, 14, 14, 16), "float32")):
        v1 = R.image.resize2d(x, R.shape([28, 28]), layout="NHWC", method="linear", coordinate_transformation_mode="half_pixel")
        return v1

    @R.function
    def nearest_2(x: R.Tensor((1, 16, 14, 14), "float32")):
        v1 = R.image.resize2d(x, R.shape([28, 28]), layout="NCHW", method="nearest_neighbor", coordinate_transformation_mode="asymmetric")
        return v1

    @R.function
    def nearest_ragged(x: R.Tensor((1, 4, 13, 17), "float32")):
        v1 = R.image.resize2d(x, R.shape([20, 45]), layout="NCHW", method="nearest_neighbor", coordinate_transformation_mode="half_pixel")
        return v1

    @R.function
    def cubic(x: R.Tensor((1, 4, 20, 20), "float32")):
        v1 = R.image.resize2d(x, R.shape([40, 40]), layout="NCHW", method="cubic", coordinate_transformation_mode="half_pixel")
        return v1

    @R.function
    def cubic_ragged(x: R.Tensor((1, 3, 18, 25), "float32")):
        v1 = R.image.resize2d(x, R.shape([31, 60]), layout="NCHW", method="cubic", coordinate_transformation_mode="align_corners")
        return v1

    @R.function
    def linear_wide(x: R.Tensor((1, 3, 12, 50), "float32")):
        v1 = R.image.resize2d(x, R.shape([24, 200]), layout="NCHW", method="linear", coordinate_transformation_mode="half_pixel")
        return v1

    @R.function
    def grid_bilinear_zeros(x: R.Tensor((1, 6, 20, 24), "float32"), g: R.Tensor((1, 2, 16, 40), "float32")):
        v1 = R.image.grid_sample(x, g, method="bilinear", padding_mode="zeros", align_corners=False)
        return v1

    @R.function
    def grid_bilinear_border(x: R.Tensor((1, 6, 20, 24), "float32"), g: R.Tensor((1, 2, 16, 40), "float32")):
        v1 = R.image.grid_sample(x, g, method="bilinear", padding_mode="border", align_corners=False)
        return v1

    @R.function
    def grid_bicubic_zeros(x: R.Tensor((1, 6, 20, 24), "float32"), g: R.Tensor((1, 2, 16, 40), "float32")):
        v1 = R.image.grid_sample(x, g, method="bicubic", padding_mode="zeros", align_corners=False)
        return v1

    @R.function
    def grid_bicubic_border(x: R.Tensor((1, 6, 20, 24), "float32"), g: R.Tensor((1, 2, 16, 40), "float32")):
        v1 = R.image.grid_sample(x, g, method="bicubic", padding_mode="border", align_corners=False)
        return v1
