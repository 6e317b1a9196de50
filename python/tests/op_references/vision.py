"""Convolutions, pools and what else works on images, in PyTorch's words."""

from __future__ import annotations

from itertools import product

import numpy as np
import torch

from .sampling import Reference, Sample, of_torch, random_array

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
                kernel = (kernel[1] * attributes.get("groups", 1), kernel[0] // attributes.get("groups", 1), *kernel[2:])
            arrays = [
                arranged(random_array(rng, data, dtype), axes, attributes.get("data_layout", axes)),
                arranged(random_array(rng, kernel, dtype), kernel_axes, attributes.get("kernel_layout", kernel_axes)),
            ]
            out_dtype = attributes.get("out_dtype", dtype)
            yield Sample(
                arrays,
                lambda x, w, a=attributes: op(x, w, **a),
                lambda x, w, a=attributes, d=out_dtype: reference(x, w, d, **{k: a[k] for k in a if k != "out_dtype"}),
                symbolic=False,
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
    for strides, padding, dilation in product((1, 2, [3, 1, 2][:n]), (0, 1, [0, 2, 1, 1, 0, 2][: 2 * n]), (1, 2)):
        kernel = (2, 3, *[3, 2, 3][:n])
        yield (2, 3, *[8, 7, 9][:n]), kernel, {"strides": strides, "padding": padding, "dilation": dilation}, "float32"
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
        yield (1, 4, *size), (6, 2, *odd), {"groups": 2, "strides": 2, "padding": [0, 1, 0, 1, 0, 1][: 2 * n]}, "float32"


def pool(spatial: int, average: bool):
    """Pools over so many dimensions."""
    axes = "NC" + WORD[spatial]

    def reference(x, a):
        dtype = x.dtype
        x = torch.from_numpy(plain(x, axes, a.get("layout", axes)).astype(np.float64))
        window, strides = a["pool_size"], a.get("strides", 1)
        padding, ceil = sides(a.get("padding", 0), spatial), a.get("ceil_mode", False)
        if average:
            given = {"ceil_mode": ceil, "count_include_pad": a.get("count_include_pad", False)}
            y = AVG_POOL[spatial](x, window, strides, padding[:spatial], **given)
        else:
            y = MAX_POOL[spatial](x, window, strides, padding[:spatial], a.get("dilation", 1), ceil)
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
    for strides, padding, ceil in product((1, 2, [3, 1, 2][:n]), (0, 1), (False, True)):
        for border in (False, True) if average else (False,):
            attributes = {"strides": strides, "padding": padding, "ceil_mode": ceil, "count_include_pad": border}
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


REFERENCES: dict[str, Reference] = {
    **{f"nn.conv{n}d": conv(n) for n in (1, 2, 3)},
    **{f"nn.conv{n}d_transpose": conv(n, transposed=True) for n in (1, 2, 3)},
    **{f"nn.max_pool{n}d": pool(n, average=False) for n in (1, 2, 3)},
    **{f"nn.avg_pool{n}d": pool(n, average=True) for n in (1, 2, 3)},
    **{f"nn.adaptive_avg_pool{n}d": adaptive(n) for n in (1, 2, 3)},
}
