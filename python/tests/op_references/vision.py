"""Convolutions, pools and what else works on images, in PyTorch's words."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor

import numpy as np
import torch

from tilewright import relax, tir

from .sampling import FLOATS, Reference, Sample, of_torch, random_array, unary

F = torch.nn.functional
WORD = {1: "W", 2: "HW", 3: "DHW"}
CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
MAX_POOL = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVG_POOL = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
ADAPTIVE = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}


def arranged(array: np.ndarray, axes: str, layout: str) -> np.ndarray:
    """The array whose dimensions are `axes` in a layout, which may split an axis: `NCHW4c`."""
    whole = [letter for letter in layout if letter.isupper()]
    array = array.transpose([axes.index(letter) for letter in whole])
    size = ""
    for letter in layout:
        if letter.isdigit():
            size += letter
        elif letter.islower():
            at, part = whole.index(letter.upper()), int(size)
            array = array.reshape(*array.shape[:at], array.shape[at] // part, part, *array.shape[at + 1 :])
            array, size = np.moveaxis(array, at + 1, -1), ""
    return np.ascontiguousarray(array)


def plain(array: np.ndarray, axes: str, layout: str) -> np.ndarray:
    """What [`arranged`] was made of."""
    whole = [letter for letter in layout if letter.isupper()]
    for letter in reversed([letter for letter in layout if letter.islower()]):
        # The innermost part stands behind its axis, and so is joined with it.
        at = whole.index(letter.upper())
        array = np.moveaxis(array, -1, at + 1)
        array = array.reshape(*array.shape[:at], array.shape[at] * array.shape[at + 1], *array.shape[at + 2 :])
    return np.ascontiguousarray(array.transpose([whole.index(letter) for letter in axes]))


def sides(padding, spatial: int) -> list[int]:
    """The widths before, then those behind."""
    given = [padding] if isinstance(padding, int) else list(padding)
    return (given * (2 * spatial))[: 2 * spatial]


def bordered(x: torch.Tensor, padding, spatial: int, value: float = 0.0) -> torch.Tensor:
    before_behind = sides(padding, spatial)
    pairs = [(before_behind[d], before_behind[d + spatial]) for d in reversed(range(spatial))]
    return F.pad(x, [width for pair in pairs for width in pair], value=value)


def conv(spatial: int, transposed: bool = False):
    """Convolutions over so many dimensions: (data, kernel, attributes, type)."""
    axes, kernel_axes = "NC" + WORD[spatial], ("IO" if transposed else "OI") + WORD[spatial]
    function = (TRANSPOSED if transposed else CONV)[spatial]

    def reference(x, w, out_dtype, **a):
        x, w = plain(x, axes, a.get("data_layout", axes)), plain(w, kernel_axes, a.get("kernel_layout", kernel_axes))
        wide = torch.float64 if x.dtype.kind == "f" else torch.int64
        x, w = (torch.from_numpy(np.array(array)).to(wide) for array in (x, w))
        strides, dilation, groups = a.get("strides", 1), a.get("dilation", 1), a.get("groups", 1)
        if x.shape[1] == 0:
            # Where there are no channels PyTorch gives none; sums of nothing are those of a channel of zeros.
            more = [0, 0] * spatial + [0, 1]
            x, w = F.pad(x, more), F.pad(w, [0, 0] * spatial + ([0, 0, 0, 1] if transposed else [0, 1]))
        if not transposed:
            y = function(bordered(x, a.get("padding", 0), spatial), w, None, strides, 0, dilation, groups)
        else:
            # What the padding cuts is cut here; what is added behind may then be cut too.
            y = function(x, w, None, strides, 0, 0, groups, dilation)
            more = a.get("output_padding", 0)
            y = bordered(y, [0] * spatial + sides(more, spatial)[:spatial], spatial)
            y = bordered(y, [-width for width in sides(a.get("padding", 0), spatial)], spatial)
        return arranged(y.numpy().astype(out_dtype), axes, a.get("out_layout", a.get("data_layout", axes)))

    def samples(rng, op):
        for data, kernel, attributes, dtype in conv_cases(spatial, transposed):
            attributes = dict(attributes)
            if transposed:
                kernel = (
                    kernel[1] * attributes.get("groups", 1),
                    kernel[0] // attributes.get("groups", 1),
                    *kernel[2:],
                )
            arrays = [
                arranged(random_array(rng, data, dtype), axes, attributes.get("data_layout", axes)),
                arranged(random_array(rng, kernel, dtype), kernel_axes, attributes.get("kernel_layout", kernel_axes)),
            ]
            out_dtype = attributes.get("out_dtype", dtype)
            yield Sample(
                arrays,
                lambda x, w, a=attributes: op(x, w, **a),
                lambda x, w, a=attributes, d=out_dtype: reference(x, w, d, **{k: a[k] for k in a if k != "out_dtype"}),
                # A sum of products may be smaller than its terms.
                tolerance={"float32": 2e-5, "float64": 1e-11, "float16": 4e-3}.get(dtype),
            )

    return Reference(samples)


def conv_cases(n: int, transposed: bool):
    """Shapes of data and kernel, attributes, element type. Kernels are `(result, data of a group, spatial …)`."""
    size, odd = [6, 5, 4][:n], [3, 2, 1][:n]
    ones = [1] * n
    for dtype in ("float32", "float64", "float16"):
        yield (2, 3, *size), (4, 3, *odd), {}, dtype
    yield (1, 1, *ones), (1, 1, *ones), {}, "float32"
    yield (0, 3, *size), (4, 3, *odd), {"padding": 1}, "float32"
    # The interpreter takes each product by itself.
    data = (2, 3, *[8, 7][:n]) if n < 3 else (1, 2, 5, 4, 5)
    for strides, padding, dilation in product((1, 2, [3, 1, 2][:n]), (0, 1, [0, 2, 1, 1, 0, 2][: 2 * n]), (1, 2)):
        kernel = (2, data[1], *[3, 2, 3][:n])
        yield data, kernel, {"strides": strides, "padding": padding, "dilation": dilation}, "float32"
    # Groups: two of two, and as many as channels.
    yield (2, 4, *size), (6, 2, *odd), {"groups": 2, "padding": 1}, "float32"
    yield (1, 4, *size), (4, 1, *odd), {"groups": 4, "strides": 2}, "float32"
    yield (1, 3, *size), (6, 1, *odd), {"groups": 3}, "float32"
    # Layouts.
    word = WORD[n]
    first = "IO" if transposed else "OI"
    last = {"data_layout": f"N{word}C", "kernel_layout": f"{word}{first}", "padding": 1}
    yield (2, 3, *size), (4, 3, *odd), last, "float32"
    yield (2, 4, *size), (6, 2, *odd), {**last, "groups": 2, "out_layout": f"NC{word}"}, "float32"
    yield (2, 3, *size), (4, 3, *odd), {"out_layout": f"N{word}C", "kernel_layout": f"O{word}I"}, "float32"
    packed = {"data_layout": f"NC{word}4c", "kernel_layout": f"{first}{word}4i2o", "out_layout": f"NC{word}2c"}
    if not transposed:
        yield (2, 8, *size), (6, 8, *odd), packed, "float32"
        yield (1, 8, *size), (4, 4, *odd), {**packed, "kernel_layout": f"OI{word}2o", "groups": 2}, "float32"
    # Integers in wider sums.
    yield (2, 3, *size), (4, 3, *odd), {"out_dtype": "int32", "padding": 1}, "int8"
    yield (1, 2, *size), (2, 2, *odd), {"out_dtype": "float32"}, "float16"
    if transposed:
        more = {"strides": [3, 2, 3][:n], "output_padding": [2, 1, 0][:n]}
        yield (2, 3, *odd), (4, 3, *odd), more, "float32"
        yield (2, 3, *odd), (4, 3, *[3, 2, 4][:n]), {**more, "padding": 1, "dilation": 2}, "float32"
        yield (
            (1, 4, *size),
            (6, 2, *odd),
            {"groups": 2, "strides": 2, "padding": [0, 1, 0, 1, 0, 1][: 2 * n]},
            "float32",
        )


def pool(spatial: int, average: bool):
    """Pools over so many dimensions."""
    axes = "NC" + WORD[spatial]

    def reference(x, a):
        dtype = x.dtype
        x = torch.from_numpy(plain(x, axes, a.get("layout", axes)).astype(np.float64))
        window, strides = a["pool_size"], a.get("strides", 1)
        padding, open_end = sides(a.get("padding", 0), spatial), a.get("ceil_mode", False)
        if average:
            given = {"ceil_mode": open_end, "count_include_pad": a.get("count_include_pad", spatial != 2)}
            y = AVG_POOL[spatial](x, window, strides, padding[:spatial], **given)
        else:
            y = MAX_POOL[spatial](x, window, strides, padding[:spatial], a.get("dilation", 1), open_end)
        y = y.numpy()
        y = np.trunc(y) if dtype.kind in "iu" else y
        return arranged(y.astype(dtype), axes, a.get("out_layout", a.get("layout", axes)))

    def dilated(x, a):
        """As PyTorch has no such average: the mean of the taps, by definition."""
        windows = F.avg_pool1d(torch.from_numpy(x.astype(np.float64))[..., :: a["dilation"]], a["pool_size"], 1)
        return windows.numpy().astype(x.dtype)

    def samples(rng, op):
        for shape, a, dtype in pool_cases(spatial, average):
            special = dtype.startswith("float") and not average
            array = arranged(random_array(rng, shape, dtype, special), axes, a.get("layout", axes))
            yield Sample([array], lambda x, a=a: op(x, **a), lambda x, a=a: reference(x, a))
        if average and spatial == 1:
            a = {"pool_size": 3, "strides": 2, "dilation": 2}
            yield Sample([random_array(rng, (2, 3, 11), "float32")], lambda x: op(x, **a), lambda x: dilated(x, a))

    return Reference(samples)


def pool_cases(n: int, average: bool):
    """Shape, attributes, element type."""
    dtypes = ("float32", "float64", "float16") if average else ("float32", "float64", "float16", "int8", "uint8")
    for dtype in dtypes:
        yield (2, 3, *[7, 5, 6][:n]), {"pool_size": [3, 2, 2][:n]}, dtype
    yield (1, 1, *[1] * n), {"pool_size": 1}, "float32"
    yield (0, 3, *[7, 5, 6][:n]), {"pool_size": 2, "strides": 2}, "float32"
    for strides, padding, open_end in product((1, 2, [3, 1, 2][:n]), (0, 1), (False, True)):
        for border in (False, True) if average else (False,):
            attributes = {"strides": strides, "padding": padding, "ceil_mode": open_end, "count_include_pad": border}
            yield (2, 2, *[8, 7, 9][:n]), {"pool_size": [3, 2, 4][:n], **attributes}, "float32"
    # A window that would begin in the border behind is none.
    yield (1, 2, *[4, 5, 6][:n]), {"pool_size": 2, "strides": 3, "padding": 1, "ceil_mode": True}, "float32"
    if not average:
        yield (1, 2, *[9, 8, 7][:n]), {"pool_size": 3, "dilation": 2, "padding": 1}, "float32"
    for layout in (f"N{WORD[n]}C", f"NC{WORD[n]}2c", f"C{WORD[n]}N"):
        yield (2, 4, *[7, 5, 6][:n]), {"pool_size": 2, "strides": 2, "padding": 1, "layout": layout}, "float32"
    yield (2, 4, *[7, 5, 6][:n]), {"pool_size": 3, "out_layout": f"N{WORD[n]}C"}, "float32"
    if average:
        yield (2, 4, *[6, 4, 5][:n]), {"pool_size": 2, "strides": 2}, "int8"


def adaptive(spatial: int):
    """Adaptive pools over so many dimensions."""
    axes = "NC" + WORD[spatial]

    def reference(x, size, layout, out_layout):
        y = ADAPTIVE[spatial](torch.from_numpy(plain(x, axes, layout).astype(np.float64)), size)
        return arranged(y.numpy().astype(x.dtype), axes, out_layout)

    def samples(rng, op):
        data, last = [8, 7, 6][:spatial], f"N{WORD[spatial]}C"
        cases = [((2, 3, *data), size, axes, axes, "float32") for size in (1, 2, 4, 7, 13)]
        cases += [((2, 3, *data), [4, 7, 3][:spatial], axes, axes, dtype) for dtype in ("float16", "float64")]
        cases += [((2, 3, *data), 3, last, last, "float32"), ((2, 3, *data), 1, axes, last, "float32")]
        cases += [((0, 3, *data), 2, axes, axes, "float32"), ((2, 3, *[1] * spatial), 3, axes, axes, "float32")]
        cases += [((3,) * (spatial + 2), 2, axes, axes, "float32")]
        for shape, size, layout, out_layout, dtype in cases:
            yield Sample(
                [arranged(random_array(rng, shape, dtype), axes, layout)],
                lambda x, s=size, a=layout, b=out_layout: op(x, s, a, b),
                lambda x, s=size, a=layout, b=out_layout: reference(x, s, a, b),
            )
        yield Sample([random_array(rng, (2, 3, *data), "float32")], op, lambda x: x)

    return Reference(samples)


INTERPOLATION = {"nearest_neighbor": "nearest-exact", "linear": "bilinear", "cubic": "bicubic"}


def resized_by_torch(x: np.ndarray, size: tuple, method: str, corners: bool = False) -> np.ndarray:
    given = {} if method == "nearest_neighbor" else {"align_corners": corners}
    y = F.interpolate(torch.from_numpy(x.astype(np.float64)), size, mode=INTERPOLATION[method], **given)
    return y.numpy().astype(x.dtype)


def resize():
    """PyTorch has half of the modes; the others are worked out from the definition of a place."""

    def samples(rng, op):
        def sample(array, reference, size, varied=True, **a):
            return Sample([array], lambda x: op(x, size, **a), reference, tolerance=2e-5, varied=varied)

        array = random_array(rng, (2, 3, 5, 7), "float32")
        for size, method in product([(5, 7), (10, 3), (1, 1), (2, 9), (15, 21)], INTERPOLATION):
            # The nearest of PyTorch takes the later of two elements that are equally near.
            # PyTorch leaves out neighbours whose weight is zero, also where these are NaN.
            a = {"method": method, "rounding_method": "round_prefer_ceil", "cubic_alpha": -0.75, "varied": False}
            yield sample(array, partial(resized_by_torch, size=size, method=method), size, **a)
            if method != "nearest_neighbor":
                reference = partial(resized_by_torch, size=size, method=method, corners=True)
                yield sample(array, reference, size, coordinate_transformation_mode="align_corners", **a)
        array = random_array(rng, (1, 2, 6, 5), "float32")
        modes = ["half_pixel", "pytorch_half_pixel", "tf_half_pixel_for_nn", "align_corners", "asymmetric"]
        roundings = ["round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
        for mode, rounding, size in product(modes, roundings, [(3, 10), (9, 1), (12, 4)]):
            a = {"coordinate_transformation_mode": mode, "rounding_method": rounding}
            yield sample(array, partial(nearest, size=size, a=a), size, method="nearest_neighbor", **a)
        for mode, method, exclude in product(modes, ("linear", "cubic"), (0, 1)):
            a = {"method": method, "coordinate_transformation_mode": mode, "cubic_exclude": exclude}
            yield sample(array, partial(interpolated, size=(9, 4), a=a), (9, 4), **a)
        for method, size in product(INTERPOLATION, ((7, 9), (1, 4))):
            mode = "tf_crop_and_resize"
            a = {"method": method, "coordinate_transformation_mode": mode, "extrapolation_value": 9.5}
            a["roi"] = [0.15, -0.25, 0.75, 1.3]
            yield sample(array, partial(interpolated, size=size, a=a), size, **a)
        for dtype in ("float64", "float16", "int8", "uint8"):
            array = random_array(rng, (1, 2, 4, 3), dtype)
            reference = partial(resized_by_torch, size=(7, 5), method="nearest_neighbor")
            yield sample(array, reference, (7, 5), method="nearest_neighbor", rounding_method="round_prefer_ceil")
        for layout in ("NHWC", "NCHW2c", "HWCN"):
            x = random_array(rng, (2, 4, 4, 3), "float32")
            expected = arranged(resized_by_torch(x, (7, 5), "linear"), "NCHW", layout)
            yield sample(arranged(x, "NCHW", layout), lambda _, e=expected: e, (7, 5), layout=layout)
        array = random_array(rng, (1, 1, 3, 3), "uint8")
        expected = resized_by_torch(array.astype(np.float32), (6, 5), "linear")
        yield sample(array, lambda _: expected, (6, 5), out_dtype="float32")

    return Reference(samples)


def place(i: int, n: int, m: int, mode: str, roi=(0.0, 1.0)) -> Fraction:
    """Where element `i` of `m` lies in a row of `n`."""
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and m > 1):
        return (i + Fraction(1, 2)) * Fraction(n, m) - Fraction(1, 2)
    if mode == "pytorch_half_pixel":
        return Fraction(0)
    if mode == "tf_half_pixel_for_nn":
        return (i + Fraction(1, 2)) * Fraction(n, m)
    if mode == "align_corners":
        return Fraction(i * (n - 1), max(m - 1, 1))
    if mode == "asymmetric":
        return Fraction(i * n, m)
    first, last = Fraction(roi[0]), Fraction(roi[1])
    return (first + Fraction(i, m - 1) * (last - first)) * (n - 1) if m > 1 else (first + last) / 2 * (n - 1)


def rounded(x: Fraction, how: str) -> int:
    half = Fraction(1, 2)
    return {
        "round": round(x),
        "round_prefer_floor": ceil(x - half),
        "round_prefer_ceil": floor(x + half),
        "floor": floor(x),
        "ceil": ceil(x),
    }[how]


def nearest(x: np.ndarray, size: tuple, a: dict) -> np.ndarray:
    def indices(n, m):
        own = [rounded(place(i, n, m, a["coordinate_transformation_mode"]), a["rounding_method"]) for i in range(m)]
        return np.clip(own, 0, n - 1)

    return x[:, :, indices(x.shape[2], size[0])][:, :, :, indices(x.shape[3], size[1])]


def weight(distance: float, method: str, alpha: float) -> float:
    """What a neighbour at this distance counts."""
    d = abs(distance)
    if method == "nearest_neighbor":
        return float(distance == 0)
    if method == "linear":
        return max(0.0, 1 - d)
    if d <= 1:
        return (alpha + 2) * d**3 - (alpha + 3) * d**2 + 1
    return alpha * d**3 - 5 * alpha * d**2 + 8 * alpha * d - 4 * alpha if d < 2 else 0.0


def matrix(n: int, m: int, a: dict, roi: tuple) -> np.ndarray:
    """Each element of the result as a sum of the data's; rows of NaN are outside of it."""
    result = np.zeros((m, n))
    mode, method = a["coordinate_transformation_mode"], a["method"]
    for i in range(m):
        at = place(i, n, m, mode, roi)
        if mode == "tf_crop_and_resize" and not 0 <= at <= n - 1:
            result[i] = np.nan
            continue
        at = Fraction(rounded(at, "round")) if method == "nearest_neighbor" else at
        for k in range(floor(at) - 1, floor(at) + 3):
            if a.get("cubic_exclude") and method == "cubic" and not 0 <= k < n:
                continue
            result[i, min(max(k, 0), n - 1)] += weight(float(at - k), method, -0.5)
        result[i] /= result[i].sum()
    return result


