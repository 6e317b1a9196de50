"""Operations on tensors: `op.matmul(a, b)`, `op.tensor_expr_op(…)`.

Each adds a binding to the function that is being written and gives its variable as a tensor; `name` is a wish for the
variable's name. A number as operand of a tensor takes the tensor's data type.
"""

from . import collective, custom, elementwise, layer, manipulate, reduce, sampling
from .collective import *
from .custom import *
from .elementwise import *
from .layer import *
from .manipulate import *
from .reduce import *
from .reduce import max, min, sum
from .sampling import *

__all__ = [
    *collective.__all__,
    *custom.__all__,
    *elementwise.__all__,
    *layer.__all__,
    *manipulate.__all__,
    *reduce.__all__,
    *sampling.__all__,
]
