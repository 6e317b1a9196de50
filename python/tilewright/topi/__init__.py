"""The library of formulas: the graph operators as functions of tensors.

Names and parameters are those that users of TVM know: `topi.add(A, B)`, `topi.sum(A, axis=1)`,
`topi.nn.conv2d_nchw(data, weight, stride, padding, dilation)`. Behind each is the formula of a graph operator, or a few
lines of `te`. Tensors and numbers meet in one type as operands of `+` do: int8 and `3` in int32, int32 and `0.5` in
float32.
"""

from . import broadcast, image, math, nn, placed, products, reduction, tag, transform, utils
from .broadcast import *
from .math import *
from .placed import *
from .products import *
from .reduction import *
from .transform import *
from .utils import get_const_tuple

__all__ = [
    *broadcast.__all__, *math.__all__, *placed.__all__, *products.__all__, *reduction.__all__, *transform.__all__,
    "broadcast", "get_const_tuple", "image", "math", "nn", "placed", "products", "reduction", "tag", "transform",
    "utils",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name == "testing":
        # The references need NumPy, which the formulas do not.
        from importlib import import_module

        return import_module(".testing", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
