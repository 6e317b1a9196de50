"""`I`: modules. `from tilewright.script import ir as I`."""

from .entry import ir_module
from .spelling import outside_of_a_script

__all__ = ["ir_module"]


def __getattr__(name: str) -> object:
    from .ir_builder import ir as builder

    if name in builder.__all__:
        return getattr(builder, name)
    raise outside_of_a_script(__name__, name, __all__)