def interpolated(x: np.ndarray, size: tuple, a: dict) -> np.ndarray:
    roi = a.get("roi", [0.0, 0.0, 1.0, 1.0])
    rows = matrix(x.shape[2], size[0], a, (roi[0], roi[2]))
    columns = matrix(x.shape[3], size[1], a, (roi[1], roi[3]))
    y = np.einsum("nchw,ih,jw->ncij", x.astype(np.float64), rows, columns)
    return np.where(np.isnan(y), a.get("extrapolation_value", 0.0), y).astype(x.dtype)


def chosen_boxes(boxes, scores, overlap, least, most, centered):
    """Boxes in the order of their scores, without those that overlap a chosen one, as floats of 64 bits have it."""
    boxes, scores = boxes.astype(np.float64), scores.astype(np.float64)
    if centered:
        middle, half = boxes[..., :2], boxes[..., 2:] / 2
        boxes = np.concatenate([middle - half, middle + half], -1)
    low, high = np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])
    area = (high - low).prod(-1)
    count = scores.shape[2]
    result = np.full((*scores.shape[:2], count if most < 0 else min(most, count)), -1)
    for batch, kind in np.ndindex(*scores.shape[:2]):
        chosen: list[int] = []
        for box in np.argsort(-scores[batch, kind], kind="stable"):
            begin, end = (f(x[batch, box], x[batch, chosen]) for f, x in ((np.maximum, low), (np.minimum, high)))
            common = np.maximum(end - begin, 0).prod(-1)
            free = np.all(common <= overlap * (area[batch, box] + area[batch, chosen] - common))
            if scores[batch, kind, box] > least and free and len(chosen) < result.shape[2]:
                chosen.append(box)
        result[batch, kind, : len(chosen)] = chosen
    return result


