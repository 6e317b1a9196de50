"""`I`: modules. `from tilewright.script import ir as I`."""

import sys
from typing import Any

from .capture import in_class_body
from .entry import ir_module
from .spelling import outside_of_a_script

__all__ = ["ir_module", "module_attrs", "module_global_infos"]


def module_attrs(attrs: dict[str, Any]) -> None:
    """Attributes of the module. In a class the text says them; in a builder's `with` this call does."""
    if not in_class_body(sys._getframe(1)):
        from .ir_builder import ir as builder

        builder.module_attrs(attrs)


def module_global_infos(global_infos: dict[str, Any]) -> None:
    """Devices and the like of the module, said as `module_attrs` says attributes."""
    if not in_class_body(sys._getframe(1)):
        from .ir_builder import ir as builder

        builder.module_global_infos(global_infos)


def __getattr__(name: str) -> object:
    from .ir_builder import ir as builder

    if name in builder.__all__:
        return getattr(builder, name)
    raise outside_of_a_script(__name__, name, __all__)
