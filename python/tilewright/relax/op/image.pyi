"""The graph operators `R.image.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def grid_sample(
    data: Any,
    grid: Any,
    method: str = "bilinear",
    layout: str = "NCHW",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Call:
    """The image at the coordinates of a grid, as `torch.grid_sample`.

    Along each dimension a coordinate goes from -1 to 1: the grid's first coordinate along the width, the second
    along the height, a third along the depth. With `align_corners` these are the centres of the outermost
    elements, else their outer edges. An image without elements reads as 0.

    data: The image, of two or three spatial dimensions.
    grid: The grid: batch, coordinates, then the spatial dimensions of the result.
    method: `nearest`, `bilinear` or, of two dimensions, `bicubic`.
    layout: The order of the data's dimensions: `NCHW` or `NCDHW`.
    padding_mode: What lies outside: `zeros`, the nearest element (`border`), or the image mirrored
    (`reflection`).
    align_corners: See above.
    """

def non_max_suppression(
    boxes: Any,
    scores: Any,
    iou_threshold: Any,
    score_threshold: Any,
    max_boxes: int = -1,
    center_point_box: bool = False,
) -> Call:
    """Non-maximum suppression, as ONNX's `NonMaxSuppression` and `torchvision.ops.nms`: for each example and class
    the indices of the chosen boxes, the best first, then -1.

    Boxes are looked at in the order of falling scores, those of equal scores in their order. A box is chosen if
    its score is above `score_threshold`, and its intersection over union with no box chosen before is above
    `iou_threshold`.

    boxes: The boxes: batch, boxes, 4.
    scores: The scores: batch, classes, boxes.
    iou_threshold: The greatest intersection over union of two chosen boxes, a tensor of one element.
    score_threshold: What the score of a chosen box is above, a tensor of one element.
    max_boxes: How many boxes of a class are chosen at most; all where negative.
    center_point_box: Whether a box is its centre and its sizes, not two opposite corners.
    """

def resize2d(
    data: Any,
    size: Any,
    roi: float = 0.0,
    layout: str = "NCHW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "round",
    cubic_alpha: float = -0.5,
    cubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: str = "void",
) -> Call:
    """The image in another size.

    `coordinate_transformation_mode` gives the position of a result in the data, for `n` elements that become `m`:

    - `half_pixel`: elements are squares, of which the outermost edges meet: `(i + 1/2) * n / m - 1/2`. -
    `pytorch_half_pixel`: the same, but 0 where `m` is 1. - `tf_half_pixel_for_nn`: `(i + 1/2) * n / m`. -
    `align_corners`: the outermost elements meet: `i * (n - 1) / (m - 1)`. - `asymmetric`: the first elements
    meet: `i * n / m`. - `tf_crop_and_resize`: the outermost elements are those of the region `roi`.

    Positions past the border read the nearest element, with the last of these modes `extrapolation_value`.

    data: The image.
    size: Its new height and width.
    roi: The region: its first row and column and its last ones, as fractions of the last index of the data.
    layout: The order of the data's dimensions.
    method: `nearest_neighbor`, `linear` or `cubic`.
    coordinate_transformation_mode: See above.
    rounding_method: What the nearest neighbour is: `round` (of two the even one), `round_prefer_floor`,
    `round_prefer_ceil`, `floor` or `ceil`; an empty text: `round` for `align_corners`, else `floor`.
    cubic_alpha: The parameter of the cubic convolution.
    cubic_exclude: Whether neighbours outside of the image have no weight.
    extrapolation_value: What lies outside of the image, see above.
    out_dtype: The data type of the result, towards which integers are cut; `void`: that of the data.
    """
