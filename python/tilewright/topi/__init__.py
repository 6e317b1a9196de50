"""The library of formulas: what the graph operators compute, as functions of tensors.

Each is the formula of the graph operator of its name, with the operator's parameters: `topi.add(A, B)`,
`topi.sum(A, axis=[1])`, `topi.nn.relu(A)`. A number beside a tensor takes the tensor's type.
"""

from . import image, math, nn, transform, utils
from .math import *
from .transform import *
from .utils import get_const_tuple

__all__ = [*math.__all__, *transform.__all__, "get_const_tuple", "image", "math", "nn", "transform", "utils"]
