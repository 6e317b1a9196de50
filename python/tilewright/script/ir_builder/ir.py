"""`I`: modules, function by function."""

from __future__ import annotations

from typing import Any

from ...ir.expr import Range
from ...ir.global_info import DummyGlobalInfo, VDevice
from ...ir.module import GlobalVar, IRModule
from .base import Frame, IRBuilder, expected_frame

__all__ = [
    "GlobalVar",
    "IRModuleFrame",
    "Range",
    "decl_function",
    "def_function",
    "dummy_global_info",
    "ir_module",
    "lookup_vdevice",
    "module_attrs",
    "module_get_attr",
    "module_get_attrs",
    "module_global_infos",
    "module_set_attr",
    "vdevice",
]


class IRModuleFrame(Frame):
    """A module in the making."""

    def __init__(self) -> None:
        self.functions: dict[str, Any] = {}
        self.attrs: dict[str, Any] = {}
        self.global_infos: dict[str, Any] = {}

    def end(self, around: Frame | None) -> None:
        """Finishes the module."""
        missing = [name for name, function in self.functions.items() if function is None]
        if missing:
            raise ValueError(f"declared and not defined: {', '.join(missing)}")
        IRBuilder.current().finish(IRModule(self.functions, self.attrs, self.global_infos))


def ir_module() -> IRModuleFrame:
    """A module."""
    return IRModuleFrame()


def _module() -> IRModuleFrame:
    return expected_frame(IRModuleFrame, "what is said of a module")


def decl_function(func_name: str, func_signature: Any) -> GlobalVar:
    """Declares a function, so that others may call it."""
    _module().functions.setdefault(func_name, None)
    return GlobalVar(func_name, getattr(func_signature, "struct_info", None))


def def_function(func_name: str, func: Any) -> None:
    """Defines a function."""
    _module().functions[func_name] = func


def module_attrs(attrs: dict[str, Any], allow_overwrite: bool = False) -> None:
    """Sets attributes of the module; one that it has already is only changed with `allow_overwrite`."""
    own = _module().attrs
    if again := [key for key in attrs if key in own and not allow_overwrite]:
        raise ValueError(f"the module has the attributes {again} already: `allow_overwrite` changes them")
    own.update(attrs)


def module_get_attrs() -> dict[str, Any]:
    """The attributes of the module."""
    return dict(_module().attrs)


def module_get_attr(attr_key: str) -> Any:
    """An attribute of the module; None where it has none of this name."""
    return _module().attrs.get(attr_key)


def module_set_attr(attr_key: str, attr_value: Any, allow_overwrite: bool = False) -> None:
    """Sets one attribute of the module; one that it has already is only changed with `allow_overwrite`."""
    module_attrs({attr_key: attr_value}, allow_overwrite)


def module_global_infos(global_infos: dict[str, list[Any]]) -> None:
    """Sets the lists of global infos of the module."""
    _module().global_infos.update(global_infos)


def vdevice(target: Any = None, vdevice_id: int = 0, memory_scope: str = "global") -> VDevice:
    """A device."""
    return VDevice(target, vdevice_id, memory_scope)


def lookup_vdevice(target_kind: str | None = None, device_index: int = -1) -> VDevice | None:
    """A device of the module by the kind of its target and its number among those."""
    devices = [info for info in _module().global_infos.get("vdevice", []) if isinstance(info, VDevice)]
    of_kind = [info for info in devices if target_kind in (None, "vdevice", str(info.target.kind.name))]
    index = max(device_index, 0)
    return of_kind[index] if index < len(of_kind) else None


def dummy_global_info() -> DummyGlobalInfo:
    """A global info that says nothing."""
    return DummyGlobalInfo()
