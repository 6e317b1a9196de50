"""Images: resizing and sampling."""

from __future__ import annotations

from typing import Any

from ..te.tensor import Tensor
from .formula import apply

__all__ = ["grid_sample", "resize1d", "resize2d"]


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


def grid_sample(
    data: Tensor, grid: Tensor, method: str = "bilinear", layout: str = "NCHW", padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Tensor:  # fmt: skip
    """The elements of an image at the coordinates of a grid, which run from -1 to 1."""
    said = {"method": method, "layout": layout, "padding_mode": padding_mode, "align_corners": align_corners}
    return apply("image.grid_sample", (data, grid), said)