def non_max_suppression():
    """No box, one, and many, of which a few are wanted or all."""

    def samples(rng, op):
        for dtype, count, most, centered in product(("float32", "float64"), (0, 1, 5, 40), (-1, 0, 3), (False, True)):
            boxes = rng.uniform(0, 10, (2, count, 4)).astype(dtype)
            scores = rng.standard_normal((2, 3, count)).astype(dtype)
            limits = [np.array(limit, dtype) for limit in (0.2, -0.3)]
            yield Sample(
                [boxes, scores, *limits],
                lambda *arrays, a=(most, centered): op(*arrays, *a),
                lambda *arrays, a=(most, centered): chosen_boxes(*arrays, *a),
                retyped=False,
                varied=False,
            )

    return Reference(samples)


def grid_sample():
    """Places inside and outside, at the corners, between elements; a place far away."""

    def samples(rng, op):
        for spatial, method, outside, corners in product(
            (2, 3), ("nearest", "bilinear", "bicubic"), ("zeros", "border", "reflection"), (False, True)
        ):
            if spatial == 3 and method == "bicubic":
                continue
            for size in ([5, 4, 6][:spatial], [1, 3, 2][:spatial]):
                data = random_array(rng, (2, 3, *size), "float32")
                grid = rng.uniform(-2.5, 2.5, (2, *[4, 3, 2][:spatial], spatial)).astype(np.float32)
                grid[0, 0, 0], grid[1, 0, 0] = -1, 1
                layout = "NCHW" if spatial == 2 else "NCDHW"

                def reference(x, g, m=method, o=outside, c=corners):
                    places = torch.from_numpy(np.moveaxis(g, 1, -1).astype(np.float64))
                    y = F.grid_sample(torch.from_numpy(x.astype(np.float64)), places, m, o, c)
                    return y.numpy().astype(x.dtype)

                yield Sample(
                    [data, np.ascontiguousarray(np.moveaxis(grid, -1, 1))],
                    lambda x, g, a=(method, layout, outside, corners): op(x, g, *a),
                    reference,
                    # FIXME: of places held within an image of unknown size, vectors of indices have no guard.
                    symbolic=outside == "zeros",
                    tolerance=1e-4,
                )
        far = np.float32([np.inf, -np.inf, 1e30, -1e30, 3.4e38, 7]).reshape(1, 1, 2, 3).repeat(2, 1)
        for method in ("nearest", "bilinear"):
            for outside, value in (("zeros", 0), ("border", None)):
                ones = np.ones((1, 1, 2, 2), np.float32)
                expected = (
                    ones[:, :, :1].repeat(2, 2).repeat(2, 3)[..., :3] if value is None else np.zeros((1, 1, 2, 3))
                )
                yield Sample(
                    [ones, far],
                    lambda x, g, a=(method, "NCHW", outside): op(x, g, *a),
                    lambda x, g, e=expected: e.astype(np.float32),
                    symbolic=outside == "zeros",
                )

    return Reference(samples)


