"""`R`: the graph level. `from tilewright.script import relax as R`.

What annotations use has a value here, and with arguments is a struct info. The rest of the language is read from the
text; in code that Python runs its names are those of `tilewright.script.ir_builder`: `R.add(x, y)` makes a call.
"""

from .entry import function, macro, rewriter
from .spelling import InfoSpelling, outside_of_a_script

Callable = InfoSpelling("script.relax.Callable")
Object = InfoSpelling("script.relax.Object")
Prim = InfoSpelling("script.relax.Prim")
Shape = InfoSpelling("script.relax.Shape")
Tensor = InfoSpelling("script.relax.Tensor")
Tuple = InfoSpelling("script.relax.Tuple")

__all__ = ["Callable", "Object", "Prim", "Shape", "Tensor", "Tuple", "function", "macro", "rewriter"]


def __getattr__(name: str) -> object:
    from .ir_builder import relax as builder

    if name in builder.__all__:
        return getattr(builder, name)
    raise outside_of_a_script(__name__, name, __all__)
