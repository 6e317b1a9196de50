"""Global infos of a module."""

from __future__ import annotations

from .._core import Object
from ..target.target import Target, text_of_options

__all__ = ["DummyGlobalInfo", "GlobalInfo", "VDevice"]


class GlobalInfo(Object):
    """A global info of a module."""

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    __hash__ = Object.__hash__


class DummyGlobalInfo(GlobalInfo, kind="ir.DummyGlobalInfo"):
    """Says nothing."""

    def __new__(cls) -> DummyGlobalInfo:
        return cls._make()


class VDevice(GlobalInfo, kind="ir.VDevice"):
    """A device that struct infos name: its target, its number among those of that target, and where in its memory."""

    target_text: str
    vdevice_id: int
    memory_scope: str

    @property
    def target(self) -> Target:
        """The target of the device."""
        return Target(self.target_text)

    def __new__(cls, target: object = None, vdevice_id: int = 0, memory_scope: str = "global") -> VDevice:
        """The device of a target: a text, a dict of its options, or a Target."""
        text = text_of_options(target) if isinstance(target, dict) else getattr(target, "text", target)
        return cls._make("llvm" if text is None else text, vdevice_id, memory_scope)