def quantized(x, scale, zero, axis, dtype):
    info = np.iinfo(dtype)
    along = [1] * x.ndim
    if np.size(scale) > 1:
        along[axis] = -1
    scale, zero = np.reshape(scale, along), np.reshape(zero, along)
    y = np.round((x.astype(np.float32) / scale.astype(np.float32)).astype(np.float32)) + zero
    return np.nan_to_num(np.clip(y, info.min, info.max), nan=0).astype(dtype)


def dequantized(x, scale, zero, axis, dtype):
    along = [1] * x.ndim
    if np.size(scale) > 1:
        along[axis] = -1
    return ((x.astype(np.int64) - np.reshape(zero, along)) * np.reshape(scale, along).astype(np.float64)).astype(dtype)


def quantization(back: bool):
    """Scales for all elements and for each index of a dimension."""

    def samples(rng, op):
        reference = dequantized if back else quantized
        for shape, axis, count, dtype in [
            ((3, 5), -1, 5, "int8"),
            ((3, 5), 0, 3, "uint8"),
            ((2, 3, 4), 1, 3, "int8"),
            ((2, 0, 3), 2, 3, "int8"),
            ((7,), -1, 1, "uint8"),
            ((2, 1, 3, 1), 2, 3, "uint8"),
            ((2, 1, 3, 1, 2), 2, None, "int8"),
            ((), -1, None, "int8"),
        ]:
            for float_type in ("float32", "float16"):
                scale = np.asarray(rng.uniform(0.01, 0.5, () if count is None else (count,))).astype(float_type)
                zero = np.asarray(rng.integers(0, 9, scale.shape).astype("int8"))
                x = random_array(rng, shape, dtype if back else float_type, special=True)
                out = float_type if back else dtype
                yield Sample(
                    [x, scale, zero],
                    lambda x, s, z, a=axis, o=out: op(x, s, z, a, o),
                    lambda x, s, z, a=axis, o=out: reference(x, s, z, a, o),
                )

    return Reference(samples)


