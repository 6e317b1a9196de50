"""The modules in which TVM keeps its graph operators: `relax.op.binary`, `relax.op.nn.nn` and their like.

Each has every operator of its family; the functions are those of `relax.op`.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ...ir.attrs import Attrs

__all__: list[str] = []

#: Modules of operators, each with the family whose functions it has.
_FILES = {
    "base": "", "binary": "", "create": "", "datatype": "", "index": "", "inspect": "", "linear_algebra": "",
    "manipulate": "", "mask": "", "qdq": "", "sampling": "", "search": "", "set": "", "sorting": "", "statistical": "",
    "ternary": "", "unary": "", "nn.nn": "nn", "image.image": "image", "memory.memory": "memory", "vm.vm": "vm",
    "builtin.builtin": "builtin", "grad.grad": "grad", "ccl.ccl": "ccl", "distributed.distributed": "distributed",
}  # fmt: skip


def _attributes(name: str) -> Any:
    """The class of attributes that TVM calls `name`: all attributes are of one class."""
    if name.endswith("Attrs"):
        return Attrs
    raise AttributeError(f"module 'tilewright.relax.op.op_attrs' has no attribute {name!r}")


def _add_modules(root: ModuleType) -> None:
    """Adds the modules under that of the operators."""
    for family in sorted({family for family in _FILES.values() if family}):
        _known(root, family)
    for path, family in _FILES.items():
        source = _known(root, family) if family else root
        module = _known(root, path)
        if "__getattr__" not in vars(module):
            names = [name for name in vars(source) if not name.startswith("_")]
            vars(module).update({name: vars(source)[name] for name in names if callable(vars(source)[name])})
    attrs = _known(root, "op_attrs")
    attrs.__getattr__ = _attributes  # type: ignore[method-assign]


def _known(root: ModuleType, path: str) -> ModuleType:
    """The module of a path, made where it is not there yet."""
    full = f"{root.__name__}.{path}"
    module = sys.modules.get(full)
    if module is None:
        module = sys.modules[full] = ModuleType(full, f"The graph operators of `{path}`.")
        parent, _, last = path.rpartition(".")
        around = _known(root, parent) if parent else root
        # An operator keeps its name where a module has the same one, such as `relax.op.vm`.
        if not hasattr(around, last):
            setattr(around, last, module)
    if module.__spec__ is None:
        module.__spec__ = ModuleSpec(full, None, is_package=True)
        module.__path__ = []
    return module
