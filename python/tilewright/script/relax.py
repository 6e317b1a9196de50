"""`R`: the graph level. `from tilewright.script import relax as R`.

What annotations use has a value here, and so have the operators: code that Python runs calls `R.add(x, y)` on
expressions as it calls `relax.op.add`. The rest of the language is read from the text.
"""

from .entry import function
from .spelling import Spelling, outside_of_a_script

Callable = Spelling("script.relax.Callable")
Object = Spelling("script.relax.Object")
Prim = Spelling("script.relax.Prim")
Shape = Spelling("script.relax.Shape")
Tensor = Spelling("script.relax.Tensor")
Tuple = Spelling("script.relax.Tuple")

__all__ = ["Callable", "Object", "Prim", "Shape", "Tensor", "Tuple", "function"]


def __getattr__(name: str) -> object:
    from ..relax import expr, op

    for module in (op, expr):
        if name in module.__all__ or name == "nn":
            return getattr(module, name)
    raise outside_of_a_script(__name__, name, __all__)