def meshgrid():
    """Tensors of one dimension and of none."""

    def samples(rng, op):
        for shapes, indexing in product(
            ([(3,)], [(), (2,)], [(3,), (2,)], [(3,), (), (2,)], [(0,), (4,), (1,), (2,)]), ("ij", "xy")
        ):
            for dtype in ("float32", "int64", "bool"):
                yield Sample(
                    [random_array(rng, shape, dtype) for shape in shapes],
                    lambda *x, i=indexing: op(relax.Tuple(x), i),
                    lambda *x, i=indexing: np.meshgrid(*x, indexing=i),
                )

    return Reference(samples)


def layout_transform():
    """The reference puts each element where the map says, one by one."""

    def by_element(x, mapping, shape, fill):
        result = np.full(shape, fill, x.dtype)
        for index in np.ndindex(*x.shape):
            result[mapping(*index)] = x[index]
        return result

    def samples(rng, op):
        cases = [
            ((3, 5), lambda i, j: (j, i), (5, 3), 0),
            ((2, 3, 4), lambda i, j, k: (k, i * 3 + j), (4, 6), 0),
            ((8, 6), lambda i, j: (i // 4, j // 2, i % 4, j % 2), (2, 3, 4, 2), 0),
            ((7, 5), lambda i, j: (i // 4, j // 2, i % 4, j % 2), (2, 3, 4, 2), 1.5),
            ((24,), lambda i: (i // 12, i % 12 // 4, i % 4), (2, 3, 4), 0),
            ((23,), lambda i: (i % 4, i // 12, i % 12 // 4), (4, 2, 3), 7),
            ((0, 5), lambda i, j: (j // 2, i, j % 2), (3, 0, 2), 2),
            ((0,), lambda i: (i // 4, i % 4), (0, 4), 2),
            ((1, 3), lambda i, j: (j, i), (3, 1), 0),
            ((1, 3), lambda i, j: (j,), (3,), 0),
            ((5,), lambda i: (0, i), (1, 5), 0),
            ((2, 1, 3, 4), lambda i, j, k, m: (j, m, i, k), (1, 4, 2, 3), 0),
            ((2, 1, 3, 1, 2), lambda i, j, k, m, n: (n, i, j, k, m), (2, 2, 1, 3, 1), 0),
        ]
        for shape, mapping, result, fill in cases:
            for dtype in ("float32", "int8"):
                yield Sample(
                    [random_array(rng, shape, dtype)],
                    lambda x, m=mapping, f=fill: op(x, m, f),
                    lambda x, m=mapping, r=result, f=fill: by_element(x, m, r, f),
                    # Of sizes that are not known, a sum of indices is not known to be one-to-one.
                    symbolic=shape != (2, 3, 4) and 1 not in shape,
                )
        mapping = tir.IndexMap.from_func(lambda i, j: (j, i))
        yield Sample([random_array(rng, (3, 2), "float32")], lambda x: op(x, mapping), lambda x: x.T)

    return Reference(samples)


def channels(reference, *shapes_and_attributes):
    """Operators of an image and of parameters for each of its channels."""

    def samples(rng, op):
        for shapes, attributes in shapes_and_attributes:
            for dtype in FLOATS:
                yield Sample(
                    [random_array(rng, shape, dtype) for shape in shapes],
                    lambda *x, a=attributes: op(*x, **a),
                    of_torch(lambda *x, a=attributes: reference(*x, **a)),
                )

    return Reference(samples)


def instance_norm(x, gamma, beta, channel_axis, axes, epsilon=1e-5):
    mean = x.mean(axes, keepdim=True)
    variance = ((x - mean) ** 2).mean(axes, keepdim=True)
    along = [-1 if d == channel_axis else 1 for d in range(x.ndim)]
    return (x - mean) / torch.sqrt(variance + epsilon) * gamma.reshape(along) + beta.reshape(along)


def prelu(x, alpha, axis=1):
    along = [-1 if d == axis % x.ndim else 1 for d in range(x.ndim)]
    return torch.where(x > 0, x, x * alpha.reshape(along))


def pixel_shuffle():
    def samples(rng, op):
        for shape, factor in [
            ((1, 4, 2, 3), 2),
            ((9, 1, 5), 3),
            ((2, 3, 8, 2, 1), 2),
            ((2, 3, 4, 4), 1),
            ((0, 4, 2, 2), 2),
        ]:
            for dtype in ("float32", "int8"):
                yield Sample(
                    [random_array(rng, shape, dtype)],
                    lambda x, f=factor: op(x, f),
                    lambda x, f=factor: F.pixel_shuffle(torch.from_numpy(x), f).numpy(),
                )

    return Reference(samples)


REFERENCES: dict[str, Reference] = {
    **{f"nn.conv{n}d": conv(n) for n in (1, 2, 3)},
    **{f"nn.conv{n}d_transpose": conv(n, transposed=True) for n in (1, 2, 3)},
    **{f"nn.max_pool{n}d": pool(n, average=False) for n in (1, 2, 3)},
    **{f"nn.avg_pool{n}d": pool(n, average=True) for n in (1, 2, 3)},
    **{f"nn.adaptive_avg_pool{n}d": adaptive(n) for n in (1, 2, 3)},
    "nn.selu": unary(of_torch(F.selu)),
    "nn.prelu": channels(
        prelu,
        [[(2, 3, 4), (3,)], {}],
        [[(2, 3, 4), (1,)], {}],
        [[(2, 3, 4), (4,)], {"axis": -1}],
        [[(5,), (5,)], {"axis": 0}],
        [[(3, 5), (5,)], {}],
        [[(2, 3, 1, 2), (3,)], {}],
        [[(2, 3, 1, 3, 2), (3,)], {"axis": -2}],
    ),
    "nn.instance_norm": channels(
        instance_norm,
        [[(2, 3, 4, 5), (3,), (3,)], {"channel_axis": 1, "axes": [2, 3]}],
        [[(2, 5, 3), (3,), (3,)], {"channel_axis": 2, "axes": [1], "epsilon": 0.1}],
        [[(3, 5), (3,), (3,)], {"channel_axis": 0, "axes": [1]}],
        [[(2, 3, 1, 2, 2), (3,), (3,)], {"channel_axis": 1, "axes": [2, 3, 4]}],
    ),
    "nn.pixel_shuffle": pixel_shuffle(),
    "image.resize2d": resize(),
    "image.grid_sample": grid_sample(),
    "image.non_max_suppression": non_max_suppression(),
    "quantize": quantization(back=False),
    "dequantize": quantization(back=True),
    "meshgrid": meshgrid(),
    "layout_transform": layout_transform(),
}
