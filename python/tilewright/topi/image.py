"""Images: resizing and sampling."""

from __future__ import annotations

from typing import Any

from .. import te
from ..error import TVMError
from ..te.tensor import Tensor
from ..tir import op
from .formula import apply

__all__ = ["crop_and_resize", "grid_sample", "resize1d", "resize2d", "resize3d"]


def resize2d(
    data: Tensor, roi: Any, size: Any, layout: str = "NCHW", method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "", bicubic_alpha: float = -0.75,
    bicubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: Any = None, output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """An image of another size.

    Where no way of rounding is said, the nearest element is the rounded one with aligned corners, else that before.
    """
    size = size if output_shape is None else output_shape
    rounding_method = rounding_method or ("round" if coordinate_transformation_mode == "align_corners" else "floor")
    said = {
        "roi": 0.0 if roi is None else roi, "layout": layout, "method": method,
        "coordinate_transformation_mode": coordinate_transformation_mode, "rounding_method": rounding_method,
        "cubic_alpha": bicubic_alpha, "cubic_exclude": bicubic_exclude, "extrapolation_value": extrapolation_value,
        "out_dtype": "void" if out_dtype is None else str(out_dtype),
    }  # fmt: skip
    return apply("image.resize2d", (data, [size, size] if isinstance(size, int) else list(size)), said)


def resize1d(
    data: Tensor, roi: Any, size: Any, layout: str = "NCW", method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "", bicubic_alpha: float = -0.75,
    bicubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: Any = None, output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """A row of another size: an image of one row."""
    size = size if output_shape is None else output_shape
    (width,) = [size] if isinstance(size, int) else size
    at = layout.index("W")
    area = None if roi is None else [0.0, roi[0], 1.0, roi[1]]
    made = resize2d(
        apply("expand_dims", (data,), {"axis": [at]}), area, [1, width], layout.replace("W", "HW"), method,
        coordinate_transformation_mode, rounding_method, bicubic_alpha, bicubic_exclude, extrapolation_value, out_dtype,
    )  # fmt: skip
    return apply("squeeze", (made,), {"axis": [at]})


def resize3d(
    data: Tensor, roi: Any, size: Any, layout: str = "NCDHW", method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel", rounding_method: str = "", bicubic_alpha: float = -0.75,
    bicubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: Any = None, output_shape: Any = None,
) -> Tensor:  # fmt: skip
    """A volume of another size: its planes are resized, and then its depth.

    Regions of interest are refused.
    """
    if layout not in ("NCDHW", "NDHWC"):
        raise TVMError(f"resize3d reads the layouts NCDHW and NDHWC, found {layout!r}")
    if coordinate_transformation_mode == "tf_crop_and_resize":
        raise TVMError(f"resize3d resizes whole volumes, found the region {roi}: use `topi.strided_slice` first")
    size = size if output_shape is None else output_shape
    deep, high, wide = [size] * 3 if isinstance(size, int) else list(size)
    last = layout == "NDHWC"
    volume = apply("permute_dims", (data,), {"axes": [0, 4, 1, 2, 3]}) if last else data
    batch, channels, depth = volume.shape[:3]
    said = ("NCHW", method, coordinate_transformation_mode, rounding_method, bicubic_alpha, bicubic_exclude,
            extrapolation_value)  # fmt: skip
    planes = apply("reshape", (volume, [batch, channels * depth, *volume.shape[3:]]), {})
    planes = resize2d(planes, None, [high, wide], *said)
    rows = apply("reshape", (planes, [batch, channels, depth, high * wide]), {})
    rows = resize2d(rows, None, [deep, high * wide], *said, out_dtype)
    made = apply("reshape", (rows, [batch, channels, deep, high, wide]), {})
    return apply("permute_dims", (made,), {"axes": [0, 2, 3, 4, 1]}) if last else made


def crop_and_resize(
    data: Tensor, boxes: Tensor, box_indices: Tensor, crop_size: Any, layout: str = "NCHW", method: str = "bilinear",
    extrapolation_value: float | None = None, out_dtype: Any = None,
) -> Tensor:  # fmt: skip
    """Boxes of images, each resized to one size.

    `boxes` has rows `[y1, x1, y2, x2]` in units of the image's last row and column, and `box_indices` says which image
    each is of. The corners of a crop are those of its box. What lies outside of the image is `extrapolation_value`, by
    default 0.
    """
    if layout not in ("NCHW", "NHWC") or method not in ("bilinear", "nearest_neighbor"):
        found = f"{layout!r} and {method!r}"
        raise TVMError(f"crop_and_resize reads NCHW or NHWC, and is bilinear or nearest_neighbor, found {found}")
    high, wide = [crop_size] * 2 if isinstance(crop_size, int) else list(crop_size)
    y, x = layout.index("H"), layout.index("W")
    outside = 0.0 if extrapolation_value is None else extrapolation_value
    dtype = str(out_dtype or data.dtype)

    def along(box: Any, at: Any, axis: int, corner: int, count: int) -> tuple[Any, Any]:
        """The place in the image along an axis, and the last one that there is."""
        last = data.shape[axis] - 1
        first, end = boxes[box, corner].astype("float32"), boxes[box, corner + 2].astype("float32")
        reach = last.astype("float32") if hasattr(last, "astype") else float(int(last))
        if count == 1:
            return (first + end) * 0.5 * reach, reach
        return first * reach + at.astype("float32") * ((end - first) * reach / float(count - 1)), reach

    def element(*indices: Any) -> Any:
        box, channel = indices[0], indices[layout.index("C")]
        (row, bottom), (column, right) = along(box, indices[y], y, 0, high), along(box, indices[x], x, 1, wide)

        def pixel(at_y: Any, at_x: Any) -> Any:
            places = {"N": box_indices[box].astype("int32"), "C": channel}
            places["H"] = op.max(op.min(at_y, bottom), 0.0).astype("int32")
            places["W"] = op.max(op.min(at_x, right), 0.0).astype("int32")
            return data[tuple(places[name] for name in layout)].astype("float32")

        if method == "nearest_neighbor":
            value = pixel(op.floor(row + 0.5), op.floor(column + 0.5))
        else:
            top, left = op.floor(row), op.floor(column)
            part_y, part_x = row - top, column - left
            upper = pixel(top, left) * (1.0 - part_x) + pixel(top, left + 1.0) * part_x
            lower = pixel(top + 1.0, left) * (1.0 - part_x) + pixel(top + 1.0, left + 1.0) * part_x
            value = upper * (1.0 - part_y) + lower * part_y
        inside = op.all(row >= 0.0, row <= bottom, column >= 0.0, column <= right)
        return op.if_then_else(inside, value, float(outside)).astype(dtype)

    sizes = {"N": boxes.shape[0], "C": data.shape[layout.index("C")], "H": high, "W": wide}
    return te.compute([sizes[name] for name in layout], element, name="crop_and_resize")


def grid_sample(
    data: Tensor, grid: Tensor, method: str = "bilinear", layout: str = "NCHW", padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Tensor:  # fmt: skip
    """The elements of an image at the coordinates of a grid, which run from -1 to 1."""
    said = {"method": method, "layout": layout, "padding_mode": padding_mode, "align_corners": align_corners}
    return apply("image.grid_sample", (data, grid), said)
