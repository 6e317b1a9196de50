"""`T`: the loop level. `from tilewright.script import tir as T`.

What annotations use has a value here. The rest of the language is read from the text; in code that Python runs its
names are those of `tilewright.script.ir_builder`, so that `T.exp(x)` makes an expression.
"""

from .entry import macro, prim_func
from .spelling import InfoSpelling, Spelling, outside_of_a_script

Buffer = Spelling("script.tir.Buffer")
handle = Spelling("script.tir.handle")
Ptr = Spelling("script.tir.Ptr")
_SCALARS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "e4m3_float8", "e5m2_float8",
)  # fmt: skip
globals().update({name: InfoSpelling(f"script.tir.{name}") for name in _SCALARS})

__all__ = ["Buffer", "Ptr", "handle", "macro", "prim_func", *_SCALARS]


def __getattr__(name: str) -> object:
    from .ir_builder import tir as builder

    if name in builder.__all__:
        return getattr(builder, name)
    raise outside_of_a_script(__name__, name, __all__)
