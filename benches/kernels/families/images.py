"""Convolutions, pools and images in another size."""

from __future__ import annotations

import itertools

from .case import Module, weights


def conv2d() -> Module:
    m = Module("Convolutions of images whose weights are parameters: windows, strides, dilations, borders, layouts.")
    m.add("c3_224", "x:f32:1,3,56,56 w:f32:32,3,7,7", "R.nn.conv2d(x, w, strides=2, padding=3)")
    m.add("c64_28", "x:f32:1,64,28,28 w:f32:64,64,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("c128_14", "x:f32:1,128,14,14 w:f32:128,128,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("c256_7", "x:f32:1,256,7,7 w:f32:128,256,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("batch_4", "x:f32:4,32,14,14 w:f32:48,32,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("pointwise", "x:f32:1,96,28,28 w:f32:24,96,1,1", "R.nn.conv2d(x, w)")
    m.add("pointwise_strided", "x:f32:1,64,28,28 w:f32:128,64,1,1", "R.nn.conv2d(x, w, strides=2)")
    m.add("strided", "x:f32:1,32,28,28 w:f32:64,32,3,3", "R.nn.conv2d(x, w, strides=2, padding=1)")
    m.add("dilated", "x:f32:1,16,28,28 w:f32:32,16,3,3", "R.nn.conv2d(x, w, padding=2, dilation=2)")
    m.add("strided_3_dilated_2", "x:f32:1,8,40,40 w:f32:24,8,3,3", "R.nn.conv2d(x, w, strides=3, dilation=2)")
    m.add("five_by_five", "x:f32:1,16,20,20 w:f32:16,16,5,5", "R.nn.conv2d(x, w, padding=2)")
    m.add("one_by_seven", "x:f32:1,16,17,17 w:f32:24,16,1,7", "R.nn.conv2d(x, w, padding=[0, 3, 0, 3])")
    m.add("no_border", "x:f32:2,20,15,15 w:f32:20,20,3,3", "R.nn.conv2d(x, w)")
    m.add("uneven_border", "x:f32:1,12,19,23 w:f32:20,12,3,3", "R.nn.conv2d(x, w, padding=[0, 1, 1, 2])")
    last = 'data_layout="NHWC", kernel_layout="HWIO"'
    m.add("nhwc", "x:f32:1,14,14,64 w:f32:3,3,64,64", f"R.nn.conv2d(x, w, padding=1, {last})")
    m.add("nhwc_pointwise", "x:f32:1,28,28,32 w:f32:1,1,32,96", f"R.nn.conv2d(x, w, {last})")
    m.add("nhwc_strided", "x:f32:2,17,17,16 w:f32:3,3,16,24", f"R.nn.conv2d(x, w, strides=2, padding=1, {last})")
    m.add("f64", "x:f64:1,8,12,12 w:f64:16,8,3,3", "R.nn.conv2d(x, w, padding=1)")
    return m


def conv_large() -> Module:
    m = Module("Convolutions whose results are larger than L2, as those at the beginning of networks.")
    m.add("first_of_resnet", "x:f32:1,3,224,224 w:f32:64,3,7,7", "R.nn.conv2d(x, w, strides=2, padding=3)")
    m.add("second_of_vgg", "x:f32:1,64,112,112 w:f32:64,64,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("patches", "x:f32:1,3,224,224 w:f32:768,3,16,16", "R.nn.conv2d(x, w, strides=16)")
    m.add("batch_2", "x:f32:2,32,96,96 w:f32:64,32,3,3", "R.nn.conv2d(x, w, padding=1)")
    return m


def conv_direct() -> Module:
    m = Module("Convolutions of few channels in a group, which read their windows in a padded image.")
    sizes = [(1, 2, 8, 3, 1), (1, 3, 12, 3, 1), (1, 4, 16, 4, 2), (2, 2, 8, 3, 1), (3, 2, 12, 3, 2), (1, 1, 8, 5, 1)]
    for groups, ins, outs, kernel, stride in sizes:
        m.add(
            f"groups_{groups}_ins_{ins}_outs_{outs}_kernel_{kernel}_stride_{stride}",
            f"x:f32:1,{groups * ins},32,32 w:f32:{outs},{ins},{kernel},{kernel}",
            f"R.nn.conv2d(x, w, strides={stride}, padding=1, groups={groups})",
        )
    m.add("batch_3", "x:f32:3,3,24,24 w:f32:6,3,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("batch_n", "x:f32:n,3,20,28 w:f32:8,3,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("f64", "x:f64:1,2,24,24 w:f64:8,2,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add(
        "relu",
        "x:f32:1,3,32,48 w:f32:16,3,3,3 b:f32:16,1,1",
        "R.nn.conv2d(x, w, padding=1)",
        "R.add(v1, b)",
        "R.nn.relu(v2)",
    )
    m.add("first_layer", "x:f32:1,3,64,64 w:f32:16,3,3,3", "R.nn.conv2d(x, w, strides=2, padding=1)")
    m.add("volume", "x:f32:1,2,10,20,20 w:f32:8,2,3,3,3", "R.nn.conv3d(x, w, padding=1)")
    return m


def conv_constant() -> Module:
    m = Module("Convolutions with constant weights: panels that are packed once, channels in place of pixels.")
    for name, ins, outs, kernel, size, groups in [
        ("groups_2", 16, 32, 3, 5, 2),
        ("groups_3", 24, 48, 3, 6, 3),
        ("groups_4", 32, 64, 3, 7, 4),
        ("many_32", 12, 32, 3, 7, 1),
        ("many_48", 16, 48, 3, 5, 1),
        ("many_64", 24, 64, 3, 7, 1),
        ("many_128", 12, 128, 3, 9, 1),
        ("many_37", 20, 37, 3, 6, 1),
        ("strided", 16, 64, 3, 14, 1),
    ]:
        stride = 2 if name == "strided" else 1
        m.add(
            name,
            f"x:f32:1,{ins},{size},{size}",
            weights(f"{outs}, {ins // groups}, {kernel}, {kernel}"),
            f"R.nn.conv2d(x, v1, strides={stride}, padding=1, groups={groups})",
        )
    m.add("volume", "x:f32:1,8,4,7,7", weights("64, 8, 3, 3, 3"), "R.nn.conv3d(x, v1, padding=1)")
    m.add("line", "x:f32:1,16,20", weights("64, 16, 3"), "R.nn.conv1d(x, v1, padding=1)")
    m.add(
        "residual",
        "x:f32:1,16,7,7 z:f32:1,64,7,7",
        weights("64, 16, 3, 3"),
        "R.nn.conv2d(x, v1, padding=1)",
        "R.add(v2, z)",
        "R.nn.relu(v3)",
    )
    m.add("large_image", "x:f32:1,16,28,28", weights("32, 16, 3, 3"), "R.nn.conv2d(x, v1, padding=1)")
    m.add("pointwise", "x:f32:1,64,14,14", weights("128, 64, 1, 1"), "R.nn.conv2d(x, v1)")
    m.add("batch_4", "x:f32:4,16,7,7", weights("64, 16, 3, 3"), "R.nn.conv2d(x, v1, padding=1)")
    m.add("batch_n", "x:f32:n,16,7,7", weights("64, 16, 3, 3"), "R.nn.conv2d(x, v1, padding=1)")
    m.add(
        "transposed",
        "x:f32:1,32,7,7",
        weights("32, 32, 4, 4"),
        "R.nn.conv2d_transpose(x, v1, strides=2, padding=1)",
    )
    return m


def conv_1d_3d() -> Module:
    m = Module("Convolutions in one and three dimensions.")
    m.add("line", "x:f32:2,16,100 w:f32:32,16,5", "R.nn.conv1d(x, w, padding=2)")
    m.add("line_strided", "x:f32:1,32,81 w:f32:24,32,3", "R.nn.conv1d(x, w, strides=2, padding=1)")
    m.add("line_dilated", "x:f32:1,8,120 w:f32:8,8,3", "R.nn.conv1d(x, w, padding=4, dilation=4)")
    m.add("line_depthwise", "x:f32:1,32,100 w:f32:32,1,4", "R.nn.conv1d(x, w, padding=3, groups=32)")
    m.add("volume", "x:f32:1,8,8,12,12 w:f32:16,8,3,3,3", "R.nn.conv3d(x, w, padding=1)")
    m.add("volume_strided", "x:f32:1,3,8,16,16 w:f32:12,3,3,3,3", "R.nn.conv3d(x, w, strides=2, padding=1)")
    return m


def conv_grouped() -> Module:
    m = Module("Depthwise and grouped convolutions.")
    for name, channels, size, kernel, stride in [
        ("depthwise_3", 32, 28, 3, 1),
        ("depthwise_3_strided", 64, 28, 3, 2),
        ("depthwise_5", 24, 20, 5, 1),
        ("depthwise_7", 16, 14, 7, 1),
        ("depthwise_narrow", 40, 7, 3, 1),
    ]:
        m.add(
            name,
            f"x:f32:1,{channels},{size},{size} w:f32:{channels},1,{kernel},{kernel}",
            f"R.nn.conv2d(x, w, strides={stride}, padding={kernel // 2}, groups={channels})",
        )
    m.add(
        "depthwise_last",
        "x:f32:1,14,14,32 w:f32:3,3,1,32",
        'R.nn.conv2d(x, w, padding=1, groups=32, data_layout="NHWC", kernel_layout="HWIO")',
    )
    m.add("depthwise_twice", "x:f32:1,16,20,20 w:f32:32,1,3,3", "R.nn.conv2d(x, w, padding=1, groups=16)")
    m.add("depthwise_dilated", "x:f32:1,16,20,20 w:f32:16,1,3,3", "R.nn.conv2d(x, w, padding=2, dilation=2, groups=16)")
    m.add("groups_4", "x:f32:1,64,14,14 w:f32:64,16,3,3", "R.nn.conv2d(x, w, padding=1, groups=4)")
    m.add("groups_32", "x:f32:1,128,14,14 w:f32:128,4,3,3", "R.nn.conv2d(x, w, padding=1, groups=32)")
    m.add("groups_2_strided", "x:f32:1,48,15,15 w:f32:32,24,3,3", "R.nn.conv2d(x, w, strides=2, padding=1, groups=2)")
    return m


def conv_transpose() -> Module:
    m = Module("Transposed convolutions.")
    m.add("transposed", "x:f32:1,16,10,10 w:f32:16,24,3,3", "R.nn.conv2d_transpose(x, w, padding=1)")
    m.add("transposed_2", "x:f32:1,32,8,8 w:f32:32,16,4,4", "R.nn.conv2d_transpose(x, w, strides=2, padding=1)")
    m.add("transposed_3", "x:f32:1,8,9,9 w:f32:8,8,3,3", "R.nn.conv2d_transpose(x, w, strides=3)")
    m.add("transposed_kernel_2", "x:f32:2,16,7,7 w:f32:16,8,2,2", "R.nn.conv2d_transpose(x, w, strides=2)")
    m.add(
        "transposed_groups",
        "x:f32:1,12,10,10 w:f32:12,4,3,3",
        "R.nn.conv2d_transpose(x, w, strides=2, padding=1, output_padding=1, groups=3)",
    )
    m.add("transposed_line", "x:f32:1,16,30 w:f32:16,8,4", "R.nn.conv1d_transpose(x, w, strides=2, padding=1)")
    m.add("transposed_volume", "x:f32:1,4,5,6,6 w:f32:4,8,2,2,2", "R.nn.conv3d_transpose(x, w, strides=2)")
    return m


def pool() -> Module:
    m = Module("Pools of images, lines and volumes.")
    m.add("max_2", "x:f32:1,32,28,28", "R.nn.max_pool2d(x, pool_size=2, strides=2)")
    m.add("max_3", "x:f32:1,64,27,27", "R.nn.max_pool2d(x, pool_size=3, strides=2, padding=1)")
    m.add("max_3_dense", "x:f32:2,16,14,14", "R.nn.max_pool2d(x, pool_size=3, strides=1, padding=1)")
    m.add("avg_2", "x:f32:1,32,16,16", "R.nn.avg_pool2d(x, pool_size=2, strides=2)")
    m.add("avg_3", "x:f32:1,24,17,17", "R.nn.avg_pool2d(x, pool_size=3, strides=1, padding=1)")
    m.add(
        "avg_counted",
        "x:f32:1,24,18,18",
        "R.nn.avg_pool2d(x, pool_size=3, strides=2, padding=1, count_include_pad=True)",
    )
    m.add("max_last", "x:f32:1,16,16,32", 'R.nn.max_pool2d(x, pool_size=2, strides=2, layout="NHWC")')
    m.add("max_line", "x:f32:2,16,60", "R.nn.max_pool1d(x, pool_size=3, strides=2, padding=1)")
    m.add("avg_volume", "x:f32:1,8,8,12,12", "R.nn.avg_pool3d(x, pool_size=2, strides=2)")
    m.add("max_u8", "x:u8:1,16,20,20", "R.nn.max_pool2d(x, pool_size=3, strides=2, padding=1)")
    m.add("max_f16", "x:f16:1,16,20,20", "R.nn.max_pool2d(x, pool_size=2, strides=2)")
    m.add("max_ceiling", "x:f32:1,16,15,15", "R.nn.max_pool2d(x, pool_size=2, strides=2, ceil_mode=True)")
    m.add("adaptive_1", "x:f32:1,128,7,7", "R.nn.adaptive_avg_pool2d(x, output_size=[1, 1])")
    m.add("adaptive_5", "x:f32:1,16,13,17", "R.nn.adaptive_avg_pool2d(x, output_size=[5, 5])")
    return m


def resize() -> Module:
    m = Module("Images in another size, and read at the points of a grid.")
    call = 'R.image.resize2d(x, R.shape([{0}, {1}]), layout="{2}", method="{3}", coordinate_transformation_mode="{4}")'
    for name, shape, *options in [
        ("linear_2", "1,8,16,16", 32, 32, "NCHW", "linear", "half_pixel"),
        ("linear_ragged", "1,3,20,30", 33, 47, "NCHW", "linear", "align_corners"),
        ("linear_smaller", "1,4,40,40", 17, 19, "NCHW", "linear", "half_pixel"),
        ("linear_pytorch", "2,4,24,24", 48, 48, "NCHW", "linear", "pytorch_half_pixel"),
        ("linear_last", "1,14,14,16", 28, 28, "NHWC", "linear", "half_pixel"),
        ("nearest_2", "1,16,14,14", 28, 28, "NCHW", "nearest_neighbor", "asymmetric"),
        ("nearest_ragged", "1,4,13,17", 20, 45, "NCHW", "nearest_neighbor", "half_pixel"),
        ("cubic", "1,4,20,20", 40, 40, "NCHW", "cubic", "half_pixel"),
        ("cubic_ragged", "1,3,18,25", 31, 60, "NCHW", "cubic", "align_corners"),
        ("linear_wide", "1,3,12,50", 24, 200, "NCHW", "linear", "half_pixel"),
    ]:
        m.add(name, f"x:f32:{shape}", call.format(*options))
    for method, outside in itertools.product(("bilinear", "bicubic"), ("zeros", "border")):
        m.add(
            f"grid_{method}_{outside}",
            "x:f32:1,6,20,24 g:f32:1,2,16,40",
            f'R.image.grid_sample(x, g, method="{method}", padding_mode="{outside}", align_corners=False)',
        )
    return m
